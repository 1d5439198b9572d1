#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""MAPS: the mappings that exist already, of one process and of one moment, whatever
that process, its files or the caller do meanwhile."""

import contextlib
import ctypes
import errno
import itertools
import mmap
import os
import re
import signal
import subprocess
import threading
import time

import arch
import leftovers
import lib
import servers
import stream
from device import (MAPS_DATA, RECORD_MAX, SNAPSHOT, Device, File, Mmap,
                    parse_all)
from image import with_id
from lib import PAGE, built, fails_with, libc
from tap import equal, run, test


def check_maps(pid, flags, executable):
    with Device() as device:
        records = device.maps(pid, flags)
    files, got = {}, []
    for r in records:
        equal(r.header.flags, SNAPSHOT)
        if isinstance(r, File):
            files[r.file_id] = r
        else:
            got.append((r.addr, r.len, r.pgoff, files[r.file_id].path))
    equal(got, list(lib.proc_maps(pid, executable)))
    return files


@test("they are the executable mappings of a process")
def _():
    child = lib.sleeper()
    files = check_maps(child.pid, 0, True)
    for f in files.values():
        equal((f.kind, f.id), ("gnu", lib.readelf_ids([f.path])[f.path]), f.path)
    child.kill()
    child.wait()


@test("with data they are all mappings of files")
def _():
    check_maps(os.getpid(), MAPS_DATA, False)


@test("those of a big process come in pieces")
def _():
    with Device() as device:
        whole = device.maps(os.getpid(), MAPS_DATA, 1 << 20)
        pieces = device.maps(os.getpid(), MAPS_DATA, 16384)
    equal([r.addr for r in pieces if isinstance(r, Mmap)],
          [r.addr for r in whole if isinstance(r, Mmap)])


class Mapper:
    """A process that maps a file again and again, and keeps all that."""

    def __init__(self, at_once):
        self.shared = mmap.mmap(-1, 8)
        self.pid = lib.forked(self.map_on, at_once)
        lib.until(lambda: self.count() >= at_once, "it maps")

    def count(self):
        return int.from_bytes(self.shared[:], "little")

    def map_on(self, at_once):
        with open(built("id8"), "rb") as file:
            for number in itertools.count(1):
                lib.map_fd(file.fileno(), PAGE)
                self.shared[:] = number.to_bytes(8, "little")
                if number > at_once:
                    time.sleep(0.001)

    def wait(self):
        """Until it has made one more, from its begin to its end."""
        before = self.count()
        lib.until(lambda: self.count() >= before + 2, "it goes on")

    def stop(self):
        os.kill(self.pid, signal.SIGSTOP)
        os.waitpid(self.pid, os.WUNTRACED)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@test("to subscribe first and ask then leaves no gap")
def _():
    # MAPS takes several calls for these
    mapper = Mapper(300)
    try:
        with stream.Watch([mapper.pid], flags=0) as watch:
            mapper.wait()
            answer = {record.addr for record in watch.maps(mapper.pid, room=2 * RECORD_MAX)
                      if isinstance(record, Mmap)}
            mapper.wait()
            mapper.stop()
            wanted = {start for start, *_ in lib.proc_maps(mapper.pid)}
            watch.drain()
            streamed = {mapped.addr for mapped in watch.mmaps}
        print(f"# of {len(wanted)} mappings {len(answer)} in the answer, {len(streamed)} streamed")
        equal(wanted - answer - streamed, set(), "neither in the answer nor streamed")
        equal(watch.lost, 0, "records lost")
        assert wanted - streamed, "nothing was mapped before"
        assert answer & streamed, "nothing was mapped between the two"
        assert wanted - answer, "nothing was mapped afterwards"
    finally:
        mapper.end()


def maps_once(device, pid, cursor, instance, room=2 * RECORD_MAX):
    buf = ctypes.create_string_buffer(room)
    fields = device.ioctl(7, "IIIQQQ", 0, pid, room, cursor, instance, ctypes.addressof(buf))
    return list(parse_all(buf.raw[:fields[2]])), fields[3], fields[4]


def calls_of_maps(device, pid, *suppressed):
    """The records of each call, however many it takes."""
    cursor, instance, calls = 0, 0, []
    while cursor != 2**64 - 1:
        with contextlib.suppress(*suppressed):
            records, cursor, instance = maps_once(device, pid, cursor, instance, 1 << 20)
            calls.append(records)
    return calls


def lock_all_the_time(shared, first=None, *arguments):
    """Threads that wait for the lock of their address space while one of them has it."""
    if first:
        first(*arguments)
    size = 1 << 27
    memory = mmap.mmap(-1, size, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))

    def change(thread):
        for prot in itertools.cycle((mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE)):
            lib.protect(address, size, prot)
            shared[thread] = 1
    for thread in range(1, len(shared)):
        threading.Thread(target=change, args=(thread,)).start()
    change(0)


@contextlib.contextmanager
def locked_all_the_time(*first):
    """A process that does so; which it calls first."""
    shared = mmap.mmap(-1, 4)
    pid = lib.forked(lock_all_the_time, shared, *first)
    try:
        lib.until(lambda: all(shared[:]), "all threads have had it")
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


@test("threads that have the address space locked all the time hold nobody up")
def _():
    answers = 0
    with locked_all_the_time() as pid, Device() as device:
        for _ in range(20):
            # half a second is short where processors take turns, or have other work
            with contextlib.suppress(TimeoutError):
                answers += bool(device.maps(pid))
    assert answers > 10, f"{answers} of 20 answers"


@test("no process, no mappings")
def _():
    with Device() as device:
        fails_with(errno.ESRCH, device.maps, 2**22 - 1)
        fails_with(errno.ESRCH, device.maps, 2)


@test("a process whose first thread has ended is no less there")
def _():
    program = r"""
