#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a guest with the debug kernel what drives the module while perf's own hooks are on: a
# session in which contents, containers, and modules come and go. What is made of a perf.data
# later is the same on any kernel: perf-6.12.t. Tests that look at lib.DEBUG do less of the same.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
exec scripts/vm --kernel debug --mem 4G --smp 1 --timeout 3600 -- tests/run tests/perf/perf-6.12.t
