# SPDX-License-Identifier: GPL-2.0
"""libbuildid.so as any program would use it."""

import ctypes
import errno
import os
from collections import namedtuple

import lib
from device import KEY_ANY_GENERATION, KEY_ANY_TREE, parse

SNAPSHOT_FLAG, DUPLICATE, FILE_FOLLOWS = 1, 1, 2
ADDR_HISTORY = 1
Resolved = namedtuple("Resolved", "record source offset start_time")

so = ctypes.CDLL(os.path.join(lib.TOP, "build", "tool", "libbuildid.so.1"), use_errno=True)


class Sized(ctypes.Structure):
    """Begins with its own size."""

    def __init__(self, **fields):
        super().__init__(size=ctypes.sizeof(self), **fields)


class Options(Sized):
    _fields_ = [("size", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("ring_size", ctypes.c_uint32), ("watermark", ctypes.c_uint32),
                ("pids", ctypes.POINTER(ctypes.c_uint32)), ("nr_pids", ctypes.c_uint32),
                ("uid", ctypes.c_uint32), ("cgroup_fd", ctypes.c_int),
                ("reserved", ctypes.c_uint32)]


class RecorderOptions(Sized):
    _fields_ = [("size", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("subscribe", ctypes.POINTER(Options)), ("files", ctypes.c_void_p)]


class EventStruct(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("record", ctypes.c_void_p), ("file", ctypes.c_void_p)]


class Key(Sized):
    _fields_ = [("size", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("dev_major", ctypes.c_uint32), ("dev_minor", ctypes.c_uint32),
                ("ino", ctypes.c_uint64), ("generation", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32), ("tree", ctypes.c_uint64)]


class Address(Sized):
    _fields_ = [("size", ctypes.c_uint32), ("pid", ctypes.c_uint32),
                ("addr", ctypes.c_uint64), ("start_time", ctypes.c_uint64),
                ("offset", ctypes.c_uint64), ("source", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32)]


so.buildid_recorder_handle.restype = ctypes.c_void_p
so.buildid_set_cookie_mapping.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
                                          ctypes.c_uint, ctypes.c_char_p, ctypes.c_size_t]
so.buildid_set_cookie_fd.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p,
                                     ctypes.c_size_t]
for name in ("recorder_free", "recorder_stop", "recorder_handle", "recorder_snapshotting",
             "recorder_snapshot", "recorder_timeout", "fd"):
    getattr(so, "buildid_" + name).argtypes = [ctypes.c_void_p]
so.buildid_recorder_next.argtypes = [ctypes.c_void_p, ctypes.c_int,
                                     ctypes.POINTER(ctypes.POINTER(EventStruct))]
so.buildid_resolve_id.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p,
                                  ctypes.c_size_t, ctypes.c_void_p]
so.buildid_resolve_key.argtypes = [ctypes.c_void_p, ctypes.POINTER(Key), ctypes.c_void_p,
                                   ctypes.c_size_t, ctypes.c_void_p]
so.buildid_resolve_addr.argtypes = [ctypes.c_void_p, ctypes.POINTER(Address), ctypes.c_void_p,
                                    ctypes.c_size_t, ctypes.c_void_p]


def check(result):
    if result < 0:
        raise OSError(-result, os.strerror(-result))
    return result


def record_at(address):
    """The record there, copied: it lasts only until the next call."""
    size = ctypes.c_uint32.from_address(address + 4).value
    return parse(ctypes.string_at(address, size))


class Event:
    def __init__(self, event):
        self.record = record_at(event.record)
        self.file = record_at(event.file) if event.file else None
        self.duplicate = bool(event.flags & DUPLICATE)
        self.follows = bool(event.flags & FILE_FOLLOWS)
        self.snapshot = bool(self.record.header.flags & SNAPSHOT_FLAG)


class Questions:
    """What a handle can be asked."""

    handle = None

    def resolve_key(self, dev, ino, generation=None):
        room = ctypes.create_string_buffer(8192)
        flags = KEY_ANY_TREE | (KEY_ANY_GENERATION if generation is None else 0)
        key = Key(flags=flags, dev_major=dev[0], dev_minor=dev[1], ino=ino,
                  generation=generation or 0)
        check(so.buildid_resolve_key(self.handle, ctypes.byref(key), room, 8192,
                                     ctypes.byref(ctypes.c_void_p())))
        return parse(room)

    def resolve_addr(self, pid, addr, start_time=0):
        room = ctypes.create_string_buffer(8192)
        address = Address(pid=pid, addr=addr, start_time=start_time)
        check(so.buildid_resolve_addr(self.handle, ctypes.byref(address), room, 8192,
                                      ctypes.byref(ctypes.c_void_p())))
        return Resolved(parse(room), address.source, address.offset, address.start_time)

    def resolve_id(self, file_id):
        room = ctypes.create_string_buffer(8192)
        check(so.buildid_resolve_id(self.handle, file_id, room, 8192,
                                    ctypes.byref(ctypes.c_void_p())))
        return parse(room)

    def name_mapping(self, address, length, kind, identity):
        check(so.buildid_set_cookie_mapping(self.handle, address, length, kind, identity,
                                            len(identity)))

    def name_fd(self, fd, identity):
        check(so.buildid_set_cookie_fd(self.handle, fd, identity, len(identity)))


class Handle(Questions):
    def __init__(self):
        self.handle = ctypes.c_void_p()
        check(so.buildid_open(ctypes.byref(self.handle)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        so.buildid_close(self.handle)


class Recorder(Questions):
    def __init__(self, flags=0, pids=(), uid=0, cgroup_fd=0, ring_size=0, snapshot=False):
        array = (ctypes.c_uint32 * max(len(pids), 1))(*pids)
        subscribe = Options(flags=flags, pids=array, nr_pids=len(pids), uid=uid,
                            cgroup_fd=cgroup_fd, ring_size=ring_size)
        options = RecorderOptions(subscribe=ctypes.pointer(subscribe), flags=snapshot)
        self.pointer = ctypes.c_void_p()
        check(so.buildid_recorder_new(ctypes.byref(self.pointer), ctypes.byref(options)))
        self.handle = so.buildid_recorder_handle(self.pointer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        so.buildid_recorder_free(self.pointer)

    def next(self, timeout=0):
        """An event, or None when there is none in time, or at the end."""
        event = ctypes.POINTER(EventStruct)()
        result = so.buildid_recorder_next(self.pointer, timeout, ctypes.byref(event))
        if result in (-errno.EAGAIN, -errno.ENODATA):
            return None
        check(result)
        return Event(event.contents)

    def all(self, timeout=0):
        while event := self.next(timeout):
            yield event

    def until_snapshot(self):
        """What comes until the snapshot is over, however much else goes on."""
        while so.buildid_recorder_snapshotting(self.pointer):
            event = self.next()
            if event:
                yield event

    def rest(self):
        """What was mapped so far."""
        so.buildid_recorder_stop(self.pointer)
        return list(self.all(-1))

    def snapshot(self):
        check(so.buildid_recorder_snapshot(self.pointer))
