#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# tests/module and tests/tool in a guest with kernel 6.12.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
exec scripts/vm --kernel 6.12 --mem 3G --timeout 3600 -- tests/run
