#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a guest with kernel 6.1 the tests in which perf, BPF or a recorder of its own meets
# the kernel and the module. What is made of a perf.data later is the same on any kernel:
# perf-6.12.t, which has the newest perf, too.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
exec scripts/vm --kernel 6.1 --mem 3G --smp 1 --timeout 1800 -- \
	tests/run tests/perf/{perf-6.1,symbolize,examples,record,without_module}.t
