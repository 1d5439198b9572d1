# SPDX-License-Identifier: GPL-2.0
"""What a file's identity has to be: that of what read(2) gives, by tests/src/elf_reader.c."""

import collections
import ctypes
import functools
import os

import lib
from device import KIND, REASON

# How the module may call the content of a file.
Answer = collections.namedtuple("Answer", "kind reason id")
IO_ERROR = Answer("none", "io-error", "")


class Identity(ctypes.Structure):
    """struct bid_identity"""
    _fields_ = [("kind", ctypes.c_uint8), ("reason", ctypes.c_uint8), ("len", ctypes.c_uint8),
                ("bytes", ctypes.c_uint8 * 128)]


def answer_of(record):
    return Answer(record.kind, record.reason, record.id)


def read_at(fd, size, offset):
    """All of that; an end that comes early is an error."""
    data = b""
    while len(data) < size:
        more = os.pread(fd, size - len(data), offset + len(data))
        if not more:
            raise OSError("the end comes early")
        data += more
    return data


@functools.cache
def reader():
    """A library, which is mapped with the first call."""
    return ctypes.CDLL(lib.built("elf_reader.so"))


def identify(fd, size):
    """The Answer that a reader has to come to; IO_ERROR where read(2) fails."""
    identity = Identity()
    if reader().identify(fd, ctypes.c_uint64(size), ctypes.byref(identity)):
        return IO_ERROR
    kind, reason = KIND[identity.kind], REASON[identity.reason]
    if kind != "none":
        return Answer(kind, reason, bytes(identity.bytes[:identity.len]).hex())
    part = min(size, lib.HASH_PART)
    try:
        return Answer("htlhash", reason, lib.htlhash_of(
            read_at(fd, part, 0), read_at(fd, part, size - part), size))
    except OSError:
        return IO_ERROR
