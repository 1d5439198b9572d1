# SPDX-License-Identifier: GPL-2.0
"""The device as the uapi header describes it, without libbuildid."""
import ctypes
import fcntl
import os
import select
import struct
from collections import namedtuple

FILE, MMAP, KERNEL, MODULE, COOKIE, LOST = 1, 2, 3, 4, 5, 6
SNAPSHOT = 1
SUB_DATA, SUB_PATH, SUB_KERNEL, SUB_CHILDREN, SUB_UID, SUB_CGROUP = (1 << n for n in range(6))
MAPS_DATA, MAPS_END = 1, 2**64 - 1
IMAGE_UNLOAD = 1
ADDR_HISTORY = 1
COOKIE_FD = 1
KIND = ["none", "gnu", "go", "htlhash", "fsverity", "cookie"]
REASON = ["none", "not-elf", "no-note", "truncated", "malformed", "limit", "io-error",
          "pending", "deferred", "not-regular", "secretmem", "hugetlb", "changing",
          "unreadable"]
STATE = ["known", "pending", "deferred", "unresolved"]
DELETED, MEMFD, UNSTABLE, PATH_PART, NO_PATH = (1 << n for n in range(5))

Header = namedtuple("Header", "type flags size seq time_mono time_perf")
File = namedtuple("File", "header file_id ino user_ino dev user_dev generation flags ctime mtime "
                  "file_size change kind reason id path")
Mmap = namedtuple("Mmap", "header pid tid addr len pgoff file_id prot map_flags state comm path")
Image = namedtuple("Image", "header addr len flags kind reason id name")
Cookie = namedtuple("Cookie", "header pid tid addr len kind id comm")
Lost = namedtuple("Lost", "header ring_full no_request missed_probe")

RECORD_MAX = 8192


def ioc(nr, size):
    return 3 << 30 | size << 16 | 0xbd << 8 | nr


def pad8(n):
    return (n + 7) & ~7


def zeros(padding):
    assert not any(padding), f"{padding} is not all zero"


def parse(buf, off=0):
    """The record at off."""
    header = Header._make(struct.unpack_from("=HHIQQQ", buf, off))
    body = bytes(buf[off + 32:off + header.size])
    if header.type == FILE:
        f = struct.unpack_from("=QQQIIIIIIqqQQHHHH", body)
        id_len, path_len = f[15], f[16]
        at = 88 + pad8(id_len)
        zeros(body[88 + id_len:at] + body[at + path_len:])
        return File(header, f[0], f[1], f[2], (f[3], f[4]), (f[5], f[6]), f[7], f[8], f[9], f[10],
                    f[11], f[12], KIND[f[13]], REASON[f[14]], body[88:88 + id_len].hex(),
                    os.fsdecode(body[at:at + path_len]))
    if header.type == MMAP:
        f = struct.unpack_from("=IIQQQQIIII16s", body)
        zeros(body[72 + f[9]:])
        return Mmap(header, *f[:8], STATE[f[8]], f[10].split(b"\0")[0].decode(),
                    os.fsdecode(body[72:72 + f[9]]))
    if header.type in (KERNEL, MODULE):
        f = struct.unpack_from("=QQIIHHHH", body)
        at = 32 + pad8(f[6])
        zeros(body[32 + f[6]:at] + body[at + f[7]:])
        return Image(header, f[0], f[1], f[2], KIND[f[4]], REASON[f[5]],
                     body[32:32 + f[6]].hex(), body[at:at + f[7]].decode())
    if header.type == COOKIE:
        f = struct.unpack_from("=IIQQHHI16s", body)
        zeros(body[48 + f[5]:])
        return Cookie(header, *f[:4], KIND[f[4]], body[48:48 + f[5]].hex(),
                      f[7].split(b"\0")[0].decode())
    if header.type == LOST:
        return Lost(header, *struct.unpack("=QQQ", body))
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

    def stats(self):
        names = ("mappings hits misses rechecks parsed_resident parsed_worker parsed_caller "
                 "deferred no_id io_errors changing evicted stale entries entries_max requests "
                 "no_request missed_probe records ring_full subscribers netlink_records "
                 "netlink_lost memory cookies").split()
        values = self.ioctl(1, "I" + "Q" * len(names), *[0] * (len(names) + 1))
        return dict(zip(names, values[1:]))

    def _record(self, nr, fmt, before, after=()):
        room = ctypes.create_string_buffer(RECORD_MAX)
        fields = self.ioctl(nr, fmt, *before, RECORD_MAX, *after, ctypes.addressof(room))
        return parse(room), fields

    def resolve_fd(self, fd):
        return self._record(2, "iIIQ", (fd, 0))[0]

    def resolve_key(self, dev, ino, generation=None):
        return self._record(5, "IIIQIIQ",
                            (generation is None, *dev, ino, generation or 0))[0]

    def resolve_addr(self, pid, addr):
        """(record, flags, offset)"""
        record, fields = self._record(6, "IIIQQQ", (0, pid), (addr, 0))
        return record, fields[0], fields[4]

    def maps(self, pid, flags=0, room=1 << 16):
        records, cursor = [], 0
        buf = ctypes.create_string_buffer(room)
        while cursor != MAPS_END:
            _, _, used, cursor, _ = self.ioctl(7, "IIIQQ", flags, pid, room, cursor,
                                               ctypes.addressof(buf))
            records += parse_all(buf.raw[:used])
        return records

    def _set_cookie(self, flags, fd, kind, addr, length, identity):
        self.ioctl(8, "IiHHQQQ", flags, fd, KIND.index(kind), len(identity), addr, length,
                   ctypes.cast(identity, ctypes.c_void_p).value if identity else 0)

    def name_mapping(self, addr, length, identity, kind="cookie"):
        self._set_cookie(0, 0, kind, addr, length, identity)

    def name_fd(self, fd, identity, kind="cookie"):
        self._set_cookie(COOKIE_FD, fd, kind, 0, 0, identity)

    def flush(self):
        return self.ioctl(4, "IQ", 0, 0)[1]
