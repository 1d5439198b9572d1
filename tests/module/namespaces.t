#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A reader in a container, which has pids and a root directory of its own: it sees
its own processes, by its own pids and paths, and nothing of what is outside."""

import contextlib
import errno
import os
import signal
import socket

import arch
import lib
import stream
from device import NO_PATH, Device, File, Mmap
from image import with_id
from tap import equal, run, test

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID = 0x00020000, 0x10000000, 0x20000000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
MNT_DETACH = 2


def put(directory, name, number):
    """An image with a build-id that has the number in it."""
    path = os.path.join(directory, name)
    lib.write_bytes(path, with_id(bytes([number]) * 20))
    return path


def ident(number):
    return bytes([number]).hex() * 20


def unshare(flags):
    lib.check(lib.libc.unshare(flags), "unshare")


# ------------------------------------------------------------- a container --

def enter_root(shared):
    """Makes a root directory, in which the one given is /shared."""
    lib.mount("none", "/", "", MS_REC | MS_PRIVATE)
    root = os.path.join(shared, "root")
    os.makedirs(root, exist_ok=True)
    lib.mount("tmpfs", root, "tmpfs")
    for name in ("dev", "proc", "shared", "old", "jail"):
        os.mkdir(os.path.join(root, name))
    lib.mount("/dev", os.path.join(root, "dev"), "", MS_BIND | MS_REC)
    lib.mount(shared, os.path.join(root, "shared"), "", MS_BIND)
    lib.mount("proc", os.path.join(root, "proc"), "proc")
    os.chdir(root)
    lib.check(lib.libc.syscall(arch.SYS_PIVOT_ROOT, b".", b"old"), "pivot_root")
    os.chdir("/")
    lib.umount("/old", MNT_DETACH)


def in_container(shared, function, before=lambda: ()):
    """What a function returns that is called as process 1 of a container, with what
    is called there before the root directory is another."""
    def start():
        unshare(CLONE_NEWPID | CLONE_NEWNS)
        return lib.in_child(enter)

    def enter():
        brought = before()
        enter_root(shared)
        return function(*brought)
    return lib.in_child(start)


class Helper:
    """A process that calls a function when asked to."""

    def __init__(self, function, prepare=lambda: None):
        self.go, self.done = os.pipe(), os.pipe()
        self.pid = os.fork()
        if not self.pid:
            self.step(prepare)
            os.read(self.go[0], 1)
            self.step(function)
            signal.pause()
        self.wait()

    def step(self, function):
        word = b"!"
        try:
            function()
            word = b"x"
        finally:
            os.write(self.done[1], word)

    def wait(self):
        equal(os.read(self.done[0], 1), b"x", "the helper's word")

    def act(self):
        os.write(self.go[1], b"x")
        self.wait()

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        for fd in self.go + self.done:
            os.close(fd)


@contextlib.contextmanager
def helper(function, prepare=lambda: None):
    started = Helper(function, prepare)
    try:
        yield started
    finally:
        started.end()


def summary(watch):
    """Mappings as [pid, path, path in the last FILE, id]; paths of FILE records,
    and what they identify."""
    mmaps = [[mmap.pid, mmap.path, watch.file_of(mmap).path, watch.file_of(mmap).id]
             for mmap in watch.mmaps]
    files = [record for record in watch.records if isinstance(record, File)]
    for file in files:
        equal(bool(file.path), not file.flags & NO_PATH, f"path and flag of {file}")
    return {"mmaps": mmaps, "paths": sorted({file.path for file in files} - {""}),
            "ids": sorted({file.id for file in files} - {""})}


# --------------------------------------------------------------- the stream --

@test("in a container a reader sees its own processes, by its pids and paths")
def _():
    with lib.ext4() as elsewhere, lib.tmpfs() as shared:
        outside = [put(elsewhere, "hidden", 1), put(shared, "resident", 2)]
        put(shared, "lib.so", 3)

        def map_outside():
            # not in memory: read when it is mapped
            lib.drop_pages(outside[0])
            for path in outside:
                lib.map_file(path)

        def watch_inside():
            put("/", "program", 4)
            with stream.Watch(pids=[]) as watch:
                outsider.act()
                lib.map_file("/program")
                lib.in_child(lib.map_file, "/shared/lib.so")
                watch.settle()
                return summary(watch)
        with helper(map_outside) as outsider:
            seen = in_container(shared, watch_inside)
    equal(seen["mmaps"], [[1, "/program", "/program", ident(4)],
                          [2, *["/shared/lib.so"] * 2, ident(3)]], "mappings")
    equal(seen["paths"], ["/program", "/shared/lib.so"], "paths in FILE records")
    equal(seen["ids"], [ident(3), ident(4)], "files sent")


@test("the path of a file that the host saw first is the container's, there")
def _():
    with lib.ext4() as shared:
        known, changed = put(shared, "known", 1), put(shared, "changed", 2)
        lib.settle_times(changed)
        lib.map_file(known)
        lib.map_file(changed)

        def watch_inside():
            with stream.Watch(pids=[]) as watch:
                lib.map_file("/shared/known")
                lib.settle_times("/shared/changed")
                # a version that is not known, and not in memory
                os.utime("/shared/changed")
                lib.drop_pages("/shared/changed")
                lib.map_file("/shared/changed")
                watch.settle()
                return summary(watch)
        seen = in_container(shared, watch_inside)
    names = ["/shared/known", "/shared/changed"]
    equal(seen["mmaps"], [[1, name, name, ident(number)]
                          for number, name in enumerate(names, 1)], "mappings")
    equal(seen["paths"], names, "paths in FILE records")


@test("of a process with another root directory there is no path, all else is")
def _():
    with lib.tmpfs() as shared:
        path = put(shared, "lib.so", 1)

        def start_beside():
            """In the pid namespace, with the host's files."""
            return (Helper(lambda: lib.map_file(path), lambda: unshare(CLONE_NEWNS)),)

        def map_in_jail():
            os.chroot("/jail")
            lib.map_file("/program")

        def watch_inside(beside):
            put("/jail", "program", 2)
            with stream.Watch(pids=[]) as watch:
                beside.act()
                lib.in_child(map_in_jail)
                lib.map_file("/jail/program")
                watch.settle()
                beside.end()
                return summary(watch)
        seen = in_container(shared, watch_inside, start_beside)
    equal(seen["mmaps"], [[2, "", "", ident(1)], [3, "", "", ident(2)],
                          [1, "/jail/program", "", ident(2)]], "mappings")


