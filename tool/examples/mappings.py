#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A recorder by libbuildid and ctypes: prints what is mapped executable on this machine, now and
from now on, as examples/mappings.c does: a line of JSON for each mapping, and one for each file.
libbuildid(3) and include/uapi/buildid.h are the manuals of all that it calls and reads."""

import ctypes
import sys

SNAPSHOT = 1        # BUILDID_RECORDER_SNAPSHOT
DUPLICATE = 1       # BUILDID_EVENT_DUPLICATE
FILE, MMAP, LOST = 1, 2, 6
U8, U16, U32, U64 = ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64


class Record(ctypes.Structure):
    _fields_ = [("type", U16), ("flags", U16), ("size", U32), ("seq", U64), ("time_mono", U64),
                ("time_perf", U64)]


class Mmap(Record):
    _fields_ = [("pid", U32), ("tid", U32), ("addr", U64), ("len", U64), ("pgoff", U64),
                ("file_id", U64)]       # and more, which is not needed here


class Lost(Record):
    _fields_ = [("ring_full", U64), ("ring_full_mmaps", U64), ("unresolved", U64),
                ("missed_probe", U64)]


class File(Record):
    _fields_ = [("file_id", U64), ("ino", U64), ("user_ino", U64), ("tree", U64)] + \
        [(name, U32) for name in ("dev_major", "dev_minor", "user_dev_major", "user_dev_minor",
                                  "generation", "flags")] + \
        [("ctime", ctypes.c_int64), ("mtime", ctypes.c_int64), ("file_size", U64),
         ("change", U64), ("pid", U32), ("tid", U32), ("kind", U16)]


class Event(ctypes.Structure):
    _fields_ = [("size", U32), ("flags", U32), ("record", ctypes.POINTER(Record)),
                ("file", ctypes.POINTER(File))]


class Options(ctypes.Structure):
    _fields_ = [("size", U32), ("flags", U32), ("subscribe", ctypes.c_void_p),
                ("files", ctypes.c_void_p)]


so = ctypes.CDLL("libbuildid.so.1")
so.buildid_strerror.restype = so.buildid_kind_name.restype = ctypes.c_char_p
so.buildid_file_path.restype = ctypes.c_char_p
so.buildid_file_path.argtypes = [ctypes.POINTER(File)]
so.buildid_file_id_bytes.restype = ctypes.POINTER(U8)
so.buildid_file_id_bytes.argtypes = [ctypes.POINTER(File), ctypes.POINTER(ctypes.c_size_t)]
so.buildid_recorder_next.argtypes = [ctypes.c_void_p, ctypes.c_int,
                                     ctypes.POINTER(ctypes.POINTER(Event))]


def quoted(text):
    """A JSON string of bytes that may be anything."""
    return b'"%b"' % b"".join(b"\\u%04x" % c if c < 32 or c in b'"\\' else bytes([c])
                              for c in text)


def show_file(file):
    size = ctypes.c_size_t()
    bytes_ = so.buildid_file_id_bytes(file, ctypes.byref(size))
    return b'{"file_id":%d,"kind":"%b","build_id":"%b","path":%b}\n' % (
        file.contents.file_id, so.buildid_kind_name(file.contents.kind),
        bytes(bytes_[:size.value]).hex().encode(), quoted(so.buildid_file_path(file)))


def show_mapping(mmap):
    return b'{"file_id":%d,"pid":%d,"addr":%d,"len":%d,"pgoff":%d}\n' % (
        mmap.file_id, mmap.pid, mmap.addr, mmap.len, mmap.pgoff)


def show(event):
    record = event.record.contents
    if record.type == FILE:
        return show_file(event.file)
    if record.type == MMAP and not event.flags & DUPLICATE:
        return show_mapping(ctypes.cast(event.record, ctypes.POINTER(Mmap)).contents)
    if record.type == LOST:
        lost = ctypes.cast(event.record, ctypes.POINTER(Lost)).contents
        print(f"mappings: {lost.ring_full} records lost, {lost.unresolved} mappings without "
              f"identity, {lost.missed_probe} missed by the hook", file=sys.stderr)
    return b""


def main():
    options = Options(size=ctypes.sizeof(Options), flags=SNAPSHOT)
    recorder, event = ctypes.c_void_p(), ctypes.POINTER(Event)()
    err = so.buildid_recorder_new(ctypes.byref(recorder), ctypes.byref(options))
    while not err:
        err = so.buildid_recorder_next(recorder, -1, ctypes.byref(event))
        if not err:
            sys.stdout.buffer.write(show(event.contents))
            sys.stdout.buffer.flush()
    sys.exit("mappings: " + so.buildid_strerror(err).decode())


main()
