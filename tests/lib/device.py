# SPDX-License-Identifier: GPL-2.0
"""The device as the uapi header describes it, without libbuildid."""
import ctypes
import fcntl
import os
import select
import struct
from collections import namedtuple

from tap import equal

FILE, MMAP, KERNEL, MODULE, COOKIE, LOST, FORK, EXEC, EXIT, COMM = range(1, 11)
SNAPSHOT = 1
SUB_DATA, SUB_PATH, SUB_KERNEL, SUB_CHILDREN, SUB_UID, SUB_CGROUP, SUB_TASKS = (
    1 << n for n in range(7))
MAPS_DATA, MAPS_END = 1, 2**64 - 1
IMAGE_UNLOAD = 1
ADDR_HISTORY = 1
KEY_ANY_GENERATION = 1
STATUS_ARMED = 1
TASK_SHARES_MM = 1
COOKIE_FD = 1
KIND = ["none", "gnu", "go", "htlhash", "fsverity", "cookie"]
REASON = ["none", "not-elf", "no-note", "truncated", "malformed", "limit", "io-error",
          "pending", "deferred", "not-regular", "secretmem", "hugetlb", "changing",
          "unreadable"]
STATE = ["known", "pending", "deferred", "unresolved"]
DELETED, MEMFD, UNSTABLE, PATH_PART, NO_PATH, FUSE = (1 << n for n in range(6))

Header = namedtuple("Header", "type flags size seq time_mono time_perf")
File = namedtuple("File", "header file_id ino user_ino dev user_dev generation flags ctime mtime "
                  "file_size change kind reason id path")
Mmap = namedtuple("Mmap", "header pid tid addr len pgoff file_id start_time prot map_flags state "
                  "comm path")
Image = namedtuple("Image", "header addr len flags kind reason id name")
Cookie = namedtuple("Cookie", "header pid tid addr len start_time kind id comm")
Task = namedtuple("Task", "header pid tid start_time parent_pid flags parent_start_time "
                  "cgroup_id uid exit_code comm")
Lost = namedtuple("Lost", "header ring_full ring_full_mmaps unresolved missed_probe")
Resolved = namedtuple("Resolved", "record source offset start_time")

RECORD_MAX = 8192


def ioc(nr, size):
    return 3 << 30 | size << 16 | 0xbd << 8 | nr


def pad8(n):
    return (n + 7) & ~7


def padded_text(length):
    """With its NUL; nothing at all when there is none."""
    return pad8(length + 1) if length else 0


def zeros(padding):
    assert not any(padding), f"{padding} is not all zero"


def variable(record, data_off, *lengths):
    """What varies in length, each part followed by zeros, and nothing behind all."""
    assert data_off % 8 == 0 and data_off >= 32, f"data_off {data_off}"
    parts, at = [], data_off
    for length, size in lengths:
        parts.append(record[at:at + length])
        zeros(record[at + length:at + size])
        at += size
    equal(len(record), at, "size of the record")
    return parts


def text(field):
    return os.fsdecode(field.split(b"\0")[0])


def parse(buf, off=0):
    """The record at off."""
    header = Header._make(struct.unpack_from("=HHIQQQ", buf, off))
    record = bytes(buf[off:off + header.size])
    if header.type == FILE:
        f = struct.unpack_from("=QQQIIIIIIqqQQHHHHHHHH", record, 32)
        zeros(record[122:128])
        identity, path = variable(record, f[17], (f[15], pad8(f[15])), (f[16], padded_text(f[16])))
        return File(header, f[0], f[1], f[2], (f[3], f[4]), (f[5], f[6]), f[7], f[8], f[9], f[10],
                    f[11], f[12], KIND[f[13]], REASON[f[14]], identity.hex(), os.fsdecode(path))
    if header.type == MMAP:
        f = struct.unpack_from("=IIQQQQQIIIHH16s", record, 32)
        (path,) = variable(record, f[11], (f[10], padded_text(f[10])))
        return Mmap(header, *f[:9], STATE[f[9]], text(f[12]), os.fsdecode(path))
    if header.type in (KERNEL, MODULE):
        f = struct.unpack_from("=QQIHHHHHH", record, 32)
        equal(f[8], 0, "reserved")
        identity, name = variable(record, f[7], (f[5], pad8(f[5])), (f[6], padded_text(f[6])))
        return Image(header, *f[:3], KIND[f[3]], REASON[f[4]], identity.hex(), name.decode())
    if header.type == COOKIE:
        f = struct.unpack_from("=IIQQQHHHH16s", record, 32)
        equal(f[8], 0, "reserved")
        (identity,) = variable(record, f[7], (f[6], pad8(f[6])))
        return Cookie(header, *f[:5], KIND[f[5]], identity.hex(), text(f[9]))
    if header.type in (FORK, EXEC, EXIT, COMM):
        f = struct.unpack_from("=IIQIIQQII16s", record, 32)
        return Task(header, *f[:9], text(f[9]))
    if header.type == LOST:
        return Lost(header, *struct.unpack_from("=QQQQ", record, 32))
    return header


