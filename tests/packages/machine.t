#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The Debian packages on a Debian 12 machine: installed, through a kernel's upgrade, purged.

DKMS builds the module in the emulator, six times, which takes most of the time."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))

from machine import TIMEOUT, Machine    # noqa: E402
from tap import equal, run, test         # noqa: E402

# A kernel's headers, as far as DKMS looks before it builds, of a kernel for which there is
# nothing to build.
HEADERS = """
set -e
cd $(mktemp -d)
mkdir -p DEBIAN boot lib/modules/{release}/build/include
echo '{config}' | tee boot/config-{release} > lib/modules/{release}/build/.config
cat > DEBIAN/control <<END
Package: linux-headers-{release}
Version: 1
Architecture: all
Maintainer: nobody <nobody@localhost>
Description: headers of no use
END
hooks=/etc/kernel/header_postinst.d
run="run-parts --report --exit-on-error --arg={release} $hooks"
printf '%s\\n' '#!/bin/sh' "[ ! -d $hooks ] || $run" > DEBIAN/postinst
chmod +x DEBIAN/postinst
dpkg-deb -b . /tmp/{release}.deb
apt-get -y install /tmp/{release}.deb
"""
ENOUGH = "\n".join(f"CONFIG_{option}=y" for option in (
    "64BIT", "KPROBES", "PERF_EVENTS", "TRACEPOINTS", "NET", "CGROUPS"))
WITHOUT_KPROBES = "CONFIG_64BIT=y\n# CONFIG_KPROBES is not set\nCONFIG_PERF_EVENTS=y"

# Runs until it is told to end, as a service may be slow here.
PROGRAM = "#include <unistd.h>\nint main(void) { return (int)sleep(100000) + %d; }"

