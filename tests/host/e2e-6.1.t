#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a guest with kernel 6.1 tests/module and tests/tool, but for what the tool says of
# errors, of changes and of the machine, which is its own on any kernel, and for the short
# forms of long tests at random: e2e-6.12.t.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
shopt -s extglob
exec scripts/vm --kernel 6.1 --mem 3G --timeout 1800 -- \
	tests/run tests/module/!(device_fuzz|liar|mangled|poison|soak).t \
	tests/tool/!(changes|doctor|errors|lockdown|upgrade).t
