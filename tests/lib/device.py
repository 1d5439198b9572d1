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
KEY_ANY_GENERATION, KEY_ANY_TREE = 1, 2
BY_FD, BY_KEY, BY_ID, BY_ADDR = range(1, 5)
STATUS_ARMED = 1
TASK_SHARES_MM = 1
COOKIE_FD = 1
KIND = ["none", "gnu", "go", "htlhash", "fsverity", "cookie"]
REASON = ["none", "not-elf", "no-note", "truncated", "malformed", "limit", "io-error",
          "interrupted", "not-read", "not-regular", "secretmem", "hugetlb", "changing",
          "unreadable", "pseudo", "anonymous", "denied"]
STATE = ["known", "follows", "unresolved"]
DELETED, MEMFD, UNSTABLE, NO_PATH, FUSE = (1 << n for n in range(5))

Header = namedtuple("Header", "type flags size seq time_mono time_perf")
File = namedtuple("File", "header file_id ino user_ino tree dev user_dev generation flags ctime "
                  "mtime file_size change pid tid kind reason id path")
Image = namedtuple("Image", "header addr len flags kind reason id name")
Cookie = namedtuple("Cookie", "header pid tid addr len start_time kind id comm")
Task = namedtuple("Task", "header pid tid start_time parent_pid flags parent_start_time "
                  "cgroup_id uid exit_code comm")
Lost = namedtuple("Lost", "header ring_full ring_full_mmaps unresolved missed_probe")
Resolved = namedtuple("Resolved", "record offset start_time")

RECORD_MAX = 8192


class Mmap(namedtuple("Mmap", "header pid tid addr len pgoff file_id start_time cgroup_id uid prot "
                      "map_flags state comm")):
    """With the path of the FILE that follows it, once Stream has seen that."""
    path = ""


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
        f = struct.unpack_from("=QQQQIIIIIIqqQQIIHHHHHHHH", record, 32)
        zeros(record[138:144])
        identity, path = variable(record, f[20], (f[18], pad8(f[18])), (f[19], padded_text(f[19])))
        return File(header, *f[:4], (f[4], f[5]), (f[6], f[7]), *f[8:16], KIND[f[16]],
                    REASON[f[17]], identity.hex(), os.fsdecode(path))
    if header.type == MMAP:
        f = struct.unpack_from("=IIQQQQQQIIII16s", record, 32)
        equal(len(record), 120, "size of the record")
        return Mmap(header, *f[:11], STATE[f[11]], text(f[12]))
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
        fields = self.ioctl(0, "IQQQ10I32s32sqqQ64I", *[0] * len(names), b"", b"", *[0] * 67)
        version, hook, *clocks = fields[len(names):len(names) + 5]
        return (dict(zip(names, fields)) | {"version": text(version), "hook": text(hook)} |
                dict(zip(("real_offset_min", "real_offset_max", "slept"), clocks)) |
                {"known_flags": list(fields[-64:])})

    def stats(self):
        names = ("mappings hits misses rechecks read_mapper read_caller no_id io_errors "
                 "interrupted changing evicted stale not_stored entries entries_max visits "
                 "oldest_visit_pid oldest_visit_ns unresolved missed_probe records ring_full "
                 "ring_full_mmaps subscribers netlink_records memory cookies").split()
        values = self.ioctl(1, "I" + "Q" * len(names), *[0] * (len(names) + 1))
        return dict(zip(names, values[1:]))

    def _resolve(self, by, flags=0, **fields):
        """(record, the fields that the kernel left)"""
        names = ("flags by record_size record fd pid file_id addr start_time dev_major dev_minor "
                 "ino tree generation reserved offset").split()
        room = ctypes.create_string_buffer(RECORD_MAX)
        values = {"flags": flags, "by": by, "record_size": RECORD_MAX,
                  "record": ctypes.addressof(room)} | fields
        left = self.ioctl(11, "IIIQiIQQQIIQQIIQ", *(values.get(name, 0) for name in names))
        return parse(room), dict(zip(names, left))

    def resolve_fd(self, fd):
        return self._resolve(BY_FD, fd=fd)[0]

    def resolve_key(self, dev, ino, generation=None, tree=None):
        flags = ((generation is None and KEY_ANY_GENERATION) | (tree is None and KEY_ANY_TREE))
        return self._resolve(BY_KEY, flags, dev_major=dev[0], dev_minor=dev[1], ino=ino,
                             generation=generation or 0, tree=tree or 0)[0]

    def resolve_id(self, file_id):
        return self._resolve(BY_ID, file_id=file_id)[0]

    def resolve_addr(self, pid, addr, start_time=0):
        """(record, offset, start_time)"""
        record, left = self._resolve(BY_ADDR, pid=pid, addr=addr, start_time=start_time)
        return Resolved(record, left["offset"], left["start_time"])

    def maps(self, pid, flags=0, room=1 << 16):
        records, cursor, instance = [], 0, 0
        buf = ctypes.create_string_buffer(room)
        while cursor != MAPS_END:
            _, _, used, cursor, instance, _ = self.ioctl(
                7, "IIIQQQ", flags, pid, room, cursor, instance, ctypes.addressof(buf))
            records += parse_all(buf.raw[:used])
        return records

    def history(self, pid=0, room=1 << 16):
        return self.history_since(pid, room)[0]

    def history_since(self, pid=0, room=1 << 16):
        """(records, from when on nothing is missing)"""
        records, cursor = [], 0
        buf = ctypes.create_string_buffer(room)
        while cursor != MAPS_END:
            _, _, used, cursor, _, since = self.ioctl(
                10, "IIIQQQ", 0, pid, room, cursor, ctypes.addressof(buf), 0)
            records += parse_all(buf.raw[:used])
            assert cursor == MAPS_END or not since, since
        return records, since

    def _set_cookie(self, flags, fd, kind, addr, length, identity):
        self.ioctl(8, "IiHHQQQ", flags, fd, KIND.index(kind), len(identity), addr, length,
                   ctypes.cast(identity, ctypes.c_void_p).value if identity else 0)

    def name_mapping(self, addr, length, identity, kind="cookie", fd=0):
        self._set_cookie(0, fd, kind, addr, length, identity)

    def name_fd(self, fd, identity, kind="cookie", addr=0, length=0):
        self._set_cookie(COOKIE_FD, fd, kind, addr, length, identity)

    def flush(self):
        return self.ioctl(4, "IQ", 0, 0)[1]
