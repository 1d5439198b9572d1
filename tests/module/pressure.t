#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Where memory is short: the cache gives back, readers that the OOM killer ends leave nothing
behind, readers that are stopped take what the header says and no more.

Entries of the cache are charged to the cgroup of who brings them, rings to that of who subscribes.
The cache shrinks when the machine is short, as make soak makes it, too."""

import contextlib
import os
import signal
import socket
import struct
import time

import genl
import leftovers
import lib
import soak
import stream
import users
from device import SUB_PATH, Device
from image import put_files
from lib import built
from tap import Skip, equal, run, test

MIB = 1 << 20
FILES = 200
GROUPS = "/sys/fs/cgroup"
LIMIT = 32 * MIB
KILLS = 1 if lib.DEBUG else 3
STOPPED = 8
RING = MIB // 4
# Of a reader, besides the records: of the ring two pages of positions, where each page is, and
# which files it has described; the rest.
SMALL = RING // 32 + 4 * lib.PAGE + 8192
# The kernel brings its counts of a cgroup up to date every two seconds, and leaves less open.
UP_TO_DATE = 5
SO_MEMINFO = 55
# One more message than there is room for, with all around it.
MESSAGE = 65536
FLOODED = [built(name) for name in ("id8", "id16", "id20", "id32")]
# More than the ring of each, and its socket, have room for.
TIMES = RING // 200


# ------------------------------------------------------------------- shrinker --

@test("when the kernel wants memory back the cache gives, and what is mapped then is identified")
def _():
    with soak.mapped_files(FILES) as map_again:
        before = stream.stats()
        lib.until(lambda: soak.ask_shrinkers() or stream.stats()["entries"] < FILES // 2,
                  "half of the files are forgotten")
        after = stream.stats()
        print(f"# {before['entries']} entries, {before['memory']} bytes; then "
              f"{after['entries']}, {after['memory']}")
        assert after["memory"] < before["memory"] - FILES // 2 * 100, (before, after)
        assert after["evicted"] >= before["evicted"] + FILES // 2, (before, after)
        map_again()


# ---------------------------------------------------------------- OOM killer --

@contextlib.contextmanager
def cgroup(limit="max"):
    """One that may have so much memory."""
    if b"memory" not in lib.read_bytes(f"{GROUPS}/cgroup.controllers").split():
        raise Skip("this kernel has no memory controller")
    write(f"{GROUPS}/cgroup.subtree_control", "+memory")
    path = f"{GROUPS}/pressure"
    os.mkdir(path)
    try:
        write(f"{path}/memory.max", str(limit))
        yield path
    finally:
        os.rmdir(path)


def kernel_memory(group):
    """Bytes, without what this interpreter takes for itself."""
    time.sleep(UP_TO_DATE)
    for line in lib.read_bytes(f"{group}/memory.stat").splitlines():
        name, size = line.split()
        if name == b"kernel":
            return int(size)
    raise AssertionError("memory.stat says nothing of the kernel's memory")


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


@contextlib.contextmanager
def kills_expected():
    """The report of the OOM killer has a call trace, which fails a guest: here it does not get
    to the console, and nothing else may be in the log."""
    log = lib.KernelLog()
    with lib.written("/proc/sys/kernel/printk", "4"):
        yield
        text = log.text()
    # Which arm64 writes otherwise.
    equal(text.lower().count("call trace:"), text.count("invoked oom-killer"), f"call traces in {text}")
    for word in ("BUG:", "WARNING:", "KASAN:", "Oops", "Out of memory:", "suspicious"):
        assert word not in text, text


def eat():
    held = []
    while True:
        held.append(bytearray(b"x" * MIB))


def read_and_eat(group, way):
    """A reader that takes more memory than it may."""
    write(f"{group}/cgroup.procs", "0")
    life = users.victim(way, SUB_PATH, MIB)
    next(life)
    lib.map_file(FLOODED[0])
    eat()


def subscribe_to_too_much(group):
    write(f"{group}/cgroup.procs", "0")
    with Device() as device:
        try:
            device.subscribe(ring_size=2 * LIMIT)
        except OSError as error:
            os._exit(error.errno)
    os._exit(0)


def expect_killed(group, function, *arguments):
    child = lib.forked(function, group, *arguments)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, \
        f"{function.__name__}{arguments}: status {status:#x}"


def expect_nothing_left(before):
    lib.until(lambda: not stream.stats()["subscribers"], "no subscriber is left")
    equal(stream.stats()["cookies"], 0, "cookies")
    grown = leftovers.more_than(before)
    assert not grown, "left behind: " + leftovers.shown(grown)


def kill_all(group, times):
    for _ in range(times):
        for way in users.WAYS:
            expect_killed(group, read_and_eat, way)
        expect_killed(group, subscribe_to_too_much)


@test("readers that the OOM killer ends, one of them in SUBSCRIBE, leave nothing behind")
def _():
    with cgroup(LIMIT) as group, kills_expected():
        kill_all(group, 1)
        before = leftovers.look()
        kill_all(group, KILLS)
        expect_nothing_left(before)
        left = kernel_memory(group)
        print(f"# {left} bytes are charged to the cgroup still")
        assert left < SMALL, f"{left} bytes: rings are left"


@test("files with long paths are charged to the cgroup of who maps them, until they are forgotten")
def _():
    with lib.tmpfs() as directory, cgroup() as group:
        deep = os.path.join(directory, *["d" * 200] * 15)
        os.makedirs(deep)
        paths = list(put_files(deep, FILES))
        empty = kernel_memory(group)

        def map_all():
            write(f"{group}/cgroup.procs", "0")
            for path in paths:
                lib.map_file(path)
        lib.in_child(map_all)
        full = kernel_memory(group)
        stream.flush()
        left = kernel_memory(group)
        print(f"# {full - empty} bytes for {FILES} paths of {len(paths[0])}; {left - empty} when "
              "they are forgotten")
        assert full - empty >= FILES * len(paths[0]), f"{full - empty} bytes"
        assert left - empty < (full - empty) // 4, f"{left - empty} bytes are left"


# ------------------------------------------------------------ stopped readers --

def flood(times):
    lib.run(built("maps"), str(times), *FLOODED)


def check_cost(subscribe, more, held):
    """@held: what a reader has besides its ring, of which no cgroup knows, and may have."""
    with cgroup() as group, contextlib.ExitStack() as stack:
        empty = kernel_memory(group)
        # what is charged stays so when the process leaves
        write(f"{group}/cgroup.procs", "0")
        try:
            readers = [subscribe(stack) for _ in range(STOPPED)]
        finally:
            write(f"{GROUPS}/cgroup.procs", "0")
        idle = kernel_memory(group)
        flood(TIMES)
        full = kernel_memory(group)
        print(f"# {STOPPED} readers with rings of {RING} bytes: {idle - empty}; {full - idle} more "
              f"when all are full; besides: {[held(reader)[0] for reader in readers]}")
        assert STOPPED * RING <= idle - empty <= STOPPED * (RING + SMALL), \
            f"{idle - empty} bytes for {STOPPED} rings of {RING}"
        assert abs(full - idle) <= STOPPED * SMALL, f"{full - idle} bytes more when they are full"
        for reader in readers:
            size, most = held(reader)
            assert size <= most, f"a reader holds {size} bytes of {most}"
        checked = stream.Stream(paths=True)
        while records := more(readers[0]):
            checked.add(records)
        assert checked.lost, "nothing was lost"
        equal(checked.seq, len(checked.records) + checked.lost, "the last seq")
        lost = sum(getattr(record, "ring_full_mmaps", 0) for record in checked.records)
        # the FILE with the path of the last one may be among those lost
        seen = sum(not mapped.path or mapped.path in FLOODED for mapped in checked.mmaps)
        assert seen + lost >= TIMES * len(FLOODED), f"{seen} seen, {lost} lost"


@test("readers that do not read cost their rings, and no more when these are full")
def _():
    def subscribe(stack):
        device = stack.enter_context(Device())
        device.subscribe(SUB_PATH, RING)
        return device
    check_cost(subscribe, lambda device: device.read(0.5), lambda device: (0, 0))


@test("netlink listeners that do not read cost their rings and what their sockets may hold")
def _():
    def subscribe(stack):
        netlink = stack.enter_context(genl.Genl())
        netlink.subscribe(SUB_PATH, RING)
        netlink.socket.settimeout(1)
        return netlink

    def receive(netlink):
        """All that there is, in a moment."""
        try:
            return netlink.receive()
        except socket.timeout:
            return []

    def held(netlink):
        size, most = struct.unpack_from("=II", netlink.socket.getsockopt(
            socket.SOL_SOCKET, SO_MEMINFO, 36))
        assert size, "the socket holds nothing"
        return size, most + MESSAGE
    check_cost(subscribe, receive, held)


run()
