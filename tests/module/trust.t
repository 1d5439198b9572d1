#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""When what is remembered of a file may be used again: not within the granularity of
its time stamps, not once it was opened for writing; no caller's error is remembered,
and nobody's filesystem takes away what is known of another's."""

import contextlib
import fcntl
import mmap
import os
import struct
import time

import lib
import stream
from device import DELETED, UNSTABLE, Device
from image import with_id
from tap import Skip, equal, run, test

O_DIRECT = os.O_DIRECT
COARSE = {
    "vfat": ["mkfs.vfat"],
    "minix": ["mkfs.minix", "-3"],
}


@contextlib.contextmanager
def on_image(kind, mkfs=None):
    with lib.directory() as place, lib.directory() as path:
        image = os.path.join(place, "image")
        with open(image, "wb") as file:
            file.truncate(8 << 20)
        lib.run(*mkfs or COARSE[kind], image)
        lib.run("modprobe", "-a", "loop", kind, status=None)
        lib.run("mount", "-t", kind, "-o", "loop", image, path)
        try:
            yield path
        finally:
            lib.umount(path)


# ------------------------------------------------------------- granularity --

for kind in COARSE:
    @test(f"{kind}: what is overwritten in the same second or two is not reported with the old id")
    def _(kind=kind):
        if not lib.has_filesystem(kind):
            raise Skip(f"this kernel has no {kind}")
        with on_image(kind) as directory, stream.Watch() as watch:
            path = os.path.join(directory, "lib.so")
            wrong = 0
            for number in range(1, 11):
                lib.write_bytes(path, with_id(bytes([number]) * 20))
                time.sleep(0.05)    # longer than two ticks
                _, file = watch.see(lib.map_file, path)
                wrong += file.id != f"{number:02x}" * 20
                lib.write_bytes(path, with_id(bytes([number + 100]) * 20))
                _, file = watch.see(lib.map_file, path)
                wrong += file.id != f"{number + 100:02x}" * 20
            equal(wrong, 0, "wrong identities of 20")


@test("vfat: what is overwritten, and given its old time again, is not reported with the old id")
def _():
    with on_image("vfat") as directory, stream.Watch() as watch:
        path = os.path.join(directory, "lib.so")
        old = time.time() - 3600
        for number in (1, 2):
            with open(path, "r+b" if number > 1 else "wb") as file:
                file.write(with_id(bytes([number]) * 20))
            os.utime(path, (old, old))
            for _ in range(3):
                _, file = watch.see(lib.map_file, path)
                equal(file.id, f"{number:02x}" * 20, "build-id")


@test("a file that may have its old time again is read at each mapping, where no change has a time")
def _():
    rechecks = {}
    for mkfs in ["mkfs.minix", "-1"], ["mkfs.minix", "-3"]:
        if not lib.has_filesystem("minix"):
            raise Skip("this kernel has no minix")
        with on_image("minix", mkfs) as directory:
            path = os.path.join(directory, "lib.so")
            lib.write_bytes(path, with_id(b"\1" * 20))
            lib.settle_times(path, 2.1)
            lib.map_file(path)
            before = stream.stats()["rechecks"]
            for _ in range(3):
                lib.map_file(path)
            rechecks[mkfs[1]] = stream.stats()["rechecks"] - before
    # the third version stores when the inode was changed
    equal(rechecks, {"-1": 3, "-3": 0}, "how often it was read again")


# ------------------------------------------------------------------- errors --

for kind in ("ext4", "xfs"):
    @test(f"{kind}: an O_DIRECT descriptor given to RESOLVE by FD spoils nobody's answer")
    def _(kind=kind):
        ident = b"\x77" * 20
        with lib.on_loop(kind) as directory:
            path = os.path.join(directory, "lib.so")
            lib.write_bytes(path, with_id(ident))
            lib.settle_times(path)
            lib.drop_pages(path)
            fd = os.open(path, os.O_RDONLY | O_DIRECT)
            try:
                found = stream.resolve_fd(fd).id
            except OSError as error:
                found = error
            os.close(fd)
            print(f"# RESOLVE by FD of an O_DIRECT descriptor: {found!r}")
            with open(path, "rb") as file, stream.Watch() as watch:
                equal(stream.resolve_fd(file.fileno()).id, ident.hex(), "another's RESOLVE by FD")
                _, seen = watch.see(lib.map_file, path)
                equal(seen.id, ident.hex(), "another's mapping")


# ------------------------------------------------------------- other mounts --

@test("400 filesystems mounted and unmounted take away nothing known of another")
def _():
    count = 400
    with lib.ext4() as directory, lib.directory() as place, stream.Watch() as watch:
        known = os.path.join(directory, "known")
        lib.write_bytes(known, with_id(b"\x44" * 20))
        named = os.path.join(directory, "named")
        lib.write_bytes(named, b"not an ELF file")
        for path in (known, named):
            lib.settle_times(path)
        with open(named, "rb") as file, Device() as device:
            device.name_fd(file.fileno(), b"a name")
        ids = {}
        for path in (known, named, "/usr/bin/true"):
            watch.see(lib.map_file, path)
            ids[path] = watch.see(lib.map_file, path)[0].file_id
        equal(watch.files[ids[named]].kind, "cookie", "kind of what has a cookie")
        # no two have the same number
        for number in range(count):
            os.mkdir(os.path.join(place, str(number)))
            lib.mount("tmpfs", os.path.join(place, str(number)), "tmpfs")
        for number in range(count):
            lib.umount(os.path.join(place, str(number)))
        for path, file_id in ids.items():
            mapped, file = watch.see(lib.map_file, path)
            equal(mapped.file_id, file_id, f"file_id of {path}")
        equal(file.flags & DELETED, 0, "flags")
        equal(watch.files[ids[named]].kind, "cookie", "kind of what has a cookie")


# ------------------------------------------------------------------ writing --

def see_flags(watch, path):
    _, file = watch.see(lib.map_file, path)
    return file.flags & UNSTABLE


@test("a file that is opened for writing once it is known is flagged as one that may change")
def _():
    with lib.tmpfs() as directory:
        path = os.path.join(directory, "lib.so")
        lib.write_bytes(path, with_id(b"\x55" * 20))
        lib.settle_times(path)
        with stream.Watch() as watch:
            for _ in range(3):
                equal(see_flags(watch, path), 0, "flags while nobody has it open")
        fd = os.open(path, os.O_RDWR)
        with stream.Watch() as watch:
            equal(see_flags(watch, path), UNSTABLE, "flags while it is open for writing")
        os.close(fd)
        lib.map_file(path)
        with stream.Watch() as watch:
            equal(see_flags(watch, path), 0, "flags when it is not any more")


UDMABUF_CREATE = 0x40187542
MFD_ALLOW_SEALING, F_ADD_SEALS, F_SEAL_SHRINK = 2, 1033, 2


def device_buffer(fd, size):
    """A DMA buffer of a memfd's pages, mapped: what is written to it moves no time of the memfd."""
    try:
        device = os.open("/dev/udmabuf", os.O_RDWR)
    except FileNotFoundError:
        raise Skip("this kernel has no /dev/udmabuf") from None
    fcntl.fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK)
    buffer = fcntl.ioctl(device, UDMABUF_CREATE, bytearray(struct.pack("=IIQQ", fd, 0, 0, size)))
    os.close(device)
    mapped = mmap.mmap(buffer, size)
    os.close(buffer)
    return mapped


@test("a memfd that a driver writes to, by /dev/udmabuf, is not reported with the old id")
def _():
    first, second = (with_id(bytes([number]) * 20) for number in (0x11, 0x22))
    fd = os.memfd_create("code", MFD_ALLOW_SEALING)
    os.write(fd, first)
    reader = os.open(f"/proc/self/fd/{fd}", os.O_RDONLY)
    with device_buffer(fd, len(first)) as buffer, stream.Watch() as watch:
        os.close(fd)

        def see():
            mapped, file = watch.see(lib.map_fd, reader, len(first))
            lib.unmap(mapped.addr, len(first))
            return file.id
        lib.settle_times(f"/proc/self/fd/{reader}")
        for _ in range(2):
            equal(see(), "11" * 20, "build-id before")
        before = os.fstat(reader)
        buffer[:] = second
        equal(os.pread(reader, len(second), 0), second, "what is in the memfd")
        after = os.fstat(reader)
        equal((after.st_mtime_ns, after.st_ctime_ns), (before.st_mtime_ns, before.st_ctime_ns))
        for _ in range(2):
            equal(see(), "22" * 20, "build-id after")
    os.close(reader)


run()
