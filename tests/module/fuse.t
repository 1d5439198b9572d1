#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Files of a server that may be any user's: whoever maps one reads it, or asks for it. A server
that is late, fails or never answers holds nobody up but them, and nobody else asks it."""

import contextlib
import errno
import mmap
import os
import signal

import arch
import lib
import liar
import servers
import stream
from device import FUSE, Device
from lib import built, contains, fails_with
from tap import equal, run, test

OTHER_ID = "fedcba98765432100123456789abcdef01234567"


@test("a file on FUSE is read by who maps it, and from then on known")
def _():
    with servers.fuse() as (path, _), stream.Watch(flags=0) as watch:
        mapped, file = watch.see(lib.map_file, path)
        equal((mapped.state, file.id, file.path, file.flags & FUSE),
              ("follows", OTHER_ID, path, FUSE), "state, build-id, path and flag")
        contains(lib.buildid("id", path).stdout, OTHER_ID)
        again, _ = watch.see(lib.map_file, path)
        equal((again.state, again.file_id), ("known", mapped.file_id), "state and file_id")


@test("a file on FUSE without a build-id has its hash")
def _():
    with servers.fuse(path=built("none")) as (path, _), stream.Watch() as watch:
        _, file = watch.see(lib.map_file, path)
        equal(file.id, lib.htlhash(lib.read_bytes(built("none"))), "hash")


@test("a program on FUSE that is run is identified")
def _():
    with servers.fuse(path=built("id8")) as (path, _), stream.Watch(pids=()) as watch:
        lib.run(path, status=None)
        watch.settle()
        equal({watch.file_of(mapped).id for mapped in watch.mmaps if mapped.path == path},
              {lib.readelf_ids([built("id8")])[built("id8")]}, "build-id")


@test("a server that fails a read is an I/O error for this mapping, and asked again at the next")
def _():
    with servers.fuse("failing") as (path, _), stream.Watch(flags=0) as watch:
        found = [watch.see(lib.map_file, path)[1] for _ in range(2)]
        equal([file.id or file.reason for file in found], ["io-error", OTHER_ID])


# --------------------------------------------------------- late, never, dead --

@contextlib.contextmanager
def waiting(call, function, *arguments):
    """A process that waits for a server, in that system call."""
    pid = lib.forked(function, *arguments)
    try:
        lib.until(lambda: lib.sleeps_in(pid, call), "it waits for the server")
        yield pid
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def map_it(path):
    """To close it may fail."""
    liar.map_page(os.open(path, os.O_RDONLY))


def mapper(path):
    return waiting(arch.SYS_MMAP, map_it, path)


def asker(path):
    return waiting(arch.SYS_IOCTL, os.execvp, "buildid", ["buildid", "id", path])


def ends(pid):
    return lib.until(lambda: (done := os.waitpid(pid, os.WNOHANG))[0] and done, "it ends")[1]


def mapped_by(watch, pid):
    """The one mapping, and its file, if that has come."""
    watch.drain()
    (mapped,) = [mapped for mapped in watch.mmaps if mapped.pid == pid]
    return mapped, watch.files.get(mapped.file_id)


def others_are_identified(watch):
    with lib.ext4() as directory:
        path = os.path.join(directory, "none")
        content = lib.read_bytes(built("none"))
        lib.write_bytes(path, content)
        lib.drop_pages(path)
        lib.map_file(path)
        watch.drain()
        (mapped,) = [mapped for mapped in watch.mmaps if mapped.path == path]
        equal(watch.file_of(mapped).id, lib.htlhash(content), "hash of another file")
    contains(lib.buildid("id", built("other")).stdout, OTHER_ID)


@test("a server that answers late: the mapping is sent at once, the FILE when it has answered")
def _():
    with servers.fuse("waiting") as (path, server), stream.Watch(pids=()) as watch, \
            mapper(path) as pid:
        mapped, file = mapped_by(watch, pid)
        equal((mapped.state, file), ("follows", None), "state and FILE")
        others_are_identified(watch)
        server.send_signal(signal.SIGUSR1)
        equal(ends(pid), 0, "status of who maps it")
        equal(mapped_by(watch, pid)[1].id, OTHER_ID, "build-id")


# What is to be read directly the kernel still maps by pages.
for mode in "silent", "direct":
    for name, waits in ("maps it", mapper), ("asks for it", asker):
        @test(f"a server that never answers ({mode}) holds up who {name}, who can be killed")
        def _(mode=mode, waits=waits):
            with servers.fuse(mode) as (path, server), stream.Watch(pids=()) as watch, \
                    waits(path) as pid:
                others_are_identified(watch)
                os.kill(pid, signal.SIGKILL)
                try:
                    equal(ends(pid), signal.SIGKILL, "status")
                finally:
                    server.kill()   # or all that follows hangs with it
                equal(stream.stats()["visits"], 0, "visits")
                if waits is mapper:
                    equal(mapped_by(watch, pid)[1].reason, "interrupted", "reason")


@test("who maps a file that another one waits for can be killed, too")
def _():
    with servers.fuse("silent") as (path, server), contextlib.ExitStack() as stack:
        # once: another open(2) would wait as well
        fd = os.open(path, os.O_RDONLY)
        stack.callback(liar.close, fd)
        pids = [stack.enter_context(waiting(arch.SYS_MMAP, liar.map_page, fd)) for _ in range(2)]
        for pid in reversed(pids):
            os.kill(pid, signal.SIGKILL)
        try:
            equal([ends(pid) for pid in reversed(pids)], [signal.SIGKILL] * 2, "status")
        finally:
            server.kill()


@test("rmmod is held up only as long as who waits for it is not killed")
def _():
    for waits in mapper, asker:
        with servers.fuse("silent") as (path, _):
            with waits(path) as pid:
                contains(lib.run("rmmod", "buildid", status=1).stderr, "in use")
                os.kill(pid, signal.SIGKILL)
                ends(pid)
                try:
                    lib.until(lambda: not lib.run("rmmod", "buildid", status=None).returncode,
                              "it is unloaded")
                finally:
                    if not lib.is_loaded():
                        lib.load()


@test("a server that dies is an error for who waits for it, and no other")
def _():
    with servers.fuse("silent") as (path, server), stream.Watch(pids=()) as watch, \
            mapper(path) as pid:
        server.kill()
        equal(ends(pid), 0, "status of who maps it")
        equal(mapped_by(watch, pid)[1].reason, "io-error", "reason")


# ------------------------------------------------------ memory that is not served --

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
                equal(lib.result_of(result, lib.TIMEOUT), "ETIMEDOUT", function.__name__)


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
            equal(lib.result_of(result, lib.TIMEOUT), "EINTR")


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
                      (OTHER_ID, os.stat(below).st_ino, path, FUSE),
                      "build-id, inode number, path and flag")


run()
