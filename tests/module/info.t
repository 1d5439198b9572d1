#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""INFO: the limits it states hold, and it says whether the hook fires, whoever turned
that off."""

import errno
import os
import select
import signal
import subprocess
import time

import lib
import rights
import stream
from device import STATUS_ARMED, Device
from lib import built, contains, fails_with
from tap import equal, run, test


@test("limits of INFO are those that hold")
def _():
    with Device() as device:
        info = device.info()
        equal((info["id_max"], info["record_max"], info["pids_max"], info["cookies_max"],
               info["cookies_total"]), (128, 8192, 64, 1024, 65536))
        assert info["ring_min"] >= 2 * info["record_max"], "a ring holds the longest record twice"
        for size in (4096, info["ring_min"] // 2):
            fails_with(errno.EINVAL, device.subscribe, ring_size=size)
        fails_with(errno.EINVAL, device.subscribe, ring_size=info["ring_max"] * 2)
        fails_with(errno.EINVAL, device.subscribe, pids=[1] * (info["pids_max"] + 1))
        device.subscribe(ring_size=info["ring_min"])


STEP = 1000 * 10**9


def set_clock(ns):
    """On by so much."""
    time.clock_settime_ns(time.CLOCK_REALTIME, time.clock_gettime_ns(time.CLOCK_REALTIME) + ns)


@test("a clock that was set, and set back, is seen, and by whoever asks later")
def _():
    with Device() as device:
        before = device.info()
        for step in STEP, -STEP, -STEP, STEP:
            set_clock(step)
        after = device.info()
    now = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    slack = 10**9
    for info in before, after:
        assert info["real_offset_min"] - slack < now < info["real_offset_max"] + slack, info
    for bound, sign in ("max", 1), ("min", -1):
        moved = (after[f"real_offset_{bound}"] - now) * sign
        assert STEP - slack < moved, f"{bound} is {moved} ns from what it is now"
    equal((before["slept"], after["slept"]), (0, 0), "slept")


def armed():
    with Device() as device:
        return device.info()["status"] == STATUS_ARMED


def warns():
    with lib.started("buildid", "mon", stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as mon:
        reader = select.poll()
        reader.register(mon.stderr.fileno(), select.POLLIN)
        assert reader.poll(lib.TIMEOUT * 1000), "mon says nothing"
        contains(os.read(mon.stderr.fileno(), 4096).decode(), "no mapping is seen")
        mon.send_signal(signal.SIGINT)
        # it may not handle signals yet
        assert mon.wait(lib.TIMEOUT) in (0, -signal.SIGINT), mon.returncode


for what, switch in (("kprobes are", lib.KPROBES), ("ftrace is", lib.FTRACE)):
    @test(f"when {what} to be turned off after load, mappings are seen, or INFO and mon say that "
          "they are not")
    def _(switch=switch):
        equal(armed(), True, "armed before")
        with lib.turned_off(switch) as off:
            with stream.Watch() as watch:
                lib.map_file(built("id8"))
                equal(watch.drain() == [], off, "nothing is seen, or else this test shows nothing")
            equal(armed(), not off, "armed")
            if off:
                warns()
        equal(armed(), True, "armed again")
        equal(rights.in_child_as([], lambda device: device.info()["status"]), STATUS_ARMED,
              "as an ordinary user sees it")


run()
