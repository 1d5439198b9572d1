#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/matrix takes nothing for a success that was not seen. Kernels and guests are not real.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

mkdir -p "$work"/tree/{scripts,tool,tests} "$work"/kernels/{good,silent,refused}
cp scripts/matrix "$work/tree/scripts/"
cd "$work/tree" || exit
touch ../kernels/{good,silent,refused}/config
echo refused-1 > ../kernels/refused/release
echo good-1 > ../kernels/good/release
echo silent-1 > ../kernels/silent/release
cat > scripts/kernel << 'EOF'
#!/bin/bash
case $1 in
--table)
	printf '%s amd64 %s\n' good image silent image gone headers broken debug headless image \
		refused headers
	exit
	;;
--dir) shift ;;
gone) exit 3 ;;
broken) echo "scripts/kernel: the build failed" >&2; exit 1 ;;
esac
echo "$1" >> ../asked
[[ ! -e ../killed ]] || kill -KILL $PPID
echo "$PWD/../kernels/$1"
EOF
cat > scripts/vm << 'EOF'
#!/bin/bash
[[ ! -e ../chatty ]] || printf 'not ok 1 - %01000d\n# File "%s/x", "%s/y"\n' 0 "$PWD" "$HOME"
[[ $* == *good* ]] || { echo "scripts/vm: silent: no verdict from the guest" >&2; exit 125; }
echo "ok 1 - it works"
EOF
chmod +x scripts/*
cat > Makefile << 'EOF'
module:
	@[ $(KERNEL) != refused ] || { echo "hook.c:1:2: error: no such function" >&2; exit 2; }
	mkdir -p build/$(KERNEL)-1 && touch build/$(KERNEL)-1/buildid.ko
EOF
printf '%s:\n\t@:\n' version > tool/Makefile
printf '%s:\n\t@:\n' all > tests/Makefile
printf '/build/\n' > .gitignore
git init -q . && git add . &&
	git -c user.name=test -c user.email=test@localhost commit -q -m test || exit

# shellcheck disable=SC2317	# ok calls what follows
passes() { scripts/matrix --jobs 1 "$@" && sed -n 's/^| //p' MATRIX.md; }
# shellcheck disable=SC2317
fails() { ! passes "$@"; }
# shellcheck disable=SC2317
shows() { grep -qE "^\| ${1//|/\\|} " MATRIX.md; }

ok "a kernel that no suite has is no failure beside one that passes" passes good gone
ok "and shows so" shows "gone | amd64 | - | [0-9a-f]+ | cannot be had"
ok "but alone it is: nothing was examined" fails gone
ok "a kernel that cannot be made ready is a failure" fails good broken
ok "and shows so" shows "broken | amd64 | - | [0-9a-f]+ | kernel failed"
ok "a guest that says nothing is a failure" fails good silent
ok "and is not taken for one that has loaded the module" \
	shows "silent | amd64 | silent-1 | [0-9a-f]+ | yes | no"

ok "where the module does not build, the log says why" \
	eval 'fails refused && shows "refused | amd64 | refused-1 | [0-9a-f]+ | no" &&
		sed -n "/^## refused/,/^## /p" MATRIX.md | grep "error: no such function"'

echo good-2 > ../kernels/good/release
ok "the release is that of the kernel that was tested, not of one that came later" \
	eval 'fails gone && shows "good | amd64 | good-1"'
echo good-1 > ../kernels/good/release

ok "where only some tests ran, their names are beside the numbers" \
	eval 'passes --tests "tests/a tests/b" good | grep "1 of 1 (tests/a tests/b)"'

touch ../chatty
ok "of a long line of the log the beginning is shown" \
	eval 'fails good && grep "not ok 1 - 000" MATRIX.md && ! grep -E "^.{500}" MATRIX.md'
# shellcheck disable=SC2317
hides() { grep 'File "x", "~/y"' MATRIX.md && ! grep -F "$PWD" MATRIX.md; }
ok "of this machine's paths none is shown" hides
rm ../chatty

touch ../killed
ok "a result of an earlier run is not this one's" fails good
rm ../killed

rm ../asked
ok "a kernel that the table does not have is refused before another is examined" \
	eval '! scripts/matrix good nonsense && [[ ! -e ../asked ]]'

# shellcheck disable=SC2317
keeps() {
	local was now

	passes silent
	was=$(git log -1 --format=%h)
	touch more
	git add more
	git -c user.name=test -c user.email=test@localhost commit -q -m more
	now=$(git log -1 --format=%h)
	passes good && shows "good | amd64 | good-1 | $now | yes" &&
		shows "silent | amd64 | silent-1 | $was | yes | no" &&
		shows "headless | amd64 | - | - | not run" &&
		sed -n '/^## silent/,/^## /p' MATRIX.md | grep 'no verdict'
}
ok "rows of other kernels stay, each with its commit" keeps

# shellcheck disable=SC2317
places() {
	passes good && echo one > new && passes good && echo two > new && passes good &&
		echo '# three' >> Makefile && passes good || return
	set -- build/matrix/*-changed-*/good.row
	echo "$@"
	[[ $# -eq 3 ]]
}
ok "each change that is not committed has results of its own" places

finish
