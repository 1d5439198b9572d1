# SPDX-License-Identifier: GPL-2.0
"""A log of any processes and contents, as buildid record writes it."""

import struct

END, FILE, MMAP, LOST, FORK, EXEC, EXIT = 0, 1, 2, 6, 7, 8, 9
SNAPSHOT, FOLLOWS, DELETED = 1, 1, 1
GNU = 1
# CLOCK_REALTIME less CLOCK_MONOTONIC: 2026-01-02T03:04:05Z is 5 s.
AHEAD = (1767323045 - 5) * 10**9


class Log:
    def __init__(self, begin):
        self.begin, self.last, self.files, self.records = begin, begin, {}, []

    def record(self, kind, time, body, flags=0):
        size = 32 + len(body)
        padding = bytes(-size % 8)
        self.records.append(struct.pack("<HHIQQQ", kind, flags, size + len(padding),
                                        len(self.records) + 1, time, time) + body + padding)
        self.last = max(self.last, time)

    def file(self, time, path, build_id, size, device, flags):
        key = (path, build_id, size, device)
        if key in self.files:
            return self.files[key], False
        number = self.files[key] = len(self.files) + 1
        ident = build_id + bytes(-len(build_id) % 8)
        self.record(FILE, time, struct.pack(
            "<QQQQIIIIIIqqQQIIHHHHH6x", number, number, number, 0, 8, device, 8, device, 0, flags,
            0, 0, size, 0, 0, 0, GNU if build_id else 0, 0 if build_id else 2, len(build_id),
            len(path), 144) + ident + path + b"\0")
        return number, True

    def mapping(self, pid, time, path, build_id, comm, start=None, before=False, size=4096,
                device=1, deleted=False):
        """start: of the process; before: it was there when the log began"""
        number, _ = self.file(time, path, build_id, size, device, DELETED if deleted else 0)
        self.record(MMAP, time, struct.pack(
            "<IIQQQQQQIIII16s", pid, pid, 0x7f0000000000 + number * 0x10000, 0x1000, 0, number,
            start or pid, 1, 0, 5, 2, 0, comm), SNAPSHOT if before else 0)

    def task(self, kind, pid, time, comm, parent, start, parent_start):
        self.record(kind, time, struct.pack("<IIQIIQQII16s", pid, pid, start or pid, parent, 0,
                                            parent_start or parent, 1, 0, 0, comm))

    def fork(self, pid, time, comm, parent, start=None, parent_start=None):
        self.task(FORK, pid, time, comm, parent, start, parent_start)

    def execute(self, pid, time, comm, start=None):
        self.task(EXEC, pid, time, comm, 0, start, None)

    def exit(self, pid, time, comm, start=None):
        self.task(EXIT, pid, time, comm, 0, start, None)

    def write(self, path, whole=True):
        header = struct.pack("<8sIIII16sQQ", b"\211BIDLOG\n", 0x01020304, 2, 56, 2, bytes(16),
                             self.begin, self.begin + AHEAD)
        end = struct.pack("<HHIQQQQQ", END, 0, 48, 0, self.last, self.last, len(self.records),
                          self.last + AHEAD)
        with open(path, "wb") as file:
            file.write(header + b"".join(self.records) + (end if whole else b""))