import ctypes, os, threading, time
def go_on():
    while open("/proc/self/stat").read().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    os.write(1, b"x")
    time.sleep(1000)
threading.Thread(target=go_on).start()
ctypes.CDLL(None).syscall(%d, 0)
""" % arch.SYS_EXIT
    with lib.started("python3", "-c", program, stdout=subprocess.PIPE) as process, \
            Device() as device:
        equal(process.stdout.read(1), b"x")
        paths = {record.path for record in device.maps(process.pid) if isinstance(record, File)}
    assert any("/libc.so" in path for path in paths), paths


# --------------------------------------------- exec, exit, and pids used again --

class Target:
    """A process with many mappings, that execs or ends when asked to."""

    def __init__(self, directory):
        self.directory = directory
        reader, writer = os.pipe()
        self.orders = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            for number in range(120):
                path = os.path.join(directory, f"{number:0200}")
                lib.write_bytes(path, with_id(bytes([number + 1]) * 20))
                fd = os.open(path, os.O_RDONLY)
                lib.map_fd(fd, PAGE)
                os.close(fd)
            os.write(writer, b"x")
            os.read(self.orders[0], 1)
            os.execv(built("waits-debug"), ["waits"])
        os.read(reader, 1)

    def exec(self):
        os.write(self.orders[1], b"x")
        lib.until(lambda: re.search(rb" r-xp .*waits-debug", lib.read_bytes(
            f"/proc/{self.pid}/maps")), "exec")

    def end(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.pid = 0


@test("a process that calls exec between two calls of MAPS is ESTALE, and no mixture")
def _():
    with lib.tmpfs() as directory, Device() as device:
        target = Target(directory)
        try:
            records, cursor, instance = maps_once(device, target.pid, 0, 0)
            assert records and cursor != 2**64 - 1, "all fits in one call"
            # without exec it goes on where it was
            more, _, same = maps_once(device, target.pid, cursor, instance)
            equal(same, instance, "instance")
            first = {r.addr for r in records if isinstance(r, Mmap)}
            assert not first & {r.addr for r in more if isinstance(r, Mmap)}, "sent twice"
            target.exec()
            fails_with(errno.ESTALE, maps_once, device, target.pid, cursor, instance)
            records, _, now = maps_once(device, target.pid, 0, 0)
            assert records and now != instance, "a new start"
        finally:
            target.end()


@test("the instance of one process does not go on in another, not even one with its pid")
def _():
    with lib.tmpfs() as directory, Device() as device:
        targets = [Target(directory) for _ in range(2)]
        try:
            pid = targets[0].pid
            _, cursor, instance = maps_once(device, pid, 0, 0)
            fails_with(errno.ESTALE, maps_once, device, targets[1].pid, cursor, instance)
            fails_with(errno.ESTALE, maps_once, device, pid, cursor, instance + 1)
            targets[0].end()
            fails_with(errno.ESRCH, maps_once, device, pid, cursor, instance)
            lib.run_as(pid, fails_with, errno.ESTALE, maps_once, device, pid, cursor, instance)
        finally:
            for target in targets:
                target.end()


@test("a signal ends a call of MAPS, and the next one goes on")
def _():
    many = 200 if lib.DEBUG else 3000

    with open(built("id20"), "rb") as file, Device() as device:
        addresses = {lib.map_fd(file.fileno(), PAGE) for _ in range(many)}
        before = signal.signal(signal.SIGALRM, lambda *_: None)
        equal(len(calls_of_maps(device, os.getpid())), 1, "calls without a signal")
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        try:
            calls = calls_of_maps(device, os.getpid(), InterruptedError)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        found = sorted(record.addr for call in calls for record in call
                       if isinstance(record, Mmap) and record.addr in addresses)
        print(f"# {len(calls)} calls with signals")
        assert len(calls) > 2, f"{len(calls)} calls with signals"
        equal(found, sorted(addresses), "addresses")
        for address in addresses:
            lib.unmap(address, PAGE)


def objects(cache):
    leftovers.write_one(f"/sys/kernel/slab/{cache}/shrink")
    return int(lib.read_bytes(f"/sys/kernel/slab/{cache}/objects").split()[0])


# There kmemleak tells, and KASAN holds back what was freed.
if not lib.DEBUG:
    @test("nothing is left of a process that was asked about")
    def _():
        caches, times = ("pid", "task_struct", "mm_struct"), 40

        def ask_about_some():
            with Device() as device:
                for _ in range(times):
                    child = lib.forked(signal.pause)
                    device.maps(child)
                    device.resolve_addr(child, next(lib.proc_maps(child))[0])
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)

        def grown():
            return {cache: number - before[cache] for cache, number in now().items()
                    if number - before[cache] > times // 2}

        def now():
            return {cache: objects(cache) for cache in caches}

        ask_about_some()
        before = now()
        ask_about_some()
        lib.until(lambda: not grown(), f"half of what {times} processes had is free")


# --------------------------------------------------------------------- held up --

# Below all that a process has mapped: a python which is no PIE is at 4 MiB, and from 6.9 on its
# heap begins anywhere in the GiB after it.
LOW, MAP_FIXED_NOREPLACE, MS_BIND = 0x100000, 0x100000, 4096


def map_low(fd, page, prot):
    lib.check(libc.mmap(LOW + page * PAGE, PAGE, prot, mmap.MAP_PRIVATE | MAP_FIXED_NOREPLACE,
                        fd, 0), "mmap")


def forget(fd):
    """Of a file that is mapped and was not touched; the module's, of all."""
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    stream.flush()


