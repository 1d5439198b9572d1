#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Subscriptions to the device, and who would misuse them or be let down by them."""

import contextlib
import errno
import os
import resource
import select
import signal

import lib
import rights
import stream
from device import SUB_CHILDREN, Device, Mmap, parse_all
from lib import built, fails_with
from tap import equal, run, test

MIB = 1 << 20
KPROBES = "/sys/kernel/debug/kprobes/enabled"
FTRACE = "/proc/sys/kernel/ftrace_enabled"


# ------------------------------------------------------------ edge triggered --

def read_all(device):
    """As a runtime does that waits for edges: until there is nothing more."""
    records = []
    while True:
        try:
            records += parse_all(os.read(device.fd, 1 << 16))
        except BlockingIOError:
            return records


@test("a reader that waits for edges gets every mapping")
def _():
    with Device() as device, select.epoll() as epoll:
        device.subscribe(pids=[os.getpid()])
        os.set_blocking(device.fd, False)
        epoll.register(device.fd, select.EPOLLIN | select.EPOLLET)
        told = 0
        for number in range(20):
            lib.map_file(built("id8"))
            assert epoll.poll(10), f"not woken for mapping {number + 1}"
            told += sum(isinstance(record, Mmap) for record in read_all(device))
        equal(told, 20, "mappings")


@test("also one with a watermark")
def _():
    with Device() as device, select.epoll() as epoll:
        device.subscribe(SUB_CHILDREN, watermark=4096, pids=[os.getpid()])
        os.set_blocking(device.fd, False)
        epoll.register(device.fd, select.EPOLLIN | select.EPOLLET)
        for number in range(10):
            lib.run(built("maps"), "100", built("id8"))
            assert epoll.poll(10), f"not woken the {number + 1}. time"
            read_all(device)


# --------------------------------------------------------------------- rights --

@test("nobody watches himself become root")
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
            told = [hex(record.addr) for record in device.read(0) if isinstance(record, Mmap)]
        except OSError as error:    # there is no ring
            equal(errno.errorcode[error.errno], "ENXIO", "error")
            told = []
        equal(told, [], "addresses of a setuid program")


def rings_until_full(size):
    with contextlib.ExitStack() as stack:
        for count in range(20):
            try:
                stack.enter_context(Device()).subscribe(ring_size=size)
            except OSError as error:
                equal(errno.errorcode[error.errno], "ENOMEM", "error")
                return count
    return 20


@test("rings count against RLIMIT_MEMLOCK, and no more once they are closed")
def _():
    def fill(*capabilities):
        # Debian's default for one processor of perf_event_mlock_kb is beside it
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (MIB, MIB))
        rights.become_nobody(rights.CAP_PERFMON, *capabilities)
        return [rings_until_full(size) for size in (4 * MIB, MIB // 4, MIB // 4, 4 * MIB)]
    with rights.device_for_all():
        found = lib.in_child(fill)
        print(f"# rings of 4 MiB and of 256 KiB in 1 MiB: {found}")
        equal(found[0], 0, "rings of 4 MiB")
        assert 1 <= found[1] <= 4, f"{found[1]} rings of 256 KiB"
        equal(found[2:], [found[1], 0], "once more, when they were closed")
        equal(lib.in_child(fill, rights.CAP_IPC_LOCK), [20] * 4, "with CAP_IPC_LOCK")


@test("a ring that is passed on and outlives its owner does not count for ever")
def _():
    def fill():
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (MIB, MIB))
        rights.become_nobody(rights.CAP_PERFMON)
        for _ in range(10):
            child = os.fork()
            if not child:
                os._exit(rings_until_full(MIB // 4))
            status = os.waitpid(child, 0)[1]
            assert os.waitstatus_to_exitcode(status) >= 1, "no ring to be had"
        return True
    with rights.device_for_all():
        lib.in_child(fill)


# ---------------------------------------------------------------------- sizes --

@test("a ring holds the longest record twice, at least")
def _():
    with Device() as device:
        info = device.info()
        equal((info["record_max"], info["ring_min"]), (8192, 16384), "limits in INFO")
        for size in (4096, 8192):
            fails_with(errno.EINVAL, device.subscribe, ring_size=size)
        device.subscribe(ring_size=info["ring_min"])
    with Device() as device:
        fails_with(errno.EINVAL, device.subscribe, ring_size=2 * info["ring_max"])


# ---------------------------------------------------------------------- probes --

@contextlib.contextmanager
def switched_off(path):
    with open(path, encoding="ascii") as file:
        before = file.read()
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write("0")
        yield
    finally:
        with open(path, "w", encoding="ascii") as file:
            file.write(before)


for what, switch in (("kprobes are", KPROBES), ("ftrace is", FTRACE)):
    @test(f"when {what} turned off after load, INFO and mon say that nothing is seen")
    def _(switch=switch):
        def armed():
            with Device() as device:
                return bool(device.info()["status"] & 1)
        equal(armed(), True, "armed before")
        with switched_off(switch):
            with stream.Watch() as watch:
                lib.map_file(built("id8"))
                equal(watch.drain(), [], "mappings seen, or else this test shows nothing")
            equal(armed(), False, "armed")
            with lib.started("buildid", "mon", stderr=lib.subprocess.PIPE,
                             stdout=lib.subprocess.DEVNULL) as mon:
                reader = select.poll()
                reader.register(mon.stderr.fileno(), select.POLLIN)
                assert reader.poll(30000), "mon says nothing"
                warning = os.read(mon.stderr.fileno(), 4096).decode()
                print(f"# mon: {warning.strip()}")
                mon.send_signal(signal.SIGINT)
        equal(armed(), True, "armed again")


run()