@test("a subscription that outlives its container keeps nothing of it mounted")
def _():
    ours, theirs = socket.socketpair()

    def start(root):
        unshare(CLONE_NEWPID | CLONE_NEWNS)
        return lib.in_child(subscribe_inside, root)

    def subscribe_inside(root):
        device = Device()
        lib.mount("none", "/", "", MS_REC | MS_PRIVATE)
        os.chroot(root)
        device.subscribe()
        socket.send_fds(theirs, [b"-"], [device.fd])

    def is_free(block_device):
        try:
            os.close(os.open(block_device, os.O_RDONLY | os.O_EXCL))
        except OSError as error:
            equal(errno.errorcode[error.errno], "EBUSY", "error")
            return False
        return True

    with lib.loop_device() as block_device, lib.directory() as root:
        lib.mount(block_device, root, "ext4")
        lib.in_child(start, root)
        _, (fd,), _, _ = socket.recv_fds(ours, 1, 1)
        lib.umount(root)
        lib.until(lambda: is_free(block_device), "the filesystem is gone")
        os.close(fd)


@test("pids to filter by are those that the container has")
def _():
    with lib.tmpfs() as shared:
        path = put(shared, "lib.so", 1)

        def watch_inside():
            with helper(lambda: lib.map_file("/shared/lib.so")) as one, \
                    helper(lambda: lib.map_file("/shared/lib.so")) as two, \
                    stream.Watch(pids=[two.pid]) as watch:
                one.act()
                two.act()
                watch.settle()
                try:
                    stream.Watch(pids=[outsider.pid])
                except OSError as error:
                    return [one.pid, two.pid, summary(watch)["mmaps"], error.errno]
                return None
        with helper(lambda: lib.map_file(path)) as outsider:
            assert outsider.pid > 10, "a pid that the container may have, too"
            seen = in_container(shared, watch_inside)
    equal(seen, [2, 3, [[3, *["/shared/lib.so"] * 2, ident(1)]], errno.ESRCH],
          "pids, mappings and error")