VERSION = subprocess.run(["make", "-s", "--no-print-directory", "-C", f"{TOP}/tool", "version"],
                         check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
NEXT = VERSION + ".1"
machine = Machine()


def until(what, condition):
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {TIMEOUT} s"
        time.sleep(1)


def as_user(user, command):
    return machine.status(f"runuser -u {user} -- {command}")


def kernels():
    """Of the disk or the running machine, the newest last."""
    names = (machine.run("ls /boot") if machine.qemu and machine.qemu.poll() is None
             else machine.read_disk("ls -p /boot"))
    found = set(re.findall(r"\binitrd\.img-([\w.+-]+)", names))
    return sorted(found, key=lambda name: [int(n) for n in re.findall(r"\d+", name)])


def install_unserved(release, config):
    output = machine.run(HEADERS.format(release=release, config=config))
    check_whole()
    return output


def mount_packages():
    machine.run("modprobe 9pnet_virtio && mkdir -p /media/deb && "
                "mount -t 9p -o ro,trans=virtio,version=9p2000.L deb /media/deb")


def check_whole():
    equal(machine.run("dpkg --audit"), "", "packages that are not whole")
    machine.run("apt-get check")


def built_for(version=VERSION):
    return set(re.findall(rf"^buildid/{re.escape(version)}, ([^,]+), .*: installed",
                          machine.run("dkms status"), re.M))


def check_loaded(version=VERSION):
    equal(machine.run("cat /sys/module/buildid/version").strip(), version, "the version loaded")
    path = machine.run("modinfo -n buildid").strip()
    equal(os.path.dirname(path), f"/lib/modules/{machine.release}/updates/dkms", "where from")
    equal(machine.run("modinfo -F signer buildid").strip(), "DKMS module signing key", "signer")
    info = machine.run("buildid info")
    assert re.search(r"armed", info), info
    machine.run("buildid doctor")


def check_group():
    equal(machine.run("stat -c '%U:%G %a' /dev/buildid").strip(), "root:buildid 660",
          "the device")
    wanted = machine.run("buildid id /bin/true")
    equal(as_user("member", "buildid id /bin/true"), (0, wanted), "a member asks")
    status, output = as_user("member", "timeout 60 buildid mon")
    assert status == 1 and "not permitted" in output, f"a member watches: {status}: {output}"
    status, output = as_user("stranger", "buildid id /bin/true")
    assert status == 1 and "sudo usermod -aG buildid stranger, and log in again" in output, \
        f"a stranger asks: {status}: {output}"


def check_service():
    """Active without having been started more often than it takes."""
    until("the service is active",
          lambda: not machine.status("systemctl is-active buildid-store")[0])
    equal(machine.run("systemctl list-units --failed --plain --no-legend"), "", "failed units")


def check_stores(number):
    """A program in a home directory, one in another mount namespace, the kernel."""
    machine.run(f"""
        cd ~member
        echo '{PROGRAM % number}' | gcc -x c -o at-home -
        echo '{PROGRAM % (number + 1)}' | gcc -x c -o /root/inside -
        buildid id at-home /root/inside | cut -d ' ' -f 1 > /root/ids
        runuser -u member -- ./at-home > /dev/null 2>&1 &
        unshare -m sh -c 'mount -t tmpfs tmpfs /mnt && cp /root/inside /mnt/ &&
            exec /mnt/inside' > /dev/null 2>&1 &
        until pidof inside at-home | grep -q ' '; do sleep 1; done
        rm at-home /root/inside""")
    ids = machine.run("cat /root/ids").split()
    equal(len(ids), 2, "programs")
    links = " ".join(f"/var/lib/buildid/.build-id/{name[:2]}/{name[2:]}/elf" for name in ids)
    until("two programs are stored", lambda: not machine.status(f"ls {links}")[0])
    machine.run("pkill at-home; pkill inside")
    symbols = "/var/lib/buildid/*kernel.kallsyms*/*/kallsyms"
    until("the kernel is stored", lambda: not machine.status(f"ls {symbols}")[0])
    assert machine.run(f"grep -m 1 ' _text$' {symbols}")[:16].strip("0"), "no addresses"
    until("a module is stored",
          lambda: machine.run("find /var/lib/buildid -path '*/modules/*/virtio_blk.ko*/elf'"))
    # What anybody runs is for root to read.
    equal(machine.run("stat -c %a /var/lib/buildid").strip(), "700", "the directory's mode")


@test("a kernel that it cannot serve is there already")
def _():
    machine.release = kernels()[-1]
    machine.boot(machine.release)
    machine.run("useradd -m member && useradd -m stranger && apt-get update")
    install_unserved("6.99.0-1-amd64", WITHOUT_KPROBES)


@test("apt installs the packages, DKMS builds the module, and it is loaded")
def _():
    mount_packages()
    output = machine.run("cd /media/deb && apt-get -y install ./buildid*.deb")
    assert "6.99.0-1-amd64: skipped" in output, f"the kernel that cannot be served: {output}"
    equal(built_for(), {machine.release}, "kernels it is built for")
    check_whole()
    check_loaded()


@test("who is in the group is served, and watches nobody; others are refused")
def _():
    machine.run("usermod -aG buildid member")
    check_group()


@test("buildid-store is off, and works in its sandbox")
def _():
    equal(machine.status("systemctl is-enabled buildid-store")[1].strip(), "disabled", "enabled")
    equal(machine.status("systemctl is-active buildid-store")[1].strip(), "inactive", "active")
    machine.run("systemctl enable --now buildid-store")
    check_stores(1)
    machine.run("systemctl stop buildid-store")
    equal(machine.status("systemctl is-failed buildid-store")[1].strip(), "inactive", "stopped")


@test("kernels that it cannot serve are skipped, and apt stays whole")
def _():
    install_unserved("6.99.0-2-amd64", WITHOUT_KPROBES)
    install_unserved("5.10.0-1-amd64", ENOUGH)
    output = install_unserved("7.99.0-1-amd64", ENOUGH)
    assert "7.99.0-1-amd64: no module" in output, f"a kernel that it does not compile for: {output}"
    equal(built_for(), {machine.release}, "kernels it is built for")


@test("with a newer kernel DKMS builds the module again, though it has forgotten it meanwhile")
def _():
    # As when the kernels that it was built for are removed.
    machine.run(f"dkms remove buildid/{VERSION} --all")
    machine.run("apt-get -y install linux-image-6.12-amd64 linux-headers-6.12-amd64")
    check_whole()
    equal(built_for(), {kernels()[-1]}, "kernels it is built for")


@test("after a reboot into the newer kernel all works")
def _():
    older = machine.release
    machine.release = kernels()[-1]
    assert machine.release != older, f"still {older}"
    machine.reboot(machine.release)
    check_loaded()
    check_group()
    check_service()
    check_stores(3)


# A package with a program, of version 1 and 2.
MAKE_SHOP = """
set -e
cd $(mktemp -d)
for version in 1 2; do
    mkdir -p $version/DEBIAN $version/opt
    printf '#include <unistd.h>\\nint main(void) { return sleep(100000) + %s; }' $version |
        gcc -x c -o $version/opt/shop -
    printf '%s\\n' 'Package: shop' "Version: $version" 'Architecture: amd64' \
        'Maintainer: nobody <nobody@localhost>' 'Description: sleeps' > $version/DEBIAN/control
    dpkg-deb -b $version /tmp/shop_$version.deb
done
"""


@test("apt says what has to be restarted, once it is asked to, and nothing otherwise")
def _():
    said = "to be restarted"
    machine.run(MAKE_SHOP)
    assert said not in machine.run("apt-get -y install /tmp/shop_1.deb"), "it is off"
    machine.run("systemd-run --unit=shop /opt/shop; until pidof shop; do sleep 1; done; "
                "cp /usr/share/doc/buildid/examples/50buildid-stale /etc/apt/apt.conf.d/")
    output = machine.run("apt-get -y install /tmp/shop_2.deb")
    plan = output[output.index(said):]
    assert "systemctl restart -- shop.service" in plan.splitlines(), output
    machine.run("systemctl restart shop")
    assert "shop" not in machine.run("buildid stale --restart-plan"), "it was restarted"
    machine.run("systemctl stop shop; apt-get -y purge shop")


def make_next():
    """The packages of a later version, whose module differs in that alone."""
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(f"""
            set -e
            make -s --no-print-directory -C {TOP} dist
            tar -C {work} -xJf {TOP}/build/buildid-{VERSION}.tar.xz
            cd {work}/buildid-{VERSION}
            sed -i 's/{re.escape(VERSION)}/{NEXT}/' module/version.h
            sed -i '1s/{re.escape(VERSION)}/{NEXT}/' debian/changelog
            scripts/deb {TOP}/build/deb/next
            """, shell=True, check=True, stdout=subprocess.DEVNULL)


@test("an upgrade loads the new module, builds it for all kernels, and the service goes on")
def _():
    make_next()
    mount_packages()
    machine.run("cd /media/deb/next && apt-get -y install ./buildid*.deb ./libbuildid*.deb")
    check_whole()
    equal(built_for(NEXT), set(kernels()), "kernels it is built for")
    check_loaded(NEXT)
    check_group()
    check_service()


@test("an upgrade that is undone leaves the module built for all kernels, and loaded")
def _():
    # As dpkg calls them when it cannot unpack.
    scripts = "/var/lib/dpkg/info/buildid-dkms"
    machine.run(f"{scripts}.prerm upgrade 9")
    equal(built_for(NEXT), set(), "kernels it is built for, meanwhile")
    machine.run(f"{scripts}.postinst abort-upgrade 9")
    equal(built_for(NEXT), set(kernels()), "kernels it is built for")
    check_loaded(NEXT)


@test("a module that hides the one that DKMS builds is named")
def _():
    machine.run(f"cd /lib/modules/{machine.release} && mkdir -p other /etc/depmod.d && "
                "cp updates/dkms/buildid.ko* other && "
                "echo 'override buildid * other' > /etc/depmod.d/other.conf")
    output = machine.run("dpkg-reconfigure buildid-dkms")
    assert f"modprobe would load /lib/modules/{machine.release}/other/buildid.ko" in output, output
    machine.run(f"rm -r /lib/modules/{machine.release}/other /etc/depmod.d/other.conf && depmod")
    check_loaded(NEXT)


@test("a module that is on a blacklist is not loaded")
def _():
    machine.run("systemctl stop buildid-store; modprobe -r buildid; "
                "echo blacklist buildid > /etc/modprobe.d/no-buildid.conf")
    machine.run("dpkg-reconfigure buildid-dkms")
    assert machine.status("grep ^buildid /proc/modules")[0] == 1, "the module is loaded"
    machine.run("rm /etc/modprobe.d/no-buildid.conf && modprobe buildid && "
                "systemctl start buildid-store")


@test("removed and installed again, of the version before, it works as before")
def _():
    machine.run("apt-get -y remove buildid-dkms")
    status, output = machine.status("buildid doctor")
    assert status == 1 and "install buildid-dkms" in output, f"doctor: {status}: {output}"
    machine.run("apt-get -y remove buildid")
    check_whole()
    assert machine.status("grep ^buildid /proc/modules")[0] == 1, "the module is still loaded"
    machine.run("cd /media/deb && apt-get -y install --allow-downgrades ./buildid*.deb "
                "./libbuildid*.deb")
    check_whole()
    equal(built_for(VERSION), set(kernels()), "kernels it is built for")
    check_loaded(VERSION)
    check_group()
    check_service()


@test("purge leaves nothing but the group")
def _():
    machine.run("apt-get -y purge buildid buildid-dkms libbuildid1 libbuildid-dev")
    check_whole()
    assert machine.status("grep ^buildid /proc/modules")[0] == 1, "the module is still loaded"
    # The kernel's headers have a buildid.h of their own.
    equal(machine.run("find / -xdev -path /srv -prune -o -path /var/log -prune -o "
                      "-path '/usr/src/linux-headers-*' -prune -o "
                      "-path /etc/apt/apt.conf.d/50buildid-stale -prune -o "
                      "-name '*buildid*' -print"), "", "files that are left")
    assert "buildid" not in machine.run("apt-get check"), "what was copied is silent"
    equal(machine.run("find /var/lib/dkms -mindepth 1 -maxdepth 1 -type d; "
                      "ls -d /lib/modules/*/updates 2> /dev/null || :"), "", "directories of DKMS")
    # As Debian's packages do: a file may have it, and a later group would get the number.
    machine.run("getent group buildid")


@test("the kernel reports no fault")
def _():
    equal(machine.faults(), [], "faults")


assert glob.glob(f"{TOP}/build/deb/buildid_{VERSION}_*.deb"), "no packages; run make deb"
good = False
try:
    run()
except SystemExit as end:
    good = not end.code
    raise
finally:
    if not good:
        print(f"# the machine's disk and log are in {machine.dir}", flush=True)
    machine.end(good)
