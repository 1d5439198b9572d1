#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# tests/module/ftrace_killed.t in a guest that has no ftrace any more after it.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
exec scripts/vm --kernel 6.12 --mem 3G -- tests/run tests/module/ftrace_killed.t
