#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The module holds on to no file: right after a program has run, the file system it
was on can be unmounted, at the first try, while its file may still be being read."""

import contextlib
import fcntl
import mmap
import os
import signal
import struct
import time

import lib
import servers
import stream
import umounts
from image import with_id
from tap import Skip, equal, run, test

# Each variant of umounts.py, on one device; the long form has all on the other, too.
ROUNDS = (1, 2, 5, 7, 8) if lib.DEBUG else range(len(umounts.VARIANTS))
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
        assert read >= len(ROUNDS), f"the worker read {read} files"


# ------------------------------------------------- the device below, after it --

# What an ext4 of lib.MKFS has room for, of whatever pages.
NOTES = ((4 if lib.DEBUG else 14) << 20) // lib.PAGE


def pages_read(device):
    """From it, since it was made."""
    with open(f"/sys/block/{os.path.basename(device)}/stat", encoding="ascii") as file:
        return int(file.read().split()[2]) * 512 // lib.PAGE


def map_for_a_moment(path):
    fd = os.open(path, os.O_RDONLY)
    size = os.fstat(fd).st_size
    lib.unmap(lib.map_fd(fd, size), size)
    os.close(fd)


@contextlib.contextmanager
def with_long_file(notes, owner=0):
    """The device of an ext4, where it can be mounted, and there a file that takes long to read."""
    with lib.loop_device() as device, lib.directory() as directory:
        lib.mount(device, directory, "ext4")
        path = umounts.put_notes(directory, "long", notes)
        os.chown(path, owner, owner)
        os.chmod(path, 0o770)
        lib.umount(directory)
        yield device, directory, path


def start(device, directory, path):
    """Mounts it, and has the worker read the file."""
    lib.mount(device, directory, "ext4")
    stream.flush()
    map_for_a_moment(path)
    lib.until(lambda: stream.stats()["requests"], "the worker reads")


TIMES = 2 if lib.DEBUG else 10


@test("a file that is being read is given up when its filesystem is unmounted")
def _():
    late = []
    with with_long_file(NOTES) as (device, directory, path):
        for _ in range(TIMES):
            start(device, directory, path)
            before = pages_read(device)
            lib.umount(directory)
            equal(umounts.is_free(device), True, "the device is free at once")
            late.append(pages_read(device) - before)
    print(f"# pages read while umount(2) waited: {late}")
    # what is read until umount(2) has got as far, and ahead of it
    assert max(late) <= NOTES // 4, "umount(2) had to wait for all of the file"


def map_as(path, uid):
    os.setuid(uid)
    fd = os.open(path, os.O_RDONLY)
    # no more: khugepaged holds a file while it looks whether a part of 2 MiB could be a huge page
    lib.map_fd(fd, lib.PAGE)
    os.close(fd)


def umount_while_maps_reads(device, directory, path, owner):
    lib.mount(device, directory, "ext4")
    with lib.child(map_as, path, owner) as pid:
        lib.until(lambda: not stream.stats()["requests"], "the worker has read it")
        lib.drop_caches()
        stream.flush()
        before = pages_read(device)
        with lib.waiting_for(stream.maps, pid) as (_, answer):
            # the ACL, and then of the file
            lib.until(lambda: pages_read(device) > before + NOTES // 8, "MAPS reads")
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            lib.umount(directory)
            equal(umounts.is_free(device), True, "the device is free at once")
            lib.until(lambda: lib.result_of(answer, 1), "MAPS has ended")


# That of a file that nobody but its owner has opened is not in memory.
for which, owner, times in ("one", 0, TIMES), ("one whose ACL has to be read", 1000, 2):
    @test(f"so is {which} that MAPS reads, of a process that has ended")
    def _(owner=owner, times=times):
        with with_long_file(NOTES, owner) as place:
            for _ in range(times):
                umount_while_maps_reads(*place, owner)


def remount(directory):
    lib.mount("none", directory, "", umounts.MS_REMOUNT | lib.MS_RDONLY)


def freeze(directory):
    root = os.open(directory, os.O_RDONLY)
    fcntl.ioctl(root, umounts.FIFREEZE, 0)
    fcntl.ioctl(root, umounts.FITHAW, 0)
    os.close(root)


for wait in remount, freeze:
    @test(f"a {wait.__name__} does not wait for a file that is being read, which is identified "
          "all the same")
    def _(wait=wait):
        reading = rounds = 0
        # all of it is read
        with with_long_file(NOTES) as (device, directory, path):
            # where processors take turns it may be done before this one sees it
            while rounds < 2 or not reading and rounds < 10:
                rounds += 1
                with stream.Watch() as watch:
                    start(device, directory, path)
                    wait(directory)
                    reading += stream.stats()["requests"]
                    watch.settle()
                    lib.umount(directory)
                    equal(watch.file_of(*watch.mmaps).reason, "no-note", "reason")
        print(f"# it was read still in {reading} of {rounds} rounds")
        assert reading, "it had to wait for all of the file"


def sync(directory):
    root = os.open(directory, os.O_RDONLY)
    while True:
        lib.write_bytes(os.path.join(directory, str(os.getpid())), os.urandom(lib.PAGE))
        lib.libc.syncfs(root)


@contextlib.contextmanager
def contended(directory):
    """There is always somebody who waits for the filesystem. Two functions: how often it was
    remounted so far, and how often it is in a second now, which depends on what else is running."""
    count = memoryview(mmap.mmap(-1, lib.PAGE)).cast("Q")

    def remount_for_ever(directory):
        while True:
            lib.mount("none", directory, "", umounts.MS_REMOUNT)
            count[0] += 1

    def in_a_second():
        before = count[0]
        time.sleep(1)
        return count[0] - before

    with contextlib.ExitStack() as stack:
        for function in (sync, remount_for_ever) * 6:
            stack.enter_context(lib.waiting_for(function, directory))
        yield lambda: count[0], in_a_second


@test("while there is always somebody who waits for a filesystem its files are read all the same")
def _():
    def remounts_while_read(directory, remounts):
        path, number = os.path.join(directory, "file"), 0
        for i in range(1, 4):
            lib.write_bytes(path, with_id(bytes([i]) * 20))
            os.sync()
            lib.drop_pages(path)
            before = remounts()
            with stream.Watch() as watch:
                map_for_a_moment(path)
                watch.settle()
                equal(watch.file_of(*watch.mmaps).id, f"{i:02x}" * 20, "build-id")
            number += remounts() - before
        return number

    with lib.ext4() as directory, lib.ext4() as other, contended(directory) as (
            remounts, in_a_second):
        seconds = [in_a_second()]
        # what it takes under this load where nobody waits
        elsewhere, meanwhile = (remounts_while_read(place, remounts) for place in (other, directory))
        seconds.append(in_a_second())
        print(f"# {meanwhile} remounts meanwhile, {elsewhere} elsewhere, {seconds} in a second")
        # one that waits until nobody waits sees ten seconds' worth and more
        assert meanwhile < elsewhere + 7 * max(seconds), "the worker waits as long as anybody does"


@test("nor can a file of many notes have the worker wait at each of them, or for ever")
def _():
    note = struct.pack("=III4s", 4, 0, 99, b"GNU")
    with lib.ext4() as directory:
        paths = []
        # one that can be read in time, and one of which not even the pages can
        for notes in 2048, 60000:
            paths.append(umounts.put_segment(directory, str(notes), note * notes))
        os.sync()

        def reasons():
            found = []
            for path in paths:
                lib.drop_pages(path)
                with stream.Watch() as watch:
                    map_for_a_moment(path)
                    watch.settle()
                    found.append(watch.file_of(*watch.mmaps).reason)
            return found

        with contended(directory):
            # to wait at each note, or as long as for all of these pages, would tell otherwise
            equal(reasons(), ["no-note", "io-error"], "reasons")
        equal(reasons(), ["no-note", "no-note"], "reasons afterwards")


@test("a memfd is read although any user can have somebody wait for the filesystem of all of them")
def _():
    def want(fd):
        while True:
            # as quotactl_fd(2) of any user, where the kernel has quotas
            with contextlib.suppress(OSError):
                fcntl.ioctl(fd, umounts.FITHAW)

    note = struct.pack("=III4s", 4, 0, 99, b"GNU")
    with lib.tmpfs() as directory, contextlib.ExitStack() as stack:
        # of so many pages that somebody waits while it is read
        content = lib.read_bytes(umounts.put_segment(directory, "notes", note * 60000))
        his = os.memfd_create("his")
        for _ in range(6):
            stack.enter_context(lib.waiting_for(want, his))
        for _ in range(3):
            fd = os.memfd_create("notes")
            os.write(fd, content)
            with stream.Watch() as watch:
                lib.unmap(lib.map_fd(fd, len(content)), len(content))
                watch.settle()
                file = watch.file_of(*watch.mmaps)
            os.close(fd)
            equal((file.reason, file.id), ("no-note", lib.htlhash(content)), "reason and hash")
        os.close(his)


# ------------------------------------------------- a file that nobody can read --

@test("while somebody waits for a filesystem it is unmounted all the same, at the first try")
def _():
    with servers.device(2) as (fds, stop, server), lib.directory() as second, \
            open(os.devnull, "rb") as null:
        directory = os.path.dirname(os.readlink(f"/proc/self/fd/{fds[0]}"))
        device = lib.run("findmnt", "-no", "SOURCE", directory).stdout.strip()
        stop()

        def map_last(fd):
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            before = stream.stats()["requests"]
            lib.unmap(lib.map_fd(fd, lib.PAGE), lib.PAGE)
            os.dup2(null.fileno(), fd)
            lib.until(lambda: stream.stats()["requests"] > before, "the worker reads")

        def mount_again():
            for fd in fds:
                os.close(fd)
            with contextlib.suppress(OSError):
                lib.mount(device, second, "ext4", lib.MS_RDONLY)
        map_last(fds[0])
        child = lib.forked(mount_again)
        lib.until(lambda: umounts.awaits_superblock(child), "somebody waits")
        map_last(fds[1])
        # of its own, as it waits for the disk where it is the last one that needs the superblock
        unmounting = lib.forked(lib.umount, directory)
        lib.until(lambda: not os.path.ismount(directory), "it is unmounted")
        server.kill()
        for pid, who in (unmounting, "unmounts"), (child, "waited"):
            equal(os.waitpid(pid, 0)[1], 0, f"status of who {who}")
        if os.path.ismount(second):
            lib.umount(second)
        lib.mount("none", directory, "tmpfs")   # for servers to unmount


run()
