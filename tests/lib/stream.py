# SPDX-License-Identifier: GPL-2.0
"""Records as a stream: joined, and held to what the uapi header promises."""

import os
import struct
import time

import lib
from device import SNAPSHOT, SUB_PATH, Device, File, Lost, Mmap, parse_all
from tap import equal

LOG_MAGIC = b"\x89BIDLOG\n"
LOG_END = 0


def read_log(path):
    """The records of what buildid record wrote, which must be whole."""
    data = lib.read_bytes(path)
    equal(data[:8], LOG_MAGIC, "magic of a log")
    *records, end = parse_all(data[struct.unpack_from("=I", data, 16)[0]:])
    equal(end.type, LOG_END, "the last record of a log")
    equal(struct.unpack_from("=QQ", data, len(data) - 16)[0], len(records),
          "records, as the end of the log counts them")
    return records


class Stream:
    """What a subscriber has received. Checks records as they come: seq grows; a
    hole is what the LOST behind it reports; the FILE of a mapping comes before it,
    again after a loss, and says what the mapping's state implies."""

    def __init__(self):
        self.records = []
        self.mmaps = []
        self.files = {}         # file_id: its last FILE record
        self.sent = {}          # the same, since the last loss
        self.lost = 0
        self.seq = 0

    def add(self, records):
        for record in records:
            seq = record.header.seq
            # A snapshot in a log is no part of the stream, and says so.
            if not seq:
                equal(record.header.flags, SNAPSHOT, f"flags of {record}")
                continue
            loss = record.ring_full if isinstance(record, Lost) else 0
            assert seq > self.seq, f"seq {seq} after {self.seq}"
            equal(loss, seq - self.seq - 1, f"ring_full before seq {seq}")
            if loss:
                assert record.ring_full_mmaps <= loss, f"mappings lost of {record}"
                self.lost += loss
                self.sent = {}
            self.seq = seq
            self.records.append(record)
            if isinstance(record, File):
                self.add_file(record)
            elif isinstance(record, Mmap):
                self.add_mmap(record)

    def add_file(self, file):
        equal(file.kind == "none", not file.id, f"kind and id of {file}")
        equal(file.kind == "gnu", file.reason == "none", f"kind and reason of {file}")
        self.files[file.file_id] = self.sent[file.file_id] = file

    def add_mmap(self, mmap):
        self.mmaps.append(mmap)
        if mmap.state == "unresolved":
            equal(mmap.file_id, 0, "file_id of an unresolved mapping")
            return
        assert mmap.file_id in self.sent, f"no FILE before {mmap}"
        reason = self.sent[mmap.file_id].reason
        if mmap.state == "known":
            assert reason not in ("pending", "deferred"), f"not known: {mmap}"
        elif mmap.state == "deferred":
            equal(reason, "deferred", f"reason before {mmap}")

    def file_of(self, mmap):
        return self.files[mmap.file_id]

    def pending(self):
        return [file for file in self.sent.values() if file.reason == "pending"]


class Watch(Device, Stream):
    """A subscription, to this process by default."""

    def __init__(self, pids=None, flags=SUB_PATH, ring_size=0):
        Stream.__init__(self)
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
        """Takes in all, and what follows of files that are still being read."""
        before = len(self.mmaps)
        end = time.monotonic() + lib.PATIENCE
        self.drain()
        while self.pending():
            assert time.monotonic() < end, f"still pending: {self.pending()}"
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
