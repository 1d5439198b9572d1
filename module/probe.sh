#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: module/probe.sh probe.c DEPENDENCIES COMPILER FLAG... >bid_config.h
#
# Defines each BID_HAS_... with which probe.c compiles. DEPENDENCIES gets what it includes.

src=$1 dependencies=$2
shift 2

# Warnings of other compilers are no answer, but a call of what is not declared is.
compile() {	# FLAG...
	"$@" -Wno-error -Werror=implicit-function-declaration -Werror=incompatible-pointer-types \
		-fsyntax-only "$src"
}

compile "$@" "-Wp,-MMD,$dependencies" || {
	echo "buildid: $src: does not compile with this kernel's headers" >&2
	exit 1
}
if compile "$@" -DBID_TEST_MISSING 2>/dev/null; then
	echo "buildid: $src: compiles a function that is missing, too" >&2
	exit 1
fi
echo '/* Made by module/probe.sh. */'
sed -n 's/^#ifdef \(BID_HAS_.*\)/\1/p' "$src" | while read -r name; do
	if compile "$@" "-D$name" 2>/dev/null; then
		echo "#define $name"
	fi
done
