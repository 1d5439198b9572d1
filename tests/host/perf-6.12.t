#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tests/perf in a guest with kernel 6.12, but what other programs make of a recording, or of what
# is stored: make check KERNEL=6.12 has that, too. The oldest perf has a session on its own:
# perf-6.1.t.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
shopt -s extglob
exec scripts/vm --kernel 6.12 --mem 3G --smp 1 --timeout 1800 -- tests/run \
	tests/perf/!(perf-6.1|two_machines|consumers|store_consumers).t
