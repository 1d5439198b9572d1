#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The module once the kernel has given up ftrace, which its probes use: CVE-2026-43409. Of no use
to other tests is the guest after it."""

import os

import lib
import stream
from lib import built
from tap import equal, run, test


@test("when ftrace is gone, mappings and rmmod go on, and insmod says that the probe does not fire")
def _():
    kernel = os.environ["KERNEL_NAME"]
    before = stream.stats()
    with stream.Watch() as watch:
        lib.run("insmod", built(f"kmod-{kernel}/buildid_ftrace_kill.ko"))
        lib.map_file(built("id20"))
        watch.drain()
        print(f"# {len(watch.mmaps)} of 1 mapping seen")
    equal(stream.stats()["missed_probe"] >= before["missed_probe"], True)
    lib.unload()
    lib.run("true")
    log = lib.KernelLog()
    try:
        lib.load()
    except OSError as error:
        print(f"# insmod: {error}")
        assert "buildid:" in log.text(), "it does not say why"
    else:
        lib.unload()


run()
