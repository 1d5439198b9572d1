#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A library that changes while it is recorded: each mapping has the identity of the
content it maps, whatever was mapped from that path before. rewrite.t does it fast."""

import ctypes
import mmap
import os
import subprocess

import lib
import stream
from device import DELETED, UNSTABLE
from tap import equal, run, test

IDS = {"v1": "11" * 20, "v2": "22" * 20}
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
    log = os.path.join("/tmp", "versions.log")
    copy_settled(path, "v1")
    with lib.started("buildid", "record", "-o", log, stderr=subprocess.DEVNULL) as recorder:
        lib.until(lambda: os.path.exists(log), "the recorder has begun")
        load_library(path)
        change(path, "v2")
        load_library(path)
        lib.interrupt(recorder)
    lines = lib.json_lines(lib.buildid("mon", "-j", "-i", log).stdout)
    os.unlink(log)
    mapped = [line for line in lines if line.get("path") == path]
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


@test("a file that is open for writing is marked as unstable")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        path = os.path.join(directory, "lib.so")
        copy_settled(path, "v1")
        with open(path, "r+b"):
            _, file = watch.see(lib.map_file, path)
        equal(file.id, IDS["v1"], "id")
        assert file.flags & UNSTABLE, f"flags {file.flags}"


add_tests("tmpfs", lib.tmpfs)
add_tests("ext4", lib.ext4)
run()
