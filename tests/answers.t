#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Questions as hostile callers and hostile files put them: what is answered, what is
refused, and that nobody is held up or told another's."""

import contextlib
import ctypes
import errno
import fcntl
import mmap
import os
import signal
import struct
import subprocess
import traceback

import lib
import stream
from device import (ADDR_HISTORY, MAPS_DATA, MAPS_END, RECORD_MAX, Device, File, Mmap, ioc,
                    parse_all)
from lib import built, fails_with, libc
from tap import equal, run, test

PAGE = lib.PAGE
NOBODY = 65534
CAP_PERFMON = 38
ID8 = "0123456789abcdef"
OTHER_ID = "fedcba98765432100123456789abcdef01234567"
MNT_DETACH = 2
# Nothing else is mapped there: far from heap, libraries and stack.
FIXED, MAP_FIXED_NOREPLACE = 0x200000000000, 0x100000

SIZES = {0: 200, 1: 216, 2: 24, 3: 40, 4: 16, 5: 40, 6: 56, 7: 40, 8: 40, 9: 32}
with open(os.path.join(lib.TOP, "include/uapi/buildid.h"), encoding="utf-8") as header:
    NR_IOCTLS = header.read().count("#define BUILDID_IOC_") - 1     # but for _MAGIC


def drop_to(capabilities=0):
    """To nobody, with these capabilities and no other."""
    if capabilities:
        lib.check(libc.prctl(8, 1, 0, 0, 0), "PR_SET_KEEPCAPS")
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    if capabilities:
        low, high = capabilities & 0xffffffff, capabilities >> 32
        head = struct.pack("=Ii", 0x20080522, 0)
        data = struct.pack("=6I", low, low, 0, high, high, 0)
        lib.check(libc.capset(head, data), "capset")


def in_child_as(capabilities, function, *arguments):
    """@function gets a device that root has opened; an error comes as its name."""
    def call():
        with Device() as device:
            drop_to(capabilities)
            try:
                return function(device, *arguments)
            except OSError as error:
                return errno.errorcode[error.errno]
    return lib.in_child(call)


def raw_ioctl(device, nr, data):
    """The struct after the call, or the error's name and the struct after it."""
    buffer = ctypes.create_string_buffer(data, len(data))
    libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p]
    failed = libc.ioctl(device.fd, ioc(nr, len(data)), buffer)
    return errno.errorcode[ctypes.get_errno()] if failed else "", buffer.raw


@contextlib.contextmanager
def served(mode, path):
    with lib.directory() as directory, \
            lib.started(built("fuse_file"), directory, path, mode,
                        stdout=subprocess.PIPE) as server:
        equal(server.stdout.readline(), b"mounted\n", "the server's word")
        try:
            yield os.path.join(directory, "file"), server
        finally:
            lib.umount(directory, MNT_DETACH)


@contextlib.contextmanager
def mapped(path, **options):
    fd = os.open(path, os.O_RDONLY)
    address = lib.map_fd(fd, PAGE, **options)
    os.close(fd)
    try:
        yield address
    finally:
        lib.unmap(address, PAGE)


def fork(function):
    """The number of a process that calls @function and exits."""
    pid = os.fork()
    if not pid:
        status = 1
        try:
            function()
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)
    return pid


@contextlib.contextmanager
def child(function):
    """A process that has called @function and waits to be killed."""
    reader, writer = os.pipe()

    def call():
        function()
        os.write(writer, b"x")
        signal.pause()
    pid = fork(call)
    equal(os.read(reader, 1), b"x", "the child is ready")
    os.close(reader)
    os.close(writer)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def sleeps_in_ioctl(pid):
    with open(f"/proc/{pid}/syscall", encoding="ascii") as file:
        return file.read().split()[0] == "16"


def map_there(path):
    """At FIXED, for good."""
    fd = os.open(path, os.O_RDONLY)
    lib.check(libc.mmap(FIXED, PAGE, lib.RX, mmap.MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0),
              "mmap")
    os.close(fd)


# ------------------------------------------------------------------- structs --

@test("a struct that is longer than the module's, with zeros: as one of its length")
def _():
    with Device() as device:
        for nr in (0, 1):
            size = SIZES[nr]
            for longer in (4, 8, 400, 4096 - size):
                error, after = raw_ioctl(device, nr, struct.pack("=I", size + longer).ljust(
                    size + longer, b"\0"))
                equal(error, "")
                equal(struct.unpack_from("=I", after)[0], size, "size")
                equal(after[size:], bytes(longer), "what is behind it")


