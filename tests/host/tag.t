#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make tag: the tag has what NEWS says, and is not made where something of a release is missing.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

git clone -q . "$work/clone"
cp Makefile "$work/clone/"
cp scripts/tag "$work/clone/scripts/"
cd "$work/clone" || exit
export GIT_CONFIG_GLOBAL=/dev/null GIT_{AUTHOR,COMMITTER}_NAME=test
export GIT_{AUTHOR,COMMITTER}_EMAIL=test@localhost

commit() { git add -A && git commit -q --allow-empty -m test; }

cat > NEWS << 'EOF'
Changes that users notice.

9.8.7

  Tool
  - It is # better.

9.8.6

  - It was worse.
EOF
sed -i 's/^#define BID_VERSION .*/#define BID_VERSION "9.8.7"/' module/version.h
sed -i '1s/(.*)/(9.8.7)/' debian/changelog
commit

# Fails as SAID, after the change that the command makes, and without a tag.
# shellcheck disable=SC2317	# ok calls what follows
refuses() {	# SAID COMMAND...
	local said status

	"${@:2}"
	said=$(make -s tag 2>&1)
	status=$?
	echo "$said"
	git tag -l v9.8.7
	[[ $status -ne 0 && $said == *"scripts/tag: $1"* && ! $(git tag -l v9.8.7) ]] &&
		git reset -q --hard "$good"
}
# shellcheck disable=SC2317
change() {	# FILE SED
	sed -i "$2" "$1" && commit
}
good=$(git rev-parse HEAD)

ok 'not with a change that is not committed' \
	refuses 'not all is committed:  M NEWS' sed -i '1s,^,more ,' NEWS
ok 'not without a version' \
	refuses "module/version.h: '' is no version" change module/version.h /BID_VERSION/d
ok 'not with a version of something unfinished' \
	refuses "module/version.h: '9.8.7-rc' is no" change module/version.h 's/9.8.7/&-rc/'
ok 'not while NEWS says that it is not released' \
	refuses "NEWS: the latest section is '9.8.7, not released yet'" \
	change NEWS 's/^9.8.7/&, not released yet/'
ok 'not with a section of another version' \
	refuses "NEWS: the latest section is '9.8.6'" change NEWS '/^9.8.7/,/better/d'
ok 'not with an empty section' \
	refuses 'NEWS: the section 9.8.7 is empty' change NEWS '/Tool/,/better/d'
ok 'not with packages of another version' \
	refuses "debian/changelog: the latest entry is '9.8.6'" change debian/changelog '1s/9.8.7/9.8.6/'

# shellcheck disable=SC2317
tags() {
	local text=$'buildid 9.8.7\n\n  Tool\n  - It is # better.'

	make -s tag && [[ $(git cat-file -t v9.8.7) == tag ]] &&
		[[ $(git rev-parse 'v9.8.7^{commit}') == "$good" ]] &&
		[[ $(git tag -l --format='%(contents)' v9.8.7) == "$text" ]]
}
ok 'else the tag is annotated, of the last commit, and has the section of NEWS' tags

# shellcheck disable=SC2317
refuses_another() {
	local said was

	was=$(git rev-parse v9.8.7)
	commit
	said=$(make -s tag 2>&1) && return 1
	echo "$said"
	[[ $said == *'scripts/tag: v9.8.7: exists'* && $(git rev-parse v9.8.7) == "$was" ]]
}
ok 'and is never moved' refuses_another

finish
