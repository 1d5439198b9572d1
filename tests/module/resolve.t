#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""RESOLVE by FD, KEY, ID and ADDR: what each answers, for whom;
and that no file, server or caller holds up anybody but itself, or spoils an answer."""

import collections
import contextlib
import ctypes
import errno
import mmap
import os
import signal
import struct
import subprocess
import tempfile

import lib
import rights
import servers
import stream
from device import FUSE, MAPS_DATA, UNSTABLE, Device, File, Mmap
from lib import built, fails_with, libc
from tap import Skip, equal, run, test

PAGE = lib.PAGE
OTHER_ID = "fedcba98765432100123456789abcdef01234567"
# Nothing else is mapped there: far from heap, libraries and stack.
FIXED, MAP_FIXED_NOREPLACE = 0x200000000000, 0x100000


def map_there(path, prot=lib.RX):
    """At FIXED, for good. It is read if that is as code."""
    fd = os.open(path, os.O_RDONLY)
    lib.check(libc.mmap(FIXED, PAGE, prot, mmap.MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0), "mmap")
    os.close(fd)


# ----------------------------------------------------------- RESOLVE by ID --

@test("a file_id resolves to its FILE record, as long as it is remembered")
def _():
    with Device() as device:
        with open("/bin/true", "rb") as file:
            known = device.resolve_fd(file.fileno())
        by_id = device.resolve_id(known.file_id)
        equal((by_id.id, by_id.ino, by_id.file_id), (known.id, known.ino, known.file_id))
        for unknown in 0, known.file_id + 10**9, 2**64 - 1:
            fails_with(errno.ENOENT, device.resolve_id, unknown)
        equal(rights.in_child_as([], lambda own: own.resolve_id(known.file_id)), "EPERM")
        equal(rights.in_child_as([rights.CAP_PERFMON], lambda own: own.resolve_id(known.file_id).id),
              known.id)
        device.flush()
        fails_with(errno.ENOENT, device.resolve_id, known.file_id)


# ---------------------------------------------------------- RESOLVE by KEY --

@test("a key resolves after the file is gone")
def _():
    path = "/tmp/gone"
    subprocess.run(["cp", "/bin/true", path], check=True)
    subprocess.run([path], check=True)
    with Device() as device:
        fd = os.open(path, os.O_RDONLY)
        known = device.resolve_fd(fd)
        os.close(fd)
        os.unlink(path)
        record = device.resolve_key(known.dev, known.ino)
        equal((record.id, record.path), (known.id, path))
        equal(device.resolve_key(known.dev, known.ino, known.generation).id, known.id)
        fails_with(errno.ENOENT, device.resolve_key, known.dev, known.ino, known.generation + 1)
        fails_with(errno.ENOENT, device.resolve_key, known.dev, 2**63)
        major, minor = known.dev
        # the kernel's numbers have 12 and 20 bits
        for dev in ((major + (1 << 12), minor), (major, minor + (1 << 20))):
            fails_with(errno.ENOENT, device.resolve_key, dev, known.ino)


@test("a key resolves after the inode and its filesystem are gone")
def _():
    top = "/tmp/gone-filesystem"
    os.makedirs(top, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", top], check=True)
    subprocess.run(["cp", "/bin/true", f"{top}/program"], check=True)
    status = os.stat(f"{top}/program")
    subprocess.run([f"{top}/program"], check=True)
    subprocess.run(["umount", top], check=True)
    with Device() as device:
        record = device.resolve_key((os.major(status.st_dev), os.minor(status.st_dev)),
                                    status.st_ino)
    equal((record.path, record.kind, record.id),
          (f"{top}/program", "gnu", lib.readelf_ids(["/bin/true"])["/bin/true"]))


# ----------------------------------------------------------- RESOLVE by FD --

@test("a file descriptor with O_DIRECT gives the same answer, and spoils nobody's")
def _():
    with lib.ext4() as work, Device() as device:
        path = os.path.join(work, "other")
        lib.write_bytes(path, lib.read_bytes(built("other")))
        lib.settle_times(path)
        os.sync()
        fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
        equal(device.resolve_fd(fd).id, OTHER_ID, "with O_DIRECT")
        os.close(fd)
        with open(path, "rb") as file:
            equal(device.resolve_fd(file.fileno()).id, OTHER_ID, "without")


@test("a read that fails is this caller's, and the next one reads again")
def _():
    with servers.fuse("failing") as (path, _), Device() as device, \
            open(path, "rb") as file:
        failed = device.resolve_fd(file.fileno())
        equal((failed.reason, failed.file_id), ("io-error", 0))
        equal(device.resolve_fd(file.fileno()).id, OTHER_ID)


@test("what is copied up while it is read is not taken for what was below")
def _():
    with lib.tmpfs() as layers, lib.directory() as merged:
        for name in "upper", "work":
            os.mkdir(os.path.join(layers, name))
        content = lib.read_bytes(built("other"))
        changed = content.replace(bytes.fromhex(OTHER_ID), bytes(range(20)))
        with servers.fuse("waiting") as (lower, server):
            lib.mount("overlay", merged, "overlay", 0, f"lowerdir={os.path.dirname(lower)},"
                      f"upperdir={layers}/upper,workdir={layers}/work")
            try:
                path = os.path.join(merged, "file")
                reader, writer = os.pipe()

                def ask():
                    with Device() as device, open(path, "rb") as file:
                        os.write(writer, bytes.fromhex(device.resolve_fd(file.fileno()).id))
                asker = lib.forked(ask)
                lib.until(lambda: lib.sleeps_in_ioctl(asker), "it waits for the server")
                fd = os.open(path, os.O_WRONLY)
                os.pwrite(fd, changed, 0)
                os.close(fd)
                server.send_signal(signal.SIGUSR1)
                equal(os.waitpid(asker, 0)[1], 0)
                equal(os.read(reader, 100), bytes(range(20)), "of the copy")
                with Device() as device, open(lower, "rb") as file:
                    equal(device.resolve_fd(file.fileno()).id, OTHER_ID, "of what is below")
            finally:
                lib.umount(merged)


# --------------------------------------------------------- RESOLVE by ADDR --

@test("an address of a living process resolves with its offset")
def _():
    child = lib.sleeper()
    with Device() as device:
        for start, length, pgoff, path in lib.proc_maps(child.pid):
            record, offset, _ = device.resolve_addr(child.pid, start + length - 1)
            equal((record.path, offset), (path, pgoff + length - 1))
        fails_with(errno.ENOENT, device.resolve_addr, child.pid, 4096)
    child.kill()
    child.wait()


@test("one that calls exec all the time is never taken for one that has exited")
def _():
    # without address space randomization, so that each has the same address
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as script:
        script.write('exec bash "$0"\n')
        script.flush()
        with Device() as device, lib.started("setarch", "-R", "bash", script.name) as child:
            def bash():
                return [start for start, _, _, path in lib.proc_maps(child.pid)
                        if path.endswith("/bash")]
            start = lib.until(bash, "it runs")[0]
            found = collections.Counter()
            for _ in range(1000 if lib.DEBUG else 20000):
                try:
                    device.resolve_addr(child.pid, start)
                    found["found"] += 1
                except OSError as error:
                    found[errno.errorcode[error.errno]] += 1
            print(f"# {dict(found)}")
            assert found["found"] and set(found) <= {"found", "ENOENT"}, dict(found)


@test("what was forgotten is read again where there is something to read")
def _():
    child = lib.sleeper()
    with Device() as device:
        before = {r.path: r for r in device.maps(child.pid) if isinstance(r, File)}
        device.flush()
        for start, _, _, path in lib.proc_maps(child.pid):
            record = device.resolve_addr(child.pid, start).record
            equal((record.path, record.id), (path, before[path].id))
            assert record.file_id != before[path].file_id, "it was not forgotten"
        device.flush()
        after = {r.path: r for r in device.maps(child.pid) if isinstance(r, File)}
        equal({path: r.id for path, r in after.items()}, {path: r.id for path, r in before.items()})
        # nothing is left to read of a process that is gone
        start = next(lib.proc_maps(child.pid))[0]
        child.kill()
        child.wait()
        fails_with(errno.ESRCH, device.resolve_addr, child.pid, start)


@test("an address of a process that lives: of it, and of no other with its number")
def _():
    with lib.mapped("/bin/true") as address, Device() as device:
        found = device.resolve_addr(os.getpid(), address)
        equal(found.start_time // (10**9 // os.sysconf("SC_CLK_TCK")), lib.start_ticks(os.getpid()))
        same = device.resolve_addr(os.getpid(), address, found.start_time)
        equal(same.record.id, found.record.id)
        fails_with(errno.ESRCH, device.resolve_addr, os.getpid(), address, found.start_time + 1)


# ------------------------------------------------ files that a server holds up --

def enter_own_namespaces():
    """Where this process may mount, as their root."""
    rights.enter_user_namespace()
    lib.check(libc.unshare(0x00020000), "unshare(CLONE_NEWNS)")



def said_of(pid):
    """Of what is mapped at FIXED, by MAPS and by RESOLVE: reason, file_id, and build-id."""
    with Device() as device:
        records = device.maps(pid, MAPS_DATA)
        (at,) = [number for number, record in enumerate(records)
                 if isinstance(record, Mmap) and record.addr == FIXED]
        files = [record for record in records[:at] if isinstance(record, File)]
        return [(record.reason, record.file_id, record.id)
                for record in (files[-1], device.resolve_addr(pid, FIXED).record)]


NOT_READ = [("not-read", 0, "")] * 2


for mode in ("silent", "direct"):
    @test(f"MAPS and RESOLVE by address do not ask a FUSE server ({mode}), which never answers")
    def _(mode=mode):
        with servers.fuse(mode) as (path, server), \
                lib.child(map_there, path, mmap.PROT_READ) as pid, \
                lib.waiting_for(said_of, pid) as (_, result):
            found = lib.result_of(result, lib.TIMEOUT)
            server.kill()       # or a caller that hangs there would hold up all that follows
            equal(found, str(NOT_READ))


def known_then_not_read(pid, identity):
    """What its mapper has read is known to others, until it is forgotten."""
    first, second = said_of(pid)
    equal(first, second)
    equal((first[0], first[2]), ("none", identity))
    stream.flush()
    equal(said_of(pid), NOT_READ)


@test("of a file on FUSE they say what its mapper has read, and no more")
def _():
    with servers.fuse() as (path, _), lib.child(map_there, path) as pid:
        known_then_not_read(pid, OTHER_ID)


@test("likewise of a file on what a user has mounted")
def _():
    def mount_and_map(directory):
        enter_own_namespaces()
        lib.mount("tmpfs", directory, "tmpfs")
        path = os.path.join(directory, "file")
        lib.write_bytes(path, lib.read_bytes(built("other")))
        lib.settle_times(path)
        map_there(path)

    with lib.directory() as directory, lib.child(mount_and_map, directory) as pid:
        known_then_not_read(pid, OTHER_ID)


@test("likewise of a file that is open for writing by who has it mapped")
def _():
    def map_writable(path):
        fd = os.open(path, os.O_RDWR)
        lib.check(libc.mmap(FIXED, PAGE, lib.RX, mmap.MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0),
                  "mmap")

    with lib.tmpfs() as directory:
        path = os.path.join(directory, "file")
        lib.write_bytes(path, lib.read_bytes(built("other")))
        with lib.child(map_writable, path) as pid:
            stream.flush()
            equal(said_of(pid), NOT_READ)
        # of which exec would fail if somebody held it
        with lib.child(map_there, path) as pid:
            stream.flush()
            equal({found[2] for found in said_of(pid)}, {OTHER_ID})


# ------------------------------------------------ what the caller may not read --

@test("what the caller may not read is not read for it")
def _():
    with lib.tmpfs() as work, Device() as root:
        os.chmod(work, 0o755)
        path = os.path.join(work, "secret")
        lib.write_bytes(path, b"a secret text", mode=0o600)
        lib.settle_times(path)
        me = os.getpid()
        with lib.mapped(path, prot=mmap.PROT_READ) as address:
            def ask(device):
                found = device.resolve_addr(me, address).record
                of_maps = [record for record in device.maps(me, MAPS_DATA)
                           if isinstance(record, File) and record.path == path]
                return [found.kind, found.reason, of_maps[0].kind, of_maps[0].reason]
            denied = ["none", "denied"] * 2
            before = root.stats()["read_caller"]
            equal(rights.in_child_as([rights.CAP_PERFMON], lambda own: own.resolve_addr(me, address)
                              .record.reason), "denied")
            equal(rights.in_child_as([rights.CAP_PERFMON], ask), denied, "with CAP_PERFMON")
            # the other files that these have mapped were read
            equal(root.resolve_addr(me, address).record.id, lib.htlhash(b"a secret text"))
            assert root.stats()["read_caller"] > before, "root's question reads it"
            equal(rights.in_child_as([rights.CAP_PERFMON], ask), ["htlhash", "not-elf"] * 2,
                  "with CAP_PERFMON, once it is known")
            equal(rights.in_child_as([], lambda own: own.resolve_addr(os.getpid(), address)
                              .record.reason), "denied", "in its own process, of its parent's")
            os.chmod(path, 0o644)
            equal(rights.in_child_as([rights.CAP_PERFMON], ask), ["htlhash", "not-elf"] * 2,
                  "when it may be read")


@contextlib.contextmanager
def secret_in_memory():
    with lib.tmpfs() as directory:
        path = os.path.join(directory, "secret")
        lib.write_bytes(path, b"the password is secret", 0o600)
        lib.settle_times(path)
        yield path


def secret_on_a_server():
    return contextlib.nullcontext("/etc/shadow")


for where, secret in ("in memory", secret_in_memory), ("on a server", secret_on_a_server):
    @test(f"content {where} that the caller may not read is not hashed for it")
    def _(secret=secret):
        def ask(path, pid, address):
            rights.become_nobody(rights.CAP_PERFMON)
            with Device() as device:
                files = {record.file_id: record for record in device.maps(pid, MAPS_DATA)
                         if isinstance(record, File)}
                (seen,) = [file for file in files.values() if file.path == path]
                there = device.resolve_addr(pid, address)[0]
            return [[file.kind, file.reason, file.id] for file in (seen, there)]

        with secret() as path, lib.mapped(path, prot=mmap.PROT_READ) as address, \
                rights.device_for_all():
            equal(lib.in_child(ask, path, os.getpid(), address), [["none", "denied", ""]] * 2,
                  "as nobody")
            # a caller that may read it gets the hash, and that changes nothing for others
            with Device() as device:
                equal(device.resolve_addr(os.getpid(), address)[0].id,
                      lib.htlhash(lib.read_bytes(path)), "hash, for root")


@test("of a file that is in the cache it says that somebody has it open for writing")
def _():
    with lib.tmpfs() as work, Device() as device:
        path = os.path.join(work, "library")
        lib.write_bytes(path, lib.read_bytes(built("other")))
        lib.settle_times(path)
        lib.map_file(path)
        with open(path, "rb") as asked:
            equal(device.resolve_fd(asked.fileno()).flags & UNSTABLE, 0, "flags")
            with open(path, "r+b"):
                equal(device.resolve_fd(asked.fileno()).flags & UNSTABLE, UNSTABLE,
                      "flags while it is open for writing")


FAN_CLASS_CONTENT, FAN_MARK_ADD, FAN_ACCESS_PERM, FAN_DENY = 4, 1, 0x20000, 2


def forbid_reads(path, ready):
    """As a virus scanner does, until it is killed."""
    group = libc.fanotify_init(FAN_CLASS_CONTENT, os.O_RDONLY)
    if group < 0 or libc.fanotify_mark(group, FAN_MARK_ADD, ctypes.c_uint64(FAN_ACCESS_PERM), -1,
                                       path.encode()):
        os.write(ready, b"0")
        return
    os.write(ready, b"1")
    while True:
        fd, = struct.unpack_from("=i", os.read(group, 24), 16)
        os.write(group, struct.pack("=iI", fd, FAN_DENY))
        os.close(fd)


@test("of a file that may not be read any more it says nothing, cached or not")
def _():
    with lib.ext4() as work, Device() as device:
        path = os.path.join(work, "library")
        lib.write_bytes(path, lib.read_bytes(built("other")))
        with open(path, "rb") as file:
            equal(device.resolve_fd(file.fileno()).id, OTHER_ID, "id")
        reader, writer = os.pipe()
        pid = os.fork()
        if not pid:
            forbid_reads(path, writer)
            os._exit(0)
        try:
            if os.read(reader, 1) == b"0":
                raise Skip("this kernel has no fanotify listener that may forbid")
            # some kernels do not ask listeners that came after a file was opened
            fd = os.open(path, os.O_RDONLY)
            fails_with(errno.EPERM, os.read, fd, 1)
            fails_with(errno.EPERM, device.resolve_fd, fd)
            fails_with(errno.EPERM, device.name_fd, fd, b"name")
            os.close(fd)
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(reader)
            os.close(writer)


@test("of a file that was opened with O_PATH it says no more than stat(2)")
def _():
    with lib.ext4() as work, Device() as device:
        path = os.path.join(work, "library")
        lib.write_bytes(path, lib.read_bytes(built("other")))
        fd = os.open(path, os.O_PATH)
        with open(path, "r+b"):
            record = device.resolve_fd(fd)
        os.close(fd)
        equal((record.flags & UNSTABLE, record.change), (0, 0), "flags and change counter")


@test("of a file of an overlay that was opened with O_PATH it does not look for the data")
def _():
    with lib.tmpfs() as work, Device() as device:
        for name in ("above", "data", "merged"):
            os.mkdir(os.path.join(work, name))
        path = os.path.join(work, "above", "file")
        with open(path, "wb") as file:
            file.truncate(PAGE)
        os.setxattr(path, "trusted.overlay.metacopy", b"")
        os.setxattr(path, "trusted.overlay.redirect", b"/gone")
        merged = os.path.join(work, "merged")
        mount = ("overlay", merged, "overlay", 0,
                 f"metacopy=on,redirect_dir=on,lowerdir={work}/above::{work}/data")
        lib.run("modprobe", "overlay", status=None)
        if lib.KERNEL < (6, 5):
            # no layers of data, which are looked for when they are needed
            fails_with(errno.EINVAL, lib.mount, *mount)
            return
        lib.mount(*mount)
        try:
            log = lib.KernelLog()
            fd = os.open(os.path.join(merged, "file"), os.O_PATH)
            equal(device.resolve_fd(fd).reason, "not-read", "reason")
            os.close(fd)
            equal("WARNING" in log.text(), False, "what the kernel says")
        finally:
            lib.umount(merged)


@contextlib.contextmanager
def layers():
    """Of an overlay, on a tmpfs."""
    lib.run("modprobe", "overlay", status=None)
    with lib.tmpfs() as work:
        for name in ("lower", "upper", "inner", "merged"):
            os.mkdir(os.path.join(work, name))
        lib.write_bytes(os.path.join(work, "lower", "file"), lib.read_bytes(built("other")))
        yield work


def mount_as_user(work):
    """By this process, the root of a user namespace from here on; returns the file's path."""
    enter_own_namespaces()
    merged = os.path.join(work, "merged")
    lib.mount("overlay", merged, "overlay", 0,
              f"userxattr,lowerdir={work}/lower,upperdir={work}/upper,workdir={work}/inner")
    return os.path.join(merged, "file")


