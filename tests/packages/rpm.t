#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The RPM packages beside Debian's: the same files, scripts that are sound, an empty root.

They are built by Debian's rpm, and not tried on a system that has it as its own."""

import glob
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))

from tap import equal, run, test         # noqa: E402

# RPM's name of each of Debian's packages.
PACKAGES = {"buildid": "buildid", "libbuildid1": "libbuildid", "libbuildid-dev": "libbuildid-devel",
            "buildid-dkms": "buildid-dkms"}
# What only one of them has: Debian's own ways with kernels and apt, and papers where each wants
# them.
DEBIANS = re.compile(r"/etc/kernel/|/usr/libexec/buildid/build-module|/usr/share/lintian/|"
                     r"/usr/share/doc/[^/]*/(changelog\.gz|copyright|examples/50buildid-stale)$")
RPMS = re.compile(r"/usr/share/licenses/|/usr/share/doc/buildid-[0-9]|/usr/lib/\.build-id")
# The same thing in another place.
MOVED = (
    (r"^/usr/lib/x86_64-linux-gnu/", "/usr/lib64/"),
    (r"^/lib/", "/usr/lib/"),
    (r"^/etc/modprobe\.d/", "/usr/lib/modprobe.d/"),
    (r"^/usr/share/zsh/vendor-completions/", "/usr/share/zsh/site-functions/"),
    (r"^/usr/share/doc/libbuildid-dev/", "/usr/share/doc/libbuildid-devel/"),
    (r"(/man\d/.*)\.gz$", r"\1"),
)
# What stands for the system's programs: they say how they were called.
FAKES = ("dkms", "getent", "groupadd", "modprobe", "systemctl", "udevadm")

rpms = {}


def output(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def of_deb(package):
    path, = glob.glob(f"{TOP}/build/deb/{package}_*.deb")
    files = set()
    for line in output("dpkg-deb", "-c", path).splitlines():
        name = line.split(None, 5)[5].split(" -> ")[0][1:]
        if name.endswith("/") or DEBIANS.search(name):
            continue
        for pattern, there in MOVED:
            name = re.sub(pattern, there, name)
        files.add(name)
    return files


def of_rpm(package):
    files = set()
    for line in output("rpm", "-qp", "--qf", "[%{FILEMODES:perms} %{FILENAMES}\n]",
                       rpms[package]).splitlines():
        mode, name = line.split(" ", 1)
        if mode[0] != "d" and not RPMS.search(name):
            files.add(re.sub(r"(/man\d/.*)\.gz$", r"\1", name))
    return files


def scripts_of(package):
    """By their name in the spec."""
    text = output("rpm", "-qp", "--scripts", rpms[package])
    parts = re.split(r"^(\w+) scriptlet \(using /bin/sh\):\n", text, flags=re.M)
    equal(parts[0], "", "what is no script of sh")
    return dict(zip(parts[1::2], parts[2::2]))


@test("scripts/rpm builds them from what make dist packs")
def _():
    for path in output(f"{TOP}/scripts/rpm").split():
        if not path.endswith(".src.rpm"):
            rpms[output("rpm", "-qp", "--qf", "%{NAME}", path)] = path
    equal(sorted(rpms), sorted(PACKAGES.values()))


@test("each has the files of Debian's, where RPM systems look for them")
def _():
    for deb, rpm in PACKAGES.items():
        there, here = of_deb(deb), of_rpm(rpm)
        assert len(here) > 0, f"{rpm} is empty"
        equal((sorted(there - here), sorted(here - there)), ([], []), f"{rpm}: missing, more")


@test("they have the same version, and the tool says so")
def _():
    versions = {output("rpm", "-qp", "--qf", "%{VERSION}", path) for path in rpms.values()}
    equal(versions, {output("make", "-s", "--no-print-directory", "-C", f"{TOP}/tool",
                            "version").strip()})


def calls(script, argument, fail=()):
    """What @script calls, of FAKES, if those in @fail fail; it has to succeed itself."""
    with tempfile.TemporaryDirectory() as work:
        for name in FAKES:
            with open(f"{work}/{name}", "w", encoding="ascii") as file:
                file.write(f'#!/bin/sh\necho {name} "$@" >> {work}/log\n'
                           f"exit {int(name in fail)}\n")
            os.chmod(f"{work}/{name}", 0o755)
        with open(f"{work}/log", "w", encoding="ascii"):
            pass
        done = subprocess.run(["sh", "-c", script, "scriptlet", argument], check=False,
                              env={"PATH": f"{work}:/usr/bin:/bin"}, stderr=subprocess.DEVNULL)
        equal(done.returncode, 0, f"exit status, {fail} failing")
        with open(f"{work}/log", encoding="ascii") as file:
            return file.read().splitlines()


@test("no script of theirs fails, whatever is missing")
def _():
    equal({package: sorted(scripts_of(package)) for package in rpms},
          {"buildid": ["preuninstall"], "libbuildid": [], "libbuildid-devel": [],
           "buildid-dkms": ["postinstall", "preinstall", "preuninstall"]})
    for package in rpms:
        for script in scripts_of(package).values():
            for argument in "0", "1", "2":
                calls(script, argument)
                calls(script, argument, fail=FAKES)


@test("DKMS gets the module, and gives it back")
def _():
    version = output("rpm", "-qp", "--qf", "%{VERSION}", rpms["buildid-dkms"])
    scripts = scripts_of("buildid-dkms")
    assert "groupadd -r buildid" in calls(scripts["preinstall"], "1", fail=["getent"]), "a group"
    equal([call for call in calls(scripts["preinstall"], "1") if "groupadd" in call], [],
          "a group that is there")
    equal([call for call in calls(scripts["postinstall"], "1") if call.startswith("dkms")],
          [f"dkms add -m buildid -v {version} -q --rpm_safe_upgrade",
           f"dkms install -m buildid -v {version} -q --force"])
    equal([call for call in calls(scripts["preuninstall"], "0") if call.startswith("dkms")],
          [f"dkms remove -m buildid -v {version} -q --all --rpm_safe_upgrade"])
    # on an upgrade the module that is loaded stays
    equal([call for call in calls(scripts["preuninstall"], "1") if call.startswith("modprobe")],
          [])


@test("they are installed into an empty root, verified there, and the tool runs")
def _():
    with tempfile.TemporaryDirectory() as root:
        rpm = ("rpm", "--root", root, "--dbpath", "/var/lib/rpm")
        subprocess.run([*rpm, "--initdb"], check=True)
        # Nothing of theirs can run in a root without a shell.
        subprocess.run([*rpm, "-i", "--nodeps", "--noscripts", *rpms.values()], check=True)
        equal(output(*rpm, "-Va", "--nodeps", "--noscripts"), "", "what rpm -V finds")
        said = output(f"{root}/usr/bin/buildid", "--version")
        assert said.startswith("buildid "), said
        assert os.path.exists(f"{root}/usr/lib64/libbuildid.so.1")
        subprocess.run([*rpm, "-e", "--noscripts", *rpms], check=True)
        left = [os.path.join(directory, name) for directory, _, names in os.walk(f"{root}/usr")
                for name in names]
        equal(left, [], "files that are left")


assert glob.glob(f"{TOP}/build/deb/buildid_*.deb"), "no packages of Debian; run make deb"
run()
