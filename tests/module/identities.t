#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What a file is identified by, whatever its format, and why it is not by a GNU
build-id; mapped, executed and asked for by file descriptor alike."""

import errno
import glob
import mmap
import os
import struct

import lib
import stream
from device import MAPS_DATA, MEMFD, SUB_DATA, Device, Mmap
from image import elf64, note, with_id
from lib import built
from tap import Skip, equal, run, test

GO_ID = b"actionid/contentid/contentid/actionid".hex()
PLAIN = lib.read_bytes(built("plain"))


def bad_header():
    """An ELF file of a class that there is not."""
    return PLAIN[:4] + b"\7" + PLAIN[5:]


def cut_off():
    """Its program headers are behind its end."""
    return PLAIN[:64]


def of_other_byte_order():
    """A 32-bit big-endian file that consists of a note."""
    note = struct.pack(">III4s8s", 4, 8, 3, b"GNU\0", b"\xbe" * 8)
    ident = b"\x7fELF\1\2\1" + bytes(9)
    header = ident + struct.pack(">HHIIIIIHHHHHH", 3, 20, 1, 0, 52, 0, 0, 52, 32, 1,
                                 0, 0, 0)
    segment = struct.pack(">IIIIIIII", 4, 84, 0, 0, len(note), len(note), 4, 4)
    return header + segment + note


def of_wide_alignment():
    """Two notes padded to 8 bytes, the build-id in the second."""
    first = struct.pack("<III4s4s", 4, 4, 5, b"GNU\0", b"\1" * 4)
    notes = first + bytes(-len(first) % 8) + \
        struct.pack("<III4s20s", 4, 20, 3, b"GNU\0", b"\x88" * 20)
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 4, 4, 120, 0, 0, len(notes), len(notes), 8)
    return header + segment + notes


GNU_NOTE = note(b"GNU\0", 3, b"\x65" * 20)

# name, content, kind, reason, identity
CASES = [
    ("a build-id of 8 bytes", lib.read_bytes(built("id8")), "gnu", "none",
     "0123456789abcdef"),
    ("a build-id of 16 bytes, md5", lib.read_bytes(built("id16")), "gnu", "none", 32),
    ("a build-id of 16 bytes, uuid", lib.read_bytes(built("uuid")), "gnu", "none", 32),
    ("a build-id of 20 bytes", lib.read_bytes(built("id20")), "gnu", "none", 40),
    ("a build-id of 32 bytes", lib.read_bytes(built("id32")), "gnu", "none",
     bytes(range(32)).hex()),
    ("a build-id of 83 bytes", lib.read_bytes(built("id83")), "gnu", "none", "a5" * 83),
    ("a build-id of 1 byte", with_id(b"\x01"), "gnu", "none", "01"),
    ("a build-id of 128 bytes", with_id(b"\x80" * 128), "gnu", "none", "80" * 128),
    ("a build-id of 129 bytes", with_id(b"\x81" * 129), "htlhash", "limit", None),
    ("a build-id behind 65,535 notes", elf64(bytes(12) * 65535 + GNU_NOTE), "gnu", "none",
     "65" * 20),
    ("a build-id behind 65,536 notes", elf64(bytes(12) * 65536 + GNU_NOTE), "htlhash",
     "limit", None),
    ("a build-id of a 32-bit program", lib.read_bytes(built("m32")), "gnu", "none", 40),
    ("a build-id of the other byte order", of_other_byte_order(), "gnu", "none", "be" * 8),
    ("a build-id in notes of 8-byte alignment", of_wide_alignment(), "gnu", "none",
     "88" * 20),
    ("a build-id in a section without a segment", lib.read_bytes(built("section")), "gnu",
     "none", "5c" * 20),
    ("Go's build id", lib.read_bytes(built("go")), "go", "no-note", GO_ID),
    ("a program without a build-id", lib.read_bytes(built("none")), "htlhash", "no-note", None),
    ("a text", b"#!/bin/sh\n" * 1000, "htlhash", "not-elf", None),
    ("a file of 4095 bytes", b"x" * 4095, "htlhash", "not-elf", None),
    ("a file of 4096 bytes", b"x" * 4096, "htlhash", "not-elf", None),
    ("a file of 4097 bytes", b"x" * 4096 + b"y", "htlhash", "not-elf", None),
    ("an empty file", b"", "htlhash", "not-elf", None),
    ("an ELF file that is cut off", cut_off(), "htlhash", "truncated", None),
    ("an ELF file with a bad header", bad_header(), "htlhash", "malformed", None),
]


def check(file, path, content, kind, reason, wanted):
    equal((file.kind, file.reason), (kind, reason), "kind and reason")
    equal(file.file_size, len(content), "size")
    if isinstance(wanted, int):
        equal(len(file.id), wanted, "hex digits")
        assert file.id in lib.readelf_ids([path]).values(), file.id
    else:
        equal(file.id, lib.htlhash(content) if wanted is None else wanted, "identity")


def add_case(name, content, *wanted):
    @test(f"{name}: right when mapped, and by file descriptor")
    def _():
        with lib.tmpfs() as directory, stream.Watch() as watch:
            path = os.path.join(directory, "file")
            lib.write_bytes(path, content)
            lib.settle_times(path)
            mapped, file = watch.see(lib.map_file, path)
            check(file, path, content, *wanted)
            equal(file.path, path, "path")
            stream.flush()
            with open(path, "rb") as opened:
                asked = stream.resolve_fd(opened.fileno())
                check(asked, path, content, *wanted)
                cached = stream.resolve_fd(opened.fileno())
                check(cached, path, content, *wanted)
            equal(cached.file_id, asked.file_id, "file_id, asked for twice")


for case in CASES:
    add_case(*case)


def execute(fd, name):
    child = os.fork()
    if not child:
        try:
            os.execve(fd, [name], {})
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    equal(status, 0, f"status of {name}")
    return child


def executed(program):
    """The FILE record of the program that a new process runs."""
    with stream.Watch(pids=[]) as watch:
        fd = os.open(built(program), os.O_RDONLY)
        child = execute(fd, program)
        os.close(fd)
        watch.settle()
        mapped = [mapped for mapped in watch.mmaps if mapped.pid == child]
        equal([mapped.path for mapped in mapped], [built(program)], "mapped")
        return watch.file_of(mapped[0])


@test("a 32-bit program that runs is identified")
def _():
    file = executed("m32")
    equal(file.id, lib.readelf_ids([built("m32")])[built("m32")], "build-id")


@test("a program without a build-id that runs is identified by its hash")
def _():
    file = executed("none")
    equal((file.reason, file.id), ("no-note", lib.htlhash(lib.read_bytes(built("none")))),
          "reason and hash")


@test("a program in a memfd that runs is identified, and marked as memfd")
def _():
    fd = os.memfd_create("program", os.MFD_CLOEXEC)
    os.write(fd, lib.read_bytes(built("other")))
    with stream.Watch(pids=[]) as watch:
        child = execute(fd, "other")
        os.close(fd)
        watch.settle()
        mapped = next(mapped for mapped in watch.mmaps if mapped.pid == child)
        file = watch.file_of(mapped)
    equal(file.id, "fedcba98765432100123456789abcdef01234567", "build-id")
    assert file.flags & MEMFD, f"flags {file.flags}"
    equal(file.path, "/memfd:program", "path")


@test("a memfd that holds no program is identified by its hash, as a JIT's")
def _():
    content = os.urandom(3 * lib.PAGE)
    fd = os.memfd_create("jit")
    os.write(fd, content)
    with stream.Watch() as watch:
        _, file = watch.see(lambda: lib.map_fd(fd, len(content)))
    os.close(fd)
    equal((file.kind, file.reason, file.id), ("htlhash", "not-elf", lib.htlhash(content)),
          "kind, reason and hash")
    assert file.flags & MEMFD, f"flags {file.flags}"


@test("a file of which a user chose a name like a memfd's is not marked as memfd")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        path = os.path.join(directory, "memfd:program")
        lib.write_bytes(path, PLAIN)
        _, file = watch.see(lib.map_file, path)
        assert not file.flags & MEMFD, f"flags {file.flags}"


GIB = 1 << 30


def of_far_offsets():
    """(offset, bytes) of an image whose headers and note are gigabytes apart."""
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, 9 * GIB + 8, 0, 0, 64, 56, 2, 0, 0, 0)
    segments = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 64, 64, 4096) + \
        struct.pack("<IIQQQQQQ", 4, 4, 5 * GIB + 4090, 0, 0, 36, 36, 4)
    note = struct.pack("<III4s20s", 4, 20, 3, b"GNU\0", b"\xfa" * 20)
    return [(0, header), (9 * GIB + 8, segments), (5 * GIB + 4090, note)]


@test("a build-id whose headers and note are beyond 4 GiB, across pages, is found")
def _():
    # The pages of tmpfs are the file.
    for make, states in (lib.tmpfs, [lambda path: None]), (lib.xfs, [lambda path: None,
                                                                     lib.drop_pages]):
        with make() as directory, stream.Watch() as watch:
            path = os.path.join(directory, "file")
            with open(path, "wb") as file:
                for offset, content in of_far_offsets():
                    file.seek(offset)
                    file.write(content)
            lib.settle_times(path)
            fd = os.open(path, os.O_RDONLY)
            for prepare in states:
                prepare(path)
                stream.flush()
                _, file = watch.see(lambda: lib.unmap(lib.map_fd(fd, lib.PAGE), lib.PAGE))
                equal((file.kind, file.id), ("gnu", "fa" * 20), f"identity on {make.__name__}")
                equal(file.file_size, 9 * GIB + 8 + 2 * 56, "size")
            os.close(fd)


def kernel_mappings():
    """Those that /proc/self/maps shows without a file: (address, length) by name."""
    found = {}
    for line in lib.read_bytes("/proc/self/maps").decode().splitlines():
        span, *_, name = line.split()
        if name.startswith("["):
            start, end = (int(number, 16) for number in span.split("-"))
            found[name] = start, end - start
    return found


@test("the vdso belongs to no file: no answer and no record mentions it")
def _():
    address, size = kernel_mappings()["[vdso]"]
    with stream.Watch(flags=stream.SUB_PATH | SUB_DATA) as watch, Device() as device:
        # as the kernel reports it, with no file: perf would show it
        lib.protect(address, size, mmap.PROT_READ)
        lib.protect(address, size, lib.RX)
        equal(watch.settle(), [], "mappings reported")
        sent = [record.addr for record in device.maps(os.getpid(), MAPS_DATA)
                if isinstance(record, Mmap)]
        for name, (start, _) in kernel_mappings().items():
            assert start not in sent, f"MAPS has {name}"
            try:
                device.resolve_addr(os.getpid(), start)
            except OSError as error:
                equal(error.errno, errno.ENOENT, f"error for {name}")
            else:
                raise AssertionError(f"RESOLVE by ADDR has {name}")


@test("a 32-bit program that is loaded with 32-bit libraries is identified, with all of them")
def _():
    if mmap.PAGESIZE > 4096:
        raise Skip("Debian's 32-bit libraries are for pages of 4 KiB")
    with stream.Watch(pids=[]) as watch:
        # As for ldd: they are mapped, and main() is not called.
        done = lib.run(built("loaded32"), env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"})
        assert "libc.so" in done.stdout, done.stdout
        watch.settle()
        mapped = {mapped.path: watch.file_of(mapped).id for mapped in watch.mmaps
                  if mapped.comm == "loaded32"}
    assert built("loaded32") in mapped and any("libc" in path for path in mapped), mapped
    for path in mapped:
        if path.startswith("/usr/lib"):
            equal(lib.read_bytes(path)[4], 1, f"ELF class of {path}")
    wanted = lib.readelf_ids(list(mapped))
    equal({path: ident for path, ident in mapped.items() if path in wanted}, wanted, "ids")


@test("a device that is mapped is never read")
def _():
    with stream.Watch() as watch, open("/dev/zero", "rb") as zero:
        _, file = watch.see(lambda: lib.unmap(lib.map_fd(zero.fileno(), 4096), 4096))
    equal((file.kind, file.reason), ("none", "not-regular"), "kind and reason")


def check_pseudo(file):
    equal((file.kind, file.reason, file.id), ("none", "pseudo", ""), "kind, reason and id")


@test("files of proc and sysfs, whose content is made at each read, are never read")
def _():
    for path in "/proc/self/maps", "/proc/version", "/sys/kernel/notes", "/sys/kernel/mm/ksm/run":
        with open(path, "rb") as file:
            check_pseudo(stream.resolve_fd(file.fileno()))


@test("nor when one is mapped, as a device's memory is by sysfs")
def _():
    for path in glob.glob("/sys/bus/pci/devices/*/resource[0-9]"):
        with open(path, "rb") as file, stream.Watch(flags=SUB_DATA | stream.SUB_PATH) as watch:
            try:
                address = lib.map_fd(file.fileno(), lib.PAGE, mmap.PROT_READ, mmap.MAP_SHARED)
            except OSError:
                continue
            lib.unmap(address, lib.PAGE)
            (mapped,) = [mapped for mapped in watch.settle() if mapped.addr == address]
            check_pseudo(watch.file_of(mapped))
            return
    raise Skip("no device here whose memory can be mapped")


@test("nor is shared anonymous memory")
def _():
    with stream.Watch() as watch:
        address = lib.map_fd(-1, 4096, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
        watch.settle()
        (mapped,) = [mapped for mapped in watch.mmaps if mapped.addr == address]
        lib.unmap(address, 4096)
        file = watch.file_of(mapped)
    equal((file.kind, file.reason), ("none", "anonymous"), "kind and reason")


run()
