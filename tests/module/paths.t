#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Where a mapped file is: its path, device and inode, on any file system, deleted
or not, as the process that maps it sees it and as /proc/PID/maps shows it."""

import contextlib
import mmap
import os

import lib
import stream
from device import DELETED, PATH_PART, SUB_DATA
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
    equal(reported, {**shown[0], "path": lib.told(path)}, f"the mapping of {path}")
    equal((mapped.path, file.id), (lib.told(path), PLAIN_ID), "path and build-id")
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


@test("a file on 9p has its path, device and inode, and is read by the worker")
def _():
    with lib.build_on_9p() as directory, stream.Watch() as watch:
        path = os.path.join(directory, "tests", "plain")
        stat = os.stat(path)
        before = stream.stats()["parsed_worker"]
        file = see_as_shown(watch, path)
        equal((file.dev, file.ino), (device(stat), stat.st_ino), "device and inode")
        equal(watch.mmaps[0].state, "follows", "state")
        assert stream.stats()["parsed_worker"] > before, "the worker read nothing"
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
        equal((file.path, file.id), (lib.told(path), PLAIN_ID), "path and build-id")
        assert file.flags & DELETED, f"flags {file.flags}"
        lib.unmap(watch.mmaps[0].addr, watch.mmaps[0].len)


@test("a file whose name ends in \" (deleted)\" keeps it, and is not marked")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        path = put(directory, "program (deleted)")
        _, file = watch.see(lib.map_file, path)
        equal(file.path, lib.told(path), "path")
        assert not file.flags & DELETED, f"flags {file.flags}"


@test("a deleted file whose name ends in \" (deleted)\" keeps it, and is marked")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        path = put(directory, "program (deleted)")
        with open(path, "rb") as opened:
            os.unlink(path)
            _, file = watch.see(lib.map_fd, opened.fileno(), len(PLAIN))
        equal(file.path, lib.told(path), "path")
        assert file.flags & DELETED, f"flags {file.flags}"
        lib.unmap(watch.mmaps[0].addr, watch.mmaps[0].len)


@test("names of any bytes, and the longest paths, are reported as they are")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        long = os.path.join(directory, *["d" * 255] * (14 if lib.RT else 7))
        os.makedirs(long)
        for path in (os.path.join(directory, "new\nline \t\"\\"),
                     os.path.join(directory, os.fsdecode(b"no utf-8: \xff\xfe")),
                     os.path.join(long, "x" * 250)):
            lib.write_bytes(path, PLAIN)
            mapped, file = watch.see(lib.map_file, path)
            equal((mapped.path, file.path), (lib.told(path),) * 2, "paths")


@test("of a path of more components, or more above its mount point, the last four are reported")
def _():
    def below(directory, components, length=20):
        path = os.path.join(directory, *["d" * length] * (components - 1), "program")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        lib.write_bytes(path, PLAIN)
        return path

    with lib.tmpfs() as directory, stream.Watch() as watch, contextlib.ExitStack() as stack:
        def above(length):
            point = os.path.join(directory, "m" * (length - len(directory) - 1))
            os.mkdir(point)
            lib.mount("none", point, "tmpfs")
            stack.callback(lib.umount, point)
            return below(point, 1)
        for path, is_whole in ((below(directory, 32), True), (below(directory, 33), False),
                               (below(directory, 9, 250), True),
                               (below(directory, 10, 250), lib.RT),
                               (above(190), True), (above(210), False)):
            part = "/".join(os.path.relpath(path, lib.mount_point_of(path)).split("/")[-4:])
            _, file = watch.see(lib.map_file, path)
            equal(file.path, lib.told(path) if is_whole else part, "path")
            equal(bool(file.flags & PATH_PART), lib.RT or not is_whole, "is a part")


@test("a file below many directories is left to the worker, whatever its pages are")
def _():
    with lib.tmpfs() as directory, stream.Watch() as watch:
        read = "pending" if lib.RT else "known"
        for length, components, state in ((1, 12, read), (1, 13, "pending"),
                                          (100, 5, read), (100, 7, "pending")):
            path = os.path.join(directory, *["d" * length] * (components - 1), "program")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            lib.write_bytes(path, PLAIN)
            mapped, file = watch.see(lib.map_file, path)
            equal((mapped.state, file.id), (state, PLAIN_ID), "state and build-id")


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
        equal((mapped.path, file.id), (lib.told(path), PLAIN_ID), "path and build-id")


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
            return [os.getpid(), lib.told(path)]
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
