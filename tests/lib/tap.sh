# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Tests in shell: sourced in the project's directory. $work is a directory that is removed.

work=$(mktemp -d /tmp/buildid-test.XXXXXX)
trap 'rm -rf "$work"' EXIT

n=0 failed=0
ok() {	# NAME COMMAND...
	n=$((n + 1))
	if "${@:2}" > "$work/log" 2>&1; then
		echo "ok $n - $1"
	else
		failed=1
		echo "not ok $n - $1"
		tail -n 40 "$work/log" | sed 's/^/# /'
	fi
}

finish() {
	echo "1..$n"
	exit $failed
}
