#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a guest with the debug kernel (KASAN, lockdep, kmemleak and more) those of tests/module in
# which something comes to an end, fails, waits, or happens at the same time as something else.
# What an answer says, and how much memory something takes, is the same on any kernel:
# e2e-6.12.t; make check KERNEL=debug has all of it. Tests that look at lib.DEBUG do less of the
# same.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
shopt -s extglob
exec scripts/vm --kernel debug --mem 4G --timeout 3600 -- tests/run \
	tests/module/!(abi|abi32|fairness|history|identities|images|info|mangled|namespaces|paths|poison|pressure|ring32|rewrite|sizes|system|trust|untouched).t
