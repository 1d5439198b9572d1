#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# module/probe.sh takes no failure of the compiler's for an answer about the kernel.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

cat > "$work/probe.c" << 'EOF'
static inline void probe(void)
{
#ifdef BID_HAS_THIS
	probe();
#endif
#ifdef BID_HAS_THAT
	that();
#endif
#ifdef BID_HAS_THESE
	probe();
#endif
#ifdef BID_TEST_MISSING
	missing();
#endif
}
EOF
# Asked for THIS, and for nothing else, it does what $TROUBLE says.
cat > "$work/compiler" << 'EOF'
#!/bin/bash
[[ $* != *-DBID_HAS_THIS* ]] || eval "$TROUBLE"
exec "$@"
EOF
chmod +x "$work/compiler"

# shellcheck disable=SC2317	# ok calls what follows
probe() {	# COMPILER
	sh module/probe.sh "$work/probe.c" "$work/probe.d" "$work/compiler" "$1"
}
# shellcheck disable=SC2317
answers() {
	TROUBLE='' probe "$1" > "$work/config.h" && cat "$work/config.h" &&
		[[ $(grep -o 'BID_.*' "$work/config.h") == 'BID_HAS_THIS 1'$'\n''BID_HAS_THESE 1' ]]
}
# shellcheck disable=SC2317
fails() { ! TROUBLE=$2 probe "$1"; }

for cc in gcc clang; do
	ok "$cc: what compiles is there, what does not is not" answers $cc
	# shellcheck disable=SC2016	# for the compiler
	ok "$cc: a compiler that is killed fails the build" fails $cc 'kill -KILL $$'
	ok "$cc: so does one that lost a part of it" fails $cc \
		'echo "gcc: fatal error: Killed signal terminated program cc1" >&2; exit 1'
	ok "$cc: so does one that crashed in a line" fails $cc \
		'echo "probe.c:4:2: internal compiler error: Segmentation fault" >&2; exit 4'
	ok "$cc: so does one that could not read a header" fails $cc \
		'echo "probe.c:1:10: fatal error: cannot open file: Input/output error" >&2; exit 1'
done

finish
