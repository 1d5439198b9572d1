#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a guest with the debug kernel (KASAN, lockdep, kmemleak and more) those of tests/module in
# which something comes to an end, fails, waits, or happens at the same time as something else.
# What an answer says, and what something takes, is the same on any kernel: e2e-6.12.t; make check
# KERNEL=debug has all of it, and tests/perf. Tests that look at lib.DEBUG do less of the same.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
exec scripts/vm --kernel debug --mem 4G --timeout 3600 -- tests/run \
	tests/module/{cookies,device_fuzz,faults,fuse,listeners,memory,races,reload,ring,snapshot,soak,subscribe,tasks,umount,visits}.t
