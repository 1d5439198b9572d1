#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The unit tests of tool/. Each program counts its own; prove wants one count.
set -o pipefail
make -s -C "$(dirname "$0")/../../tool" check 2>&1 | awk '
	/^# test_/		{ file = $2 }
	/^1\.\.[0-9]+/		{ next }
	/^(not )?ok [0-9]+/	{ sub(/ok [0-9]+ - /, "ok " ++n " - " file ": ") }
				{ print }
	END			{ print "1.." n }'
