#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Where a mapped file is: its path, device and inode, on any file system, deleted
or not, as the process that maps it sees it and as /proc/PID/maps shows it."""

import mmap
import os

import lib
import stream
from device import DELETED, SUB_DATA, Device
from lib import built
from tap import equal, run, test

PLAIN = lib.read_bytes(built("plain"))
PLAIN_ID = lib.readelf_ids([built("plain")])[built("plain")]
CLONE_NEWNS, CLONE_NEWPID = 0x00020000, 0x20000000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18


def device(stat):
    return os.major(stat.st_dev), os.minor(stat.st_dev)


def put(directory, name="program"):
    path = os.path.join(directory, name)
    lib.write_bytes(path, PLAIN)
    return path


def map_and_look(path, before_look=lambda: None):
    """Maps; returns the address and how /proc/self/maps shows the mapping."""
    fd = os.open(path, os.O_RDONLY)
    address = lib.map_fd(fd, len(PLAIN))
    os.close(fd)
    before_look()
    shown = lib.maps_of(lib.read_bytes("/proc/self/maps").decode())
    lib.unmap(address, len(PLAIN))
    return next(line for line in shown if line["addr"] == address)


def see_as_shown(watch, path):
    """Maps a file; what is reported of it must be what /proc shows of it."""
    shown = []
    mapped, file = watch.see(lambda: shown.append(map_and_look(path)))
    reported = {"addr": mapped.addr, "len": mapped.len, "prot": "r-xp",
                "pgoff": mapped.pgoff, "dev": file.user_dev, "ino": file.user_ino,
                "path": file.path}
    equal(shown[0]["path"], path, "path in maps")
    equal(reported, shown[0], f"the mapping of {path}")
    equal((mapped.path, file.id), (path, PLAIN_ID), "path and build-id")
    return file


def add_file_system(name, file_system):
    @test(f"a file on {name} has its path, device and inode")
    def _():
        with file_system() as directory, stream.Watch() as watch:
            path = put(directory)
            stat = os.stat(path)
            file = see_as_shown(watch, path)
            equal((file.dev, file.ino), (device(stat), stat.st_ino), "device and inode")
            equal((file.file_size, file.mtime, file.ctime),
                  (len(PLAIN), stat.st_mtime_ns, stat.st_ctime_ns), "size and times")


add_file_system("tmpfs", lib.tmpfs)
add_file_system("ext4", lib.ext4)
add_file_system("xfs", lib.xfs)


@test("a file on 9p has its path, device and inode, and is read by who maps it")
def _():
    with lib.build_on_9p() as directory, stream.Watch() as watch:
        path = os.path.join(directory, "tests", "plain")
        stat = os.stat(path)
        before = stream.stats()["read_mapper"]
        file = see_as_shown(watch, path)
        equal((file.dev, file.ino), (device(stat), stat.st_ino), "device and inode")
        equal(watch.mmaps[0].state, "follows", "state")
        equal(stream.stats()["read_mapper"], before + 1, "files read")
        lib.settle_times(path)
        _, again = watch.see(lib.map_file, path)
        equal(again.file_id, file.file_id, "file_id")


@test("a file of the guest's root is on 9p below overlayfs: both are reported")
def _():
    with stream.Watch() as watch:
        file = see_as_shown(watch, built("plain"))
        stat = os.stat(built("plain"))
        assert file.dev != device(stat), f"{file.dev} is the overlay's device"


@test("a lower file on overlayfs has the real device and inode, and the user's")
def _():
    with lib.overlay() as (merged, lower, _), stream.Watch() as watch:
        stat = os.stat(put(lower))
        file = see_as_shown(watch, os.path.join(merged, "program"))
        equal((file.dev, file.ino), (device(stat), stat.st_ino), "real device and inode")


@test("a file that is copied up on overlayfs has the upper device and inode then")
def _():
    with lib.overlay() as (merged, lower, upper), stream.Watch() as watch:
        put(lower)
        path = os.path.join(merged, "program")
        first = see_as_shown(watch, path)
        with open(path, "ab"):
            pass
        stat = os.stat(os.path.join(upper, "program"))
        second = see_as_shown(watch, path)
        equal((second.dev, second.ino), (device(stat), stat.st_ino), "real device and inode")
        assert first.file_id != second.file_id, "one file_id for two inodes"


@test("a deleted file has its path, without \" (deleted)\", and the mark")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        path = put(directory)
        with open(path, "rb") as opened:
            os.unlink(path)
            _, file = watch.see(lib.map_fd, opened.fileno(), len(PLAIN))
        equal((file.path, file.id), (path, PLAIN_ID), "path and build-id")
        assert file.flags & DELETED, f"flags {file.flags}"
        lib.unmap(watch.mmaps[0].addr, watch.mmaps[0].len)


@test("a file whose name ends in \" (deleted)\" keeps it, and is not marked")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        path = put(directory, "program (deleted)")
        _, file = watch.see(lib.map_file, path)
        equal(file.path, path, "path")
        assert not file.flags & DELETED, f"flags {file.flags}"


@test("a deleted file whose name ends in \" (deleted)\" keeps it, and is marked")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        path = put(directory, "program (deleted)")
        with open(path, "rb") as opened:
            os.unlink(path)
            _, file = watch.see(lib.map_fd, opened.fileno(), len(PLAIN))
        equal(file.path, path, "path")
        assert file.flags & DELETED, f"flags {file.flags}"
        lib.unmap(watch.mmaps[0].addr, watch.mmaps[0].len)


def below(directory, components, length):
    """A program there, so many directories down whose path is that long."""
    room = length - len(directory) - len("/program")
    each, rest = divmod(room, components)
    assert each > 1 and each + rest <= 256, (each, rest)
    names = ["d" * (each - 1)] * (components - 1) + ["d" * (each + rest - 1)]
    place = os.open(directory, os.O_PATH)
    for name in names:
        os.mkdir(name, dir_fd=place)
        inner = os.open(name, os.O_PATH, dir_fd=place)
        os.close(place)
        place = inner
    path = os.path.join(directory, *names, "program")
    equal(len(path), length, "length")
    with open(os.open("program", os.O_WRONLY | os.O_CREAT, dir_fd=place), "wb") as file:
        file.write(PLAIN)
    os.close(place)
    return path


@test("names of any bytes, and paths of 4,000 bytes and of 200 components, are reported as they "
      "are")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch, Device() as device:
        paths = [put(directory, "new\nline \t\"\\"),
                 put(directory, os.fsdecode(b"no utf-8: \xff\xfe")),
                 *(below(directory, *shape) for shape in
                   ((20, 4000), (200, 1000), (200, 4000), (16, 4095)))]
        for path in paths:
            lib.settle_times(path)
            for state in "read", "known":
                _, file = watch.see(lib.map_file, path)
                equal((file.path, file.id), (path, PLAIN_ID), f"path and build-id, {state}")
            equal(device.resolve_id(file.file_id).path, path, "path in the cache")


@test("a path below a long mount point is whole, too")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        point = os.path.join(directory, *["m" * 250] * 8)
        os.makedirs(point)
        lib.mount("none", point, "tmpfs")
        try:
            see_as_shown(watch, put(point))
        finally:
            lib.umount(point)


@test("memory that mprotect makes executable is reported, as mmap is")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        path = put(directory)
        with open(path, "rb") as opened:
            address = lib.map_fd(opened.fileno(), len(PLAIN),
                                 prot=mmap.PROT_READ | mmap.PROT_WRITE)
        equal(watch.settle(), [], "mappings that are not executable")
        mapped, file = watch.see(lib.protect, address + lib.PAGE, 2 * lib.PAGE, lib.RX)
        lib.unmap(address, len(PLAIN))
        equal((mapped.addr, mapped.len, mapped.pgoff, mapped.prot),
              (address + lib.PAGE, 2 * lib.PAGE, lib.PAGE, lib.RX), "mapping")
        equal((mapped.path, file.id), (path, PLAIN_ID), "path and build-id")


@test("data mappings are reported to who asks for them alone")
def _():
    with stream.Watch() as watch, stream.Watch(flags=SUB_DATA) as data:
        lib.map_file(built("plain"), prot=mmap.PROT_READ)
        equal(watch.settle(), [], "mappings reported")
        (mapped,) = data.settle()
        equal((mapped.prot, mapped.path), (mmap.PROT_READ, ""), "prot, no path")
        equal(data.file_of(mapped).id, PLAIN_ID, "build-id")


@test("in a chroot the path is the one that is seen there")
def _():
    with lib.tmpfs() as directory, stream.Watch(pids=[]) as watch:
        path = put(directory)

        def map_in_chroot():
            os.chroot(directory)
            lib.map_file("/program")
            return os.getpid()
        child = lib.in_child(map_in_chroot)
        watch.settle()
        mapped = [mapped for mapped in watch.mmaps if mapped.pid == child]
        equal([mapped.path for mapped in mapped], ["/program"], f"path of {path}")
        equal(watch.file_of(mapped[0]).path, "/program", "path in the FILE")


@test("in a mount namespace the path is the one that is seen there")
def _():
    with lib.tmpfs() as directory, lib.directory() as other, \
            stream.Watch(pids=[]) as watch:
        put(directory)

        def map_in_namespace():
            lib.check(lib.libc.unshare(CLONE_NEWNS), "unshare")
            lib.mount("none", "/", "", MS_REC | MS_PRIVATE)
            lib.mount(directory, other, "", MS_BIND)
            path = os.path.join(other, "program")
            lib.map_file(path)
            return [os.getpid(), path]
        child, path = lib.in_child(map_in_namespace)
        watch.settle()
        paths = [mapped.path for mapped in watch.mmaps if mapped.pid == child]
        equal(paths, [path], "path")


@test("in a pid namespace only its processes are seen, by their pids there")
def _():
    watching, mapped_outside = os.pipe(), os.pipe()

    def watch_inside():
        with stream.Watch(pids=[]) as watch:
            os.write(watching[1], b"x")
            os.read(mapped_outside[0], 1)
            lib.map_file(built("plain"))
            lib.in_child(lib.map_file, built("other"))
            watch.settle()
            return [[mapped.pid, mapped.path] for mapped in watch.mmaps]

    def enter_namespace():
        lib.check(lib.libc.unshare(CLONE_NEWPID), "unshare")
        return lib.in_child(watch_inside)

    outside = os.fork()
    if not outside:
        os.read(watching[0], 1)
        lib.map_file(built("id8"))
        os.write(mapped_outside[1], b"x")
        os._exit(0)
    seen = lib.in_child(enter_namespace)
    os.waitpid(outside, 0)
    for fd in (*watching, *mapped_outside):
        os.close(fd)
    equal(seen, [[1, built("plain")], [2, built("other")]], "pids and paths")


run()
