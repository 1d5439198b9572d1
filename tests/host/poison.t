#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tests/module/poison.t with a kernel that poisons memory as it is freed and allocated, and a
# module whose compiler does so with what is on the stack.
set -e
cd "$(dirname "$0")/../.."
out=build/poison
flock tests/Makefile make -s -C tests >&2
make -s module KERNEL=6.12 OUT=$out KFLAGS=KCFLAGS=-ftrivial-auto-var-init=pattern >&2
# else it would be the module as it always is
objdump -d $out/buildid.ko | grep -q fefefefe || {
	echo "Bail out! no patterns in $out/buildid.ko"
	exit 1
}
exec scripts/vm --kernel 6.12 --mem 3G --no-module \
	--append 'slub_debug=P page_poison=1 init_on_alloc=0 init_on_free=0' -- \
	env BUILDID_MODULE="$PWD/$out/buildid.ko" tests/run tests/module/poison.t
