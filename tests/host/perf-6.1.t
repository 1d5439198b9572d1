#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a guest with kernel 6.1 the tests in which perf, BPF or a recorder of its own meets
# the kernel and the module. What is made of a perf.data later is the same on any kernel:
# perf-6.12.t. Its own perf is the oldest; the newest asks the most of a kernel.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
exec scripts/vm --kernel 6.1 --mem 3G --smp 1 --timeout 1800 -- \
	tests/run tests/perf/{perf-6.1,perf-7.2,symbolize,examples,record,store_live}.t