@test("the host sees a container's processes by its own pids, with their paths")
def _():
    with lib.tmpfs() as shared, stream.Watch(pids=[]) as watch:
        put(shared, "lib.so", 1)

        def map_inside():
            lib.map_file("/shared/lib.so")
            return os.getpid()
        equal(in_container(shared, map_inside), 1, "pid in the container")
        watch.settle()
        (mapped,) = [mapped for mapped in watch.mmaps
                     if watch.file_of(mapped).id == ident(1)]
        equal((mapped.path, watch.file_of(mapped).path), ("/shared/lib.so",) * 2,
              "paths")
        assert mapped.pid > 10, f"pid {mapped.pid}"


@test("a reader in a mount namespace alone is of the host: it sees everything")
def _():
    with lib.tmpfs() as directory:
        path = put(directory, "lib.so", 1)

        def watch_apart():
            unshare(CLONE_NEWNS)
            with stream.Watch(pids=[]) as watch:
                outsider.act()
                watch.settle()
                return [mapped.path for mapped in watch.mmaps if mapped.pid == outsider.pid]
        with helper(lambda: lib.map_file(path)) as outsider:
            equal(lib.in_child(watch_apart), [path], "paths")


# ------------------------------------------------------------------ answers --

def error_of(function, *arguments):
    try:
        function(*arguments)
    except OSError as error:
        return error.errno
    return 0


def shown(pid):
    """The executable mappings in /proc/PID/maps."""
    return [[line["addr"], line["path"]]
            for line in lib.maps_of(lib.read_bytes(f"/proc/{pid}/maps").decode())]


def sent(device, pid):
    files, mmaps = {}, []
    for record in device.maps(pid):
        if isinstance(record, File):
            files[record.file_id] = record
        else:
            equal(record.pid, pid, "pid of a mapping")
            mmaps.append([record.addr, files[record.file_id].path])
    return mmaps


def keep_mapped(path):
    fd = os.open(path, os.O_RDONLY)
    address = lib.map_fd(fd, lib.PAGE)
    os.close(fd)
    return address


@test("MAPS in a container is of its own processes, with the paths they see")
def _():
    with lib.tmpfs() as shared:
        put(shared, "lib.so", 1)

        def ask_inside():
            keep_mapped("/shared/lib.so")
            with Device() as device, \
                    helper(lambda: keep_mapped("/shared/lib.so")) as child:
                child.act()
                mine = sent(device, 1)
                assert any(path == "/shared/lib.so" for _, path in mine), mine
                equal(mine, shown(1), "mappings of process 1")
                equal(sent(device, child.pid), shown(child.pid), "mappings of its child")
                return error_of(device.maps, outsider.pid)
        with helper(lambda: None) as outsider:
            equal(in_container(shared, ask_inside), errno.ESRCH, "error for an outsider")


@test("MAPS in a container has no paths of a process with another root directory")
def _():
    with lib.tmpfs() as shared:
        def ask_inside():
            put("/jail", "program", 1)
            with Device() as device, \
                    helper(lambda: keep_mapped("/program"), lambda: os.chroot("/jail")) as child:
                child.act()
                records = device.maps(child.pid)
                files = [record for record in records if isinstance(record, File)]
                return [len(files), len([file for file in files if file.flags & NO_PATH]),
                        [file.path for file in files if file.path],
                        [file.id for file in files].count(ident(1))]
        files, without, paths, found = in_container(shared, ask_inside)
    assert files > 3, f"{files} files"
    equal((without, paths, found), (files, [], 1), "files without path, paths, and the file")


