#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What one process does to the module's memory and what one device does to its
requests is not felt by others. With FLOOD_SECONDS=60 in the environment, as make
flood has it, floods last that long and go as fast as they can."""

import contextlib
import functools
import os
import struct
import subprocess
import time

import lib
import rights
import servers
import stream
from device import SUB_CHILDREN, SUB_PATH, File
from image import with_id
from lib import PAGE, built
from tap import equal, run, test

SECONDS = int(os.environ.get("FLOOD_SECONDS", 0))
NOBODY = 65534
# Uids of a user namespace that nobody has made.
UIDS = (0, 1)
USERS = {0: "root", NOBODY: "nobody", UIDS: "two uids of one user's namespace"}
# A table of one set, in which all that is mapped is in each other's way, whatever the hash.
WAYS = 16
# The debug kernel looks for wrong locks; that takes no masses.
BURST = 3 * WAYS
ROUNDS = 3 if lib.DEBUG else 6
# Less than half of a set, beside a few of the flood's own programs.
OTHERS = 5


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
        become = [{"user": user}]
        if user is UIDS:
            namespace = stack.enter_context(rights.namespace_of_nobody())
            become = [{"preexec_fn": functools.partial(rights.enter_namespace_as, uid, namespace)}
                      for uid in UIDS]
        processes = [stack.enter_context(lib.started(
            built("flood"), directory or kind, str(BURST), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, bufsize=0, extra_groups=[], **as_whom)) for as_whom in become]

        def burst(function):
            for process in processes:
                process.stdin.write(b"x")
            function()
            for process in processes:
                equal(process.stdout.read(1), b"x", "the flood's word")
        yield burst


class Others:
    """Files that are mapped again and again, and how often that was a hit. @many: by one process
    after the other, as programs and libraries are; else by this one alone."""

    def __init__(self, directory, watch, many):
        self.watch, self.many, self.count, self.misses = watch, many, 0, []
        self.paths = [os.path.join(directory, str(number)) for number in range(OTHERS)]
        for number, path in enumerate(self.paths, 1):
            lib.write_bytes(path, with_id(bytes([number]) * 20))
        lib.settle_times(self.paths[-1])
        # there are fewer entries in reserve than files
        lib.until(lambda: all(self.map_all()), "each has an entry")
        self.ids = self.map_all()

    def map_all(self):
        def call():
            for path in self.paths:
                lib.map_file(path)
        self.watch.drain()
        if self.many:
            lib.in_child(call)
        else:
            call()
        told = {lib.told(path) for path in self.paths}
        return [mapped.file_id for mapped in self.watch.settle() if mapped.path in told]

    def map_and_count(self):
        """A hit is what is known by the number it had."""
        found = self.map_all()
        equal(len(found), OTHERS, "mappings of others")
        self.count += OTHERS
        self.misses.append(sum(now != before for now, before in zip(found, self.ids)))
        self.ids = found


FLOODS = {
    "versions": "versions of one memfd", "inodes": "memfds",
    "numbers": "inodes whose numbers a FUSE server picks",
    "processes": "memfds, each of another process", "shared": "memfds, each of two processes",
}

# Of victim() in module/cache.c, which rule alone protects the others in the last three: what one
# process has most of goes first; what several processes use goes last; what one user has most of.
for kind, user, many in (("versions", 0, True), ("versions", NOBODY, True),
                         ("inodes", NOBODY, True), ("numbers", NOBODY, True),
                         ("inodes", 0, False), ("processes", 0, True), ("shared", NOBODY, False),
                         ("shared", UIDS, False)):
    @test(f"a flood of {FLOODS[kind]}, by {USERS[user]}, leaves what "
          f"{'others share' if many else 'one process maps'} hits")
    def _(kind=kind, user=user, many=many):
        # On PREEMPT_RT the worker reads each file, and what waits for that is not evicted: as many
        # may wait as are in a set, which all versions of an inode are in.
        sets = 4 if lib.RT else 1
        with loaded(f"max_entries={sets * WAYS}"), lib.tmpfs() as directory, \
                stream.Watch(flags=SUB_PATH | SUB_CHILDREN) as watch:
            others = Others(directory, watch, many)
            with flood(kind, user) as burst:
                before = stream.stats()["evicted"]
                end = time.monotonic() + SECONDS
                rounds = 0
                while rounds < ROUNDS or time.monotonic() < end:
                    burst(others.map_and_count)
                    rounds += 1
                evicted = stream.stats()["evicted"] - before
            missed = sum(others.misses)
            print(f"# {kind}, uid {user}: {missed} of {others.count} mappings of others were "
                  f"misses, {evicted} entries evicted; misses: {others.misses[:50]}")
            # each burst could have driven out the others; what comes faster than the worker sets
            # entries aside has none
            assert evicted >= rounds * OTHERS, f"{evicted} entries evicted"
            allowed = others.count // 2 if lib.RT and kind == "versions" else 0
            assert missed <= allowed, f"{missed} misses of others"


# -------------------------------------------------------------------- memory --

@test("paths as long as they can be take no more memory than there is set aside")
def _():
    entries = 256 if lib.DEBUG else 1024
    with loaded(f"max_entries={entries}"), lib.tmpfs() as directory:
        before = stream.stats()["memory"]
        deep = os.path.join(directory, *["d" * 200] * (19 if lib.RT else 9))
        os.makedirs(deep)
        for number in range(entries):
            path = os.path.join(deep, f"{number:04}")
            lib.write_bytes(path, with_id(number.to_bytes(20, "big")))
            lib.map_file(path)
            if not number % 100:
                servers.wait_for_worker()
        servers.wait_for_worker()
        stats = stream.stats()
        each = (stats["memory"] - before) / entries
        print(f"# {stats['entries']} files with paths of {len(path)} bytes: {each:.0f} bytes each")
        assert stats["entries"] >= entries // 2, f"{stats['entries']} entries"
        assert each <= 1024, f"{each:.0f} bytes for each"


# ------------------------------------------------------------------- devices --

REQUESTS = 32
# Of one workqueue at a time.
RUNNING = 512


@test("a device that answers no more has a quarter of the requests, and others theirs")
def _():
    with loaded(f"requests={REQUESTS}"), lib.ext4() as elsewhere, \
            servers.device(3 * REQUESTS) as (fds, stop, _), stream.Watch() as watch:
        content = servers.content(1000)
        there = os.path.join(elsewhere, "file")
        lib.write_bytes(there, content)
        lib.drop_pages(there)
        stop()
        servers.map_unread(fds)
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
        servers.map_unread(fds)
        stats = stream.stats()
        equal((stats["requests"], stats["device_busy"]), (RUNNING // 4, 20),
              "requests, device_busy")


@test("a user has no more than half of what a device has")
def _():
    def map_as_nobody(fds):
        os.setuid(NOBODY)
        servers.map_unread(fds)

    with loaded(f"requests={REQUESTS}"), servers.device(REQUESTS) as (fds, stop, _):
        stop()
        lib.in_child(map_as_nobody, fds[:REQUESTS // 2])
        equal(stream.stats()["requests"], REQUESTS // 8, "requests, nobody's")
        servers.map_unread(fds[REQUESTS // 2:])
        equal(stream.stats()["requests"], REQUESTS // 4, "requests, with root's")


def requests_of_two(namespace, uids, stop, fds):
    """That are in use when each has mapped half of the files."""
    def map_as(uid, fds):
        rights.enter_namespace_as(uid, namespace)
        servers.map_unread(fds)

    stop()
    half = len(fds) // 2
    for uid, its in zip(uids, (fds[:half], fds[half:])):
        lib.in_child(map_as, uid, its)
    return stream.stats()["requests"]


SHARE = REQUESTS // 8


@test("nor have all uids of the user namespaces that a user makes")
def _():
    with loaded(f"requests={REQUESTS}"), rights.namespace_of_nobody() as namespace, \
            servers.device(2 * SHARE) as (fds, stop, _):
        equal(requests_of_two(namespace, UIDS, stop, fds), SHARE, "requests")


@test("a service with a user of its own, in a user namespace of root's uids, has its own half")
def _():
    # users are counted by a hash with an odd factor, which tells these two apart whatever it is
    uids = (991, 991 + (1 << 31))
    with loaded(f"requests={REQUESTS}"), rights.namespace_of_root() as namespace, \
            servers.device(2 * SHARE) as (fds, stop, _):
        equal(requests_of_two(namespace, uids, stop, fds), 2 * SHARE, "requests")


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
                equal(stream.resolve_fd(file.fileno()).reason, reason, "RESOLVE by FD")


run()
