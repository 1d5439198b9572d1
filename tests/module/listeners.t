#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Netlink: nobody hears what he may not, nobody makes others deaf, and nothing that a
socket does or leaves undone harms the module or the kernel."""

import contextlib
import errno
import os
import select
import socket
import struct

import lib
import rights
import stream
from device import Lost, Mmap
from genl import CMD_GET, NETLINK_GENERIC, NLM_F_DUMP, Genl
from image import with_id
from lib import built, fails_with
from tap import equal, run, test

SOL_NETLINK, ADD_MEMBERSHIP, DROP_MEMBERSHIP = 270, 1, 2
GROUPS = range(1, 65)
CTRL = 16
RING = 16384
COUNT = 300
# Files whose records do not fit into what a socket takes at once.
MANY = 600


def as_nobody(function, *arguments):
    def start():
        rights.become_nobody()
        return function(*arguments)
    return lib.in_child(start)


def generic_socket():
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
    sock.bind((0, 0))
    return sock


def set_groups(sock, option):
    """In how many that was allowed."""
    done = 0
    for group in GROUPS:
        try:
            sock.setsockopt(SOL_NETLINK, option, group)
            done += 1
        except OSError:
            pass
    return done


def heard(sock):
    """Messages that are not the controller's, and not answers."""
    sock.setblocking(False)
    count = 0
    while True:
        try:
            data = sock.recv(1 << 16)
        except BlockingIOError:
            return count
        except OSError as error:    # of those it had no room for
            equal(errno.errorcode[error.errno], "ENOBUFS", "error")
            count += 1
            continue
        kind = struct.unpack_from("=H", data, 4)[0]
        count += kind > CTRL


