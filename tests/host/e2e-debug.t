#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# tests/module and tests/tool in a guest with the debug kernel: KASAN, lockdep,
# kmemleak and more. Tests that look at lib.DEBUG do less of the same there.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
exec scripts/vm --kernel debug --mem 4G --timeout 3600 -- tests/run
