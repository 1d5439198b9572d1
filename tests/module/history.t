#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""HISTORY: what was mapped lately, also by processes that have exited; forks and execs."""

import errno
import mmap
import os
import signal
import time

import lib
import stream
from device import EXEC, FORK, SNAPSHOT, TASK_SHARES_MM, Device, File, Mmap, Task
from lib import PAGE, fails_with
from tap import equal, run, test

# Nothing else is mapped there: far from heap, libraries and stack.
FIXED, MAP_FIXED = 0x200000000000, 0x10
# In nanoseconds. A busy host stops the guest between two looks at a clock.
HALF_A_SECOND = 500_000_000


def map_there(path):
    with open(path, "rb") as file:
        lib.check(lib.libc.mmap(FIXED, PAGE, lib.RX, mmap.MAP_PRIVATE | MAP_FIXED,
                                file.fileno(), 0), "mmap")


def one_that_exits(*paths, name=None):
    """Maps the files in a process of its own, and returns its pid when it is gone."""
    def go():
        if name:
            with open("/proc/self/comm", "wb") as comm:
                comm.write(name)
        # each processor has an order of its own
        os.sched_setaffinity(0, {0})
        for path in paths:
            map_there(path)
    pid = lib.forked(go)
    equal(os.waitpid(pid, 0)[1], 0, "status")
    return pid


def mappings_of(records, pid):
    return [record for record in records if isinstance(record, Mmap) and record.pid == pid]


@test("a process that has exited: who it was, what it mapped where, when and how")
def _():
    with Device() as device:
        with stream.Watch([]) as watch:
            pid = one_that_exits(lib.built("id8"), name=b"a-short-life")
            (seen,) = [record for record in watch.settle()
                       if (record.pid, record.addr) == (pid, FIXED)]
        # the time is to be that of the mapping, not of the request
        lib.until(lambda: time.monotonic_ns() > seen.header.time_mono + 2 * HALF_A_SECOND,
                  "time passes")
        (found,) = [record for record in mappings_of(device.history(), pid)
                    if record.addr == FIXED]
        for field in ("pid", "addr", "len", "pgoff", "prot", "map_flags", "start_time", "file_id",
                      "comm"):
            equal(getattr(found, field), getattr(seen, field), field)
        equal((found.comm, found.state), ("a-short-life", "known"), "name and state")
        equal(found.tid, pid, "tid")
        equal((found.header.flags, found.header.seq), (SNAPSHOT, 0), "flags and seq")
        # both are of one hook, which may have been interrupted
        for clock in ("time_mono", "time_perf"):
            was, wanted = getattr(found.header, clock), getattr(seen.header, clock)
            assert abs(was - wanted) <= HALF_A_SECOND, (clock, was, wanted)


@test("each mapping comes after its file, newest first, and only of the process asked for")
def _():
    with Device() as device:
        mapped = [lib.built(name) for name in ("id8", "id20", "id8", "other")]
        pid = one_that_exits(*mapped)
        other = one_that_exits(lib.built("other"))
        records = device.history()
        paths = {}
        for record in records:
            if isinstance(record, File):
                paths[record.file_id] = record.path
            elif isinstance(record, Mmap) and record.state != "unresolved":
                assert record.file_id in paths, "a mapping without a file"
        assert mappings_of(records, pid) and mappings_of(records, other)
        equal({record.pid for record in device.history(pid) if isinstance(record, Mmap)}, {pid})
        equal(device.history(2**22 + 1), [], "of a pid that never was")
        equal([paths[record.file_id] for record in mappings_of(records, pid)
               if record.addr == FIXED], [path for path in reversed(mapped)], "in order")


@test("a small buffer gives the same as a large one")
def _():
    with Device() as device:
        # more than fits in the small one
        pid = one_that_exits(*[lib.built(name) for name in ("id8", "id20")] * 150)

        def ids(records):
            return [record.file_id for record in mappings_of(records, pid) if record.addr == FIXED]
        large = ids(device.history(pid, 1 << 20))
        equal(len(large), 300, "mappings")
        equal(ids(device.history(pid, 16384)), large, "of this process")
        equal(ids(device.history(0, 16384)), large, "among all")


