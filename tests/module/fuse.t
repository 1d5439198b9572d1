#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Files of a server that may be any user's: the module never asks it on its own, so
one that does not answer holds nobody up but who asks."""

import contextlib
import errno
import mmap
import os
import signal
import subprocess

import arch
import lib
import liar
import servers
import stream
from device import FUSE, Device, Mmap
from lib import built, contains, fails_with
from tap import equal, run, test

OTHER_ID = "fedcba98765432100123456789abcdef01234567"


@test("a file on FUSE that is not in memory is deferred, not read")
def _():
    with servers.fuse() as (path, _), stream.Watch() as watch:
        before = stream.stats()["deferred"]
        mapped, file = watch.see(lib.map_file, path)
        equal((mapped.state, file.kind, file.reason), ("deferred", "none", "deferred"),
              "state, kind and reason")
        equal(file.path, lib.told(path), "path")
        equal(stream.stats()["deferred"] - before, 1, "files deferred")


@test("buildid id reads it, and from then on it is known")
def _():
    with servers.fuse() as (path, _), stream.Watch() as watch:
        watch.see(lib.map_file, path)
        contains(lib.buildid("id", path).stdout, OTHER_ID)
        mapped, file = watch.see(lib.map_file, path)
        equal((mapped.state, file.id), ("known", OTHER_ID), "state and build-id")


@test("a file on FUSE without a build-id is identified by its hash, when asked for")
def _():
    with servers.fuse(path=built("none")) as (path, _), stream.Watch() as watch:
        watch.see(lib.map_file, path)
        contains(lib.buildid("id", path).stdout, lib.htlhash(lib.read_bytes(built("none"))))
        mapped, _ = watch.see(lib.map_file, path)
        equal(mapped.state, "known", "state")


@contextlib.contextmanager
def asking(path):
    """A buildid id that waits for a server."""
    with lib.started("buildid", "id", path, stdout=subprocess.PIPE,
                     stderr=subprocess.PIPE, text=True) as asker:
        lib.until(lambda: lib.sleeps_in_ioctl(asker.pid), "buildid id waits for the server")
        yield asker


@test("a server that never answers does not delay a mapping of its file")
def _():
    with servers.fuse("silent") as (path, _), stream.Watch() as watch:
        mapped, file = watch.see(lib.map_file, path)
        equal((mapped.state, file.reason), ("deferred", "deferred"), "state and reason")


@test("while a process waits for it, others' files are identified")
def _():
    with servers.fuse("silent") as (path, _), lib.ext4() as directory, stream.Watch() as watch:
        there = os.path.join(directory, "none")
        content = lib.read_bytes(built("none"))
        lib.write_bytes(there, content)
        lib.drop_pages(there)
        watch.see(lib.map_file, path)
        with asking(path):
            mapped, file = watch.see(lib.map_file, there)
            equal((mapped.state, file.id), ("pending", lib.htlhash(content)),
                  "state and hash")
            contains(lib.buildid("id", built("other")).stdout, OTHER_ID)


@test("a process that waits for it can be killed")
def _():
    with servers.fuse("silent") as (path, _), asking(path) as asker:
        asker.kill()
        equal(asker.wait(lib.PATIENCE), -signal.SIGKILL, "exit status")


@test("MAPS of a process that has its file mapped does not wait for it, either")
def _():
    with servers.fuse("silent") as (path, _), Device() as device:
        fd = os.open(path, os.O_RDONLY)
        size = os.fstat(fd).st_size
        address = lib.map_fd(fd, size)
        os.close(fd)
        records = device.maps(os.getpid())
        lib.unmap(address, size)
        (mapped,) = [record for record in records
                     if isinstance(record, Mmap) and record.addr == address]
        equal(mapped.state, "deferred", "state")


@test("rmmod is held up only as long as who waits for it is not killed")
def _():
    with servers.fuse("silent") as (path, _):
        with asking(path) as asker:
            contains(lib.run("rmmod", "buildid", status=1).stderr, "in use")
            asker.kill()
            asker.wait(lib.PATIENCE)
            try:
                lib.unload()
            finally:
                if not lib.is_loaded():
                    lib.load()


@test("a server that dies is an error for who waits for it, and no other")
def _():
    with servers.fuse("silent") as (path, server), asking(path) as asker:
        server.kill()
        output, errors = asker.communicate(timeout=lib.PATIENCE)
        assert "io-error" in output or errors, "nothing was said"


def read_to(device, path):
    """Reads records to a page that the server is to bring."""
    with open(path, "rb") as file:
        page = mmap.mmap(file.fileno(), lib.PAGE, mmap.MAP_PRIVATE,
                         mmap.PROT_READ | mmap.PROT_WRITE)
    with contextlib.suppress(OSError):
        os.readv(device.fd, [page])


def try_the_ring(device):
    os.set_blocking(device.fd, False)
    fails_with(errno.EAGAIN, os.read, device.fd, 65536)
    fails_with(errno.EBUSY, device.subscribe)


@test("who reads a ring to its pages holds up no other who has the ring")
def _():
    with servers.fuse("silent") as (path, server), Device() as device:
        device.subscribe(pids=[os.getpid()])
        lib.map_file(built("id8"))
        reader = lib.forked(read_to, device, path)
        lib.until(lambda: lib.sleeps_in(reader, arch.SYS_READV), "the reader waits for the server")
        other = lib.forked(try_the_ring, device)
        try:
            _, status = lib.until(lambda: (done := os.waitpid(other, os.WNOHANG))[0] and done,
                                  "another has got an answer")
        finally:
            server.kill()
            os.waitpid(reader, 0)
        equal(status, 0, "status of the other")


@test("a process that keeps its address space locked by it holds nobody up who asks about it")
def _():
    with Device() as device, liar.locked() as pid:
        for function, arguments in (device.maps, (pid,)), (device.resolve_addr, (pid, lib.PAGE)):
            with lib.waiting_for(function, *arguments) as (_, result):
                equal(lib.result_of(result, lib.PATIENCE), "ETIMEDOUT", function.__name__)


def interrupted(function, *arguments):
    signal.signal(signal.SIGALRM, lambda *_: None)
    # As SA_RESTART has it: a timer could keep it in the call for ever.
    signal.siginterrupt(signal.SIGALRM, False)
    # one before the call ends nothing
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    return function(*arguments)


@test("a signal ends the wait for such a process, and is not taken for the end of the time")
def _():
    with Device() as device, liar.locked() as pid:
        with lib.waiting_for(interrupted, device.maps, pid) as (_, result):
            equal(lib.result_of(result, lib.PATIENCE), "EINTR")


# Since 6.9.
if lib.KERNEL >= (6, 9):
    @test("a file that a server passes through is the one below, by a path of the server's")
    def _():
        content, flags = lib.read_bytes(built("other")), liar.INIT_EXT | liar.PASSTHROUGH
        with lib.tmpfs() as directory:
            below = os.path.join(directory, "file")
            lib.write_bytes(below, content)
            file = liar.File(2, (content,), below=below, open=liar.PASSED_THROUGH)
            with liar.Server({"file": file}, flags) as server, stream.Watch() as watch:
                path = server.path("file")
                _, found = watch.see(lib.map_file, path)
                equal((found.id, found.ino, found.path, found.flags & FUSE),
                      (OTHER_ID, os.stat(below).st_ino, lib.told(path), FUSE),
                      "build-id, inode number, path and flag")


@test("rmmod does not wait for it, as long as nobody asks")
def _():
    with servers.fuse("silent") as (path, _):
        with stream.Watch() as watch:
            watch.see(lib.map_file, path)
        fd = os.open(path, os.O_RDONLY)
        size = os.fstat(fd).st_size
        address = lib.map_fd(fd, size)
        os.close(fd)
        try:
            lib.unload()
        finally:
            if not lib.is_loaded():
                lib.load()
            lib.unmap(address, size)


run()
