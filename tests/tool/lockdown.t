#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Lockdown, which no one can turn off again: a module that is loaded works on, and one that
is not is refused. tests/host/lockdown.t gives it a guest of its own."""

import errno
import os

import lib
import stream
from device import STATUS_ARMED, Device
from lib import built, contains, fails_with
from tap import equal, run, test

LOCKDOWN = "/sys/kernel/security/lockdown"
ID = "fedcba98765432100123456789abcdef01234567"

if not os.path.exists(LOCKDOWN):
    lib.mount("securityfs", "/sys/kernel/security", "securityfs")


def findings(status):
    lines = lib.json_lines(lib.buildid("doctor", "-j", status=status).stdout)
    return {line["check"]: line for line in lines}


for level in "integrity", "confidentiality":
    @test(f"the module works on when {level} is turned on")
    def _(level=level):
        with stream.Watch() as watch:
            lib.write_bytes(LOCKDOWN, level.encode())
            contains(lib.read_bytes(LOCKDOWN), f"[{level}]".encode())
            _, file = watch.see(lib.map_file, built("other"))
            equal(file.id, ID, "build-id")
        with Device() as device:
            equal(device.info()["status"], STATUS_ARMED, "status")
        contains(lib.buildid("list", "-k").stdout, "[kernel.kallsyms]")
        contains(findings(None)["lockdown"]["message"], level)


@test("once removed it is not loaded again: the kernel and doctor say why, nothing is left")
def _():
    log = lib.KernelLog()
    lib.unload()
    fails_with(errno.EPERM, lib.load)
    contains(log.text(), "Lockdown")
    assert not lib.is_loaded() and not os.path.exists(lib.DEVICE), "something is left"
    found = findings(1)
    equal((found["lockdown"]["status"], found["loaded"]["status"]), ("warning", "failed"))


run()