@test("one with more in it, or of more than a page: E2BIG, and the size that is known")
def _():
    with Device() as device:
        for nr, size in SIZES.items():
            for asked, tail in (size + 1, b"x"), (size + 8, b"\0" * 7 + b"x"), (4097, b""):
                data = struct.pack("=I", asked).ljust(size, b"\0") + tail
                error, after = raw_ioctl(device, nr, data.ljust(asked, b"\0"))
                equal((error, struct.unpack_from("=I", after)[0]), ("E2BIG", size), f"ioctl {nr}")


@test("one that is shorter than any that was published: EINVAL, and untouched")
def _():
    with Device() as device:
        for nr, size in SIZES.items():
            for shorter in (0, 4, size - 1):
                data = struct.pack("=I", shorter).ljust(size, b"\xff")
                equal(raw_ioctl(device, nr, data), ("EINVAL", data), f"ioctl {nr}")


@test("unknown numbers are ENOTTY, and every known one is in INFO with its flags")
def _():
    with Device() as device:
        info = device.info()
        equal(info["ioctls"], (1 << NR_IOCTLS) - 1)
        equal(info["ioctls"], sum(1 << nr for nr in SIZES))
        for nr in (len(SIZES), 15, 255):
            equal(raw_ioctl(device, nr, struct.pack("=I", 8) + bytes(4))[0], "ENOTTY")
        # where flags is the field behind size
        for nr in set(SIZES) - {0, 1, 2}:
            known = info["known_flags"][nr]
            for bit in range(32):
                data = struct.pack("=II", SIZES[nr], 1 << bit).ljust(SIZES[nr], b"\0")
                if not known >> bit & 1:
                    equal(raw_ioctl(device, nr, data)[0], "EINVAL", f"ioctl {nr}, flag {bit}")
        equal([bool(flags) for flags in info["known_flags"][:10]],
              [nr in (3, 5, 7, 8) for nr in range(10)], "ioctls with flags")


