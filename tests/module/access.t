#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Who may do what: every way into the module, for everybody there is.

The device is opened to all here, as by default only root gets to any of it.

    root        root
    perfmon     an ordinary user with CAP_PERFMON and nothing else
    user        an ordinary user
    container   root of a user namespace that an ordinary user has made
    dropped     an ordinary user who was root when he opened the device or the socket
    passed      an ordinary user who got them from root, over a socket
    lent        root, with what an ordinary user has opened
"""

import array
import contextlib
import errno
import mmap
import os
import resource
import select
import signal
import socket
import stat
import struct

import lib
import rights
import stream
from device import KERNEL, SUB_KERNEL, Device, Image
from genl import Genl
from image import with_id
from tap import equal, run, test

WHO = ("root", "perfmon", "user", "container", "dropped", "passed", "lent")

# ok, or the error. KERNEL records have addresses, or zeros in their place.
TABLE = """
                             root    perfmon  user    container dropped passed  lent
INFO                         ok      ok       ok      ok        ok      ok      ok
STATS                        ok      ok       ok      ok        ok      ok      ok
RESOLVE FD                   ok      ok       ok      ok        ok      ok      ok
RESOLVE FD not for reading   EBADF   EBADF    EBADF   EBADF     EBADF   EBADF   EBADF
RESOLVE FD O_PATH            ok      ok       ok      ok        ok      ok      ok
RESOLVE KEY                  ok      ok       EPERM   EPERM     EPERM   EPERM   ok
RESOLVE ID                   ok      ok       EPERM   EPERM     EPERM   EPERM   ok
HISTORY                      ok      ok       EPERM   EPERM     EPERM   EPERM   ok
RESOLVE ADDR itself          ok      ok       ok      ok        ok      ok      ok
RESOLVE ADDR another         ok      ok       EPERM   EPERM     EPERM   EPERM   ok
RESOLVE ADDR one of his      ok      ok       EPERM   EPERM     EPERM   EPERM   ok
MAPS itself                  ok      ok       ok      ok        ok      ok      ok
MAPS another                 ok      ok       EPERM   EPERM     EPERM   EPERM   ok
MAPS one of his              ok      ok       EPERM   EPERM     EPERM   EPERM   ok
SET_COOKIE its mapping       ok      ok       ok      ok        ok      ok      ok
SET_COOKIE his file          ok      ok       ok      ok        ok      ok      ok
SET_COOKIE root's file       ok      EPERM    EPERM   EPERM     EPERM   EPERM   ok
SUBSCRIBE                    ok      ok       EPERM   EPERM     EPERM   EPERM   ok
SUBSCRIBE itself             ok      ok       EPERM   EPERM     EPERM   EPERM   ok
an ioctl there is not        ENOTTY  ENOTTY   ENOTTY  ENOTTY    ENOTTY  ENOTTY  ENOTTY
read without a ring          ENXIO   ENXIO    ENXIO   ENXIO     ENXIO   ENXIO   ENXIO
mmap without a ring          ENXIO   ENXIO    ENXIO   ENXIO     ENXIO   ENXIO   ENXIO
poll without a ring          error   error    error   error     error   error   error
read of a ring               ok      ok       EPERM   EPERM     ok      ok      ok
mmap of a ring               ok      ok       EPERM   EPERM     ok      ok      ok
mmap of a ring, to write     EPERM   EPERM    EPERM   EPERM     EPERM   EPERM   EPERM
poll of a ring               ok      ok       EPERM   EPERM     ok      ok      ok
KERNEL records               ok      zero     EPERM   EPERM     ok      ok      ok
netlink GET                  ok      ok       EPERM   EPERM     EPERM   EPERM   EPERM
netlink GET, dump            ok      ok       EPERM   EPERM     EPERM   EPERM   EPERM
netlink SUBSCRIBE            ok      ok       EPERM   EPERM     EPERM   EPERM   EPERM
FLUSH                        ok      EPERM    EPERM   EPERM     EPERM   EPERM   ok
"""


class Caller:
    """What the functions below have to work with, in the process that calls them."""

    def __init__(self, shared, opened=None):
        self.__dict__.update(shared)
        self.opened = opened

    def device(self):
        """A new open file of the device."""
        return self.opened["plain"].pop() if self.opened else Device()

    def ring(self):
        """One that is subscribed, by root if root opened it, with a record in it."""
        if self.opened and self.opened["rings"]:
            return self.opened["rings"].pop()
        device = self.device()
        device.subscribe(SUB_KERNEL)
        return device

    def genl(self):
        return self.opened["sockets"].pop() if self.opened else Genl()


def resolve_fd_of(caller, path, flags):
    fd = os.open(path, flags)
    try:
        caller.device().resolve_fd(fd)
    finally:
        os.close(fd)


def own_address():
    line = next(line for line in lib.maps_of(lib.read_bytes("/proc/self/maps").decode()))
    return line["addr"]


def set_cookie(caller, path):
    with open(path, "rb") as file:
        caller.device().name_fd(file.fileno(), b"a name")


def name_mapping(caller):
    with mmap.mmap(-1, lib.PAGE) as memory:
        address = lib.ctypes.addressof(lib.ctypes.c_char.from_buffer(memory))
        caller.device().name_mapping(address, lib.PAGE, b"a name")
        caller.device().name_mapping(address, lib.PAGE, b"", kind="none")


def map_ring(device, offset, prot):
    lib.unmap(lib.map_fd(device.fd, lib.PAGE, prot, mmap.MAP_SHARED, offset), lib.PAGE)


def wait_on(device):
    poll = select.poll()
    poll.register(device.fd, select.POLLIN)
    ((_, events),) = poll.poll(0) or [(0, 0)]
    if events & select.POLLERR:
        return "error"
    assert events == select.POLLIN, f"poll: {events:#x}"
    return "ok"


def kernel_address(device):
    kernel = next(record for record in device.read(0)
                  if isinstance(record, Image) and record.header.type == KERNEL)
    return "ok" if kernel.addr else "zero"


READ, WRITE = mmap.PROT_READ, mmap.PROT_WRITE
# What is done; what it returns is ok when it is nothing.
ENTRY_POINTS = {
    "INFO": lambda caller: caller.device().info() and None,
    "STATS": lambda caller: caller.device().stats() and None,
    "RESOLVE FD": lambda caller: resolve_fd_of(caller, caller.file, os.O_RDONLY),
    "RESOLVE FD not for reading": lambda caller:
        resolve_fd_of(caller, "/dev/null", os.O_WRONLY),
    "RESOLVE FD O_PATH": lambda caller: resolve_fd_of(caller, caller.file, os.O_PATH),
    "RESOLVE KEY": lambda caller: caller.device().resolve_key(*caller.key) and None,
    "RESOLVE ID": lambda caller: caller.device().resolve_id(caller.file_id) and None,
    "HISTORY": lambda caller: caller.device().history() and None,
    "RESOLVE ADDR itself": lambda caller:
        caller.device().resolve_addr(os.getpid(), own_address()) and None,
    "RESOLVE ADDR another": lambda caller:
        caller.device().resolve_addr(caller.another, caller.address) and None,
    "RESOLVE ADDR one of his": lambda caller:
        caller.device().resolve_addr(caller.his, caller.address) and None,
    "MAPS itself": lambda caller: caller.device().maps(os.getpid()) and None,
    "MAPS another": lambda caller: caller.device().maps(caller.another) and None,
    "MAPS one of his": lambda caller: caller.device().maps(caller.his) and None,
    "SET_COOKIE its mapping": name_mapping,
    "SET_COOKIE his file": lambda caller: set_cookie(caller, caller.his_file),
    "SET_COOKIE root's file": lambda caller: set_cookie(caller, caller.roots_file),
    "SUBSCRIBE": lambda caller: caller.device().subscribe() and None,
    "SUBSCRIBE itself": lambda caller: caller.device().subscribe(pids=[os.getpid()]) and None,
    "an ioctl there is not": lambda caller: caller.device().ioctl(63, "I", 0) and None,
    "read without a ring": lambda caller: os.read(caller.device().fd, 8192) and None,
    "mmap without a ring": lambda caller: map_ring(caller.device(), 0, READ),
    "poll without a ring": lambda caller: wait_on(caller.device()),
    "read of a ring": lambda caller: os.read(caller.ring().fd, 8192) and None,
    "mmap of a ring": lambda caller: map_ring(caller.ring(), lib.PAGE, READ),
    "mmap of a ring, to write": lambda caller:
        map_ring(caller.ring(), lib.PAGE, READ | WRITE),
    "poll of a ring": lambda caller: wait_on(caller.ring()),
    "KERNEL records": lambda caller: kernel_address(caller.ring()),
    "netlink GET": lambda caller: caller.genl().get(*caller.key) and None,
    "netlink GET, dump": lambda caller: caller.genl().dump() and None,
    "netlink SUBSCRIBE": lambda caller: caller.genl().subscribe() and None,
    "FLUSH": lambda caller: caller.device().flush() and None,
}
RINGS = sum(" of a ring" in name or name == "KERNEL records" for name in ENTRY_POINTS)
SOCKETS = sum(name.startswith("netlink") for name in ENTRY_POINTS)


# ---------------------------------------------------------- what is opened --

def open_all(rings):
    """Enough for each entry point, as whoever this is."""
    opened = {"plain": [Device() for _ in range(len(ENTRY_POINTS) + 1)],
              "rings": [Device() for _ in range(RINGS if rings else 0)],
              "sockets": [Genl() for _ in range(SOCKETS)]}
    for device in opened["rings"]:
        device.subscribe(SUB_KERNEL)
    return opened


def send_all(to, opened):
    for name in ("plain", "rings", "sockets"):
        fds = [given.socket.fileno() if name == "sockets" else given.fd for given in opened[name]]
        data = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        to.sendmsg([struct.pack("=2I", len(fds), opened["sockets"][0].family)], data)


def receive_all(sender):
    """In the place of what was sent: the same files, in other objects."""
    opened = {}
    for name in ("plain", "rings", "sockets"):
        data, fds, _, _ = socket.recv_fds(sender, 8, 253)
        count, family = struct.unpack("=2I", data)
        equal(len(fds), count, "descriptors passed")
        opened[name] = [socket_to_family(fd, family) if name == "sockets" else device_of(fd)
                        for fd in fds]
    return opened


def device_of(fd):
    device = Device.__new__(Device)
    device.fd = fd
    return device


def socket_to_family(fd, family):
    genl = Genl.__new__(Genl)
    genl.socket = socket.socket(fileno=fd)
    genl.interrupted, genl.waiting, genl.family = False, [], family
    return genl


def opened_by_another(rings, *capabilities):
    """What a process has opened that has ended since."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    child = os.fork()
    if not child:
        if not rings:
            rights.become_nobody(*capabilities)
        send_all(theirs, open_all(rings))
        os._exit(0)
    theirs.close()
    opened = receive_all(ours)
    equal(os.waitpid(child, 0)[1], 0, "status of who opened it")
    return opened