def parse_all(buf):
    off = 0
    while off < len(buf):
        record = parse(buf, off)
        yield record
        off += getattr(record, "header", record).size


class Device:
    def __init__(self):
        self.fd = os.open("/dev/buildid", os.O_RDWR | os.O_CLOEXEC)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        os.close(self.fd)

    def ioctl(self, nr, fmt, *fields):
        """Packs size and fields, returns the fields the kernel left."""
        size = struct.calcsize("=I" + fmt)
        buf = bytearray(struct.pack("=I" + fmt, size, *fields))
        fcntl.ioctl(self.fd, ioc(nr, size), buf)
        return struct.unpack("=I" + fmt, buf)[1:]

    def subscribe(self, flags=0, ring_size=0, watermark=0, pids=(), uid=0, cgroup_fd=0):
        array = (ctypes.c_uint32 * max(len(pids), 1))(*pids)
        return self.ioctl(3, "IIIQIIiI", flags, ring_size, watermark, ctypes.addressof(array),
                          len(pids), uid, cgroup_fd, 0)

    def read(self, timeout=0):
        """What is there, after waiting for something for at most that many seconds."""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN)
        if not poll.poll(timeout * 1000):
            return []
        return list(parse_all(os.read(self.fd, 1 << 20)))

    def read_until(self, done, timeout=30):
        """Records up to the first that done() holds for, and what came with it."""
        records = []
        while True:
            more = self.read(timeout)
            if not more:
                raise TimeoutError(f"waited in vain; have {records}")
            records += more
            if any(done(r) for r in more):
                return records

    def info(self):
        """By field; known_flags a list, version and hook text."""
        names = ("abi features records ioctls status max_entries ring_min ring_max "
                 "subscribers_max pids_max id_max record_max cookies_max cookies_total").split()
        fields = self.ioctl(0, "IQQQ10I16I32s32s", *[0] * (len(names) + 16), b"", b"")
        values = dict(zip(names, fields))
        return values | {"known_flags": list(fields[len(names):-2]),
                         "version": text(fields[-2]), "hook": text(fields[-1])}

    def stats(self):
        names = ("mappings hits misses rechecks parsed_resident parsed_worker parsed_caller "
                 "deferred no_id io_errors changing evicted stale entries entries_max requests "
                 "no_request device_busy missed_probe records ring_full ring_full_mmaps "
                 "subscribers netlink_records memory cookies").split()
        values = self.ioctl(1, "I" + "Q" * len(names), *[0] * (len(names) + 1))
        return dict(zip(names, values[1:]))

    def _record(self, nr, fmt, before, after=(), behind=()):
        room = ctypes.create_string_buffer(RECORD_MAX)
        fields = self.ioctl(nr, fmt, *before, RECORD_MAX, *after, ctypes.addressof(room), *behind)
        return parse(room), fields

    def resolve_fd(self, fd):
        return self._record(2, "iIIQ", (fd, 0))[0]

    def resolve_key(self, dev, ino, generation=None):
        return self._record(5, "IIIQIIQ",
                            (generation is None, *dev, ino, generation or 0))[0]

    def resolve_id(self, file_id):
        return self._record(9, "IQIIQ", (0, file_id), (0,))[0]

    def resolve_addr(self, pid, addr, start_time=0):
        """(record, source, offset, start_time)"""
        record, fields = self._record(6, "IIIQQQQII", (0, pid), (addr, start_time, 0), (0, 0))
        return Resolved(record, fields[7], fields[5], fields[4])

    def maps(self, pid, flags=0, room=1 << 16):
        records, cursor, instance = [], 0, 0
        buf = ctypes.create_string_buffer(room)
        while cursor != MAPS_END:
            _, _, used, cursor, instance, _ = self.ioctl(
                7, "IIIQQQ", flags, pid, room, cursor, instance, ctypes.addressof(buf))
            records += parse_all(buf.raw[:used])
        return records

    def history(self, pid=0, room=1 << 16):
        records, cursor = [], 0
        buf = ctypes.create_string_buffer(room)
        while cursor != MAPS_END:
            _, _, used, cursor, _ = self.ioctl(
                10, "IIIQQ", 0, pid, room, cursor, ctypes.addressof(buf))
            records += parse_all(buf.raw[:used])
        return records

    def _set_cookie(self, flags, fd, kind, addr, length, identity):
        self.ioctl(8, "IiHHQQQ", flags, fd, KIND.index(kind), len(identity), addr, length,
                   ctypes.cast(identity, ctypes.c_void_p).value if identity else 0)

    def name_mapping(self, addr, length, identity, kind="cookie", fd=0):
        self._set_cookie(0, fd, kind, addr, length, identity)

    def name_fd(self, fd, identity, kind="cookie", addr=0, length=0):
        self._set_cookie(COOKIE_FD, fd, kind, addr, length, identity)

    def flush(self):
        return self.ioctl(4, "IQ", 0, 0)[1]
