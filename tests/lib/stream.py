# SPDX-License-Identifier: GPL-2.0
"""Records as a stream: joined, and held to what the uapi header promises."""

import os
import struct
import time

import lib
from device import NO_PATH, SNAPSHOT, SUB_PATH, Device, File, Lost, Mmap, parse_all
from tap import equal

LOG_MAGIC = b"\x89BIDLOG\n"
LOG_END = 0
LOG_CLOCK = 0xffff


def read_log(path):
    """The records of what buildid record wrote, which must be whole."""
    data = lib.read_bytes(path)
    equal(data[:8], LOG_MAGIC, "magic of a log")
    *records, end = parse_all(data[struct.unpack_from("=I", data, 16)[0]:])
    records = [record for record in records if getattr(record, "type", None) != LOG_CLOCK]
    equal(end.type, LOG_END, "the last record of a log")
    equal(struct.unpack_from("=QQ", data, len(data) - 16)[0], len(records),
          "records, as the end of the log counts them")
    return records


class Stream:
    """What a subscriber has received. Checks records as they come: seq grows; a
    hole is what the LOST behind it reports; the FILE of a mapping came before it, since the last
    loss, or follows it, as its state says. With paths, as of a subscription with SUB_PATH, one
    follows each mapping, with its tid."""

    def __init__(self, paths=False):
        self.paths = paths
        self.records = []
        self.mmaps = []
        self.files = {}         # file_id: its last FILE record
        self.sent = {}          # the same, since the last loss
        self.announced = {}     # (file_id, tid): the mappings whose FILE has not come
        self.doubtful = {}      # the same, but it may have been lost
        self.lost = 0
        self.seq = 0

    def add(self, records):
        for record in records:
            seq = record.header.seq
            # A snapshot in a log is no part of the stream, and says so.
            if not seq:
                equal(record.header.flags, SNAPSHOT, f"flags of {record}")
                if isinstance(record, File):
                    self.has_come(record)
                continue
            loss = record.ring_full if isinstance(record, Lost) else 0
            assert seq > self.seq, f"seq {seq} after {self.seq}"
            equal(loss, seq - self.seq - 1, f"ring_full before seq {seq}")
            if loss:
                assert record.ring_full_mmaps <= loss, f"mappings lost of {record}"
                self.lost += loss
                self.sent = {}
                self.doubtful, self.announced = self.announced, {}
            self.seq = seq
            self.records.append(record)
            if isinstance(record, File):
                self.add_file(record)
            elif isinstance(record, Mmap):
                self.add_mmap(record)

    def add_file(self, file):
        equal(file.kind == "none", not file.id, f"kind and id of {file}")
        equal(file.kind == "gnu", file.reason == "none", f"kind and reason of {file}")
        self.sent[file.file_id] = file
        self.has_come(file)

    def key_of(self, record):
        return record.file_id, record.tid if self.paths else 0

    def has_come(self, file):
        self.files[file.file_id] = file
        mmaps = [mmap for table in (self.doubtful, self.announced)
                 for mmap in table.pop(self.key_of(file), ())]
        for mmap in mmaps:
            if self.paths:
                equal(file.pid, mmap.pid, f"pid of {file} behind {mmap}")
                assert file.path or file.flags & NO_PATH, f"{file} behind {mmap} has no path"
                mmap.path = file.path

    def add_mmap(self, mmap):
        self.mmaps.append(mmap)
        if mmap.state == "unresolved":
            equal(mmap.file_id, 0, "file_id of an unresolved mapping")
            return
        assert mmap.file_id, f"no file_id: {mmap}"
        if mmap.state == "known":
            assert not self.paths, f"no FILE with its path will follow {mmap}"
            assert mmap.file_id in self.sent, f"no FILE before {mmap}"
        else:
            self.announced.setdefault(self.key_of(mmap), []).append(mmap)

    def file_of(self, mmap):
        return self.files[mmap.file_id]

    def following(self):
        """The mappings whose FILE is to come yet."""
        return [mmap for mmaps in self.announced.values() for mmap in mmaps]


class Watch(Device, Stream):
    """A subscription, to this process by default."""

    def __init__(self, pids=None, flags=SUB_PATH, ring_size=0):
        Stream.__init__(self, bool(flags & SUB_PATH))
        Device.__init__(self)
        self.subscribe(flags, ring_size,
                       pids=[os.getpid()] if pids is None else pids)

    def drain(self, timeout=0):
        """Takes in all that there is now; returns the mappings among it."""
        before = len(self.mmaps)
        while records := self.read(timeout):
            self.add(records)
            timeout = 0
        return self.mmaps[before:]

    def settle(self):
        """Takes in all, until each mapping has its FILE."""
        before = len(self.mmaps)
        end = time.monotonic() + lib.TIMEOUT
        self.drain()
        while self.following():
            assert time.monotonic() < end, f"no FILE has followed: {self.following()}"
            self.drain(1)
        return self.mmaps[before:]

    def see(self, function, *arguments, **options):
        """The one mapping that a function makes, and its file, read; None where
        the module could not take it in."""
        self.drain()
        function(*arguments, **options)
        mmaps = self.settle()
        equal(len(mmaps), 1, f"number of mappings ({mmaps})")
        return mmaps[0], self.files.get(mmaps[0].file_id)


def resolve_fd(fd):
    with Device() as device:
        return device.resolve_fd(fd)


def maps(pid):
    with Device() as device:
        return device.maps(pid)


def flush():
    with Device() as device:
        return device.flush()


def stats():
    with Device() as device:
        return device.stats()
