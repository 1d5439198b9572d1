#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# tests/module/ftrace_killed.t in two guests that have no ftrace any more after it: one with the
# module, and one that loads it then.
cd "$(dirname "$0")/../.." && flock tests/Makefile make -s -C tests >&2 || exit

guest() {	# NUMBER NAME COMMAND
	if scripts/vm --kernel 6.12 --mem 3G -- sh -c "$3 tests/run tests/module/ftrace_killed.t" >&2
	then
		echo "ok $1 - $2"
	else
		echo "not ok $1 - $2"
	fi
}

echo 1..2
guest 1 "the module is loaded when ftrace is killed" "exec"
guest 2 "the module is loaded after ftrace was killed" "rmmod buildid && exec"