@test("of an overlay that a user has mounted it says that it may lead to FUSE")
def _():
    def flags_of(device, work):
        path = mount_as_user(work)
        with open(path, "rb") as file, lib.mapped(path) as address:
            handle = os.open(path, os.O_PATH)
            return [device.resolve_fd(handle).flags, device.resolve_fd(file.fileno()).flags,
                    device.resolve_addr(os.getpid(), address).record.flags]

    with layers() as work, Device() as device:
        equal([flags & FUSE for flags in lib.in_child(flags_of, device, work)], [FUSE] * 3,
              "flags")


@test("of a file on such an overlay that others have mapped, it reads for who may read anything")
def _():
    def map_and_wait(work, ready):
        map_there(mount_as_user(work))
        os.write(ready, b"x")
        signal.pause()

    def identity(own, pid):
        record = own.resolve_addr(pid, FIXED).record
        return record.id or record.reason

    with layers() as work, Device() as device:
        reader, ready = os.pipe()
        child = lib.forked(map_and_wait, work, ready)
        os.close(ready)
        try:
            equal(os.read(reader, 1), b"x", "the file is mapped")
            device.flush()
            equal(identity(device, child), OTHER_ID, "root")
            for capabilities, wanted in (([], "denied"),
                                         ([rights.CAP_DAC_READ_SEARCH], OTHER_ID)):
                device.flush()
                equal(rights.in_child_as([rights.CAP_PERFMON, *capabilities], identity, child),
                      wanted, f"CAP_PERFMON and {capabilities}")
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(reader)


@test("a build-id in the cache is no secret of the file's")
def _():
    with lib.tmpfs() as work:
        os.chmod(work, 0o755)
        path = os.path.join(work, "program")
        lib.write_bytes(path, lib.read_bytes(built("other")), mode=0o711)
        lib.settle_times(path)
        lib.map_file(path)
        with lib.mapped(path) as address:
            equal(rights.in_child_as([], lambda own: own.resolve_addr(os.getpid(), address)
                              .record.id), OTHER_ID)


run()
