#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What went wrong in modules like this one: the table in SECURITY.md says of which CVE each is."""

import contextlib
import ctypes
import errno
import glob
import mmap
import os
import re
import socket
import threading

import lib
import stream
from device import Device
from image import with_id
from lib import PAGE, built
from tap import Skip, equal, run, test

TRACING = "/sys/kernel/tracing"
RWX = lib.RX | mmap.PROT_WRITE


# ------------------------------------- CVE-2026-74590: a struct is read twice --

@test("another thread rewrites the structs of ioctls: nothing around them is written to")
def _():
    calls = 1000 if lib.DEBUG else 20000
    text = lib.run(built("rewritten"), str(calls)).stdout
    succeeded = dict(line.split() for line in text.splitlines())
    print(f"# succeeded, of {calls}: {succeeded}")
    equal(sorted(succeeded), ["INFO", "MAPS", "SET_COOKIE", "STATS"])
    for name, count in succeeded.items():
        assert 0 < int(count) < calls, f"{name} was never met: {count}"


# --------------------------- CVE-2026-23002: files whose mapping has no read_folio --

@contextlib.contextmanager
def packet_ring():
    """A socket's ring, of one page."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as ring:
        ring.setsockopt(263, 5, b"".join(n.to_bytes(4, "little")     # SOL_PACKET, PACKET_RX_RING
                                         for n in (PAGE, 1, PAGE, 1)))
        yield ring.fileno(), PAGE, mmap.MAP_SHARED


@contextlib.contextmanager
def opened(path, size=PAGE, flags=mmap.MAP_PRIVATE, mode=os.O_RDONLY):
    fd = os.open(path, mode)
    try:
        yield fd, size, flags
    finally:
        os.close(fd)


@contextlib.contextmanager
def memfd(flags=0, size=PAGE):
    """Without a page in memory."""
    fd = os.memfd_create("code", flags)
    try:
        os.ftruncate(fd, size)
        yield fd, size, mmap.MAP_PRIVATE
    finally:
        os.close(fd)


@contextlib.contextmanager
def huge():
    with lib.written("/proc/sys/vm/nr_hugepages", "2"), memfd(4, 2 << 20) as file:
        yield file


@contextlib.contextmanager
def open_memfd():
    """With its content, and open for writing."""
    with memfd() as (fd, size, flags):
        os.write(fd, with_id(b"\x99" * 20))
        yield fd, size, flags


FILES = {
    "a memfd with nothing in memory": memfd,
    "a memfd that is open for writing": open_memfd,
    "huge pages": huge,
    "/dev/zero": lambda: opened("/dev/zero"),
    "/dev/kmsg": lambda: opened("/dev/kmsg"),
    "/dev/mem": lambda: opened("/dev/mem", flags=mmap.MAP_SHARED),
    "/dev/buildid": lambda: opened("/dev/buildid", mode=os.O_RDWR),
    "a packet socket": packet_ring,
    "a file of proc": lambda: opened("/proc/self/maps"),
    "a file of sysfs": lambda: opened("/sys/kernel/notes"),
    "a resource of a PCI device": lambda: opened(
        sorted(glob.glob("/sys/bus/pci/devices/*/resource[0-9]"))[0], flags=mmap.MAP_SHARED,
        mode=os.O_RDWR),
}

for what, get in FILES.items():
    @test(f"mapped executable, and asked about: {what}")
    def _(get=get):
        with stream.Watch() as watch, get() as (fd, size, flags):
            try:
                address = lib.map_fd(fd, size, flags=flags)
            except OSError as error:
                print(f"# not mapped: {errno.errorcode[error.errno]}")
                return
            with Device() as device:
                device.maps(os.getpid())
                with contextlib.suppress(OSError):
                    device.resolve_fd(fd)
            lib.unmap(address, size)
            for mapped in watch.settle():
                if mapped.file_id in watch.files:
                    print(f"# {watch.files[mapped.file_id].reason}")


# ------------------------------- CVE-2026-23199: a block device, mapped and read --

@test("a block device that is mapped, and read to the memory where it is mapped")
def _():
    with lib.loop_device() as path, open(path, "r+b", buffering=0) as disk:
        fd = disk.fileno()
        os.pwrite(fd, with_id(b"\x66" * 20), 0)
        with stream.Watch() as watch:
            mapped, file = watch.see(lib.map_fd, fd, 4 * PAGE, RWX, mmap.MAP_SHARED)
            equal((file.kind, file.reason), ("none", "not-regular"), "kind and reason")
            equal(mapped.len, 4 * PAGE)
            into = (ctypes.c_char * PAGE).from_address(mapped.addr + 2 * PAGE)

            def ask():
                with Device() as device:
                    for _ in range(50):
                        device.maps(os.getpid())
            asking = threading.Thread(target=ask)
            asking.start()
            for _ in range(50):
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
                equal(os.preadv(fd, [into], 0), PAGE, "bytes read")
            asking.join()
            equal(bytes(into), with_id(b"\x66" * 20), "what was read")
            lib.unmap(mapped.addr, 4 * PAGE)


# ----------------------- CVE-2026-98856: another probe within the same function --

def write_tracing(name, text, how=os.O_APPEND):
    # open() goes to the end of a file to append to it, which this one refuses
    fd = os.open(os.path.join(TRACING, name), os.O_WRONLY | how)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def add_inner_probe():
    """At the first instruction behind the function's first that can be probed."""
    for offset in range(6, 64):
        try:
            write_tracing("kprobe_events", f"p:buildid_test/inner perf_event_mmap+{offset}\n")
            return offset
        except OSError:
            continue
    raise Skip("no instruction of it can be probed")


@contextlib.contextmanager
def other_probes():
    """At its beginning, within it, at its end, and by the function tracer."""
    write_tracing("kprobe_events", "p:buildid_test/first perf_event_mmap\n")
    write_tracing("kprobe_events", "r:buildid_test/last perf_event_mmap\n")
    print(f"# the inner one is at +{add_inner_probe()}")
    write_tracing("set_ftrace_filter", "perf_event_mmap\n", os.O_TRUNC)
    write_tracing("current_tracer", "function\n", os.O_TRUNC)
    write_tracing("events/buildid_test/enable", "1\n", os.O_TRUNC)
    try:
        yield
    finally:
        write_tracing("events/buildid_test/enable", "0\n", os.O_TRUNC)
        write_tracing("current_tracer", "nop\n", os.O_TRUNC)
        write_tracing("set_ftrace_filter", "\n", os.O_TRUNC)
        write_tracing("kprobe_events", "-:buildid_test/first\n-:buildid_test/last\n"
                      "-:buildid_test/inner\n")


def sees_each_mapping_once():
    with stream.Watch() as watch:
        for name in "id8", "id16", "id20":
            mapped, file = watch.see(lib.map_file, built(name))
            equal((mapped.comm, file.kind), (lib.read_bytes("/proc/self/comm").decode().strip(),
                                             "gnu"))


@test("other probes at and within perf_event_mmap: each mapping is seen once, whoever goes first")
def _():
    with other_probes():
        sees_each_mapping_once()
        text = lib.read_bytes(os.path.join(TRACING, "trace")).decode()
        for name in "first", "last", "inner":
            assert re.search(rf"\b{name}:", text), f"the probe {name} has not fired"
        # ours goes first, and comes when they are there
        lib.reload()
        sees_each_mapping_once()
    sees_each_mapping_once()
    equal(stream.stats()["missed_probe"], 0, "missed")


run()