@test("RESOLVE by ADDR in a container is of its own processes, as long as they live")
def _():
    with lib.tmpfs() as shared:
        put(shared, "lib.so", 1)

        def ask_inside():
            put("/jail", "lib.so", 2)
            answers = []
            address = keep_mapped("/shared/lib.so")
            with Device() as device:
                record, offset, _ = device.resolve_addr(1, address + 5)
                answers.append([record.path, record.id, offset])

                def map_in_jail():
                    os.chroot("/jail")
                    lib.unmap(address, lib.PAGE)
                    fd = os.open("/lib.so", os.O_RDONLY)
                    lib.map_fd(fd, lib.PAGE)
                jailed = Helper(map_in_jail)
                jailed.act()
                answers.append(jail_answer(device, jailed.pid))
                jailed.end()
                answers.append(error_of(device.resolve_addr, jailed.pid, address))
                answers.append(error_of(device.resolve_addr, outsider.pid, address))
            return answers

        def jail_answer(device, pid):
            addresses = [mapped.addr for mapped in device.maps(pid) if isinstance(mapped, Mmap)]
            found = [device.resolve_addr(pid, address)[0] for address in addresses]
            return [sorted({file.path for file in found}), [file.id for file in found].count(ident(2))]
        with helper(lambda: None) as outsider:
            answers = in_container(shared, ask_inside)
    equal(answers, [["/shared/lib.so", ident(1), 5], [[""], 1], errno.ESRCH, errno.ESRCH],
          "answers")


@test("RESOLVE by KEY in a container returns the identity, and no path")
def _():
    with lib.tmpfs() as shared:
        path = put(shared, "lib.so", 1)
        stat = os.stat(path)
        key = (os.major(stat.st_dev), os.minor(stat.st_dev)), stat.st_ino
        lib.map_file(path)

        def ask():
            with Device() as device:
                file = device.resolve_key(*key)
                return [file.id, file.path, bool(file.flags & NO_PATH)]
        equal(ask(), [ident(1), path, False], "outside")
        equal(in_container(shared, ask), [ident(1), "", True], "inside")


@test("RESOLVE by FD in a container has the path that is seen there")
def _():
    with lib.tmpfs() as shared:
        lib.map_file(put(shared, "lib.so", 1))

        def ask():
            with open("/shared/lib.so", "rb") as file:
                record = stream.resolve_fd(file.fileno())
            return [record.id, record.path]
        equal(in_container(shared, ask), [ident(1), "/shared/lib.so"], "id and path")


# ------------------------------------------------------------------- rights --

@test("root of a user namespace may watch nobody, and ask about itself")
def _():
    def watch_as_root_of_little():
        with stream.Watch(pids=[]) as before:
            uid = os.getuid()
            unshare(CLONE_NEWUSER)
            with open("/proc/self/uid_map", "w") as file:
                file.write(f"0 {uid} 1")
            with contextlib.ExitStack() as stack:
                devices = [stack.enter_context(given) for given in opened]
                errors = [error_of(devices[0].subscribe), error_of(devices[1].maps, os.getppid()),
                          error_of(devices[1].resolve_key, (0, 0), 1),
                          error_of(devices[0].subscribe, 0, 0, 0, [os.getpid()]),
                          error_of(devices[1].maps, os.getpid())]
            # what was allowed when it was asked for stays
            before.drain()
            return errors
    opened = [Device(), Device()]
    try:
        equal(lib.in_child(watch_as_root_of_little),
              [errno.EPERM] * 4 + [0], "errors")
    finally:
        for device in opened:
            device.close()


run()
