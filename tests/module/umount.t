#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The module holds on to no file: right after a program has run, the filesystem it was on can be
unmounted, at the first try, and the device below it is free."""

import os
import signal
import subprocess

import arch
import lib
import stream
import umounts
from image import with_id
from lib import PAGE, built
from tap import Skip, equal, run, test

# Each variant of umounts.py, on one device; the long form has all on the other, too.
ROUNDS = range(len(umounts.VARIANTS))
# What differs in how a filesystem is shut down, and in its locks.
KINDS = ("xfs", "btrfs", "overlay", "tmpfs") if lib.DEBUG else umounts.KINDS

for fs in KINDS:
    @test(f"{fs} is unmounted right after use, {len(ROUNDS)} times, and what is below is free")
    def _(kind=fs):
        if not lib.has_filesystem(kind):
            raise Skip(f"no {kind} here")
        tally = umounts.Tally()
        umounts.rounds(kind, ROUNDS, tally)
        equal(tally.findings(), [])
        read = tally.counts[f"{kind}.read"]
        assert read >= len(ROUNDS), f"{read} files were read"


@test("once mmap(2) and munmap(2) have returned, and once a program has ended, no visit is left")
def _():
    with lib.ext4() as directory:
        path = os.path.join(directory, "none")
        lib.write_bytes(path, lib.read_bytes(built("none")))
        for function in lib.map_file, umounts.execute:
            lib.drop_caches()
            stream.flush()
            before = stream.stats()["read_mapper"]
            function(path)
            stats = stream.stats()
            assert stats["read_mapper"] > before, "nothing was read"
            equal(stats["visits"], 0, "visits")


@test("a mount is busy while a thread is held in mmap(2) of a file of it, and no longer")
def _():
    with lib.directory() as directory:
        lib.mount("tmpfs", directory, "tmpfs")
        path = os.path.join(directory, "file")
        lib.write_bytes(path, with_id(b"\1" * 20, PAGE) + arch.RETURN_42.ljust(PAGE, b"\0"))
        with lib.started(built("held"), "unmap", path, stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE) as process:
            word, pid = process.stdout.readline().split()
            equal((word, umounts.succeeds(lib.umount, directory)), (b"held", False))
            equal(stream.stats()["visits"], 1, "visits")
            os.kill(int(pid), signal.SIGKILL)
            process.kill()
            process.wait()
            lib.until(lambda: not os.path.exists(f"/proc/{int(pid)}/exe"), "it has ended")
        equal(umounts.succeeds(lib.umount, directory), True, "umount(2)")
        equal(stream.stats()["visits"], 0, "visits")


run()