@contextlib.contextmanager
def helper(function):
    """A process of nobody's: calls it with a function that waits for a word of ours."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if not child:
        status = 1
        try:
            ours.close()
            rights.become_nobody()

            def wait():
                theirs.send(b"x")
                theirs.recv(1)
            function(wait)
            status = 0
        finally:
            os._exit(status)
    theirs.close()
    try:
        yield lambda: (ours.recv(1), ours.send(b"x"))
    finally:
        ours.close()
        equal(os.waitpid(child, 0)[1], 0, "status of the helper")


@test("who has joined every group before the module was loaded hears nothing")
def _():
    reader, writer = os.pipe()

    def join_and_listen(wait):
        sock = generic_socket()
        joined = set_groups(sock, ADD_MEMBERSHIP)
        wait()
        wait()
        os.write(writer, struct.pack("=2I", joined, heard(sock)))

    lib.unload()
    with helper(join_and_listen) as step:
        step()
        lib.load()
        with lib.Mon("--netlink") as mon:
            lib.map_file(built("id8"))
            lib.run("/bin/true")
        assert mon.lines, "the listener who may has heard nothing"
        step()
    joined, count = struct.unpack("=2I", os.read(reader, 8))
    assert joined, "no group could be joined: this test shows nothing"
    equal(count, 0, f"messages heard, in {joined} groups")


@test("leaving groups one is not in, and joining them twice, makes nobody deaf")
def _():
    def join_and_leave():
        for _ in range(3):
            sock = generic_socket()
            set_groups(sock, ADD_MEMBERSHIP)
            set_groups(sock, ADD_MEMBERSHIP)
            set_groups(sock, DROP_MEMBERSHIP)
            set_groups(sock, DROP_MEMBERSHIP)
            sock.close()
    as_nobody(join_and_leave)
    with lib.Mon("--netlink") as mon:
        as_nobody(join_and_leave)
        lib.map_file(built("id8"))
    equal([line["path"] for line in mon.lines if line.get("path") == built("id8")],
          [built("id8")], "what the listener has heard")


@test("and the module is unloaded and loaded again")
def _():
    lib.reload()
    with lib.Mon("--netlink") as mon:
        lib.map_file(built("id8"))
    assert mon.lines, "the listener has heard nothing"


def take_port(port):
    """Of a socket that another process has open, as soon as that is let go of."""
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
    while True:
        try:
            sock.bind((port, 0))
            return sock
        except OSError as error:
            equal(errno.errorcode[error.errno], "EADDRINUSE", "error")


@test("who takes over the port of a listener while that goes hears nothing")
def _():
    def take_over(wait):
        genl.socket.close()
        wait()
        sock = take_port(port)
        wait()
        wait()
        os.write(writer, struct.pack("=I", heard(sock)))

    reader, writer = os.pipe()
    with lib.started(built("maps"), "1000000", built("id8")), Genl() as other:
        other.subscribe(pids=[os.getpid()])
        for _ in range(10):
            genl = Genl()
            port = genl.socket.getsockname()[0]
            genl.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            full = stream.stats()["ring_full"]
            genl.subscribe(ring_size=RING)
            assert genl.receive(), "the listener has heard nothing"
            lib.until(lambda: stream.stats()["ring_full"] > full, "records wait for the socket")
            with helper(take_over) as step:
                step()
                genl.socket.close()
                step()
                # nor what comes later
                lib.map_file(built("id8"))
                assert other.receive(), "who may listen has heard nothing"
                step()
            equal(struct.unpack("=I", os.read(reader, 4))[0], 0, "messages heard")
    lib.until(lambda: not stream.stats()["subscribers"], "all subscriptions have ended")


@test("a subscription ends with its socket, also in the middle of the stream")
def _():
    before = stream.stats()["subscribers"]
    with lib.started(built("maps"), "1000000", built("id8")):
        for number in range(10 if lib.DEBUG else 60):
            with Genl() as genl:
                genl.subscribe(ring_size=RING)
                for _ in range(number % 4):
                    genl.receive()
    lib.until(lambda: stream.stats()["subscribers"] == before, "all subscriptions have ended")


@test("a socket has one subscription, and all sockets as many as there are rings")
def _():
    with Genl() as genl, contextlib.ExitStack() as stack:
        genl.subscribe(ring_size=RING, pids=[os.getpid()])
        fails_with(errno.EBUSY, genl.subscribe)
        most = stack.enter_context(stream.Device()).info()["subscribers_max"]
        for _ in range(most - stream.stats()["subscribers"]):
            stack.enter_context(Genl()).subscribe(ring_size=RING, pids=[os.getpid()])
        fails_with(errno.EUSERS, stack.enter_context(Genl()).subscribe)
        fails_with(errno.EUSERS, stack.enter_context(stream.Device()).subscribe)
    lib.until(lambda: not stream.stats()["subscribers"], "all subscriptions have ended")


class NetlinkStream(stream.Stream):
    """Records as a listener receives them, checked as those of a ring are."""

    def __init__(self, genl):
        super().__init__()
        self.genl = genl

    def take(self, done):
        self.genl.socket.settimeout(lib.TIMEOUT)
        while not done():
            self.add(self.genl.receive())


@test("what a socket that is not read does not get is counted in LOST, exactly")
def _():
    with Genl() as genl:
        genl.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        genl.subscribe(ring_size=RING, pids=[os.getpid()])
        stream_ = NetlinkStream(genl)
        for _ in range(COUNT):
            lib.map_file(built("id8"))

        def is_reported():
            return any(isinstance(record, Lost) for record in stream_.records)
        stream_.take(is_reported)
        # and on from there: nothing more is lost as long as it is read
        lib.map_file(built("id16"))
        stream_.take(lambda: any(file.path == built("id16") for file in stream_.files.values()))
        lost = [record for record in stream_.records if isinstance(record, Lost)]
        mmaps = sum(record.ring_full_mmaps for record in lost)
        print(f"# {len(stream_.mmaps)} mappings sent, {mmaps} lost, of {COUNT + 1}")
        assert mmaps, "nothing was lost"
        equal(len(stream_.mmaps) + mmaps, COUNT + 1, "mappings sent and lost")


@test("a listener that never reads stands in nobody's way")
def _():
    with Genl() as deaf, Genl() as genl:
        deaf.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.subscribe(ring_size=RING)
        lib.run(built("maps"), str(COUNT), built("id8"))
        genl.subscribe(pids=[os.getpid()])
        lib.map_file(built("id16"))
        stream_ = NetlinkStream(genl)
        stream_.take(lambda: stream_.mmaps)


@test("the module goes although somebody listens, who is told, and comes back without him")
def _():
    with Genl() as genl:
        genl.subscribe(pids=[os.getpid()])
        lib.map_file(built("id8"))
        stream_ = NetlinkStream(genl)
        stream_.take(lambda: stream_.mmaps and not stream_.following())
        with select.epoll() as epoll:
            epoll.register(genl.socket.fileno(), select.EPOLLIN | select.EPOLLET)
            epoll.poll(0)
            lib.unload()
            assert any(event & select.EPOLLERR for _, event in epoll.poll(lib.TIMEOUT)), \
                "the end is no event"
        fails_with(errno.ENODEV, genl.receive)
        lib.load()
        equal(stream.stats()["subscribers"], 0, "subscribers")
        lib.map_file(built("id8"))
        with Genl() as other:
            other.subscribe(pids=[os.getpid()])
            lib.map_file(built("id8"))
            assert [r for r in other.receive() if isinstance(r, Mmap)], "nothing heard"
        equal(heard(genl.socket), 0, "messages to who had subscribed before")


@test("the module stays while somebody has read a dump in part, whether it is read on or closed")
def _():
    with lib.tmpfs() as work:
        for number in range(MANY):
            path = os.path.join(work, str(number))
            lib.write_bytes(path, with_id(number.to_bytes(20, "little")))
            lib.map_file(path)
        for goes_on in (False, True):
            with Genl() as genl:
                parts = genl.request(genl.family, CMD_GET, NLM_F_DUMP)
                next(parts)
                lib.run("rmmod", "buildid", status=1)
                if goes_on:
                    assert len(list(parts)) >= MANY - 1, "files in the dump"
    lib.unload()
    lib.load()


@test("buildid mon --netlink says that the module went, and goes on when it is back")
def _():
    with lib.directory() as work:
        paths = [os.path.join(work, name) for name in ("out", "err")]
        with open(paths[0], "wb") as out, open(paths[1], "wb") as err, \
                lib.started("buildid", "mon", "-j", "--netlink", stdout=out, stderr=err) as mon:
            def prints(where, what):
                assert mon.poll() is None, "mon has ended"
                return what in lib.read_bytes(where).decode()

            def prints_mapping(name):
                lib.map_file(built(name))
                return prints(paths[0], built(name))
            lib.until(lambda: prints_mapping("id8"), "it watches")
            lib.unload()
            lib.until(lambda: prints(paths[1], "unloaded"), "it says that the module went")
            lib.load()
            lib.until(lambda: prints_mapping("id16"), "it watches again")
            assert prints(paths[1], "loaded again"), lib.read_bytes(paths[1])


run()
