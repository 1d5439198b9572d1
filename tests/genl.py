# SPDX-License-Identifier: GPL-2.0
"""Generic netlink, without a library: the family buildid as its header has it."""

import os
import socket
import struct

from device import parse

NETLINK_GENERIC = 16
SOL_NETLINK, NETLINK_ADD_MEMBERSHIP = 270, 1
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLM_F_REQUEST, NLM_F_DUMP = 1, 0x300
CTRL_ID, CTRL_GETFAMILY, CTRL_A_ID, CTRL_A_NAME, CTRL_A_GROUPS = 16, 3, 1, 2, 7
CMD_GET, CMD_EVENT = 1, 2
A_RECORD, A_DEV_MAJOR, A_DEV_MINOR, A_INO, A_GENERATION = range(1, 6)


def pad4(size):
    return (size + 3) & ~3


def attribute(kind, data):
    head = struct.pack("=HH", 4 + len(data), kind)
    return head + data + bytes(-len(data) % 4)


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
        found = dict(next(self.request(CTRL_ID, CTRL_GETFAMILY, 0,
                                       attribute(CTRL_A_NAME, b"buildid\0"))))
        self.family = struct.unpack("=H", found[CTRL_A_ID])[0]
        group = dict(attributes(next(attributes(found[CTRL_A_GROUPS]))[1]))
        self.group = struct.unpack("=I", group[2])[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def messages(self):
        """Those of one datagram: (type, bytes behind the netlink header)."""
        data = self.socket.recv(1 << 16)
        while len(data) >= 16:
            size, kind = struct.unpack_from("=IH", data)
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
                yield attributes(data[4:])
                if not flags & NLM_F_DUMP:
                    return

    def records(self, found):
        return [parse(data) for kind, data in found if kind == A_RECORD]

    def get(self, dev, ino, generation=None):
        """The newest FILE record of an inode."""
        body = attribute(A_DEV_MAJOR, struct.pack("=I", dev[0])) + \
            attribute(A_DEV_MINOR, struct.pack("=I", dev[1])) + \
            attribute(A_INO, struct.pack("=Q", ino))
        if generation is not None:
            body += attribute(A_GENERATION, struct.pack("=I", generation))
        return self.records(next(self.request(self.family, CMD_GET, 0, body)))[0]

    def dump(self):
        """The FILE records of all that is remembered."""
        return [record for found in self.request(self.family, CMD_GET, NLM_F_DUMP)
                for record in self.records(found)]

    def join(self):
        self.socket.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, self.group)

    def receive(self):
        """The records of one datagram of events."""
        return [record for kind, data in self.messages() if kind == self.family
                for record in self.records(attributes(data[4:]))]
