#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Structs of callers that are older or newer than the module, or wrong: each ioctl
takes what it can take whole, says what it knows of, and writes no byte of others'."""

import ctypes
import errno
import fcntl
import os
import struct

import lib
import stream
from device import BY_ADDR, BY_FD, BY_ID, BY_KEY, RECORD_MAX, Device, ioc, parse
from image import with_id
from tap import equal, run, test

GUARD, GUARDS = 0xa5, 64
ROOM = ctypes.create_string_buffer(RECORD_MAX * 2 + GUARDS)
IDENTITY = b"a name"

# The fields behind size, and what to ask: values by name, all else 0.
IOCTLS = {
    "INFO": (0, "I Q3 I10 B64 Q3 I64", "abi numbers limits texts clocks known_flags"),
    "STATS": (1, "I Q27", "reserved counters"),
    "SUBSCRIBE": (3, "I I I Q I I i I",
                  "flags ring_size watermark pids nr_pids uid cgroup_fd reserved"),
    "FLUSH": (4, "I Q", "flags flushed"),
    "MAPS": (7, "I I I Q Q Q", "flags pid bytes cursor instance records"),
    "SET_COOKIE": (8, "I i H H Q Q Q", "flags fd kind id_len addr len id"),
    "HISTORY": (10, "I I I Q Q Q", "flags pid bytes cursor records since"),
    **{f"RESOLVE by {by}": (11, "I I I Q i I Q Q Q I I Q Q I I Q",
                            "flags by record_size record fd pid file_id addr start_time dev_major "
                            "dev_minor ino tree generation source offset")
       for by in ("FD", "KEY", "ID", "ADDR")},
}
PUBLISHED = {"INFO": 8}
COOKIE = 5


def format_of(field):
    """Arrays are bytes here."""
    size = struct.calcsize("=" + field[0])
    return f"{size * int(field[1:])}s" if field[1:] else field


class Request:
    """A struct, behind whose end there is what must not be touched."""

    def __init__(self, name, **values):
        self.number, formats, names = IOCTLS[name]
        formats = formats.split()
        self.names = names.split()
        self.format = "=I" + "".join(map(format_of, formats))
        self.size = struct.calcsize(self.format)
        values = [values.get(field, b"" if form[1:] else 0)
                  for field, form in zip(self.names, formats)]
        self.bytes = struct.pack(self.format, self.size, *values)

    def call(self, device, size=None, tail=b""):
        """With the size it says it has, and what is behind what it is. Returns error,
        size and fields after it, and what became of the tail."""
        size = len(self.bytes) + len(tail) if size is None else size
        given = struct.pack("=I", size) + self.bytes[4:] + tail
        buf = bytearray(given + bytes([GUARD]) * GUARDS)
        error = "ok"
        try:
            fcntl.ioctl(device.fd, ioc(self.number, size), buf)
        except OSError as failed:
            error = errno.errorcode[failed.errno]
        equal(buf[max(size, 4):len(given)], given[max(size, 4):], "bytes behind the size")
        equal(set(buf[len(given):]), {GUARD}, "bytes behind the struct")
        after = struct.unpack_from(self.format, buf)
        self.after = bytes(buf[:self.size])
        return error, after[0], dict(zip(self.names, after[1:])), bytes(buf[self.size:len(given)])


class Place:
    """A file that is known, and mapped here."""

    def __init__(self):
        self.fd = os.memfd_create("sizes")
        os.write(self.fd, with_id(b"\x31" * 20))
        self.address = lib.map_fd(self.fd, lib.PAGE)
        self.file = stream.resolve_fd(self.fd)


PLACE = Place()
IDENTITY_BYTES = ctypes.create_string_buffer(IDENTITY)


