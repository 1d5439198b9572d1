#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A library that changes while it is recorded: each mapping has the identity of the
content it maps, whatever was mapped from that path before. rewrite.t does it fast."""

import collections
import ctypes
import itertools
import mmap
import os
import random
import signal
import subprocess
import time

import lib
import stream
from device import DELETED, UNSTABLE, Device
from tap import equal, run, test

IDS = {"v1": "11" * 20, "v2": "22" * 20}
TRIES = 30 if lib.DEBUG else 60
CONTENT = {name: lib.read_bytes(lib.built(name + ".so")) for name in IDS}


def copy_settled(path, name):
    lib.write_bytes(path, CONTENT[name])
    lib.settle_times(path)


def replace(path, name):
    lib.write_bytes(path + ".new", CONTENT[name])
    os.rename(path + ".new", path)


def overwrite(path, name):
    fd = os.open(path, os.O_WRONLY)
    os.write(fd, CONTENT[name])
    os.close(fd)


def truncate_and_write(path, name):
    fd = os.open(path, os.O_WRONLY | os.O_TRUNC)
    os.write(fd, CONTENT[name])
    os.close(fd)


def store(path, name):
    """As a linker may: through a shared mapping, without a system call."""
    fd = os.open(path, os.O_RDWR)
    with mmap.mmap(fd, 0) as content:
        content[:] = CONTENT[name]
    os.close(fd)


CHANGES = {
    "replaced by rename": replace,
    "overwritten in place": overwrite,
    "truncated, then written": truncate_and_write,
    "changed through a shared mapping": store,
}


def load_library(path):
    """As ld.so does, in a process that is then gone."""
    lib.in_child(lambda: bool(ctypes.CDLL(path)))


def test_recorded(change, place, directory):
    """Seen by the tool: buildid record, a change, two programs."""
    path = os.path.join(directory, "lib.so")
    copy_settled(path, "v1")
    with lib.directory() as logs, \
            lib.started("buildid", "record", "-o", os.path.join(logs, "log"),
                        stderr=subprocess.DEVNULL) as recorder:
        log = os.path.join(logs, "log")
        lib.until(lambda: os.path.exists(log), "the recorder has begun")
        load_library(path)
        change(path, "v2")
        load_library(path)
        lib.interrupt(recorder)
        lines = lib.json_lines(lib.buildid("mon", "-j", "-l", log).stdout)
    # The snapshot that record takes at first may have a mapping, too, by another file_id where it
    # was not known yet.
    mapped = list({(line["pid"], line["addr"], line["build_id"]): line for line in lines
                   if line.get("path") == path}.values())
    equal([line["build_id"] for line in mapped], [IDS["v1"], IDS["v2"]],
          f"build-ids of {path} on {place}, in order")
    assert mapped[0]["file_id"] != mapped[1]["file_id"], "one file_id for two contents"


def add_tests(place, file_system):
    for what, change in CHANGES.items():
        @test(f"a library on {place} that is {what} has two identities, in order")
        def _(change=change):
            with file_system() as directory:
                test_recorded(change, place, directory)


@test("both versions of a library that is in use stay what they are")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        path = os.path.join(directory, "lib.so")
        copy_settled(path, "v1")
        with open(path, "rb") as old:
            _, first = watch.see(lib.map_file, path)
            replace(path, "v2")
            _, second = watch.see(lib.map_file, path)
            size = os.fstat(old.fileno()).st_size
            _, again = watch.see(lambda: lib.unmap(lib.map_fd(old.fileno(), size), size))
        equal([first.id, second.id, again.id], [IDS["v1"], IDS["v2"], IDS["v1"]], "ids")
        assert again.flags & DELETED, "the old one is not marked as deleted"
        assert not second.flags & DELETED, "the new one is marked as deleted"


@test("a file that did not change keeps its identity, and its file_id")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        path = os.path.join(directory, "lib.so")
        copy_settled(path, "v1")
        files = [watch.see(lib.map_file, path)[1] for _ in range(3)]
        equal({file.id for file in files}, {IDS["v1"]}, "ids")
        equal(len({file.file_id for file in files}), 1, "number of file_ids")


def new_reads():
    """So many files were read by who maps them."""
    return stream.stats()["read_mapper"]


def set_clock(ns):
    """On by so much."""
    time.clock_settime_ns(time.CLOCK_REALTIME, time.clock_gettime_ns(time.CLOCK_REALTIME) + ns)


# Nanoseconds after which an access moves the time of the last one.
DAY = 25 * 3600 * 10**9
for option, step in (("strictatime", 10**9), ("relatime", DAY)):
    @test(f"on XFS with {option} a file that is accessed, and not changed, is a hit and keeps its "
          "file_id")
    def _(option=option, step=step):
        turns = 4
        with lib.loop_device("xfs") as device, lib.directory() as directory, \
                stream.Watch() as watch:
            lib.run("mount", "-t", "xfs", "-o", option, device, directory)
            try:
                path = os.path.join(directory, "lib.so")
                copy_settled(path, "v1")
                _, first = watch.see(lib.map_file, path)
                before = new_reads()
                for _ in range(turns):
                    atime = os.stat(path).st_atime_ns
                    set_clock(step)
                    lib.read_bytes(path)
                    assert os.stat(path).st_atime_ns > atime, "atime has not moved"
                    _, file = watch.see(lib.map_file, path)
                    equal((file.file_id, file.id), (first.file_id, IDS["v1"]), "file_id, build-id")
                equal(new_reads(), before, "files read again")
            finally:
                set_clock(-turns * step)
                lib.umount(directory)


IMAGES = 24


@test(f"{IMAGES} snapshots of one image: each is a hit from the second time on, with its file_id")
def _():
    with lib.btrfs() as directory, stream.Watch() as watch:
        lib.run("btrfs", "subvolume", "create", f"{directory}/image")
        copy_settled(f"{directory}/image/lib.so", "v1")
        paths = []
        for number in range(IMAGES):
            lib.run("btrfs", "subvolume", "snapshot", f"{directory}/image",
                    f"{directory}/{number}")
            paths.append(f"{directory}/{number}/lib.so")

        def look():
            files = [watch.see(lib.map_file, path)[1] for path in paths]
            equal([(file.id, file.path) for file in files], [(IDS["v1"], path) for path in paths])
            equal(len({(file.ino, file.tree) for file in files}), IMAGES, "trees")
            return [file.file_id for file in files]
        first = look()
        equal(len(set(first)), IMAGES, "file_ids")
        for _ in range(3):
            before = new_reads()
            equal(look(), first, "file_ids, again")
            equal(new_reads(), before, "files read again")


@test("a file that is open for writing is marked as unstable")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        path = os.path.join(directory, "lib.so")
        copy_settled(path, "v1")
        with open(path, "r+b"):
            _, file = watch.see(lib.map_file, path)
        equal(file.id, IDS["v1"], "id")
        assert file.flags & UNSTABLE, f"flags {file.flags}"


@test("a file that is mapped shared and writable is marked as unstable, open or not")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        path = os.path.join(directory, "lib.so")
        copy_settled(path, "v1")
        fd = os.open(path, os.O_RDWR)
        content = mmap.mmap(fd, lib.PAGE)
        os.close(fd)
        _, file = watch.see(lib.map_file, path)
        assert file.flags & UNSTABLE, f"flags {file.flags}"
        content.close()
        lib.settle_times(path)
        stream.flush()
        _, file = watch.see(lib.map_file, path)
        assert not file.flags & UNSTABLE, f"flags {file.flags}"


def key_of(path):
    stat = os.stat(path)
    return (os.major(stat.st_dev), os.minor(stat.st_dev)), stat.st_ino


@test("an inode number that is used again is another file, by its generation")
def _():
    with lib.ext4() as directory, stream.Watch() as watch, Device() as device:
        path = os.path.join(directory, "lib.so")
        copy_settled(path, "v1")
        times = os.stat(path)
        _, first = watch.see(lib.map_file, path)
        key = key_of(path)
        os.unlink(path)
        copy_settled(path, "v2")
        equal(key_of(path), key, "inode number of the second file")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        _, second = watch.see(lib.map_file, path)
        equal((first.id, second.id), (IDS["v1"], IDS["v2"]), "ids")
        assert first.generation != second.generation, first.generation
        for file in (first, second):
            equal(device.resolve_key(*key, file.generation).id, file.id, "by generation")
        equal(device.resolve_key(*key).id, second.id, "of any generation")


def resize_for_ever(path):
    """The library, cut shorter and shorter, most often to where its notes are no more, and whole
    again. Without pauses, longer each time, a slow machine might never read it but while it
    changes."""
    whole = CONTENT["v1"]
    sizes = [*range(len(whole), 1024, -509), *range(1024, 0, -5)]
    fd = os.open(path, os.O_WRONLY)
    for pause in itertools.count(1):
        for size in sizes:
            os.ftruncate(fd, size)
            if not random.randrange(100):
                time.sleep(pause / 100)
        os.pwrite(fd, whole, 0)
        time.sleep(pause / 100)


def resolve(path, device):
    with open(path, "rb") as file:
        return device.resolve_fd(file.fileno())


@test("a file that shrinks while it is read has its id, or a reason, and none stays stuck")
def _():
    for make in (lib.tmpfs, lib.ext4):
        with make() as directory, stream.Watch(ring_size=1 << 22) as watch, Device() as device:
            path = os.path.join(directory, "lib.so")
            lib.write_bytes(path, CONTENT["v1"])
            child = os.fork()
            if not child:
                resize_for_ever(path)
            files = []

            def tried():
                for number in range(TRIES):
                    if number % 4 == 0:
                        lib.drop_pages(path)
                    files.append(resolve(path, device))
                    lib.map_file(path)
                return len({(file.kind, file.reason) for file in files}) > 1

            try:
                lib.until(tried, "a cut file")
            finally:
                counts = collections.Counter((file.kind, file.reason) for file in files)
                print(f"# {make.__name__}: {dict(counts)}")
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            watch.settle()
            files += [watch.file_of(mapped) for mapped in watch.mmaps if mapped.file_id]
            for file in files:
                if file.kind == "gnu":
                    equal(file.id, IDS["v1"], "build-id")
                elif file.kind == "htlhash":
                    equal(file.id, lib.htlhash(CONTENT["v1"][:file.file_size]),
                          f"hash of the first {file.file_size} bytes")
                else:
                    assert file.reason in ("changing", "io-error"), file
            lib.write_bytes(path, CONTENT["v2"])
            equal(watch.see(lib.map_file, path)[1].id, IDS["v2"], "build-id at last")


add_tests("tmpfs", lib.tmpfs)
add_tests("ext4", lib.ext4)
run()
