#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# tests/perf in a guest with kernel 6.1.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
exec scripts/vm --kernel 6.1 --mem 3G --smp 1 --timeout 1800 -- tests/run tests/perf
