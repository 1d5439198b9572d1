#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# tests/tool/lockdown.t in a guest that is locked down, and of no use after it.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit
exec scripts/vm --kernel 6.12 --mem 3G -- tests/run tests/tool/lockdown.t
