#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The module once the kernel has given up ftrace, by which it sees mappings: CVE-2026-43409. Of no
use to other tests is the guest after it."""

import os
import signal

import lib
import stream
from lib import built
from tap import equal, run, test


def kill_ftrace():
    kernel = os.environ["KERNEL_NAME"]
    lib.run("insmod", built(f"kmod-{kernel}/buildid_ftrace_kill.ko"))


def maps_files():
    lib.map_file(built("id20"))
    lib.run("true")


def unload_silently():
    """It does not end, and nobody shall wait for what it might print."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in 1, 2:
        os.dup2(null, fd)
    lib.unload()


def rmmod_waits():
    """What ftrace calls must stay, and there is no way back from rmmod."""
    before = stream.stats()
    with stream.Watch() as watch:
        kill_ftrace()
        maps_files()
        watch.drain()
        print(f"# {len(watch.mmaps)} of 1 mapping seen")
    equal(stream.stats()["missed_probe"] >= before["missed_probe"], True)
    rmmod = lib.forked(unload_silently)
    lib.until(lambda: "ftrace is dead" in lib.run("dmesg").stdout, "rmmod says that it cannot")
    maps_files()
    os.kill(rmmod, signal.SIGKILL)
    maps_files()
    equal(os.waitpid(rmmod, os.WNOHANG), (0, 0), "rmmod ended when killed")
    equal(lib.is_loaded(), True, "still there")


def insmod_fails():
    kill_ftrace()
    log = lib.KernelLog()
    try:
        lib.load()
    except OSError as error:
        print(f"# insmod: {error}")
        assert "buildid:" in log.text(), "it does not say why"
    else:
        raise AssertionError("it loads")
    maps_files()


if lib.is_loaded():
    test("when ftrace is gone, mappings go on, and rmmod says that it waits for a reboot")(
        rmmod_waits)
else:
    test("when ftrace is gone, insmod says that the probe does not fire")(insmod_fails)

run()
