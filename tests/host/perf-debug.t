#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# tests/perf in a guest with the debug kernel. Tests that look at lib.DEBUG do less
# of the same there.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
exec scripts/vm --kernel debug --mem 4G --smp 1 --timeout 3600 -- tests/run tests/perf
