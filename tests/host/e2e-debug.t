#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# tests/*.t in a guest with the debug kernel: KASAN, lockdep, kmemleak ... All of
# them; lost.t, reload.t and system.t do less of the same there, see lib.DEBUG.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
exec scripts/vm --kernel debug --mem 4G --timeout 3600 -- tests/run
