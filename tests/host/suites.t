#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/suites takes the archive from the configuration of this machine's apt, in either form.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

suites=$PWD/scripts/suites
# shellcheck source=/dev/null
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
mkdir -p "$work/apt/lists/partial" "$work/apt/parts"
cat > "$work/apt.conf" <<- END
	Dir::Etc::sourcelist "$work/apt/sources.list";
	Dir::Etc::sourceparts "$work/apt/parts";
	Dir::State::lists "$work/apt/lists";
END
export APT_CONFIG=$work/apt.conf

# shellcheck disable=SC2317
printed() {	# EXPECTED...
	"$suites" --sources sid bookworm-security > "$work/out" 2>&1
	diff <(printf '%s\n' "$@") <(sed 's/\[[^]]*\] //' "$work/out")
}

cat > "$work/apt/sources.list" <<- END
	deb https://other.example/apt $codename-tools main
	deb [arch=amd64] http://mirror.example/debian $codename main contrib
	deb http://second.example/debian $codename main
	deb http://mirror.example/security $codename-security main
END
ok 'sources.list: the archive of this release, and that of its security updates' printed \
	'deb http://mirror.example/debian/ sid main' \
	'deb http://mirror.example/security/ bookworm-security main'

rm "$work/apt/sources.list"
cat > "$work/apt/parts/debian.sources" <<- END
	Types: deb
	URIs: http://proxy.example:3142/debian
	Suites: $codename $codename-updates
	Components: main

	Types: deb
	URIs: http://proxy.example:3142/debian-security
	Suites: $codename-security
	Components: main
END
ok 'a file in the format deb822' printed \
	'deb http://proxy.example:3142/debian/ sid main' \
	'deb http://proxy.example:3142/debian-security/ bookworm-security main'

rm "$work/apt/parts/debian.sources"
# shellcheck disable=SC2317
refused() {
	! "$suites" --sources sid > "$work/out" 2>&1 &&
		grep -q "apt has no sources of Debian's $codename here" "$work/out"
}
ok 'without any it says what is missing' refused

finish
