#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In a guest with the debug kernel (KASAN, lockdep, kmemleak and more) what drives the
# module: all of tests/module, and real programs; what else tests/tool asks of it,
# tests/module asks, too, ioctl by ioctl. Tests that look at lib.DEBUG do less of the same.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
exec scripts/vm --kernel debug --mem 4G --timeout 3600 -- \
	tests/run tests/module tests/tool/programs.t
