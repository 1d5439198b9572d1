#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Threads that are held in mmap(2), or on their way back from it, while others run what they have
mapped: it is reported all the same, nobody else is held up, and rmmod says so."""

import contextlib
import errno
import glob
import os
import signal
import struct
import subprocess
import time

import arch
import lib
import stream
from device import Lost
from image import note, with_id
from lib import PAGE, built
from servers import fuse
from tap import equal, run, test

THREADS = 20 if lib.DEBUG else 200
SEGMENTS = 500 if lib.DEBUG else 3000
RING = 8 << 20


def identity(number):
    return struct.pack("=I", number).rjust(20, b"\x5a")


def runnable(number, pages=2):
    """A build-id, and from the second page on code that returns 42."""
    return with_id(identity(number), PAGE) + arch.RETURN_42.ljust(PAGE * (pages - 1), b"\0")


class All(stream.Watch):
    """All processes; FILEs come behind their MMAPs, too."""

    def __init__(self):
        super().__init__(pids=(), flags=0, ring_size=RING)

    def add_mmap(self, mmap):
        self.mmaps.append(mmap)

    def of(self, pid):
        return [mapped for mapped in self.mmaps if mapped.pid == pid]

    def without_file(self, pid):
        return [mapped for mapped in self.of(pid) if mapped.state != "unresolved" and
                mapped.file_id not in self.files]

    def wait_for_files(self, pid):
        def all_there():
            self.drain()
            return not self.without_file(pid)
        lib.until(all_there, "each mapping has its FILE")


def threads_of(pid):
    """That may have something mapped still."""
    left = []
    for path in glob.glob(f"/proc/{pid}/task/*/stat"):
        with contextlib.suppress(OSError):
            left += [path] if lib.read_bytes(path).rpartition(b") ")[2][:1] not in b"ZX" else []
    return left


@contextlib.contextmanager
def holding(*command, when_read=None):
    """Its threads are held in the block, and the pid is theirs; or let go by a call."""
    with lib.started(built("held"), *map(str, command), stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE) as process:
        if when_read:
            equal(process.stdout.readline(), b"read\n", "what it says")
            when_read()
            process.stdin.write(b"x")
            process.stdin.flush()
        words = process.stdout.readline().split()
        equal(words[:1], [b"held"], "what it says")

        def let_go():
            process.stdin.write(b"x")
            process.stdin.flush()
            equal(process.stdout.readline(), b"gone on\n", "what it says then")
        pid = int(words[1])
        try:
            yield pid, let_go, process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            process.kill()
            lib.until(lambda: not threads_of(pid), "all of its threads are gone")


def others_are_identified(watch, number):
    """In bounded time, by a file that nobody has seen."""
    with lib.tmpfs() as directory:
        path = os.path.join(directory, "other")
        lib.write_bytes(path, with_id(identity(number)))
        lib.map_file(path)

        def is_there():
            watch.drain()
            return any(file.id == identity(number).hex() for file in watch.files.values())
        lib.until(is_there, "another process's file is identified")


def refuses_to_unload():
    """At once. By then no device is open."""
    before = time.monotonic()
    try:
        lib.unload_once()
    except OSError as error:
        # EAGAIN: the module is counted as in use
        assert error.errno in (errno.EAGAIN, errno.EBUSY), error
    else:
        lib.load()
        raise AssertionError("it was unloaded")
    assert time.monotonic() - before < lib.TIMEOUT / 4, "it takes too long to refuse"


def unload_when_it_can():
    try:
        lib.unload()
    finally:
        if not lib.is_loaded():
            lib.load()


def stats_name(pid, at_least):
    lib.until(lambda: stream.stats()["oldest_visit_ns"], "it is older than a tick")
    stats = stream.stats()
    assert stats["visits"] >= at_least, f"visits: {stats}"
    assert os.path.exists(f"/proc/{pid}/task/{stats['oldest_visit_pid']}"), \
        f"{stats['oldest_visit_pid']} is no thread of {pid}"


# Each holds threads; how many, and the numbers of what they mapped.
@contextlib.contextmanager
def traced():
    with lib.tmpfs() as directory:
        for number in range(THREADS):
            lib.write_bytes(os.path.join(directory, str(number)), runnable(number))
        with holding("traced", directory, THREADS) as held:
            yield held, range(THREADS)


@contextlib.contextmanager
def populating():
    with lib.directory() as directory:
        path = os.path.join(directory, "image")
        lib.write_bytes(path, runnable(1000, 256))
        with fuse("stops", path=path) as (served, server):
            try:
                with holding("populate", served,
                             when_read=lambda: server.send_signal(signal.SIGUSR1)) as held:
                    pid, _, process = held

                    def let_go():
                        process.kill()      # nothing else ends the read
                        process.wait()
                    yield (pid, let_go, process), [1000]
            finally:
                server.kill()


@contextlib.contextmanager
def replacing():
    with lib.tmpfs() as directory:
        path = os.path.join(directory, "image")
        lib.write_bytes(path, runnable(2000))
        with holding("unmap", path) as held:
            yield held, [2000]


HOLDERS = {"its own tracer": traced, "MAP_POPULATE of what no server brings": populating,
           "userfaultfd, which is to hear of what it maps over": replacing}

for number, (what, hold) in enumerate(HOLDERS.items()):
    @test(f"held by {what}: what another thread runs was reported, and others are not held up")
    def _(hold=hold, number=number):
        with All() as watch, hold() as ((pid, let_go, _), numbers):
            watch.drain()
            mapped = [m for m in watch.of(pid) if m.addr >= 0x200000000000 and
                      m.len >= 2 * PAGE and m.addr < 0x300000000000]
            equal(len(mapped), len(numbers), "MMAPs of what is run")
            equal({m.state for m in mapped} - {"known", "follows", "unresolved"}, set())
            unresolved = [m for m in mapped if m.state == "unresolved"]
            assert not unresolved, f"{len(unresolved)} of {len(mapped)} unresolved"
            for turn in range(5):
                others_are_identified(watch, 10000 + 100 * number + turn)
            let_go()
            if hold is populating:
                return
            watch.wait_for_files(pid)
            equal(sorted(watch.files[m.file_id].id for m in mapped),
                  sorted(identity(n).hex() for n in numbers), "their identities")

    # its tracer holds a thread where that has done what it has to
    if hold is not traced:
        @test(f"held by {what}: rmmod says in use, STATS whose, and then it can be unloaded")
        def _(hold=hold):
            with hold() as ((pid, let_go, _), numbers):
                stats_name(pid, len(numbers))
                refuses_to_unload()
                refuses_to_unload()
                let_go()
                unload_when_it_can()

    @test(f"held by {what}: once it is killed nothing is left of it")
    def _(hold=hold):
        with All() as watch:
            with hold() as ((pid, _, process), _numbers):
                os.kill(pid, signal.SIGKILL)
                process.kill()
                process.wait()
            lib.until(lambda: not stream.stats()["visits"], "no visit is left")
            watch.wait_for_files(pid)
        unload_when_it_can()


# ------------------------------------------------------------- short of a return --

def run_and_watch(function, *arguments):
    """A Watch of a child that calls @function, which has ended; and its pid."""
    watch = All()
    pid = lib.forked(function, *arguments)
    os.waitpid(pid, 0)
    watch.wait_for_files(pid)
    return watch, pid


def broken_program():
    """exec maps the first segment and then finds the second to be beyond any address space."""
    code = note(b"GNU\0", 3, identity(3000))
    head = struct.pack("=16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, 0x400000, 64, 0, 0, 64, 56,
                       3, 64, 0, 0)
    headers = b"".join(struct.pack("=IIQQQQQQ", *fields) for fields in (
        (1, 5, 0, 0x400000, 0x400000, PAGE, PAGE, PAGE),
        (1, 5, 0, 0x7ffffffff000, 0, PAGE, 1 << 46, PAGE),
        (4, 4, 64 + 3 * 56, 0x4000e8, 0, len(code), len(code), 4)))
    return (head + headers + code).ljust(2 * PAGE, b"\0")


@test("exec that fails after its mappings: what it mapped is reported and identified")
def _():
    with lib.tmpfs() as directory:
        path = os.path.join(directory, "program")
        lib.write_bytes(path, broken_program())

        def execute():
            os.execv(path, [path])
        watch, pid = run_and_watch(execute)
        with watch:
            found = [watch.files[m.file_id].id for m in watch.of(pid) if m.file_id]
            assert identity(3000).hex() in found, f"{watch.of(pid)}"


@test("killed right after mmap: each mapping has its FILE, or says that it has none")
def _():
    with lib.tmpfs() as directory, All() as watch:
        pids = []
        for number in range(20 if lib.DEBUG else 100):
            path = os.path.join(directory, str(number))
            lib.write_bytes(path, with_id(identity(4000 + number)))

            def map_and_die(path=path):
                fd = os.open(path, os.O_RDONLY)
                while True:
                    lib.map_fd(fd, PAGE)
            child = lib.forked(map_and_die)
            pids.append(child)
            time.sleep(0.002 * (number % 10))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        for child in pids:
            watch.wait_for_files(child)
        assert sum(len(watch.of(child)) for child in pids), "nobody has mapped anything"
    unload_when_it_can()


@test("a child of vfork(2), which has its parent's memory: what it maps is identified")
def _():
    with lib.tmpfs() as directory, All() as watch:
        path = os.path.join(directory, "program")
        lib.write_bytes(path, lib.read_bytes(built("id20")))
        pids = []
        for _ in range(20):
            # posix_spawn(3) is a vfork
            child = os.posix_spawn(path, [path], os.environ)
            pids.append(child)
            os.waitpid(child, 0)
        for child in pids:
            watch.wait_for_files(child)
            assert watch.of(child), f"no mapping of {child}"
            equal({watch.files[m.file_id].kind for m in watch.of(child)}, {"gnu"})


@test("threads that map the same new file at once: each MMAP has its FILE, one entry stays")
def _():
    for turn in range(3 if lib.DEBUG else 10):
        with lib.tmpfs() as directory, All() as watch:
            path = os.path.join(directory, "file")
            lib.write_bytes(path, with_id(identity(5000 + turn)))
            lib.settle_times(path)
            with lib.started(built("held"), "same", path, "20", stdout=subprocess.PIPE) as process:
                equal(process.stdout.readline(), b"done\n")
                process.wait()
            watch.wait_for_files(process.pid)
            mapped = [m for m in watch.of(process.pid) if m.addr >= 0x200000000000 and
                      m.addr < 0x300000000000]
            equal(len(mapped), 20, "MMAPs")
            equal({watch.files[m.file_id].id for m in mapped}, {identity(5000 + turn).hex()})
            entries = set()
            for _ in range(3):
                watch.drain()
                before = len(watch.mmaps)
                lib.map_file(path)
                watch.wait_for_files(os.getpid())
                entries |= {m.file_id for m in watch.mmaps[before:] if m.pid == os.getpid()}
            equal(len(entries), 1, f"file_ids from then on ({entries})")


@test("thousands of mappings made executable by one call: all reported, none silently unknown")
def _():
    with lib.tmpfs() as directory, All() as watch:
        path = os.path.join(directory, "file")
        lib.write_bytes(path, with_id(identity(6000)))
        before = stream.stats()
        with lib.started(built("held"), "many", path, str(SEGMENTS),
                         stdout=subprocess.PIPE) as process:
            equal(process.stdout.readline(), b"done\n")
            process.wait()
        watch.wait_for_files(process.pid)
        mapped = [m for m in watch.of(process.pid) if m.addr >= 0x200000000000 and
                  m.addr < 0x300000000000]
        equal(len(mapped) + watch.lost, SEGMENTS, "MMAPs, and those lost")
        unresolved = sum(m.state == "unresolved" for m in mapped)
        others_are_identified(watch, 6001)
        print(f"# {unresolved} of {SEGMENTS} unresolved")
        after = stream.stats()
        equal(after["unresolved"] - before["unresolved"], unresolved, "STATS.unresolved")
        lost = [record.unresolved for record in watch.records if isinstance(record, Lost)]
        equal(sum(lost), unresolved, "LOST.unresolved")
    unload_when_it_can()


# ------------------------------------------------------------------- frozen --

@test("a frozen cgroup: nobody waits for it, and once it is thawed all is identified")
def _():
    def map_new_files(directory):
        for number in range(100000):
            path = os.path.join(directory, str(number))
            lib.write_bytes(path, with_id(identity(100000 + number)))
            lib.map_file(path)
            os.unlink(path)

    def is_frozen(group):
        return b"frozen 1" in lib.read_bytes(os.path.join(group, "cgroup.events"))

    with lib.tmpfs() as directory, lib.cgroups() as group, All() as watch:
        pid = lib.forked(map_new_files, directory)
        try:
            lib.write_bytes(os.path.join(group, "cgroup.procs"), b"%d" % pid)

            def has_mapped():
                watch.drain()
                return len(watch.of(pid)) > 3
            lib.until(has_mapped, "it maps files")
            lib.write_bytes(os.path.join(group, "cgroup.freeze"), b"1")
            lib.until(lambda: is_frozen(group), "it is frozen")
            for turn in range(3):
                others_are_identified(watch, 7000 + turn)
            # a task is frozen where it has nothing left to do
            watch.wait_for_files(pid)
            lib.write_bytes(os.path.join(group, "cgroup.freeze"), b"0")
            watch.drain()
            before = len(watch.of(pid))
            lib.until(lambda: watch.drain() and len(watch.of(pid)) > before + 3, "it goes on")
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        watch.wait_for_files(pid)
    unload_when_it_can()


run()
