#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# usage: module/probe.sh probe.c DEPENDENCIES COMPILER FLAG... >bid_config.h
#
# Defines each BID_HAS_... with which probe.c compiles. DEPENDENCIES gets what it includes.

src=$1 dependencies=$2
shift 2

# The compiler's messages are read below.
export LC_ALL=C

fail() {
	echo "buildid: $src: $*" >&2
	exit 1
}

# Warnings of other compilers are no answer, but a call of what is not declared is.
compile() {	# COMPILER FLAG...
	"$@" -Wno-error -Werror=implicit-function-declaration -Werror=incompatible-pointer-types \
		-fdiagnostics-color=never -fsyntax-only "$src"
}

# A no is an error in a line. A compiler that was killed or has crashed gave no answer, and what
# it was asked for may be there: with a wrong no the module can compile, and be wrong.
compiles() {	# COMPILER FLAG...
	messages=$(compile "$@" 2>&1) && return
	echo "$messages" | grep -q ':[0-9][0-9]*: error: ' && return 1
	echo "$messages" >&2
	fail "the compiler failed, and named no line"
}

compile "$@" "-Wp,-MMD,$dependencies" || fail "does not compile with this kernel's headers"
compiles "$@" -DBID_TEST_MISSING && fail "compiles a function that is missing, too"
echo '/* Made by module/probe.sh. */'
questions=$(sed -n 's/^#ifdef \(BID_HAS_.*\)/\1/p' "$src")
for name in $questions; do
	if compiles "$@" "-D$name"; then
		echo "#define $name 1"
	fi
done
