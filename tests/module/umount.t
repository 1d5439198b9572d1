#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The module holds on to no file: right after a program has run, the file system it
was on can be unmounted, at the first try, while its file may still be being read."""

import errno
import os
import struct

import lib
import stream
from lib import built
from tap import equal, run, test

TIMES = 15 if lib.DEBUG else 50


def put(directory, name):
    path = os.path.join(directory, name)
    lib.write_bytes(path, lib.read_bytes(built(name)))
    return path


def execute(path):
    """As the module sees it for the first time, whatever it saw before."""
    stream.flush()
    pid = os.posix_spawn(path, [path], {})
    _, status = os.waitpid(pid, 0)
    equal(status, 0, f"status of {path}")


def times_on_ext4(name):
    with lib.loop_device() as device, lib.directory() as directory:
        lib.mount(device, directory, "ext4")
        path = put(directory, name)
        lib.umount(directory)
        for _ in range(TIMES):
            lib.mount(device, directory, "ext4")
            execute(path)
            lib.umount(directory)


def times_on_tmpfs(name):
    with lib.directory() as directory:
        for _ in range(TIMES):
            lib.mount("tmpfs", directory, "tmpfs")
            execute(put(directory, name))
            lib.umount(directory)


def times_on_overlay(name):
    """What is below it, too."""
    with lib.directory() as below, lib.directory() as merged:
        for number in range(TIMES):
            lib.mount("tmpfs", below, "tmpfs")
            layers = {layer: os.path.join(below, layer)
                      for layer in ("lower", "upper", "work")}
            for path in layers.values():
                os.mkdir(path)
            put(layers["lower" if number % 2 else "upper"], name)
            lib.mount("overlay", merged, "overlay", 0, ",".join(
                f"{layer}dir={path}" for layer, path in layers.items()))
            execute(os.path.join(merged, name))
            lib.umount(merged)
            lib.umount(below)


for place, repeat in (("ext4 on a loop device", times_on_ext4),
                      ("tmpfs", times_on_tmpfs), ("overlayfs", times_on_overlay)):
    for kind, program in (("with a build-id", "other"), ("that has to be read", "none")):
        @test(f"{place} is unmounted right after a program {kind} ran, {TIMES} times")
        def _(repeat=repeat, program=program):
            before = stream.stats()
            repeat(program)
            after = stream.stats()
            seen = after["mappings"] - before["mappings"]
            assert seen >= TIMES, f"the module saw {seen} mappings"
            # a file that is still being read is not read again
            if program == "none":
                read = after["parsed_worker"] - before["parsed_worker"]
                assert read >= TIMES // 2, f"the worker read {read} files"


# ------------------------------------------------- the device below, after it --

NOTES = 3500


def put_long(directory):
    """A file that takes long to read: each of its notes is on a page of its own."""
    path = os.path.join(directory, "long")
    first = 64 * lib.PAGE
    head = struct.pack("=16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, 0, 0, 64, 56,
                       NOTES, 64, 0, 0)
    head += b"".join(struct.pack("=IIQQQQQQ", 4, 4, first + number * lib.PAGE, 0, 0, 20, 20, 4)
                     for number in range(NOTES))
    page = struct.pack("=III", 4, 4, 1).ljust(lib.PAGE, b"x")
    lib.write_bytes(path, head.ljust(first, b"\0") + page * NOTES)
    return path


def pages_read(device):
    """From it, since it was made."""
    with open(f"/sys/block/{os.path.basename(device)}/stat", encoding="ascii") as file:
        return int(file.read().split()[2]) * 512 // lib.PAGE


def is_free(device):
    try:
        os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
    except OSError as error:
        equal(errno.errorcode[error.errno], "EBUSY", "error")
        return False
    return True


@test("a file that is being read is given up when its filesystem is unmounted")
def _():
    rounds, late = 3 if lib.DEBUG else 10, []
    with lib.loop_device() as device, lib.directory() as directory:
        lib.mount(device, directory, "ext4")
        path = put_long(directory)
        lib.umount(directory)
        for _ in range(rounds):
            lib.mount(device, directory, "ext4")
            stream.flush()
            fd = os.open(path, os.O_RDONLY)
            size = os.fstat(fd).st_size
            lib.unmap(lib.map_fd(fd, size), size)
            lib.until(lambda: stream.stats()["requests"], "the worker reads")
            os.close(fd)
            before = pages_read(device)
            lib.umount(directory)
            equal(is_free(device), True, "the device is free at once")
            late.append(pages_read(device) - before)
    print(f"# pages read while umount(2) waited: {late}")
    # what is read until umount(2) has got as far, and ahead of it
    assert max(late) <= NOTES // 4, "umount(2) had to wait for all of the file"


run()
