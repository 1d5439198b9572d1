#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""SUBSCRIBE: who may, what a ring counts against, what passes the filters, and how a
reader is woken."""

import contextlib
import errno
import mmap
import os
import resource
import select
import socket
import subprocess
import threading
import time

import lib
import rights
import stream
from device import (SUB_CGROUP, SUB_CHILDREN, SUB_DATA, SUB_TASKS, SUB_UID, Device, Mmap,
                    parse_all)
from lib import built, fails_with
from tap import equal, run, test

MIB = 1 << 20


# ---------------------------------------------------------------------- rights --

def attempt(device, **options):
    """The size of the ring, or the error."""
    try:
        return device.subscribe(**options)[1]
    except OSError as error:
        return -error.errno


def with_rights(function, *capabilities, memlock=None):
    """What @function returns as nobody, with these capabilities and that limit."""
    def call():
        if memlock:
            # Debian's default for one processor of perf_event_mlock_kb is beside it
            resource.setrlimit(resource.RLIMIT_MEMLOCK, (memlock, memlock))
        rights.become_nobody(*capabilities)
        return function()
    with rights.device_for_all():
        return lib.in_child(call)


@test("nobody subscribes without a capability, not even to itself")
def _():
    def attempts():
        return [attempt(Device(), pids=[os.getpid()]), attempt(Device())]
    equal(with_rights(attempts), [-errno.EPERM] * 2, "nobody")
    equal(with_rights(attempts, rights.CAP_PERFMON), [MIB] * 2, "with CAP_PERFMON")


@test("nobody watches itself become root")
def _():
    with lib.directory() as directory, rights.device_for_all(), Device() as device:
        os.chmod(directory, 0o755)
        path = os.path.join(directory, "program")
        lib.write_bytes(path, lib.read_bytes("/usr/bin/true"), 0o4755)
        child = os.fork()
        if not child:
            rights.become_nobody()
            with contextlib.suppress(PermissionError):
                device.subscribe(pids=[os.getpid()])
            os.execv(path, ["program"])
        equal(os.waitpid(child, 0)[1], 0, "status of the program")
        try:
            sent = [hex(record.addr) for record in device.read(0) if isinstance(record, Mmap)]
        except OSError as error:    # there is no ring
            equal(errno.errorcode[error.errno], "ENXIO", "error")
            sent = []
        equal(sent, [], "addresses of a setuid program")


# ---------------------------------------------------------------------- memory --

@test("rings count against the user's RLIMIT_MEMLOCK as long as they exist")
def _():
    def attempts(largest=MIB):
        a, b, c = Device(), Device(), Device()
        found = [attempt(a, ring_size=largest), attempt(a, ring_size=MIB // 2),
                 attempt(b, ring_size=MIB // 2), attempt(b, ring_size=MIB // 4)]
        a.close()
        return found + [attempt(c, ring_size=MIB // 2)]
    for again in ("", "again"):     # all of it was given back when the first process ended
        equal(with_rights(attempts, rights.CAP_PERFMON, memlock=MIB),
              [-errno.ENOMEM, MIB // 2, -errno.ENOMEM, MIB // 4, MIB // 2], f"sizes {again}")
    equal(with_rights(lambda: [rings_until_full(MIB // 4) for _ in range(2)], rights.CAP_PERFMON,
                      memlock=MIB), [3] * 2, "rings of 256 KiB with what belongs to them, twice")
    equal(with_rights(lambda: rings_until_full(MIB // 4), rights.CAP_PERFMON, rights.CAP_IPC_LOCK,
                      memlock=MIB), 20, "with CAP_IPC_LOCK")
    equal(with_rights(lambda: attempts(64 * MIB), rights.CAP_PERFMON, rights.CAP_IPC_LOCK,
                      memlock=MIB)[0], 64 * MIB, "with CAP_IPC_LOCK")


def rings_until_full(size):
    with contextlib.ExitStack() as stack:
        for count in range(20):
            try:
                stack.enter_context(Device()).subscribe(ring_size=size)
            except OSError as error:
                equal(errno.errorcode[error.errno], "ENOMEM", "error")
                return count
    return 20


@test("a ring that is passed on and outlives its owner does not count for ever")
def _():
    def pass_on(to):
        devices = [Device()]
        while attempt(devices[-1], ring_size=MIB // 4) > 0:
            devices.append(Device())
        socket.send_fds(to, [b"-"], [device.fd for device in devices])
        return len(devices) - 1

    for again in range(10):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            equal(with_rights(lambda: pass_on(theirs), rights.CAP_PERFMON, memlock=MIB), 3,
                  f"rings, after {again} times")
            _, fds, _, _ = socket.recv_fds(ours, 1, 20)
        equal(with_rights(lambda: rings_until_full(MIB // 4), rights.CAP_PERFMON, memlock=MIB), 0,
              "rings while root has those of before")
        # by another user, who was not charged
        for fd in fds:
            os.close(fd)


@test("what a subscription holds beside its ring counts, too")
def _():
    def attempts():
        found = []
        for flags in (0, SUB_CHILDREN):
            with Device() as device:
                found.append(attempt(device, flags=flags, ring_size=MIB // 4, pids=[os.getpid()]))
        return found
    # 280 KiB for the ring, 512 for all processes that there may be
    equal(with_rights(attempts, rights.CAP_PERFMON, memlock=MIB // 2), [MIB // 4, -errno.ENOMEM],
          "without and with CHILDREN")
    equal(with_rights(attempts, rights.CAP_PERFMON, memlock=MIB), [MIB // 4] * 2, "with more")


@test("no user but root takes more than half of the subscriptions")
def _():
    def take_all(release, taken):
        devices = []
        try:
            while len(devices) < 100:
                devices.append(Device())
                devices[-1].subscribe(ring_size=16384, pids=[os.getpid()])
        except OSError as error:
            equal(errno.errorcode[error.errno], "EUSERS", "error")
        os.write(taken, bytes([len(devices) - 1]))
        os.read(release, 1)

    with Device() as device:
        most = device.info()["subscribers_max"]
    counted, taken = os.pipe()
    release, released = os.pipe()
    with rights.device_for_all(), contextlib.ExitStack() as stack:
        child = lib.forked(lambda: (rights.become_nobody(rights.CAP_PERFMON, rights.CAP_IPC_LOCK),
                                    take_all(release, taken)))
        equal(os.read(counted, 1)[0], most // 2, "subscriptions of nobody")
        for _ in range(most // 2):
            stack.enter_context(Device()).subscribe(ring_size=16384, pids=[os.getpid()])
        fails_with(errno.EUSERS, stack.enter_context(Device()).subscribe)
        os.write(released, b"x")
        equal(os.waitpid(child, 0)[1], 0, "status of nobody's process")
        # whose subscriptions end behind it: there is room at once all the same
        for _ in range(most // 2):
            stack.enter_context(Device()).subscribe(ring_size=16384, pids=[os.getpid()])


# --------------------------------------------------------------------- closing --

TRACING = "/sys/kernel/tracing"


def grace_periods(function):
    """How often this process waits for one in a function."""
    if not os.path.exists(f"{TRACING}/kprobe_events"):
        lib.mount("tracefs", TRACING, "tracefs")
    event = f"{TRACING}/events/kprobes/waits"
    lib.write_bytes(f"{TRACING}/kprobe_events", b"p:waits synchronize_rcu\n")
    try:
        lib.write_bytes(f"{event}/filter", f"common_pid == {os.getpid()}".encode())
        lib.write_bytes(f"{event}/enable", b"1")
        lib.write_bytes(f"{TRACING}/trace", b"")
        function()
        lib.write_bytes(f"{event}/enable", b"0")
        return lib.read_bytes(f"{TRACING}/trace").count(b"waits:")
    finally:
        lib.write_bytes(f"{TRACING}/kprobe_events", b"")    # which removes it


@test("whoever closes a subscription waits for nothing")
def _():
    for flags in (0, SUB_CHILDREN, SUB_TASKS):
        devices = [Device() for _ in range(2)]

        def subscribe_all():
            for device in devices:
                device.subscribe(flags, ring_size=16384, pids=[os.getpid()])
        waits = grace_periods(subscribe_all)
        if flags == SUB_CHILDREN:
            assert waits, "this test shows nothing"
        equal(grace_periods(lambda: [device.close() for device in devices]), 0,
              f"grace periods, with flags {flags}")


# --------------------------------------------------------------------- filters --

def map_data(path):
    lib.map_file(path, prot=mmap.PROT_READ)


@test("a pid filters, also where the subscriber knows the file and a plain record will do")
def _():
    with Device() as device:
        device.subscribe(flags=0, pids=[os.getpid()])
        lib.map_file(built("id8"))
        lib.in_child(lib.map_file, built("id8"))
        lib.map_file(built("id8"))
        pids = [record.pid for record in device.read(5) if isinstance(record, Mmap)]
    equal(pids, [os.getpid()] * 2, "pids of those who mapped it")


@test("data mappings of others are not even looked at")
def _():
    with stream.Watch(flags=SUB_DATA) as watch, lib.tmpfs() as directory:
        path = os.path.join(directory, "data")
        lib.write_bytes(path, lib.read_bytes(built("id8")))
        stat = os.stat(path)
        key = (os.major(stat.st_dev), os.minor(stat.st_dev)), stat.st_ino
        watch.flush()       # of what had the numbers before
        lib.in_child(map_data, path)
        fails_with(errno.ENOENT, watch.resolve_key, *key)
        map_data(path)
        watch.settle()
        equal(watch.resolve_key(*key).path, path, "path")


def watched(device, commands):
    """comms whose mappings arrive while the shell commands run."""
    comms = set()
    for command in commands:
        subprocess.run(["sh", "-c", command], check=True)
    for r in device.read(5):
        if isinstance(r, Mmap):
            comms.add(r.comm)
    return comms


@test("children of a watched process are watched, too")
def _():
    shell = subprocess.Popen(["sh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with Device() as device:
        device.subscribe(flags=SUB_CHILDREN, pids=[shell.pid])
        # one that loses its parent before it execs is a descendant all the same; it is the last
        # that has the pipe
        shell.communicate("sh -c 'sh -c \"sleep 0.2; exec env true\" & exit 0'; uname\n")
        comms = watched(device, ["date > /dev/null"])
    assert {"uname", "true", "env", "sleep"} <= comms, comms
    assert "date" not in comms, comms


@test("children that existed before are watched, too")
def _():
    shell = subprocess.Popen(["sh", "-c", "(read x; uname > /dev/null) ; true"],
                             stdin=subprocess.PIPE, text=True)
    while len(subprocess.run(["pgrep", "-P", str(shell.pid)], capture_output=True,
                             check=False).stdout) == 0:
        time.sleep(0.01)
    with Device() as device:
        device.subscribe(flags=SUB_CHILDREN, pids=[shell.pid])
        shell.communicate("go\n")
        comms = watched(device, ["date > /dev/null"])
    assert "uname" in comms and "date" not in comms, comms


@test("a uid filters")
def _():
    with Device() as device:
        device.subscribe(flags=SUB_UID, uid=65534)
        comms = watched(device, ["uname > /dev/null",
                                 "setpriv --reuid 65534 date > /dev/null"])
    assert "date" in comms and "uname" not in comms, comms


@test("a cgroup filters, with what is below it")
def _():
    with lib.cgroups() as group, Device() as device:
        fd = os.open(group, os.O_RDONLY | os.O_DIRECTORY)
        device.subscribe(flags=SUB_CGROUP, cgroup_fd=fd)
        os.close(fd)
        comms = watched(device, ["uname > /dev/null",
                                 f"echo $$ > {group}/below/cgroup.procs; date > /dev/null"])
    assert "date" in comms and "uname" not in comms, comms


@test("a cgroup that was removed is no filter: ENOENT")
def _():
    with lib.cgroups() as group, Device() as device:
        gone = os.path.join(group, "gone")
        os.mkdir(gone)
        fd = os.open(gone, os.O_RDONLY | os.O_DIRECTORY)
        os.rmdir(gone)
        fails_with(errno.ENOENT, device.subscribe, flags=SUB_CGROUP, cgroup_fd=fd)
        os.close(fd)


# ---------------------------------------------------------------------- waking --

@contextlib.contextmanager
def edges(flags=0, **options):
    """A subscription to this process, and what a reader waits for edges with."""
    with Device() as device, select.epoll() as epoll:
        device.subscribe(flags, pids=[os.getpid()], **options)
        os.set_blocking(device.fd, False)
        epoll.register(device.fd, select.EPOLLIN | select.EPOLLET)
        yield device, epoll


def read_all(device, size=1 << 16):
    """Until there is nothing more, as such a reader has to."""
    records = []
    with contextlib.suppress(BlockingIOError):
        while True:
            records += parse_all(os.read(device.fd, size))
    return records


@test("a reader that waits for edges gets every mapping")
def _():
    with edges() as (device, epoll):
        seen = 0
        for number in range(50):
            lib.map_file(built("id8"))
            assert epoll.poll(lib.TIMEOUT), f"not woken for mapping {number + 1}"
            seen += sum(isinstance(record, Mmap) for record in read_all(device))
        equal(seen, 50, "mappings")


@test("also one that began to wait before there was a ring")
def _():
    with Device() as device, select.epoll() as epoll:
        os.set_blocking(device.fd, False)
        epoll.register(device.fd, select.EPOLLIN | select.EPOLLET)
        epoll.poll(0)
        device.subscribe(pids=[os.getpid()])
        lib.map_file(built("id8"))
        assert epoll.poll(lib.TIMEOUT), "not woken"
        assert read_all(device), "nothing to read"


@test("also one with a watermark")
def _():
    with edges(SUB_CHILDREN, watermark=4096) as (device, epoll):
        for number in range(10):
            lib.run(built("maps"), "100", built("id8"))
            assert epoll.poll(lib.TIMEOUT), f"not woken in round {number + 1}"
            read_all(device)


@test("also with many writers at a time, whose records are finished in any order")
def _():
    count, writers = (20, 4) if lib.DEBUG else (200, 4)
    for watermark in (0, 1024):
        with edges(SUB_CHILDREN, watermark=watermark) as (device, epoll):
            started = [subprocess.Popen([built("maps"), str(count), built("id8")])
                       for _ in range(writers)]
            pids = {writer.pid for writer in started}
            wanted, seen = writers * count, 0
            # the last ones may be less than the watermark
            while seen < wanted - watermark // 100:
                assert epoll.poll(lib.TIMEOUT), f"not woken after {seen} of {wanted}"
                seen += sum(isinstance(record, Mmap) and record.pid in pids
                            for record in read_all(device))
            for writer in started:
                equal(writer.wait(lib.TIMEOUT), 0, "status of a writer")


@test("also one that reads a record at a time, and waits before it comes")
def _():
    with edges() as (device, epoll):
        for _ in range(20):
            timer = threading.Timer(0.01, lib.map_file, [built("id8")])
            timer.start()
            assert epoll.poll(lib.TIMEOUT), "not woken"
            timer.join()
            assert read_all(device, 512), "nothing to read"


run()