def map_behind(waits, path, prot):
    map_low(waits, 0, lib.RX)
    fd = os.open(path, os.O_RDONLY)
    map_low(fd, 1, prot)
    os.close(fd)


def unmount_after_end(path, prot):
    """Where a process has it mapped, behind a file that MAPS waits for, and ends meanwhile."""
    place = os.path.dirname(path)
    with servers.device(1) as (fds, stop, server):
        with lib.child(map_behind, fds[0], path, prot) as pid:
            forget(fds[0])
            stop()
            with lib.waiting_for(stream.maps, pid) as (asker, answer):
                lib.until(lambda: lib.sleeps_in_ioctl(asker), "MAPS waits")
                equal(lib.result_of(answer, 0), None, "answer of MAPS")
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                busy = 0
                try:
                    lib.umount(place)
                except OSError as error:
                    busy = error.errno
                server.kill()
    if busy:
        lib.until(lambda: libc.umount2(place.encode(), 0) == 0, "unmounted at last")
    equal(busy, 0, "error of umount(2) of what the process had mapped")


for what, prot in (("data", mmap.PROT_READ), ("code", lib.RX)):
    @test(f"a process whose MAPS waits for a device ends, with the {what} that it had mapped")
    def _(prot=prot):
        with lib.directory() as place:
            lib.mount("tmpfs", place, "tmpfs")
            path = os.path.join(place, "file")
            lib.write_bytes(path, with_id(b"\1" * 20).ljust(PAGE))
            unmount_after_end(path, prot)


