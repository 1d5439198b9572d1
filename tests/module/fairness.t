#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What one process does to the module's memory and what one device does to its
requests is not felt by others. With FLOOD_SECONDS=60 in the environment, as make
flood has it, floods last that long and go as fast as they can."""

import contextlib
import os
import struct
import subprocess
import time

import lib
import servers
import stream
from device import SUB_CHILDREN, SUB_PATH, File
from image import with_id
from lib import PAGE, built
from tap import equal, run, test

SECONDS = int(os.environ.get("FLOOD_SECONDS", 0))
# The short form: a small memory, and a little of everybody's in turn.
ENTRIES = "" if SECONDS else "max_entries=1024"
# The debug kernel looks for wrong locks; that takes no masses.
BURST = 50 if lib.DEBUG else 200
ROUNDS = 3 if lib.DEBUG else 12
OTHERS = 40


@contextlib.contextmanager
def loaded(parameters):
    lib.unload()
    lib.load(parameters)
    try:
        yield
    finally:
        lib.unload()
        lib.load()


# ------------------------------------------------------------------- floods --

@contextlib.contextmanager
def flood(kind, user):
    """A function to call: a burst of it, at the same time as what is called."""
    directory = None
    with contextlib.ExitStack() as stack:
        if kind == "numbers":
            directory = stack.enter_context(lib.directory())
            server = stack.enter_context(lib.started(
                built("fuse_file"), directory, built("other"), "numbers",
                stdout=subprocess.PIPE))
            equal(server.stdout.readline(), b"mounted\n", "the server's word")
            stack.callback(lib.umount, directory, 2)
        process = stack.enter_context(lib.started(
            built("flood"), directory or kind, str(BURST), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, bufsize=0, user=user, extra_groups=[]))

        def burst(function):
            process.stdin.write(b"x")
            function()
            equal(process.stdout.read(1), b"x", "the flood's word")
        yield burst


class Others:
    """Files that one process after the other maps, as with programs and libraries, and
    how often that was a hit."""

    def __init__(self, directory, watch):
        self.watch, self.count, self.misses = watch, 0, []
        self.paths = [os.path.join(directory, str(number)) for number in range(OTHERS)]
        for number, path in enumerate(self.paths, 1):
            lib.write_bytes(path, with_id(bytes([number]) * 20))
        lib.settle_times(self.paths[-1])
        # the second time the time stamps have settled for sure
        for _ in range(2):
            self.ids = self.map_all()

    def map_all(self):
        self.watch.drain()
        child = os.fork()
        if not child:
            for path in self.paths:
                lib.map_file(path)
            os._exit(0)
        equal(os.waitpid(child, 0)[1], 0, "status of who maps")
        told = {lib.told(path) for path in self.paths}
        return [mapped.file_id for mapped in self.watch.settle() if mapped.path in told]

    def map_and_count(self):
        """A hit is what is known by the number it had."""
        found = self.map_all()
        equal(len(found), OTHERS, "mappings of others")
        self.count += OTHERS
        self.misses.append(sum(now != before for now, before in zip(found, self.ids)))
        self.ids = found


for kind in ("versions", "inodes", "numbers"):
    for user in ((65534,) if kind == "numbers" else (0, 65534)):
        what = {"versions": "versions of one memfd", "inodes": "memfds",
                "numbers": "inodes whose numbers a FUSE server picks"}[kind]

        @test(f"a flood of {what}, by {'nobody' if user else 'root'}, leaves others' mappings hits")
        def _(kind=kind, user=user):
            with loaded(ENTRIES), lib.tmpfs() as directory, stream.Watch(flags=SUB_PATH | SUB_CHILDREN) as watch:
                others = Others(directory, watch)
                with flood(kind, user) as burst:
                    before = stream.stats()["mappings"]
                    end = time.monotonic() + SECONDS
                    rounds = 0
                    while rounds < ROUNDS or time.monotonic() < end:
                        burst(others.map_and_count)
                        rounds += 1
                    flooded = stream.stats()["mappings"] - before
                share = 100 - sum(others.misses) * 100 / others.count
                print(f"# {kind}, uid {user}: {share:.1f} % of {others.count} mappings of others "
                      f"were hits, among {flooded} mappings; misses: {others.misses[:50]}")
                assert flooded >= rounds * BURST, f"{flooded} mappings"
                assert share >= 95, f"{share:.1f} % hits"


# -------------------------------------------------------------------- memory --

@test("paths as long as they can be take no more memory than there is set aside")
def _():
    entries = 256 if lib.DEBUG else 1024
    with loaded(f"max_entries={entries}"), lib.tmpfs() as directory:
        before = stream.stats()["memory"]
        deep = os.path.join(directory, *["d" * 200] * 19)
        os.makedirs(deep)
        for number in range(entries):
            path = os.path.join(deep, f"{number:04}")
            lib.write_bytes(path, with_id(number.to_bytes(20, "big")))
            lib.map_file(path)
            if not number % 100:
                wait_for_worker()
        wait_for_worker()
        stats = stream.stats()
        each = (stats["memory"] - before) / entries
        print(f"# {stats['entries']} files with paths of {len(path)} bytes: {each:.0f} bytes each")
        assert stats["entries"] >= entries // 2, f"{stats['entries']} entries"
        assert each <= 1024, f"{each:.0f} bytes for each"


# ------------------------------------------------------------------- devices --

REQUESTS = 32
# Of one workqueue at a time.
RUNNING = 512


def wait_for_worker():
    lib.until(lambda: not stream.stats()["requests"], "all files were read")


def map_unread(fds):
    for fd in fds:
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        lib.unmap(lib.map_fd(fd, PAGE), PAGE)


@test("a device that answers no more has a quarter of the requests, and others theirs")
def _():
    with loaded(f"requests={REQUESTS}"), lib.ext4() as elsewhere, \
            servers.device(3 * REQUESTS) as (fds, stop, _), stream.Watch() as watch:
        content = servers.content(1000)
        there = os.path.join(elsewhere, "file")
        lib.write_bytes(there, content)
        lib.drop_pages(there)
        stop()
        map_unread(fds)
        watch.drain()
        stats = stream.stats()
        print(f"# {stats['requests']} of {REQUESTS} requests wait for the device")
        lib.map_file(there)
        watch.drain()
        end = time.monotonic() + lib.PATIENCE
        while not any(isinstance(record, File) and record.id == lib.htlhash(content)
                      for record in watch.records):
            assert time.monotonic() < end and watch.mmaps[-1].state != "unresolved", \
                "a file on another device is not identified"
            watch.drain(1)
        assert 0 < stats["requests"] <= REQUESTS // 4, f"{stats['requests']} requests"
        equal(stats["device_busy"], 3 * REQUESTS - stats["requests"], "device_busy")


@test("however many requests there are, it has no more than a quarter of those that can run")
def _():
    # else another device's wait behind them, and whoever unmounts that waits for these
    with loaded("requests=4096"), servers.device(RUNNING // 4 + 20) as (fds, stop, _):
        stop()
        map_unread(fds)
        stats = stream.stats()
        equal((stats["requests"], stats["device_busy"]), (RUNNING // 4, 20), "requests, device_busy")


@test("a user has no more than half of what a device has")
def _():
    def map_as_nobody(fds):
        os.setuid(65534)
        map_unread(fds)

    with loaded(f"requests={REQUESTS}"), servers.device(REQUESTS) as (fds, stop, _):
        stop()
        lib.in_child(map_as_nobody, fds[:REQUESTS // 2])
        equal(stream.stats()["requests"], REQUESTS // 8, "requests, nobody's")
        map_unread(fds[REQUESTS // 2:])
        equal(stream.stats()["requests"], REQUESTS // 4, "requests, with root's")


def elf_with_notes(path, notes):
    """Sparse: each note is in a hole, on a page of its own."""
    first = 128 * PAGE
    head = struct.pack("=16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, 0, 0, 64, 56,
                       notes, 64, 0, 0)
    head += b"".join(struct.pack("=IIQQQQQQ", 4, 4, first + number * PAGE, 0, 0, 20, 20, 4)
                     for number in range(notes))
    assert len(head) <= first
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(first + notes * PAGE)


@test("of one file no more than 4,096 pages are read")
def _():
    with lib.ext4() as directory:
        # eight of their headers are read at a time, which is a page more
        for notes, reason in ((3600, "no-note"), (3680, "limit")):
            path = os.path.join(directory, str(notes))
            elf_with_notes(path, notes)
            with open(path, "rb") as file, stream.Watch() as watch:
                lib.drop_pages(path)
                _, seen = watch.see(lib.map_file, path)
                equal(seen.reason, reason, f"{notes} notes, read by the worker")
                equal(stream.resolve_fd(file.fileno()).reason, reason, "RESOLVE_FD")


run()