@test("what the cache has forgotten is there without a file, over what was there before")
def _():
    with Device() as device:
        pid = one_that_exits(lib.built("id8"))
        before = [record for record in device.history(pid) if not isinstance(record, File)]
        equal({record.state for record in mappings_of(before, pid)}, {"known"}, "before")
        device.flush()
        after = device.history(pid)
        equal(mappings_of(after, pid),
              [record._replace(header=record.header._replace(time_mono=again.header.time_mono),
                               file_id=0, state="unresolved")
               for record, again in zip(mappings_of(before, pid), mappings_of(after, pid))])
        equal([record.header.time_perf for record in after],
              [record.header.time_perf for record in before], "times, which are exact")


@test("forks and execs: of whom, when, and whether the memory is shared")
def _():
    with Device() as device:
        before = time.monotonic_ns()
        forked = one_that_exits()
        spawned = os.posix_spawn("/bin/true", ["true"], {})
        equal(os.waitpid(spawned, 0)[1], 0, "status")
        after = time.monotonic_ns()
        tasks = [record for pid in (forked, spawned) for record in device.history(pid)
                 if isinstance(record, Task)]
        # the newest first
        equal([(record.header.type, record.pid, record.tid, record.parent_pid, record.flags)
               for record in sorted(tasks, key=lambda record: record.header.time_mono)],
              [(FORK, forked, forked, os.getpid(), 0),
               (FORK, spawned, spawned, os.getpid(), TASK_SHARES_MM),
               (EXEC, spawned, spawned, 0, 0)], "in order")
        equal([record.comm for record in tasks if record.header.type == EXEC], ["true"], "comm")
        own = lib.start_ticks(os.getpid())
        for record in tasks:
            assert before <= record.header.time_mono <= after, (before, record, after)
            equal((record.header.flags, record.header.seq), (SNAPSHOT, 0), "flags and seq")
            if record.header.type == FORK:
                equal(record.parent_start_time * os.sysconf("SC_CLK_TCK") // 10**9, own, "parent")
        equal(len({record.start_time for record in tasks}), 2, "start times")
        # the program and its interpreter are mapped before, its libraries after
        times = [record.header.time_mono for record in mappings_of(device.history(spawned), spawned)]
        (execed,) = [record.header.time_mono for record in tasks if record.header.type == EXEC]
        assert min(times) < execed < max(times), (times, execed)


@test("it says from when on nothing is missing")
def _():
    with Device() as device, open(lib.built("id8"), "rb") as file:
        os.sched_setaffinity(0, {0})
        for _ in range(1023 + 50):
            lib.unmap(lib.map_fd(file.fileno(), PAGE), PAGE)
        records, since = device.history_since(os.getpid())
        times = sorted(record.header.time_mono for record in mappings_of(records, os.getpid()))
        assert len(times) >= 1023, len(times)
        assert times[-1023] <= since < times[-1], (times[-1023], since, times[-1])
        lib.unmap(lib.map_fd(file.fileno(), PAGE), PAGE)
        assert device.history_since()[1] > since, "one more is forgotten"


@test("in another pid namespace nothing is said")
def _():
    def ask():
        lib.check(lib.libc.unshare(0x20000000), "unshare(CLONE_NEWPID)")
        child = lib.forked(lambda: fails_with(errno.EPERM, Device().history))
        return os.waitpid(child, 0)[1]
    equal(lib.in_child(ask), 0, "status")


@test("reading while everything maps ends, and is whole")
def _():
    def map_for_ever():
        while True:
            map_there(lib.built("id8"))

    pid = lib.forked(map_for_ever)
    try:
        with Device() as device:
            def look():
                found = [record for record in mappings_of(device.history(), pid)
                         if record.addr == FIXED]
                equal({(record.len, record.pgoff) for record in found} - {(PAGE, 0)}, set(),
                      "lengths and offsets")
                return found
            for _ in range(20):
                lib.until(look, "its mappings are there")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


run()