def caller_as(who, shared):
    """In a process of its own: becomes that, and is ready to call."""
    opened = None
    # what a ring counts against is for subscribe.t
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY,) * 2)
    if who == "perfmon":
        rights.become_nobody(rights.CAP_PERFMON)
    elif who == "user":
        rights.become_nobody()
    elif who == "container":
        rights.become_nobody()
        # as one may who was not changed by setuid(2)
        lib.check(lib.libc.prctl(4, 1, 0, 0, 0), "PR_SET_DUMPABLE")
        rights.enter_user_namespace()
    elif who == "dropped":
        opened = open_all(True)
        rights.become_nobody()
    elif who == "passed":
        opened = opened_by_another(True)
        rights.become_nobody()
    elif who == "lent":
        opened = opened_by_another(False)
    return Caller(shared, opened)


def answer(function, caller):
    try:
        return function(caller) or "ok"
    except OSError as error:
        return errno.errorcode[error.errno]


def all_answers(who, shared):
    caller = caller_as(who, shared)
    return {name: answer(function, caller) for name, function in ENTRY_POINTS.items()}


# ------------------------------------------------------------------- the table --

@contextlib.contextmanager
def sleeper(path, user):
    """A process that has a file mapped, and where."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        if user:
            rights.become_nobody()
        fd = os.open(path, os.O_RDONLY)
        os.write(writer, struct.pack("=Q", lib.map_fd(fd, lib.PAGE)))
        signal.pause()
    address = struct.unpack("=Q", os.read(reader, 8))[0]
    try:
        yield child, address
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def ask_everybody():
    with lib.tmpfs() as directory, rights.device_for_all(), contextlib.ExitStack() as stack:
        os.chmod(directory, 0o755)
        paths = {}
        for name, owner in (("file", 0), ("his_file", rights.NOBODY), ("roots_file", 0)):
            paths[name] = os.path.join(directory, name)
            content = with_id(b"\x12" * 20) if name == "file" else b"not an ELF file"
            lib.write_bytes(paths[name], content)
            os.chown(paths[name], owner, owner)
            lib.settle_times(paths[name])
        stat = os.stat(paths["file"])
        another, address = stack.enter_context(sleeper(paths["file"], False))
        his, same = stack.enter_context(sleeper(paths["file"], True))
        equal(address, same, "address in a copy of this process")
        shared = dict(paths, another=another, his=his, address=address,
                      key=((os.major(stat.st_dev), os.minor(stat.st_dev)), stat.st_ino))
        # an earlier filesystem with this one's device number may have had trees
        stream.flush()
        answers = {}
        for who in WHO:     # of which some may FLUSH
            with stream.Watch() as watch:
                mapped, _ = watch.see(lib.map_file, paths["file"])
            answers[who] = lib.in_child(all_answers, who, dict(shared, file_id=mapped.file_id))
        return answers


found = {}


@test("everybody can be asked")
def _():
    found.update(ask_everybody())


header, *rows = TABLE.strip().splitlines()
equal(tuple(header.split()), WHO, "columns of the table")
names = [row[:29].strip() for row in rows]
equal(names, list(ENTRY_POINTS), "rows of the table")

for row in rows:
    @test(f"who may: {row[:29].strip()}")
    def _(name=row[:29].strip(), wanted=row[29:].split()):
        equal({who: found[who][name] for who in WHO}, dict(zip(WHO, wanted)), name)


@test("by default nobody but root opens the device")
def _():
    # the tests above have changed it
    lib.reload()
    equal(stat.S_IMODE(os.stat(lib.DEVICE).st_mode), 0o600, "mode")

    def try_to():
        rights.become_nobody(rights.CAP_PERFMON, rights.CAP_SYS_ADMIN)
        try:
            Device()
        except OSError as error:
            return errno.errorcode[error.errno]
        return "ok"
    equal(lib.in_child(try_to), "EACCES", "error")


run()
