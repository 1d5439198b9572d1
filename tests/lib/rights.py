# SPDX-License-Identifier: GPL-2.0
"""Processes with fewer rights than root."""

import contextlib
import errno
import os
import struct

import arch
import lib
from device import Device

NOBODY = 65534
# Before a command.
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
CAP_DAC_READ_SEARCH, CAP_IPC_LOCK, CAP_SYS_ADMIN = 2, 14, 21
CAP_SYSLOG, CAP_PERFMON = 34, 38
CLONE_NEWUSER = 0x10000000
PR_SET_KEEPCAPS, CAPABILITY_VERSION = 8, 0x20080522


def become_nobody(*capabilities):
    """For good, and with these capabilities."""
    lib.check(lib.libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), "prctl")
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    mask = sum(1 << number for number in capabilities)
    low, high = mask & 0xffffffff, mask >> 32
    lib.check(lib.libc.syscall(arch.SYS_CAPSET, struct.pack("=Ii", CAPABILITY_VERSION, 0),
                               struct.pack("=6I", low, low, 0, high, high, 0)), "capset")


def as_nobody(*names):
    """Likewise with capabilities, such as "perfmon"."""
    words = ",".join(f"+{name}" for name in names)
    return [*AS_NOBODY, f"--inh-caps={words}", f"--ambient-caps={words}"]


def in_child_as(capabilities, function, *arguments):
    """What @function returns when nobody, with these capabilities, calls it with a device
    that root has opened; an error as its name."""
    def call():
        with Device() as device:
            become_nobody(*capabilities)
            try:
                return function(device, *arguments)
            except OSError as error:
                return errno.errorcode[error.errno]
    return lib.in_child(call)


def enter_user_namespace():
    """As its root."""
    uid, gid = os.getuid(), os.getgid()
    lib.check(lib.libc.unshare(CLONE_NEWUSER), "unshare")
    for name, text in (("uid_map", f"0 {uid} 1"), ("setgroups", "deny"),
                       ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


@contextlib.contextmanager
def user_namespace(become, uid_map):
    """A pid in one that is made after @become()."""
    def make():
        become()
        lib.check(lib.libc.unshare(CLONE_NEWUSER), "unshare")

    with lib.child(make) as pid:
        with open(f"/proc/{pid}/uid_map", "w", encoding="ascii") as file:
            file.write(f"{uid_map}\n")
        yield pid


def namespace_of_nobody():
    """With ten uids that are not nobody's."""
    return user_namespace(become_nobody, "0 200000 10")


def namespace_of_root():
    """With all uids as they are, as systemd makes one for a service with PrivateUsers=."""
    return user_namespace(lambda: None, "0 0 4294967295")


def enter_namespace_as(uid, namespace):
    with open(f"/proc/{namespace}/ns/user", "rb") as file:
        lib.check(lib.libc.setns(file.fileno(), CLONE_NEWUSER), "setns")
    os.setresuid(uid, uid, uid)


@contextlib.contextmanager
def device_for_all():
    """As an administrator may do, at his own risk."""
    os.chmod(lib.DEVICE, 0o666)
    try:
        yield
    finally:
        if os.path.exists(lib.DEVICE):
            os.chmod(lib.DEVICE, 0o600)
