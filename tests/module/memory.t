#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Memory that is never read for an identity: secretmem and hugetlbfs."""

import ctypes
import mmap
import os
import re

import arch
import lib
import stream
from device import MAPS_DATA, MEMFD, SUB_DATA, SUB_PATH, Device, File
from image import with_id
from tap import equal, run, test

SYS_MEMFD_SECRET = 447
MFD_HUGETLB = 4
HUGE = int(re.search(rb"Hugepagesize: +(\d+) kB", lib.read_bytes("/proc/meminfo"))[1]) << 10
RW = mmap.PROT_READ | mmap.PROT_WRITE


def secret():
    """A file of secretmem; scripts/vm has it enabled."""
    fd = lib.check(lib.libc.syscall(SYS_MEMFD_SECRET, 0), "memfd_secret")
    os.ftruncate(fd, lib.PAGE)
    return fd


def check(file, reason):
    equal((file.kind, file.id, file.reason), ("none", "", reason), "kind, id and reason")


def reads():
    """Files read so far, whoever did it."""
    found = stream.stats()
    return [found[name] for name in ("read_mapper", "read_caller")]


@test("secretmem is not read by file descriptor")
def _():
    before = reads()
    check(stream.resolve_fd(secret()), "secretmem")
    equal(reads(), before, "files read")


@test("secretmem is not read when it is mapped")
def _():
    with stream.Watch(flags=SUB_DATA | SUB_PATH) as watch:
        before = reads()
        mapped, file = watch.see(lib.map_fd, secret(), lib.PAGE, prot=RW,
                                 flags=mmap.MAP_SHARED)
        check(file, "secretmem")
        with Device() as device:
            (again,) = [record for record in device.maps(os.getpid(), MAPS_DATA)
                        if isinstance(record, File) and record.file_id == file.file_id]
            check(again, "secretmem")
            check(device.resolve_addr(os.getpid(), mapped.addr)[0], "secretmem")
        lib.unmap(mapped.addr, lib.PAGE)
        # MAPS may have read others that are mapped here
        equal(reads()[0], before[0], "files read by who maps them")


@test("secretmem cannot be mapped executable, which the kernel sees to")
def _():
    try:
        lib.map_fd(secret(), lib.PAGE, flags=mmap.MAP_SHARED)
    except PermissionError:
        return
    raise AssertionError("it was: then memory.t has to show what becomes of it")


@test("secretmem still holds what was written to it")
def _():
    fd = secret()
    with mmap.mmap(fd, lib.PAGE) as memory:
        memory[:6] = b"secret"
        check(stream.resolve_fd(fd), "secretmem")
        equal(memory[:6], b"secret", "content")


def run_code(address):
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()


def huge_program(fd):
    """An image with a build-id in huge pages, with code behind it."""
    os.ftruncate(fd, HUGE)
    program = with_id(b"\x77" * 20)
    with mmap.mmap(fd, HUGE) as memory:
        memory[:len(program)] = program
        memory[lib.PAGE:lib.PAGE + len(arch.RETURN_42)] = arch.RETURN_42


def check_huge(fd):
    huge_program(fd)
    before = reads()
    with stream.Watch() as watch:
        mapped, file = watch.see(lib.map_fd, fd, HUGE)
        equal(run_code(mapped.addr + lib.PAGE), 42, "what its code returns")
        check(file, "hugetlb")
        with Device() as device:
            check(device.resolve_addr(os.getpid(), mapped.addr)[0], "hugetlb")
        lib.unmap(mapped.addr, HUGE)
    check(stream.resolve_fd(fd), "hugetlb")
    equal(reads(), before, "files read")
    return file


def reserve_huge_pages():
    with open("/proc/sys/vm/nr_hugepages", "w") as file:
        file.write("4")
    with open("/proc/sys/vm/nr_hugepages") as file:
        equal(int(file.read()), 4, "huge pages")


@test("a memfd of huge pages that is executed is not read")
def _():
    reserve_huge_pages()
    fd = os.memfd_create("huge", MFD_HUGETLB)
    file = check_huge(fd)
    equal((file.flags & MEMFD, file.path), (MEMFD, "/memfd:huge"), "mark and path")
    os.close(fd)


@test("a file on hugetlbfs that is executed is not read")
def _():
    reserve_huge_pages()
    with lib.directory() as directory:
        lib.mount("none", directory, "hugetlbfs")
        try:
            path = os.path.join(directory, "program")
            fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o755)
            file = check_huge(fd)
            equal((file.flags & MEMFD, file.path), (0, path),
                  "no mark, and path")
            os.close(fd)
        finally:
            lib.umount(directory)


run()
