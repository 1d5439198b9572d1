#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What is asked about a process, MAPS and RESOLVE_ADDR: no file that somebody serves
holds up who asks, who asks holds up nobody, and no answer mixes two processes."""

import contextlib
import ctypes
import errno
import mmap
import os
import re
import signal
import select
import struct

import lib
import rights
import stalls
import stream
from device import MAPS_DATA, RECORD_MAX, Device, File, Mmap, parse_all
from image import PAGE, with_id
from lib import built
from tap import equal, run, test


@contextlib.contextmanager
def asking(function, *arguments):
    """A process that asks, and may never be answered."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            answer = function(*arguments)
        except OSError as error:
            answer = errno.errorcode[error.errno]
        os.write(writer, str(answer).encode())
        os._exit(0)
    os.close(writer)
    try:
        yield child, reader
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def answered(reader, seconds):
    ready, _, _ = select.select([reader], [], [], seconds)
    return os.read(reader, 4096).decode() if ready else None


@contextlib.contextmanager
def mapped_by_another(path):
    """A process that has it mapped, and where."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        fd = os.open(path, os.O_RDONLY)
        os.write(writer, struct.pack("=Q", lib.map_fd(fd, PAGE)))
        os.close(fd)
        signal.pause()
    try:
        yield child, struct.unpack("=Q", os.read(reader, 8))[0]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        os.close(reader)
        os.close(writer)


# ------------------------------------------------------------------------ FUSE --

def resolve(pid, address):
    with Device() as device:
        return device.resolve_addr(pid, address)[0].reason


for mode in ("silent", "direct"):
    @test(f"RESOLVE_ADDR of a file whose FUSE server is {mode} and never answers does not wait")
    def _(mode=mode):
        with stalls.fuse(mode) as (path, server), mapped_by_another(path) as (pid, address):
            with asking(resolve, pid, address) as (_, reader):
                found = answered(reader, 10)
                server.kill()       # or who hangs there would hold up all that follows
                equal(found, "deferred", "answer")


# ------------------------------------------------------------------ who is asked --

def ask_maps(pid):
    with Device() as device:
        return len(device.maps(pid))


@test("a process whose MAPS waits for a device ends, with all that it had mapped")
def _():
    with stalls.device(1) as (fds, stop, server), lib.directory() as place:
        lib.mount("tmpfs", place, "tmpfs")
        path = os.path.join(place, "data")
        lib.write_bytes(path, bytes(PAGE))
        reader, writer = os.pipe()
        os.posix_fadvise(fds[0], 0, 0, os.POSIX_FADV_DONTNEED)
        stop()
        child = os.fork()
        if not child:
            fd = os.open(path, os.O_RDONLY)
            lib.map_fd(fd, PAGE, mmap.PROT_READ)
            os.close(fd)
            lib.map_fd(fds[0], PAGE)
            os.write(writer, b"x")
            signal.pause()
        os.read(reader, 1)
        stream.flush()      # which leaves what is being read
        with asking(ask_maps, child) as (asker, answer):
            lib.until(lambda: sleeps(asker), "MAPS waits")
            equal(answered(answer, 0), None, "answer of MAPS")
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            busy = 0
            try:
                lib.umount(place)
            except OSError as error:
                busy = error.errno
            server.kill()
        if busy:
            lib.until(lambda: lib.libc.umount2(place.encode(), 0) == 0, "unmounted at last")
        equal(busy, 0, "error of umount(2) of what the process had mapped")


def sleeps(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0] in "SD" and \
            lib.read_bytes(f"/proc/{pid}/syscall").split()[0] == b"16"


# ------------------------------------------------------------------------- exec --

class Target:
    """A process with many mappings, that does as it is told: execs, or ends."""

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
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def maps_once(device, pid, cursor, instance):
    room = 2 * RECORD_MAX
    buf = ctypes.create_string_buffer(room)
    fields = device.ioctl(7, "IIIQQQ", 0, pid, room, cursor, instance, ctypes.addressof(buf))
    return list(parse_all(buf.raw[:fields[2]])), fields[3], fields[4]


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
            assert not first & {r.addr for r in more if isinstance(r, Mmap)}, "told twice"
            target.exec()
            lib.fails_with(errno.ESTALE, maps_once, device, target.pid, cursor, instance)
            records, _, now = maps_once(device, target.pid, 0, 0)
            assert records and now != instance, "a new start"
        finally:
            target.end()


@test("the instance of one process does not go on in another")
def _():
    with lib.tmpfs() as directory, Device() as device:
        targets = [Target(directory) for _ in range(2)]
        try:
            _, cursor, instance = maps_once(device, targets[0].pid, 0, 0)
            lib.fails_with(errno.ESTALE, maps_once, device, targets[1].pid, cursor, instance)
        finally:
            for target in targets:
                target.end()


# ------------------------------------------------------- what he may not read --

@test("a file's content that who asks may not read is not hashed for him")
def _():
    def ask(pid, address):
        rights.become_nobody(rights.CAP_PERFMON)
        with Device() as device:
            files = {record.file_id: record for record in device.maps(pid, MAPS_DATA)
                     if isinstance(record, File)}
            (seen,) = [file for file in files.values() if file.path.endswith("/secret")]
            there = device.resolve_addr(pid, address)[0]
        return [[file.kind, file.reason, file.id] for file in (seen, there)]

    with lib.tmpfs() as directory, rights.device_for_all():
        path = os.path.join(directory, "secret")
        lib.write_bytes(path, b"the password is secret", 0o600)
        lib.settle_times(path)
        fd = os.open(path, os.O_RDONLY)
        address = lib.map_fd(fd, PAGE, mmap.PROT_READ)
        equal(lib.in_child(ask, os.getpid(), address), [["none", "unreadable", ""]] * 2, "told")
        # who may read it is told, and what everybody is told has not changed by that
        with Device() as device:
            equal(device.resolve_addr(os.getpid(), address)[0].id,
                  lib.htlhash(b"the password is secret"), "hash, for root")
        lib.unmap(address, PAGE)
        os.close(fd)


# ------------------------------------------------------------------------ a file_id --

@test("MAPS gives the file_id of a file that is left to others to read")
def _():
    with stalls.fuse("silent") as (path, _), Device() as device:
        fd = os.open(path, os.O_RDONLY)
        address = lib.map_fd(fd, PAGE)
        os.close(fd)
        (mapped,) = [record for record in device.maps(os.getpid())
                     if isinstance(record, Mmap) and record.addr == address]
        lib.unmap(address, PAGE)
        equal(mapped.state, "deferred", "state")
        assert mapped.file_id, "file_id 0"
        equal(device.resolve_id(mapped.file_id).path, path, "what it stands for")


run()
