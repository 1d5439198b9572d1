#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Memory that is never read for an identity: secretmem and hugetlbfs."""

import errno
import mmap
import os

import lib
import stream
from device import SUB_DATA, SUB_PATH
from tap import equal, run, test

SYS_MEMFD_SECRET = 447
MFD_HUGETLB = 4
HUGE = 2 << 20
RW = mmap.PROT_READ | mmap.PROT_WRITE


def secret():
    """A file of secretmem, or None where the kernel was started without."""
    fd = lib.libc.syscall(SYS_MEMFD_SECRET, 0)
    if fd < 0 and lib.ctypes.get_errno() == errno.ENOSYS:
        return None
    lib.check(fd, "memfd_secret")
    os.ftruncate(fd, lib.PAGE)
    return fd


def check(file, reason):
    equal((file.kind, file.id, file.reason), ("none", "", reason), "kind, id and reason")


def test_secretmem():
    @test("secretmem is not read by file descriptor")
    def _():
        check(stream.resolve_fd(secret()), "secretmem")

    @test("secretmem is not read when it is mapped")
    def _():
        with stream.Watch(flags=SUB_DATA | SUB_PATH) as watch:
            _, file = watch.see(lib.map_fd, secret(), lib.PAGE, prot=RW,
                                flags=mmap.MAP_SHARED)
        check(file, "secretmem")

    @test("secretmem still holds what was written to it")
    def _():
        fd = secret()
        with mmap.mmap(fd, lib.PAGE) as memory:
            memory[:6] = b"secret"
            check(stream.resolve_fd(fd), "secretmem")
            equal(memory[:6], b"secret", "content")


if secret() is not None:
    test_secretmem()


@test("hugetlbfs is not read, mapped executable or by file descriptor")
def _():
    with open("/proc/sys/vm/nr_hugepages", "w") as file:
        file.write("4")
    fd = os.memfd_create("huge", MFD_HUGETLB)
    os.ftruncate(fd, HUGE)
    with stream.Watch() as watch:
        mapped, file = watch.see(lib.map_fd, fd, HUGE)
        lib.unmap(mapped.addr, HUGE)
    check(file, "hugetlb")
    check(stream.resolve_fd(fd), "hugetlb")
    os.close(fd)


run()
