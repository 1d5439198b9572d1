#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tarball of a release: the same bytes from any clone, and all that it takes to build.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
cd "$work" || exit
top=$OLDPWD

# What a packager's machine may have set, none of which may show in the tarball.
# shellcheck disable=SC2317	# ok calls what follows
settings() {
	cat > settings <<- EOF
		[core]
			autocrlf = true
			attributesFile = $work/attributes
		[tar]
			umask = 0077
	EOF
	echo '*.md export-ignore' > attributes
}

# shellcheck disable=SC2317
two_clones() {
	git clone -q "$top" one && git clone -q "$top" a-longer-name || return
	settings
	make -s -C one dist &&
		(umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 XZ_OPT=-1 GIT_CONFIG_GLOBAL=$work/settings \
			make -s -C a-longer-name dist) || return
	sha256sum ./*/build/buildid-*.tar.xz
	cmp one/build/buildid-*.tar.xz a-longer-name/build/buildid-*.tar.xz
}

# Of all that git reads, the one file that no option turns off.
# shellcheck disable=SC2317
refuses_attributes() {
	local said status

	echo '*.md export-ignore' > one/.git/info/attributes
	said=$(make -s -C one dist 2>&1)
	status=$?
	rm one/.git/info/attributes
	echo "$said"
	[[ $status -ne 0 && $said == *"info/attributes would change what is packed"* ]]
}

# shellcheck disable=SC2317
unpack() {
	version=$(make -s --no-print-directory -C one/tool version)
	mkdir alone && tar -C alone -xf "one/build/buildid-$version.tar.xz" &&
		[[ $(ls alone) == "buildid-$version" ]] &&
		git -C one ls-files | sort > listed &&
		(cd "alone/buildid-$version" && find . ! -type d | sed 's|^\./||' | sort) > packed &&
		diff listed packed &&
		grep -q "^$version" "alone/buildid-$version/NEWS"
}

# shellcheck disable=SC2317
has_bill() {
	local clone

	for clone in one a-longer-name; do
		"$top/scripts/sbom" "$clone"/build/buildid-*.tar.xz > "$clone".json || return
	done
	cmp one.json a-longer-name.json || return
	python3 - one.json "alone/buildid-$version" <<- 'EOF'
		import hashlib, json, os, sys
		with open(sys.argv[1], encoding="utf-8") as file:
		    bill = json.load(file)
		there = {os.path.join(path, name) for path, _, names in os.walk(sys.argv[2]) for name in names
		         if not os.path.islink(os.path.join(path, name))}
		files = {os.path.normpath(os.path.join(sys.argv[2], entry["fileName"])): entry
		         for entry in bill["files"]}
		assert set(files) == there, set(files) ^ there
		for path, entry in files.items():
		    with open(path, "rb") as file:
		        hash = hashlib.sha256(file.read()).hexdigest()
		    assert {"algorithm": "SHA256", "checksumValue": hash} in entry["checksums"], path
		of = lambda name: files[os.path.join(sys.argv[2], name)]["licenseConcluded"]
		assert of("module/main.c") == "GPL-2.0", of("module/main.c")
		assert of("include/uapi/buildid.h") == "GPL-2.0 WITH Linux-syscall-note"
		assert of("tool/libbuildid/libbuildid.h") == "LGPL-2.1-or-later"
		assert any(package["name"] == "libelf" for package in bill["packages"]), bill["packages"]
	EOF
}

# With a git that fails for whoever calls it.
# shellcheck disable=SC2317
builds() {
	local kernel release root=$work/root

	kernel=$("$top/scripts/kernel" 6.12) || return
	release=$(<"$kernel/release")
	mkdir bin && ln -s /bin/false bin/git
	PATH=$work/bin:$PATH make -s -C alone/buildid-* tool module install \
		KDIR="$kernel/build" DESTDIR="$root" || return
	[[ $("$root/usr/local/bin/buildid" --version) == "buildid $version" ]] &&
		[[ $(modinfo -F version "$root/lib/modules/$release/updates/buildid.ko"*) == "$version" ]] &&
		grep -q "buildid $version" "$root/usr/local/share/man/man1/buildid.1"
}

# shellcheck disable=SC2317
uninstalls() {
	local left root=$work/root

	for _ in once twice; do
		make -s -C alone/buildid-* uninstall-tool DESTDIR="$root" || return
	done
	left=$(find "$root" ! -type d ! -path '*/lib/modules/*')
	[[ ! $left ]] || { echo "$left"; return 1; }
}

# shellcheck disable=SC2317
refuses_spaces() {
	local said

	mkdir -p "$work/my dir"
	said=$(make -C alone/buildid-* install-source DESTDIR="$work/my dir" 2>&1)
	echo "$said"
	[[ $said == *"path with spaces"* && ! -e $work/my ]]
}

# shellcheck disable=SC2317
refuses_lint() {
	local said

	said=$("alone/buildid-$version/scripts/lint")
	echo "$said"
	[[ $said == "Bail out!"* ]]
}

ok 'two clones pack the same bytes, whatever git and xz are set to' two_clones
ok 'it refuses attributes of this clone alone' refuses_attributes
ok 'the tarball has every file of the commit, and NEWS of its version' unpack
ok 'its bill of materials has each file, with hash and license' has_bill
ok 'it builds and installs without git' builds
ok 'uninstalled, once more, too, it leaves no file' uninstalls
ok 'a DESTDIR with a space is refused, and nothing beside it removed' refuses_spaces
ok 'lint says that it needs a clone' refuses_lint
finish
