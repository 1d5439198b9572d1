#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What one user does to the module's memory is not felt by others. With FLOOD_SECONDS=60 in the
environment, as make flood has it, floods last that long and go as fast as they can."""

import contextlib
import functools
import os
import struct
import subprocess
import time

import lib
import rights
import stream
from device import SUB_CHILDREN, SUB_PATH, Device
from image import put_files, with_id
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
# Three quarters of a set, less those of the programs that this test runs.
OTHERS = 9


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
    """Files that one process after the other maps, as programs and libraries are, and how often
    that was a hit."""

    def __init__(self, directory, watch):
        self.watch, self.count, self.misses = watch, 0, []
        self.paths = [os.path.join(directory, str(number)) for number in range(OTHERS)]
        for number, path in enumerate(self.paths, 1):
            lib.write_bytes(path, with_id(bytes([number]) * 20))
        lib.settle_times(self.paths[-1])
        self.map_all()
        self.ids = self.map_all()

    def map_all(self):
        def call():
            for path in self.paths:
                lib.map_file(path)
        self.watch.drain()
        lib.in_child(call)
        return [mapped.file_id for mapped in self.watch.settle() if mapped.path in self.paths]

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

# See victim() in module/cache.c: who has a quarter of a set evicts their own; of anybody's, what
# one process alone has used goes before what several have.
for kind, user in (("versions", 0), ("versions", NOBODY), ("inodes", NOBODY), ("numbers", NOBODY),
                   ("processes", 0), ("shared", NOBODY), ("shared", UIDS)):
    @test(f"a flood of {FLOODS[kind]}, by {USERS[user]}, leaves what others share hits")
    def _(kind=kind, user=user):
        with loaded(f"max_entries={WAYS}"), lib.tmpfs() as directory, \
                stream.Watch(flags=SUB_PATH | SUB_CHILDREN) as watch:
            others = Others(directory, watch)
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
            # each burst could have driven out the others
            assert evicted >= rounds * OTHERS, f"{evicted} entries evicted"
            equal(missed, 0, "misses of others")


@test("a service with a user of its own, in a user namespace of root's uids, has its own share")
def _():
    uids = (991, 991 + (1 << 31))
    with loaded(f"max_entries={WAYS}"), rights.namespace_of_root() as namespace, \
            lib.tmpfs() as directory, stream.Watch(flags=SUB_PATH | SUB_CHILDREN) as watch:
        paths = list(put_files(directory, 2 * BURST + WAYS // 4))
        few, first, second = paths[:WAYS // 4], paths[WAYS // 4:BURST], paths[BURST:]

        def map_as(uid, which):
            rights.enter_namespace_as(uid, namespace)
            for path in which:
                lib.map_file(path)

        def ids_of(uid, which):
            watch.drain()
            lib.in_child(map_as, uid, which)
            return [mapped.file_id for mapped in watch.settle() if mapped.path in which]
        lib.settle_times(paths[-1])
        ids_of(uids[0], first)
        before = ids_of(uids[1], few)
        ids_of(uids[0], second)
        equal(ids_of(uids[1], few), before, "file_ids")


# ---------------------------------------------------------------- large tables --

ENTRIES = 1024
KNOWN = 100 if lib.DEBUG else 400
# A user's share of a set is a quarter: of so many others' files, few are in one with more than
# three quarters.
SPARED = 0.97
FLOODED = 500 if lib.DEBUG else 4000


def known_files(directory, count):
    """So many, used by several processes: {file_id: path}."""
    found = {}
    with stream.Watch(flags=SUB_PATH | SUB_CHILDREN, ring_size=1 << 20) as watch:
        for number in range(count):
            path = os.path.join(directory, str(number))
            lib.write_bytes(path, with_id(number.to_bytes(20, "big")))
        lib.settle_times(path)

        def map_all():
            for number in range(count):
                lib.map_file(os.path.join(directory, str(number)))
        for _ in range(2):
            lib.in_child(map_all)
            found = {mapped.file_id: mapped.path for mapped in watch.settle()
                     if mapped.path.startswith(directory)}
        equal(watch.lost, 0, "records lost")
    return found


def still_known(files):
    """Those whose file_id the module has, with their paths."""
    def is_there(device, file_id):
        try:
            return device.resolve_id(file_id).path == files[file_id]
        except FileNotFoundError:
            return False
    with Device() as device:
        return [file_id for file_id in files if is_there(device, file_id)]


for kind in "inodes", "versions":
    @test(f"a flood of {FLOODED} {FLOODS[kind]}, by nobody, leaves what many others' files are "
          "known by")
    def _(kind=kind):
        with loaded(f"max_entries={ENTRIES}"), lib.tmpfs() as directory:
            files = known_files(directory, KNOWN)
            before = still_known(files)
            with flood(kind, NOBODY) as burst:
                for _ in range(FLOODED // BURST):
                    burst(lambda: None)
            left = still_known(files)
            print(f"# {len(before)} of {KNOWN} before, {len(left)} after it")
            assert len(left) >= len(before) * SPARED, f"{len(left)} of {len(before)}"


@test("files with long paths, however many, leave those of others whole")
def _():
    count = 1000 if lib.DEBUG else 10000
    # deep enough that all of it is more than the module ever sets aside
    deep = "/".join(["d" * 250] * 14)
    with lib.tmpfs() as directory, stream.Watch() as watch, Device() as device:
        place = os.path.join(directory, deep)
        os.makedirs(place)
        path = os.path.join(place, "first")
        lib.write_bytes(path, with_id(b"\x01" * 20))
        lib.settle_times(path)
        _, first = watch.see(lib.map_file, path)

        def map_many():
            os.chdir(place)
            for number in range(count):
                lib.write_bytes("one", with_id(number.to_bytes(20, "big")))
                lib.map_file("one")
                os.unlink("one")
        child = lib.forked(map_many)
        equal(os.waitpid(child, 0)[1], 0, "status")
        equal(device.resolve_id(first.file_id).path, path, "the path of what was there")
        lib.write_bytes(path + "-new", with_id(b"\x02" * 20))
        _, new = watch.see(lib.map_file, path + "-new")
        equal(new.path, path + "-new", "that of a new file")
        equal(device.resolve_id(new.file_id).path, path + "-new", "and what is kept of it")


TREES = 16 if lib.DEBUG else 40


@test("on btrfs a user with subvolumes of their own, whose inode numbers are those of another's "
      "file, takes it away from nobody")
def _():
    with lib.btrfs() as directory, stream.Watch() as watch:
        victim = os.path.join(directory, "libc")
        lib.write_bytes(victim, with_id(b"\x01" * 20))
        own = os.path.join(directory, "own")
        os.mkdir(own)
        for number in range(TREES):
            lib.run("btrfs", "subvolume", "create", f"{own}/{number}")
            os.chown(f"{own}/{number}", NOBODY, NOBODY)
        target = os.stat(victim).st_ino

        def make():
            """In each a file with that number; inode numbers of a subvolume are counted up."""
            os.setresuid(NOBODY, NOBODY, NOBODY)
            for number in range(TREES):
                for name in range(1000):
                    path = f"{own}/{number}/{name}"
                    lib.write_bytes(path, with_id(b"\x02" + number.to_bytes(19, "big")))
                    if os.stat(path).st_ino == target:
                        os.rename(path, f"{own}/{number}/file")
                        break
                    os.unlink(path)
                else:
                    raise AssertionError(f"no inode {target}")

        def map_them():
            os.setresuid(NOBODY, NOBODY, NOBODY)
            for number in range(TREES):
                lib.map_file(f"{own}/{number}/file")
        lib.in_child(make)
        lib.settle_times(victim)
        ids = set()
        for _ in range(ROUNDS):
            lib.in_child(map_them)
            mapped, file = watch.see(lib.map_file, victim)
            equal((mapped.state, file.id), ("follows", "01" * 20), "state and build-id")
            ids.add(mapped.file_id)
        equal(len(ids), 1, "file_ids of root's file")


# --------------------------------------------------------------------- reading --

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


@test("of one file no more than 2,304 pages are read")
def _():
    with lib.ext4() as directory:
        # for each few of them the page with their headers is looked at again
        for notes, reason in ((1900, "no-note"), (2310, "limit")):
            path = os.path.join(directory, str(notes))
            elf_with_notes(path, notes)
            with open(path, "rb") as file, stream.Watch() as watch:
                lib.drop_pages(path)
                _, seen = watch.see(lib.map_file, path)
                equal(seen.reason, reason, f"{notes} notes, mapped")
                equal(stream.resolve_fd(file.fileno()).reason, reason, "RESOLVE by FD")


run()
