#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/kernel takes the newest kernel that can be had whole. apt's lists are not real.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

mkdir -p "$work/scripts" "$work/bin"
cp scripts/kernel "$work/scripts/"
cat > "$work/scripts/suites" << 'EOF'
#!/bin/bash
echo /dev/null
EOF
cat > "$work/bin/apt-cache" << 'EOF'
#!/bin/bash
case $* in
pkgnames*) printf 'linux-headers-6.1.0-%s-amd64\n' 9 11 10 ;;
'show --no-all-versions linux-image-6.1.0-'*)
	[[ " $images " != *" ${*: -1} "* ]] || echo 'Version: 6.1.1-1' ;;
'depends linux-headers-'*) printf '  Depends: linux-%s\n' headers-6.1.0-common kbuild-6.1 ;;
esac
EOF
cat > "$work/bin/apt-get" << 'EOF'
#!/bin/bash
exit 1
EOF
chmod +x "$work/scripts/suites" "$work"/bin/apt-*
export BUILDID_CACHE=$work/cache PATH=$work/bin:$PATH

# shellcheck disable=SC2317	# ok calls what follows
fetches() {	# RELEASE IMAGE...
	images="${*:2}" "$work/scripts/kernel" 6.1 2>&1 | tee "$work/said"
	grep "cannot fetch .*linux-image-$1:amd64" "$work/said"
}
# shellcheck disable=SC2317
finds_none() {
	images='' "$work/scripts/kernel" 6.1 2>&1 | tee "$work/said"
	grep '6.1: no such kernel in' "$work/said"
}
ok 'the newest' fetches 6.1.0-11-amd64 linux-image-6.1.0-{9,10,11}-amd64:amd64
ok 'not one whose image has yet to be signed' \
	fetches 6.1.0-10-amd64 linux-image-6.1.0-{9,10}-amd64:amd64
ok 'none without an image' finds_none
finish
