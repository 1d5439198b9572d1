#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The PKGBUILD for Arch Linux and the expression for Nix, as far as Debian can run them."""

import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))

from tap import equal, run, test         # noqa: E402

# As makepkg, without its checks: each package has a directory of its own.
MAKEPKG = r"""
set -e
. ./PKGBUILD
srcdir=$PWD/src
mkdir -p "$srcdir"
for file in "${source[@]}"; do tar -C "$srcdir" -xJf "$file"; done
(cd "$srcdir" && build)
for name in "${pkgname[@]}"; do
    pkgdir=$PWD/pkg/$name
    mkdir -p "$pkgdir"
    (cd "$srcdir" && "package_$name")
done
"""
# What Nix's packages would be.
NIXPKGS = """
    let names = map (name: { inherit name; value = name; })
          [ "pkg-config" "python3" "elfutils" "json_c" "libarchive" "libiberty" "libnl" "ncurses"
            "openssl" "xz" "zstd" ];
        packages = import ./scripts/packages (builtins.listToAttrs names // {
          stdenv.mkDerivation = all: builtins.removeAttrs all [ "src" ];
          lib.licenses = { gpl2Only = "gpl2"; lgpl21Plus = "lgpl21"; };
        });
    in { inherit (packages) tool;
         module = packages.module { version = "6.12.1"; modDirVersion = "6.12.1-x"; dev = "/dev-of";
                                    moduleBuildDependencies = [ ]; }; }
"""
directory = tempfile.TemporaryDirectory()
version = subprocess.run(["make", "-s", "--no-print-directory", "-C", f"{TOP}/tool", "version"],
                         check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def files_below(root):
    return {os.path.join(path, name)[len(root):] for path, _, names in os.walk(root)
            for name in names}


def of_debs():
    """What their packages have, without papers and Debian's own ways with kernels."""
    found = set()
    for deb in glob.glob(f"{TOP}/build/deb/*.deb"):
        listed = subprocess.run(["dpkg-deb", "-c", deb], check=True, text=True,
                                stdout=subprocess.PIPE).stdout
        for line in listed.splitlines():
            name = line.split(None, 5)[5].split(" -> ")[0][1:]
            name = re.sub(r"^/lib/", "/usr/lib/", name.replace("/lib/x86_64-linux-gnu", "/lib"))
            name = name.replace("/etc/modprobe.d", "/usr/lib/modprobe.d")
            name = name.replace("zsh/vendor-completions", "zsh/site-functions")
            if not re.search(r"/$|^/etc/|/libexec/|/share/doc/|lintian", name):
                found.add(re.sub(r"(/man\d/.*)\.gz$", r"\1", name))
    return found


@test("scripts/pkgbuild fills in the version and the hash of the tarball")
def _():
    subprocess.run([f"{TOP}/scripts/pkgbuild", directory.name], check=True,
                   stdout=subprocess.DEVNULL)
    with open(f"{directory.name}/PKGBUILD", encoding="ascii") as file:
        text = file.read()
    assert f"pkgver={version}\n" in text and "#VERSION#" not in text, text
    with open(f"{directory.name}/buildid-{version}.tar.xz", "rb") as file:
        assert f"sha256sums=({hashlib.sha256(file.read()).hexdigest()})" in text, text


@test("its functions build and install what Debian's packages have")
def _():
    subprocess.run(["bash", "-c", MAKEPKG], check=True, cwd=directory.name,
                   stdout=subprocess.DEVNULL)
    root = f"{directory.name}/pkg"
    here = files_below(f"{root}/buildid") | files_below(f"{root}/buildid-dkms")
    here = {name for name in here if not re.search("/share/(doc|licenses)/", name)}
    there = of_debs()
    equal((sorted(there - here), sorted(here - there)), ([], []), "missing, more")
    both = files_below(f"{root}/buildid") & files_below(f"{root}/buildid-dkms")
    equal(both, set(), "files of both")


@test("the tool that was built so runs")
def _():
    said = subprocess.run([f"{directory.name}/pkg/buildid/usr/bin/buildid", "--version"], text=True,
                          check=True, stdout=subprocess.PIPE).stdout
    equal(said, f"buildid {version}\n")


@test("the expression for Nix has the version, and the paths of the kernel that it is given")
def _():
    said = subprocess.run(["nix-instantiate", "--eval", "--strict", "--json", "-E", NIXPKGS],
                          text=True, check=True, cwd=TOP, stdout=subprocess.PIPE,
                          env=os.environ | {"NIX_STATE_DIR": directory.name,
                                            "NIX_STORE_DIR": f"{directory.name}/store"}).stdout
    found = json.loads(said)
    equal(found["tool"]["version"], version)
    equal(found["module"]["version"], f"{version}-6.12.1")
    assert "KDIR=/dev-of/lib/modules/6.12.1-x/build" in found["module"]["buildPhase"], said
    assert "build/6.12.1-x/buildid.ko" in found["module"]["installPhase"], said


assert glob.glob(f"{TOP}/build/deb/buildid_*.deb"), "no packages of Debian; run make deb"
run()
