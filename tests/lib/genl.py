# SPDX-License-Identifier: GPL-2.0
"""Generic netlink, without a library: the family buildid as its header has it."""

import os
import socket
import struct

from device import KIND, parse

NETLINK_GENERIC = 16
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLM_F_REQUEST, NLM_F_DUMP_INTR, NLM_F_DUMP = 1, 0x10, 0x300
CTRL_ID, CTRL_GETFAMILY, CTRL_A_ID, CTRL_A_NAME, CTRL_A_GROUPS = 16, 3, 1, 2, 7
CMD_GET, CMD_EVENT, CMD_SUBSCRIBE = 4, 5, 6
(A_RECORD, A_DEV_MAJOR, A_DEV_MINOR, A_INO, A_GENERATION, A_PAD, A_KIND, A_FLAGS, A_RING_SIZE,
 A_WATERMARK, A_PIDS, A_UID, A_CGROUP_FD, A_TREE) = range(1, 15)


def pad4(size):
    return (size + 3) & ~3


def attribute(kind, data):
    head = struct.pack("=HH", 4 + len(data), kind)
    return head + data + bytes(-len(data) % 4)


def u32(kind, number):
    return attribute(kind, struct.pack("=I", number))


def attributes(data):
    """(type, bytes) of each."""
    while len(data) >= 4:
        size, kind = struct.unpack_from("=HH", data)
        yield kind & 0x3fff, data[4:size]
        data = data[pad4(size):]


class Genl:
    """A socket to the family."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
        self.socket.bind((0, 0))
        self.interrupted = False        # NLM_F_DUMP_INTR was seen
        self.waiting = []               # events that came before an answer
        self.described = dict(next(self.request(CTRL_ID, CTRL_GETFAMILY, 0,
                                                attribute(CTRL_A_NAME, b"buildid\0"))))
        self.family = struct.unpack("=H", self.described[CTRL_A_ID])[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def messages(self):
        """Those of one datagram: (type, bytes behind the netlink header)."""
        data = self.socket.recv(1 << 16)
        while len(data) >= 16:
            size, kind, flags = struct.unpack_from("=IHH", data)
            self.interrupted |= bool(flags & NLM_F_DUMP_INTR)
            yield kind, data[16:size]
            data = data[pad4(size):]

    def request(self, family, command, flags, body=b""):
        """The attributes of each message of the answer."""
        head = struct.pack("=IHHII", 20 + len(body), family, NLM_F_REQUEST | flags, 1, 0)
        self.socket.send(head + struct.pack("=BBH", command, 1, 0) + body)
        while True:
            for kind, data in self.messages():
                if kind in (NLMSG_ERROR, NLMSG_DONE):
                    error = -struct.unpack_from("=i", data)[0]
                    if error > 0:
                        raise OSError(error, os.strerror(error))
                    return
                if kind == getattr(self, "family", None) and data[0] == CMD_EVENT:
                    self.waiting += self.records(attributes(data[4:]))
                    continue
                yield attributes(data[4:])
                if not flags & NLM_F_DUMP:
                    return

    def records(self, found):
        return [parse(data) for kind, data in found if kind == A_RECORD]

    def get(self, dev, ino, generation=None, tree=None):
        """The newest FILE record of an inode."""
        body = u32(A_DEV_MAJOR, dev[0]) + u32(A_DEV_MINOR, dev[1]) + \
            attribute(A_INO, struct.pack("=Q", ino))
        if generation is not None:
            body += u32(A_GENERATION, generation)
        if tree is not None:
            body += attribute(A_TREE, struct.pack("=Q", tree))
        return self.records(next(self.request(self.family, CMD_GET, 0, body)))[0]

    def dump(self, dev=None, kind=None):
        """The FILE records of all that is remembered, or of one device or kind."""
        body = b"" if dev is None else u32(A_DEV_MAJOR, dev[0]) + u32(A_DEV_MINOR, dev[1])
        if kind is not None:
            body += u32(A_KIND, KIND.index(kind))
        return [record for found in self.request(self.family, CMD_GET, NLM_F_DUMP, body)
                for record in self.records(found)]

    def subscribe(self, flags=0, ring_size=0, watermark=0, pids=(), uid=None, cgroup_fd=None):
        """Returns the ring's size."""
        body = b"".join(u32(kind, number) for kind, number in (
            (A_FLAGS, flags), (A_RING_SIZE, ring_size), (A_WATERMARK, watermark)) if number)
        if pids:
            body += attribute(A_PIDS, struct.pack(f"={len(pids)}I", *pids))
        if uid is not None:
            body += u32(A_UID, uid)
        if cgroup_fd is not None:
            body += u32(A_CGROUP_FD, cgroup_fd)
        (answer,) = self.request(self.family, CMD_SUBSCRIBE, 0, body)
        return struct.unpack("=I", dict(answer)[A_RING_SIZE])[0]

    def receive(self):
        """The records of one datagram of events, and what came before it."""
        records, self.waiting = self.waiting, []
        return records or [record for kind, data in self.messages() if kind == self.family
                           for record in self.records(attributes(data[4:]))]
