#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The wall clock is set while perf records, or after it: what a file had at which time is known
less well then, and never wrongly."""

import contextlib
import os
import re
import signal
import struct
import subprocess
import time

import lib
from lib import built, contains
from perf_scenarios import Story, diagnose, read_id
from recording import tool_test
from tap import equal, run, test

STEP = 60 * 10**9
CLOCK_RECORD, CLOCK_BEFORE, HEADER = 0xffff, 1, 56

stack = contextlib.ExitStack()
story = Story("6.12", stack.enter_context(lib.tmpfs()))
library = story.path("library.so")
program = read_id(built("spin-first"))

# perf walks this tree each time it starts.
MODULES = f"/lib/modules/{os.uname().release}"
os.makedirs(MODULES, exist_ok=True)
lib.run("mount", "-t", "tmpfs", "tmpfs", MODULES)
stack.callback(lib.run, "umount", MODULES)


def set_clock(ns):
    """On by so much."""
    time.clock_settime_ns(time.CLOCK_REALTIME, time.clock_gettime_ns(time.CLOCK_REALTIME) + ns)


@contextlib.contextmanager
def clock_set():
    """On by a minute; afterwards the module knows nothing of it."""
    set_clock(STEP)
    yield
    set_clock(-STEP)
    lib.reload()


def write(name):
    """In place."""
    with open(library, "wb") as file:
        file.write(lib.read_bytes(built(f"spin-{name}.so")))


def use():
    lib.run(built("spin-first"), "work", library)


def record(data):
    story.run("record", "-e", "cpu-clock", "-o", data, "--", built("spin-first"), "work", library)


def ids_of(data, path):
    text = story.run("script", "-i", data, "--show-mmap-events").stdout
    return set(re.findall(rf"PERF_RECORD_MMAP2 .*\[.*?(?:<([0-9a-f]+)>)?\]: r-xp {path}(?:@\w+)?$",
                          text, re.M))


@tool_test("a content that is newer than the mapping is not older for a clock that was set forward")
def _():
    data = story.path("set")
    write("first")
    lib.settle_times(library)
    use()
    record(data)
    write("second")
    use()
    with clock_set():
        done = lib.buildid("annotate", data)
        diagnose(done.stderr)
        contains(done.stderr, f"buildid: {library}: not annotated: its file ")
        equal(ids_of(data, library), {""})
        # What is older than that is known.
        equal(ids_of(data, built("spin-first")), {program})


def clocks(log):
    """(flags, ahead_min, ahead_max) of each."""
    data, at = lib.read_bytes(log), HEADER
    while at + 32 <= len(data):
        kind, flags, size = struct.unpack_from("<HHI", data, at)
        if kind == CLOCK_RECORD:
            yield flags, *struct.unpack_from("<qq", data, at + 40)
        at += size


def is_step(clock):
    flags, least, most = clock
    return not flags & CLOCK_BEFORE and most - least >= STEP


@test("a log has a clock that was set and set back, also when its recorder is killed")
def _():
    log = story.path("log")
    with lib.started("buildid", "record", "-o", log, stderr=subprocess.DEVNULL) as recorder:
        lib.until(lambda: os.path.exists(log) and any(
            flags & CLOCK_BEFORE for flags, _, _ in clocks(log)), "the clock before it")
        assert not any(map(is_step, clocks(log))), list(clocks(log))
        set_clock(STEP)
        set_clock(-STEP)
        lib.until(lambda: any(map(is_step, clocks(log))), "the step is in the log")
        recorder.send_signal(signal.SIGKILL)
        recorder.wait(lib.TIMEOUT)
    lib.reload()


@test("nothing is left behind")
def _():
    stack.close()


run()
