#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In a guest with kernel 6.1 those of tests/module and tests/tool in which the module or the tool
# meets the kernel's interfaces. What is the module's own on any kernel, as which entry it evicts
# and what it makes of an ELF file, what is lost, the library, what the tool says of errors,
# of changes and of the machine, and the short forms of long tests at random: e2e-6.12.t. make
# check KERNEL=6.1 has all of it.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
shopt -s extglob
exec scripts/vm --kernel 6.1 --mem 3G --timeout 2700 -- tests/run \
	tests/module/!(cookies|device_fuzz|fairness|ftrace_killed|history|identities|images|liar|lost|mangled|poison|ring32|sizes|soak|system).t \
	tests/tool/{maps,no_module,programs,symbolize}.t
