# SPDX-License-Identifier: GPL-2.0
"""A perf.data with call chains, as perf record -g writes it, of any processes and contents."""

import struct

HEADER = 104
ATTR = 136
# IP, TID, TIME, CALLCHAIN, PERIOD
SAMPLE_TYPE = 0x1 | 0x2 | 0x4 | 0x20 | 0x100
SAMPLE_ID_ALL = 1 << 18
USER, EXEC, BUILD_ID = 2, 1 << 13, 1 << 14
CONTEXT_USER = (1 << 64) - 512
MMAP2, COMM, EXIT, SAMPLE = 10, 3, 4, 9


def padded(name):
    return name + bytes(8 - len(name) % 8)


class Recording:
    def __init__(self):
        self.events = []

    def event(self, kind, misc, body):
        self.events.append(struct.pack("<IHH", kind, misc, 8 + len(body)) + body)

    @staticmethod
    def trailer(pid, time):
        return struct.pack("<IIQ", pid, pid, time)

    def program(self, pid, time, comm):
        self.event(COMM, USER | EXEC,
                   struct.pack("<II", pid, pid) + padded(comm) + self.trailer(pid, time))

    def mapping(self, pid, time, path, build_id, start, length=0x10000):
        """build_id: bytes"""
        self.event(MMAP2, USER | BUILD_ID,
                   struct.pack("<IIQQQB3x20sII", pid, pid, start, length, 0, len(build_id),
                               build_id, 5, 2) + padded(path) + self.trailer(pid, time))

    def exit(self, pid, time):
        self.event(EXIT, USER, struct.pack("<IIIIQ", pid, 1, pid, 1, time) +
                   self.trailer(pid, time))

    def sample(self, pid, time, chain):
        """chain: addresses, the innermost first"""
        self.event(SAMPLE, USER,
                   struct.pack("<QIIQQQ%dQ" % (len(chain) + 1), chain[0], pid, pid, time, 1,
                               len(chain) + 1, CONTEXT_USER, *chain))

    def write(self, path):
        data = b"".join(self.events)
        attr = struct.pack("<IIQQQQQ", 1, ATTR - 16, 0, 1000, SAMPLE_TYPE, 0, SAMPLE_ID_ALL)
        attr = attr.ljust(ATTR - 16, b"\0") + struct.pack("<QQ", HEADER + ATTR, 0)
        header = b"PERFILE2" + struct.pack("<QQQQQQQQ", HEADER, ATTR, HEADER, ATTR,
                                           HEADER + ATTR, len(data), 0, 0)
        with open(path, "wb") as file:
            file.write(header.ljust(HEADER, b"\0") + attr + data)
