#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A mapping is sent at once; the task that made it reads the file on its way back to user space,
and the FILE follows."""

import contextlib
import os
import signal
import time

import arch
import lib
import servers
import stream
from image import with_id
from lib import PAGE, built
from tap import equal, run, test

NAMES = ["id8", "id20", "id32", "id83", "m32", "section", "go", "none"]


def wanted_ids(paths):
    """Of the programs in NAMES."""
    found = lib.readelf_ids(paths)
    for path in paths:
        if path not in found:
            data = lib.read_bytes(path)
            found[path] = b"actionid/contentid/contentid/actionid".hex() \
                if path.endswith("/go") else lib.htlhash(data)
    return found


def put_programs(directory):
    paths = []
    for name in NAMES:
        paths.append(os.path.join(directory, name))
        lib.write_bytes(paths[-1], lib.read_bytes(built(name)))
    return paths


@test("what is not in memory when it is mapped is identified before mmap(2) returns")
def _():
    with lib.ext4() as directory, stream.Watch() as watch:
        paths = put_programs(directory)
        wanted = wanted_ids(paths)
        before = stream.stats()["read_mapper"]
        lib.drop_caches()
        for path in paths:
            lib.map_file(path)
            watch.drain()
            equal(watch.following(), [], "mappings without a FILE")
        equal({mapped.path: watch.file_of(mapped).id for mapped in watch.mmaps}, wanted,
              "identities")
        equal(stream.stats()["read_mapper"] - before, len(paths), "files read by who maps them")


@test("MMAP, then FILE; from then on MMAP alone, whether the file's pages are there or not")
def _():
    with lib.ext4() as directory, stream.Watch(flags=0) as watch:
        path = put_programs(directory)[0]
        lib.settle_times(path)
        for _ in range(2):
            lib.drop_pages(path)
            lib.map_file(path)
        watch.drain()
        mapped, file, again = watch.records
        equal((mapped.state, file.kind, again.state), ("follows", "gnu", "known"), "the records")
        equal((file.file_id, again.file_id), (mapped.file_id,) * 2, "file_ids")
        equal((file.pid, file.tid, file.path), (os.getpid(), os.getpid(), path), "whose it is")


@test("a file that is mapped twice by one system call is read once")
def _():
    with lib.tmpfs() as directory, stream.Watch(flags=0) as watch:
        path = os.path.join(directory, "file")
        lib.write_bytes(path, with_id(b"\1" * 20, 3 * PAGE))
        fd = os.open(path, os.O_RDONLY)
        address = lib.map_fd(fd, 3 * PAGE, prot=0)
        os.close(fd)
        watch.drain()
        before = stream.stats()["read_mapper"]
        # two areas, as the one between them differs
        lib.protect(address + PAGE, PAGE, 1)
        lib.protect(address, 3 * PAGE, lib.RX)
        watch.drain()
        states = [mapped.state for mapped in watch.mmaps]
        equal(set(states), {"follows"}, "states")
        equal(len({mapped.file_id for mapped in watch.mmaps}), 1, "file_ids")
        equal(stream.stats()["read_mapper"] - before, 1, "times that it was read")
        lib.unmap(address, 3 * PAGE)


@test("mon -j shows the identity of a file that was not in memory")
def _():
    with lib.ext4() as directory:
        paths = put_programs(directory)
        wanted = wanted_ids(paths)
        with lib.Mon() as mon:
            for path in paths:
                lib.drop_pages(path)
            for path in paths:
                lib.map_file(path)
        shown = {line["path"]: line["build_id"] for line in mon.lines
                 if line.get("path") in wanted}
        equal(shown, wanted, "identities")


@test("buildid record has the identity of each file that was mapped until its end")
def _():
    with lib.ext4() as directory, lib.directory() as work:
        paths = put_programs(directory)
        wanted = wanted_ids(paths)
        log = os.path.join(work, "log")
        for path in paths:
            lib.drop_pages(path)
        lib.buildid("record", "-o", log, "--", built("maps"), "1", *paths)
        recorded = stream.Stream()
        recorded.add(stream.read_log(log))
        equal(recorded.following(), [], "mappings in the log whose FILE is not there")
        found = {file.path: file.id for file in recorded.files.values() if file.path in wanted}
        equal(found, wanted, "identities")


# ---------------------------------------------------------- a read that does not end --

def map_and_end(fd):
    lib.map_fd(fd, PAGE)


@contextlib.contextmanager
def reading(fd, watch):
    """A task that reads what it has mapped, from a device that does not answer."""
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    pid = lib.forked(map_and_end, fd)
    try:
        lib.until(lambda: lib.sleeps_in(pid, arch.SYS_MMAP) and stream.stats()["visits"],
                  "it reads")
        yield pid
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    watch.drain()


def kill(pid):
    os.kill(pid, signal.SIGKILL)
    return lib.until(lambda: (done := os.waitpid(pid, os.WNOHANG))[0] and done,
                     "who is killed ends")[1]


@contextlib.contextmanager
def stopped_device(files):
    """Files of an ext4, in a Watch of all, on a device that does not answer."""
    with servers.device(files) as (fds, stop, server), stream.Watch(pids=()) as watch:
        # as far as it takes to map them
        for fd in fds:
            lib.unmap(lib.map_fd(fd, PAGE), PAGE)
        stream.flush()
        stop()
        yield fds, server, watch


@test("a disk that does not answer holds only those who map what is on it, and STATS says whom")
def _():
    with stopped_device(2) as (fds, _, watch), reading(fds[0], watch) as pid:
        watch.drain()
        (mapped,) = [mapped for mapped in watch.mmaps if mapped.pid == pid]
        equal((mapped.state, mapped in watch.following()), ("follows", True),
              "state of what is being read")
        stats = stream.stats()
        equal((stats["visits"], stats["oldest_visit_pid"]), (1, pid), "visits, and whose")
        assert stats["oldest_visit_ns"], stats
        with reading(fds[1], watch):
            equal(stream.stats()["visits"], 2, "visits")
            with lib.tmpfs() as directory:
                path = os.path.join(directory, "file")
                lib.write_bytes(path, with_id(b"\2" * 20))
                lib.map_file(path)
                watch.drain()
                (other,) = [mapped for mapped in watch.mmaps if mapped.path == path]
                equal(watch.file_of(other).id, "02" * 20, "another file, of another")
        equal(stream.stats()["oldest_visit_pid"], pid, "the oldest one is the same")


@test("kill -9 ends it: the FILE says so, and the file is read again at its next mapping")
def _():
    with stopped_device(1) as (fds, server, watch):
        before = stream.stats()["interrupted"]
        with reading(fds[0], watch) as pid:
            equal(kill(pid), signal.SIGKILL, "status")
        equal(stream.stats()["visits"], 0, "visits")
        equal(stream.stats()["interrupted"] - before, 1, "interrupted")
        file = watch.file_of(next(mapped for mapped in watch.mmaps if mapped.pid == pid))
        equal((file.kind, file.reason), ("none", "interrupted"), "kind and reason")
        server.kill()
        # now it fails, which is another answer
        lib.unmap(lib.map_fd(fds[0], PAGE), PAGE)
        mapped = watch.settle()[-1]
        equal((mapped.state, watch.file_of(mapped).reason), ("follows", "io-error"),
              "state and reason of the next mapping")


@test("other signals do not: the task goes on with them when the file was read")
def _():
    with servers.fuse("waiting") as (path, server), stream.Watch(pids=()) as watch:
        def map_it():
            signal.signal(signal.SIGALRM, lambda *_: None)
            signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
            lib.map_file(path)
        pid = lib.forked(map_it)
        lib.until(lambda: lib.sleeps_in(pid, arch.SYS_MMAP), "it reads")
        time.sleep(0.3)
        server.send_signal(signal.SIGUSR1)
        equal(os.waitpid(pid, 0)[1], 0, "status")
        watch.drain()
        equal([watch.file_of(mapped).id for mapped in watch.mmaps if mapped.path == path],
              [lib.readelf_ids([built("other")])[built("other")]], "build-id")


run()