def request(name):
    """One that is answered."""
    address = ctypes.addressof(ROOM)
    record = {"record": address, "record_size": RECORD_MAX}
    return Request(name, **{
        "RESOLVE by FD": dict(record, by=BY_FD, fd=PLACE.fd),
        "RESOLVE by KEY": dict(record, by=BY_KEY, dev_major=PLACE.file.dev[0],
                               dev_minor=PLACE.file.dev[1], ino=PLACE.file.ino,
                               generation=PLACE.file.generation),
        "RESOLVE by ADDR": dict(record, by=BY_ADDR, pid=os.getpid(), addr=PLACE.address),
        "RESOLVE by ID": dict(record, by=BY_ID, file_id=PLACE.file.file_id),
        "MAPS": dict(pid=os.getpid(), bytes=2 * RECORD_MAX, records=address),
        "HISTORY": dict(bytes=2 * RECORD_MAX, records=address),
        "SET_COOKIE": dict(kind=COOKIE, id_len=len(IDENTITY), addr=PLACE.address, len=lib.PAGE,
                           id=ctypes.addressof(IDENTITY_BYTES)),
    }.get(name, {}))


def all_but_flush():
    """FLUSH comes last, as the others ask for what is remembered."""
    return sorted(IOCTLS, key=lambda name: name == "FLUSH")


def refresh():
    PLACE.file = stream.resolve_fd(PLACE.fd)