@test("limits of INFO are those that hold")
def _():
    with Device() as device:
        info = device.info()
        equal((info["id_max"], info["record_max"], info["pids_max"], info["cookies_max"],
               info["cookies_total"]), (128, 8192, 64, 1024, 65536))
        fails_with(errno.EINVAL, device.subscribe, ring_size=info["ring_min"] // 2)
        fails_with(errno.EINVAL, device.subscribe, ring_size=info["ring_max"] * 2)
        fails_with(errno.EINVAL, device.subscribe, pids=[1] * (info["pids_max"] + 1))
        device.subscribe(ring_size=info["ring_min"])


# --------------------------------------------------------------------- armed --

@contextlib.contextmanager
def written(path, off, on):
    with open(path, "w", encoding="ascii") as file:
        file.write(off)
    try:
        yield
    finally:
        with open(path, "w", encoding="ascii") as file:
            file.write(on)


@test("INFO says whether the hook fires, whoever turned it off")
def _():
    kprobes, ftrace = "/sys/kernel/debug/kprobes/enabled", "/proc/sys/kernel/ftrace_enabled"
    if not os.path.exists(kprobes):
        lib.mount("debugfs", "/sys/kernel/debug", "debugfs")
    with Device() as device:
        for switch in kprobes, ftrace, kprobes:
            equal(device.info()["status"], 1, "armed")
            with written(switch, "0", "1"):
                equal(device.info()["status"], 0, f"armed without {switch}")
        equal(device.info()["status"], 1, "armed again")
        equal(in_child_as(0, lambda own: own.info()["status"]), 1, "as an ordinary user sees it")


@test("where the hook cannot fire the module is not loaded, and says why")
def _():
    lib.unload()
    log = lib.KernelLog()
    try:
        with written("/proc/sys/kernel/ftrace_enabled", "0", "1"):
            lib.load(status=1)
    finally:
        if not lib.is_loaded():
            lib.load()
    lib.contains(log.text(), "self-test: the probe on ")


# ------------------------------------------------------------------ by number --

@test("a file_id resolves to its FILE record, as long as it is remembered")
def _():
    with Device() as device:
        with open("/bin/true", "rb") as file:
            known = device.resolve_fd(file.fileno())
        by_id = device.resolve_id(known.file_id)
        equal((by_id.id, by_id.ino, by_id.file_id), (known.id, known.ino, known.file_id))
        for unknown in 0, known.file_id + 10**9, 2**64 - 1:
            fails_with(errno.ENOENT, device.resolve_id, unknown)
        equal(in_child_as(0, lambda own: own.resolve_id(known.file_id)), "EPERM")
        equal(in_child_as(1 << CAP_PERFMON, lambda own: own.resolve_id(known.file_id).id), known.id)
        device.flush()
        fails_with(errno.ENOENT, device.resolve_id, known.file_id)


def know(device, *paths):
    """So that a mapping of one of these is of a file that is known."""
    for path in paths:
        with open(path, "rb") as file:
            device.resolve_fd(file.fileno())


def start_time(pid):
    """In clock ticks, as /proc has it."""
    return int(lib.read_bytes(f"/proc/{pid}/stat").rpartition(b")")[2].split()[19])


@test("an address of a process that lives: of it, and of no other with its number")
def _():
    with mapped("/bin/true") as address, Device() as device:
        found = device.resolve_addr(os.getpid(), address)
        equal(found.start_time // (10**9 // os.sysconf("SC_CLK_TCK")), start_time(os.getpid()))
        same = device.resolve_addr(os.getpid(), address, found.start_time)
        equal((same.record.id, same.source), (found.record.id, 0))
        fails_with(errno.ESRCH, device.resolve_addr, os.getpid(), address, found.start_time + 1)


@test("processes that have exited are told apart, though their number is the same")
def _():
    with Device() as device:
        know(device, built("id8"), built("other"))
        pid = fork(lambda: map_there(built("id8")))
        os.waitpid(pid, 0)
        first = device.resolve_addr(pid, FIXED)
        equal((first.source, first.record.id), (ADDR_HISTORY, ID8))
        lib.run_as(pid, lambda: lib.map_file(built("other")))
        fails_with(errno.ENOENT, device.resolve_addr, pid, FIXED)
        again = device.resolve_addr(pid, FIXED, first.start_time)
        equal((again.source, again.record.id), (ADDR_HISTORY, ID8))
        lib.run_as(pid, lambda: map_there(built("other")))
        second = device.resolve_addr(pid, FIXED)
        equal(second.record.id, OTHER_ID)
        assert second.start_time > first.start_time
        fails_with(errno.ESRCH, device.resolve_addr, pid, FIXED, first.start_time + 1)


@test("a user is told nothing of one who had its number before")
def _():
    with Device() as device:
        pid = fork(lambda: map_there(built("id8")))
        os.waitpid(pid, 0)
        before = device.resolve_addr(pid, FIXED).start_time

        def ask():
            drop_to()
            fails_with(errno.ESRCH, device.resolve_addr, pid, FIXED, before)
        lib.run_as(pid, ask)


# --------------------------------------------------------------- MAPS in time --

def first_piece(device, pid):
    """The cursor and the instance after as little as is given at a time."""
    room = 2 * RECORD_MAX
    buffer = ctypes.create_string_buffer(room)
    _, _, used, cursor, instance, _ = device.ioctl(7, "IIIQQQ", MAPS_DATA, pid, room, 0, 0,
                                                   ctypes.addressof(buffer))
    assert used and cursor != MAPS_END, "there is more to come"
    return cursor, instance


def next_piece(device, pid, cursor, instance):
    buffer = ctypes.create_string_buffer(2 * RECORD_MAX)
    device.ioctl(7, "IIIQQQ", MAPS_DATA, pid, 2 * RECORD_MAX, cursor, instance,
                 ctypes.addressof(buffer))


def map_much():
    for _ in range(100):
        fd = os.open("/bin/true", os.O_RDONLY)
        for offset in 0, PAGE:
            lib.map_fd(fd, PAGE, offset=offset)
        os.close(fd)


@test("MAPS over an exec, or in another process of that number: ESTALE")
def _():
    def map_much_and_exec():
        signal.signal(signal.SIGUSR1, lambda *_: os.execvp("sleep", ["sleep", "1000"]))
        map_much()

    with Device() as device:
        with child(map_much) as pid, child(map_much) as other:
            where = first_piece(device, pid)
            next_piece(device, pid, *where)
            fails_with(errno.ESTALE, next_piece, device, other, *where)
            fails_with(errno.ESTALE, next_piece, device, pid, where[0], where[1] + 1)
        fails_with(errno.ESRCH, next_piece, device, pid, *where)
        lib.run_as(pid, lambda: fails_with(errno.ESTALE, next_piece, device, pid, *where))

        with child(map_much_and_exec) as pid:
            where = first_piece(device, pid)
            os.kill(pid, signal.SIGUSR1)
            lib.until(lambda: b"sleep" in lib.read_bytes(f"/proc/{pid}/cmdline"), "it execs")
            fails_with(errno.ESTALE, next_piece, device, pid, *where)
            assert device.maps(pid), "maps from the start"


def attached(shm):
    lines = lib.read_bytes("/proc/sysvipc/shm").decode().splitlines()
    column = lines[0].split().index("nattch")
    return [int(line.split()[column]) for line in lines if line.split()[1] == str(shm)][0]


@test("a process exits while MAPS of it is held up by who asks")
def _():
    libc.shmat.restype = ctypes.c_void_p
    shm = lib.check(libc.shmget(0, PAGE, 0o1600), "shmget")

    def ask_into(path, pid):
        fd = os.open(path, os.O_RDONLY)
        room = 2 * RECORD_MAX
        address = lib.map_fd(fd, room, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        with Device() as device:
            device.ioctl(7, "IIIQQQ", 0, pid, room, 0, 0, address)

    with lib.directory() as work:
        big = os.path.join(work, "big")
        lib.write_bytes(big, bytes(4 * RECORD_MAX))
        with served("silent", big) as (path, _):
            with child(lambda: lib.check(libc.shmat(shm, None, 0), "shmat")) as pid:
                equal(attached(shm), 1)
                asker = fork(lambda: ask_into(path, pid))
                lib.until(lambda: sleeps_in_ioctl(asker), "who asks is held up")
            lib.until(lambda: attached(shm) == 0, "the process's memory is gone")
            assert sleeps_in_ioctl(asker), "who asks is still held up"
            os.kill(asker, signal.SIGKILL)
            os.waitpid(asker, 0)
    lib.check(libc.shmctl(shm, 0, None), "shmctl")


@test("a process whose first thread has ended is no less there")
def _():
    program = r"""
import ctypes, os, threading, time
def go_on():
    while open("/proc/self/stat").read().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    os.write(1, b"x")
    time.sleep(1000)
threading.Thread(target=go_on).start()
ctypes.CDLL(None).syscall(60, 0)
"""
    with lib.started("python3", "-c", program, stdout=subprocess.PIPE) as process, \
            Device() as device:
        equal(process.stdout.read(1), b"x")
        paths = {record.path for record in device.maps(process.pid) if isinstance(record, File)}
    assert any("/libc.so" in path for path in paths), paths


# ------------------------------------------------------------- others' files --

@test("RESOLVE_ADDR and MAPS do not wait for who serves a file, and name it as the stream does")
def _():
    with served("silent", built("other")) as (path, _), stream.Watch() as watch:
        _, file = watch.see(lib.map_file, path)
        with mapped(path) as address:
            def ask():
                signal.alarm(lib.PATIENCE)
                with Device() as device:
                    found = device.resolve_addr(os.getppid(), address).record
                    in_maps = [record for record in device.maps(os.getppid())
                               if isinstance(record, Mmap) and record.addr == address]
                return (found.reason, found.file_id, in_maps[0].state, in_maps[0].file_id)
            equal(lib.in_child(ask), ["deferred", file.file_id, "deferred", file.file_id])
        # and one that nobody has seen gets a file_id there and then
        with Device() as device:
            device.flush()
            with mapped(path, prot=mmap.PROT_READ) as address:
                found = device.resolve_addr(os.getpid(), address).record
                assert found.file_id, found
                equal(device.resolve_id(found.file_id).reason, "deferred")


@test("what the caller may not read is not read for it")
def _():
    with lib.tmpfs() as work, Device() as root:
        os.chmod(work, 0o755)
        path = os.path.join(work, "secret")
        lib.write_bytes(path, b"a secret text", mode=0o600)
        lib.settle_times(path)
        me = os.getpid()
        with mapped(path, prot=mmap.PROT_READ) as address:
            def ask(device):
                found = device.resolve_addr(me, address).record
                of_maps = [record for record in device.maps(me, MAPS_DATA)
                           if isinstance(record, File) and record.path == path]
                return [found.kind, found.reason, of_maps[0].kind, of_maps[0].reason]
            unreadable = ["none", "unreadable"] * 2
            before = root.stats()["parsed_caller"]
            equal(in_child_as(1 << CAP_PERFMON, lambda own: own.resolve_addr(me, address)
                              .record.reason), "unreadable")
            equal(in_child_as(1 << CAP_PERFMON, ask), unreadable, "with CAP_PERFMON")
            # the other files that these have mapped were read
            equal(root.resolve_addr(me, address).record.id, lib.htlhash(b"a secret text"))
            assert root.stats()["parsed_caller"] > before, "root's question reads it"
            equal(in_child_as(1 << CAP_PERFMON, ask), ["htlhash", "not-elf"] * 2,
                  "with CAP_PERFMON, once it is known")
            equal(in_child_as(0, lambda own: own.resolve_addr(os.getpid(), address)
                              .record.reason), "unreadable", "in its own process, of its parent's")
            os.chmod(path, 0o644)
            equal(in_child_as(1 << CAP_PERFMON, ask), ["htlhash", "not-elf"] * 2,
                  "when it may be read")


@test("a build-id in the cache is no secret of the file's")
def _():
    with lib.tmpfs() as work:
        os.chmod(work, 0o755)
        path = os.path.join(work, "program")
        lib.write_bytes(path, lib.read_bytes(built("other")), mode=0o711)
        lib.settle_times(path)
        lib.map_file(path)
        with mapped(path) as address:
            equal(in_child_as(0, lambda own: own.resolve_addr(os.getpid(), address)
                              .record.id), OTHER_ID)


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
    with served("failing", built("other")) as (path, _), Device() as device, \
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
        with served("waiting", built("other")) as (lower, server):
            lib.mount("overlay", merged, "overlay", 0, f"lowerdir={os.path.dirname(lower)},"
                      f"upperdir={layers}/upper,workdir={layers}/work")
            try:
                path = os.path.join(merged, "file")
                reader, writer = os.pipe()

                def ask():
                    with Device() as device, open(path, "rb") as file:
                        os.write(writer, bytes.fromhex(device.resolve_fd(file.fileno()).id))
                asker = fork(ask)
                lib.until(lambda: sleeps_in_ioctl(asker), "it waits for the server")
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


# ------------------------------------------------------------------ cookies --

def name_pages(device, writer, pages):
    """Tells how many it could, and stays."""
    address = lib.check(libc.mmap(None, pages * PAGE, lib.RX,
                                  mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0), "mmap")
    count = 0
    try:
        for page in range(pages):
            device.name_mapping(address + page * PAGE, PAGE, b"x")
            count += 1
    except OSError as error:
        equal(error.errno, errno.EDQUOT)
    os.write(writer, struct.pack("=I", count))
    signal.pause()


@test("the uids of a user namespace have one share of cookies, that of who made it")
def _():
    clone_newuser = 0x10000000
    counts, writer = os.pipe()

    def make_namespace():
        drop_to()
        lib.check(libc.unshare(clone_newuser), "unshare")

    def name_as(uid, device, namespace):
        with open(f"/proc/{namespace}/ns/user", "rb") as file:
            lib.check(libc.setns(file.fileno(), clone_newuser), "setns")
        os.setresuid(uid, uid, uid)
        name_pages(device, writer, 600)

    with Device() as device:
        before = device.stats()["cookies"]
        with child(make_namespace) as namespace:
            with open(f"/proc/{namespace}/uid_map", "w", encoding="ascii") as file:
                file.write("0 200000 10\n")
            pids = [fork(lambda uid=uid: name_as(uid, device, namespace)) for uid in range(3)]
            named = [struct.unpack("=I", os.read(counts, 4))[0] for _ in pids]
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        equal(sum(named), 1024, f"cookies of three uids: {named}")
        lib.until(lambda: device.stats()["cookies"] == before, "all are gone")


@test("a file's cookie goes with its owner")
def _():
    with lib.tmpfs() as work, Device() as device:
        path = os.path.join(work, "file")
        lib.write_bytes(path, b"text")
        lib.settle_times(path)
        with open(path, "rb") as file:
            device.name_fd(file.fileno(), b"root's")
            equal(device.resolve_fd(file.fileno()).kind, "cookie")
            os.chown(path, NOBODY, NOBODY)
            equal(device.resolve_fd(file.fileno()).kind, "htlhash")
            os.chown(path, 0, 0)
            equal(device.resolve_fd(file.fileno()).kind, "cookie")


run()
