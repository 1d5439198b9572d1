#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tests/perf in a guest with the debug kernel, but for those of other programs that read
# what was recorded, as these do the same on any kernel. Tests that look at lib.DEBUG do
# less of the same there.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
shopt -s extglob
exec scripts/vm --kernel debug --mem 4G --smp 1 --timeout 3600 -- \
	tests/run tests/perf/!(bundle|consumers|report|store_consumers|two_machines).t
