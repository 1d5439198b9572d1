#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What the module reads it reads without a trace: no old data comes back in a hole,
no file grows, no memory is taken, and nothing is read that is not to be."""

import contextlib
import ctypes
import errno
import mmap
import os
import struct

import lib
import stream
from device import SUB_DATA
from image import note
from lib import PAGE, built
from tap import Skip, equal, run, test

# The debug kernel looks for wrong locks; that takes no luck.
ROUNDS, NOTES = (1, 200) if lib.DEBUG else (4, 1500)
MADV_HWPOISON = 100
PCI = "/sys/bus/pci/devices"


# ------------------------------------------------------------ punched holes --

def pages_with_old_data(path, who):
    """And in how many rounds somebody was reading when the hole was made."""
    found, in_time = map(int, lib.run(built("punch"), path, str(ROUNDS), str(NOTES),
                                      who).stdout.split())
    print(f"# {who}: {found} pages of {ROUNDS} holes have old data, "
          f"read while punched: {in_time} of {ROUNDS}")
    return found, in_time


for kind in ("ext4", "xfs"):
    @test(f"{kind}: a hole punched while the module reads the file is zero afterwards")
    def _(kind=kind):
        with lib.on_loop(kind) as directory:
            path = os.path.join(directory, "file")
            # a plain reader takes the lock that keeps it from this
            equal(pages_with_old_data(path, "reader")[0], 0, "pages, by read(2)")
            before = stream.stats()["read_mapper"]
            found, in_time = pages_with_old_data(path, "module")
            assert stream.stats()["read_mapper"] > before, "the module has read nothing"
            assert in_time, "the holes came too late"
            equal(found, 0, "pages with old data")


# --------------------------------------------------------------------- holes --

def sparse_elf(notes, step=PAGE):
    """The head of an ELF file each of whose notes is on a page of its own, which is
    a hole, and the size of the file."""
    first = 64 * PAGE
    head = struct.pack("=16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, 0, 0, 64, 56,
                       notes, 64, 0, 0)
    head += b"".join(struct.pack("=IIQQQQQQ", 4, 4, first + n * step, 0, 0, 20, 20, 4)
                     for n in range(notes))
    assert len(head) <= first
    return head, first + notes * step


def check_holes_stay(fd):
    head, size = sparse_elf(2000)
    os.truncate(fd, size)
    os.pwrite(fd, head, 0)
    blocks = os.fstat(fd).st_blocks
    before = stream.stats()["read_mapper"]
    lib.unmap(lib.map_fd(fd, size), size)
    stream.resolve_fd(fd)
    assert stream.stats()["read_mapper"] > before, "the module has read nothing"
    equal(os.fstat(fd).st_blocks, blocks, "blocks of 512 bytes")


@test("a memfd with notes in holes is identified, and not a page of it allocated")
def _():
    fd = os.memfd_create("holes")
    check_holes_stay(fd)
    os.close(fd)


@test("likewise a file on tmpfs")
def _():
    with lib.tmpfs() as directory:
        fd = os.open(os.path.join(directory, "file"), os.O_RDWR | os.O_CREAT, 0o755)
        check_holes_stay(fd)
        os.close(fd)


def resident_pages(fd, size):
    address = lib.map_fd(fd, size, mmap.PROT_READ, mmap.MAP_SHARED)
    vector = ctypes.create_string_buffer(size // PAGE)
    lib.check(lib.libc.mincore(ctypes.c_void_p(address), ctypes.c_size_t(size), vector), "mincore")
    lib.unmap(address, size)
    return sum(byte & 1 for byte in vector.raw)


@test("likewise a file on ramfs, whose pages nothing takes back")
def _():
    with lib.directory() as directory:
        lib.mount("ramfs", directory, "ramfs")
        fd = os.open(os.path.join(directory, "file"), os.O_RDWR | os.O_CREAT, 0o755)
        head, size = sparse_elf(2000)
        os.truncate(fd, size)
        os.pwrite(fd, head, 0)
        pages = resident_pages(fd, size)
        before = stream.stats()["read_mapper"]
        lib.unmap(lib.map_fd(fd, size), size)
        assert stream.stats()["read_mapper"] > before, "the module has read nothing"
        equal(resident_pages(fd, size), pages, "pages of ramfs")
        os.close(fd)
        lib.umount(directory)


@test("an id behind notes in holes of a memfd is found")
def _():
    fd = os.memfd_create("mixed")
    ident = bytes(range(20))
    last = note(b"GNU\0", 3, ident)
    head, size = sparse_elf(100)
    os.truncate(fd, size)
    os.pwrite(fd, head, 0)
    # the last of them is longer than it says in sparse_elf()
    at = 64 + 99 * 56
    os.pwrite(fd, struct.pack("=Q", len(last)), at + 32)
    os.pwrite(fd, last, 64 * PAGE + 99 * PAGE)
    lib.unmap(lib.map_fd(fd, size), size)
    equal(stream.resolve_fd(fd).id, ident.hex(), "build-id")
    os.close(fd)


# -------------------------------------------------------------- poisoned pages --

def lose_page(fd, offset):
    child = os.fork()
    if not child:
        address = lib.map_fd(fd, PAGE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, offset)
        ctypes.string_at(address, 1)
        lib.libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(PAGE), MADV_HWPOISON)
        os._exit(0)
    # or it dies of it
    os.waitpid(child, 0)
    try:
        os.pread(fd, 1, offset)
    except OSError as error:
        return error.errno == errno.EIO
    # a page that the kernel is busy with is not given up
    return False


def check_lost_page():
    if b"HardwareCorrupted" not in lib.read_bytes("/proc/meminfo"):
        raise Skip("this kernel has no CONFIG_MEMORY_FAILURE")
    secret = bytes(range(100, 120))
    fd = os.memfd_create("poisoned")
    elf = struct.pack("=16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, 0, 0, 64, 56, 1,
                      64, 0, 0)
    lost = note(b"GNU\0", 3, secret)
    elf += struct.pack("=IIQQQQQQ", 4, 4, PAGE, 0, 0, len(lost), len(lost), 4)
    os.write(fd, elf.ljust(PAGE, b"\0") + lost.ljust(PAGE, b"\0"))
    lib.until(lambda: lose_page(fd, PAGE), "the page is lost")
    with stream.Watch() as watch:
        address = lib.map_fd(fd, PAGE)
        watch.settle()
        lib.unmap(address, PAGE)
        (mapped,) = watch.mmaps
        equal(watch.file_of(mapped).id == secret.hex(), False, "found by who maps it")
    try:
        found = stream.resolve_fd(fd).id
    except OSError:
        found = ""
    equal(found == secret.hex(), False, "found by RESOLVE by FD")
    os.close(fd)


# The debug kernel cannot lose pages.
if not lib.DEBUG:
    test("the content of a page that the hardware has lost is not used")(check_lost_page)


# ------------------------------------------------------------------- sysfs --

def attributes_of_drivers():
    """Binary attributes of PCI devices with a page of memory."""
    for device in sorted(os.listdir(PCI)):
        for name in sorted(os.listdir(os.path.join(PCI, device))):
            path = os.path.join(PCI, device, name)
            if name.startswith("resource") and name[-1].isdigit() and \
                    os.path.getsize(path) >= PAGE:
                yield path


@contextlib.contextmanager
def attribute_of_driver():
    """The first one whose driver lets it be mapped."""
    for path in attributes_of_drivers():
        fd = os.open(path, os.O_RDWR)
        try:
            lib.unmap(lib.map_fd(fd, PAGE, mmap.PROT_READ, mmap.MAP_SHARED), PAGE)
        except OSError:
            os.close(fd)
            continue
        yield fd
        os.close(fd)
        return
    if PAGE > 4096:
        raise Skip("no device here has memory that begins at a page")
    raise AssertionError("no such attribute here")


@test("an attribute in sysfs that is mapped as data is not read")
def _():
    with attribute_of_driver() as fd, stream.Watch(flags=SUB_DATA) as watch:
        before = stream.stats()
        address = lib.map_fd(fd, PAGE, mmap.PROT_READ, mmap.MAP_SHARED)
        watch.settle()
        lib.unmap(address, PAGE)
        after = stream.stats()
        (mapped,) = watch.mmaps
        file = watch.file_of(mapped)
        equal((file.kind, file.reason), ("none", "pseudo"), "kind and reason")
        equal(after["read_mapper"] - before["read_mapper"], 0, "files read")


run()
