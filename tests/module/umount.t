#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The module holds on to no file: right after a program has run, the file system it
was on can be unmounted, at the first try, while its file may still be being read."""

import os

import lib
import stream
import umounts
from tap import Skip, equal, run, test

# Each variant of umounts.py, on one device; the long form has all on the other, too.
ROUNDS = (1, 5, 7, 8) if lib.DEBUG else range(len(umounts.VARIANTS))

for fs in umounts.KINDS:
    @test(f"{fs} is unmounted right after use, {len(ROUNDS)} times, and what is below is free")
    def _(kind=fs):
        if not lib.has_filesystem(kind):
            raise Skip(f"no {kind} here")
        tally = umounts.Tally()
        umounts.rounds(kind, ROUNDS, tally)
        equal(tally.findings(), [])
        read = tally.counts[f"{kind}.read"]
        assert read >= len(ROUNDS), f"the worker read {read} files"


# ------------------------------------------------- the device below, after it --

NOTES = 3500


def pages_read(device):
    """From it, since it was made."""
    with open(f"/sys/block/{os.path.basename(device)}/stat", encoding="ascii") as file:
        return int(file.read().split()[2]) * 512 // lib.PAGE


@test("a file that is being read is given up when its filesystem is unmounted")
def _():
    rounds, late = 3 if lib.DEBUG else 10, []
    with lib.loop_device() as device, lib.directory() as directory:
        lib.mount(device, directory, "ext4")
        path = umounts.put_notes(directory, "long", NOTES)
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
            equal(umounts.is_free(device), True, "the device is free at once")
            late.append(pages_read(device) - before)
    print(f"# pages read while umount(2) waited: {late}")
    # what is read until umount(2) has got as far, and ahead of it
    assert max(late) <= NOTES // 4, "umount(2) had to wait for all of the file"


run()