for ioctl in all_but_flush():
    @test(f"{ioctl}: as it is published")
    def _(ioctl=ioctl):
        refresh()
        asked = request(ioctl)
        with Device() as device:
            equal(asked.call(device)[:2], ("ok", asked.size), "answer and size")

    @test(f"{ioctl}: a newer caller's struct is taken when its tail is zero, and left so")
    def _(ioctl=ioctl):
        refresh()
        asked = request(ioctl)
        for more in (1, 8, 64, 4096 - asked.size):
            with Device() as device:
                error, size, _, tail = asked.call(device, tail=bytes(more))
                equal((error, size, any(tail)), ("ok", asked.size, False),
                      f"{more} bytes more: answer, size and tail")

    @test(f"{ioctl}: it is refused when its tail is not, and the size that is known is returned")
    def _(ioctl=ioctl):
        asked = request(ioctl)
        for tail in (b"\1", bytes(7) + b"\1", bytes(1023) + b"\1", bytes(lib.PAGE + 1 - asked.size)):
            with Device() as device:
                error, size, _, after = asked.call(device, tail=tail)
                equal((error, size, after), ("E2BIG", asked.size, tail),
                      f"{len(tail)} bytes more: answer, size and tail")

    @test(f"{ioctl}: a struct that is too short is refused, and nothing written to it")
    def _(ioctl=ioctl):
        asked = request(ioctl)
        asked.bytes = asked.bytes[:4] + b"\xff" * (asked.size - 4)
        least = PUBLISHED.get(ioctl, asked.size)
        for size in {0, 1, 3, 4, least // 2, least - 8, least - 1}:
            with Device() as device:
                error, left, _, _ = asked.call(device, size=size)
                equal((error, left), ("EINVAL", size), f"answer and size for {size} bytes")
                equal(asked.after[4:], asked.bytes[4:], f"fields of {size} bytes")

    @test(f"{ioctl}: the struct can be used again as the kernel left it")
    def _(ioctl=ioctl):
        refresh()
        asked = request(ioctl)
        for times in range(3):
            with Device() as device:
                equal(asked.call(device)[0], "ok", f"answer {times + 1}")
                # how much room there is has to be said anew
                fields = dict(zip(asked.names, struct.unpack(asked.format, asked.after)[1:]))
                for room in ("record_size", "bytes"):
                    if room in fields:
                        fields[room] = 2 * RECORD_MAX
                asked = Request(ioctl, **fields)

    if "flags" in IOCTLS[ioctl][2].split():
        @test(f"{ioctl}: flags that are not in INFO's known_flags are refused")
        def _(ioctl=ioctl):
            with Device() as device:
                known = device.info()["known_flags"][IOCTLS[ioctl][0]]
            if ioctl.startswith("RESOLVE") and ioctl != "RESOLVE by KEY":
                known = 0
            fields = dict(zip(request(ioctl).names,
                              struct.unpack(request(ioctl).format, request(ioctl).bytes)[1:]))
            for bit in range(32):
                if known >> bit & 1:
                    continue
                asked = Request(ioctl, **dict(fields, flags=1 << bit))
                with Device() as device:
                    equal(asked.call(device)[0], "EINVAL", f"answer for flag {1 << bit:#x}")

    if "reserved" in IOCTLS[ioctl][2].split():
        @test(f"{ioctl}: what is reserved has to be zero")
        def _(ioctl=ioctl):
            fields = dict(zip(request(ioctl).names,
                              struct.unpack(request(ioctl).format, request(ioctl).bytes)[1:]))
            with Device() as device:
                equal(Request(ioctl, **dict(fields, reserved=1)).call(device)[0], "EINVAL",
                      "answer")

    if "record_size" in IOCTLS[ioctl][2].split():
        @test(f"{ioctl}: a record goes where there is room for it, and not a byte further")
        def _(ioctl=ioctl):
            refresh()
            with Device() as device:
                needed = request(ioctl).call(device)[2]["record_size"]
                equal(parse(ROOM).header.size, needed, "size of the record")
                for room, wanted in ((0, "ENOSPC"), (8, "ENOSPC"), (needed - 8, "ENOSPC"),
                                     (needed - 1, "ENOSPC"), (needed, "ok")):
                    ctypes.memset(ROOM, GUARD, len(ROOM))
                    fields = dict(zip(request(ioctl).names, struct.unpack(
                        request(ioctl).format, request(ioctl).bytes)[1:]))
                    error, _, after, _ = Request(
                        ioctl, **dict(fields, record_size=room)).call(device)
                    equal((error, after["record_size"]), (wanted, needed),
                          f"answer and record_size for {room} bytes")
                    written = room if wanted == "ok" else 0
                    equal(set(ROOM.raw[written:]), {GUARD}, f"bytes behind {written}")


@test("INFO names the ioctls and the records there are, and no others are")
def _():
    with Device() as device:
        info = device.info()
        equal(info["ioctls"], sum(1 << number for number in {io[0] for io in IOCTLS.values()}),
              "ioctls")
        header = lib.read_bytes(os.path.join(lib.TOP, "include/uapi/buildid.h"))
        equal(header.count(b"#define BUILDID_IOC_") - 1, info["ioctls"].bit_count(),
              "ioctls, but for _MAGIC")
        equal(info["records"], sum(1 << number for number in range(1, 11)), "records")
        equal(info["abi"], 2, "ABI")
        equal({name.split()[0] for name, (number, _, _) in IOCTLS.items()
               if info["known_flags"][number]},
              {"SUBSCRIBE", "RESOLVE", "MAPS", "SET_COOKIE"}, "ioctls with flags")
        for number in range(256):
            if not info["ioctls"] >> number & 1:
                lib.fails_with(errno.ENOTTY, device.ioctl, number, "I", 0)


@test("a caller of ABI 1 learns that this is another, and nothing is written behind its struct")
def _():
    info = Request("INFO")
    for size in 8, 200:
        with Device() as device:
            error, left, fields, _ = info.call(device, size=size)
            equal((error, left, fields["abi"]), ("ok", size, 2), f"INFO of {size} bytes")


@test("an address that cannot be used is EFAULT")
def _():
    with Device() as device:
        for number, _, _ in IOCTLS.values():
            result = lib.libc.ioctl(device.fd, ctypes.c_ulong(ioc(number, 200)),
                                    ctypes.c_void_p(8))
            equal((result, errno.errorcode[ctypes.get_errno()]), (-1, "EFAULT"), f"ioctl {number}")


run()