@test("MAPS that waits has no file of a FUSE server open, which may not let go of who closes it")
def _():
    with servers.fuse() as (path, _), lib.directory() as place:
        lib.mount(os.path.dirname(path), place, "none", MS_BIND)
        unmount_after_end(os.path.join(place, os.path.basename(path)), lib.RX)


@test("what a call has no time for, as it had to wait for a device, is in the next one")
def _():
    def numbers(pid):
        with Device() as device:
            return [len(call) for call in calls_of_maps(device, pid, TimeoutError)]

    with servers.device(1) as (fds, stop, server):
        with locked_all_the_time(map_low, fds[0], 0, lib.RX) as pid:
            forget(fds[0])
            stop()
            with lib.waiting_for(numbers, pid) as (asker, answer):
                lib.until(lambda: lib.sleeps_in_ioctl(asker), "MAPS waits")
                # longer than for a lock
                time.sleep(1)
                server.kill()
                found = lib.result_of(answer, lib.TIMEOUT)
    print(f"# records in each call: {found}")
    assert "," in found, "one call was enough"


@test("mappings of files on FUSE and of others, by turns, are all there")
def _():
    with servers.fuse() as (path, _):
        def map_by_turns():
            for file in (path, path, built("id8")) * 20:
                fd = os.open(file, os.O_RDONLY)
                lib.map_fd(fd, PAGE)
                os.close(fd)

        with lib.child(map_by_turns) as pid:
            check_maps(pid, 0, True)


def attached(shm):
    lines = lib.read_bytes("/proc/sysvipc/shm").decode().splitlines()
    column = lines[0].split().index("nattch")
    return [int(line.split()[column]) for line in lines if line.split()[1] == str(shm)][0]


@test("a process exits while MAPS of it is held up by who asks")
def _():
    libc.shmat.restype = ctypes.c_void_p
    shm = lib.check(libc.shmget(0, PAGE, 0o1600), "shmget")

    def ask_into(path, pid):
        fd = os.open(path, os.O_RDONLY)
        room = 2 * RECORD_MAX
        address = lib.map_fd(fd, room, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        with Device() as device:
            device.ioctl(7, "IIIQQQ", 0, pid, room, 0, 0, address)

    with lib.directory() as work:
        big = os.path.join(work, "big")
        lib.write_bytes(big, bytes(4 * RECORD_MAX))
        place = os.path.join(work, "place")
        os.mkdir(place)
        lib.mount("tmpfs", place, "tmpfs")
        code = os.path.join(place, "code")
        lib.write_bytes(code, with_id(b"\1" * 20))
        fd = os.open(code, os.O_RDONLY)

        def use():
            lib.check(libc.shmat(shm, None, 0), "shmat")
            map_low(fd, 0, lib.RX)
        with servers.fuse("silent", path=big) as (path, _):
            with lib.child(use) as pid:
                os.close(fd)
                equal(attached(shm), 1)
                stream.flush()      # so that MAPS reads it
                asker = lib.forked(lambda: ask_into(path, pid))
                lib.until(lambda: lib.sleeps_in_ioctl(asker), "who asks is held up")
            lib.until(lambda: attached(shm) == 0, "the process's memory is gone")
            lib.umount(place)
            assert lib.sleeps_in_ioctl(asker), "who asks is still held up"
            os.kill(asker, signal.SIGKILL)
            os.waitpid(asker, 0)
    lib.check(libc.shmctl(shm, 0, None), "shmctl")


run()
