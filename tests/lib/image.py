# SPDX-License-Identifier: GPL-2.0
"""Small ELF images made to order."""
import os
import struct

# Of the file: the machine's pages may be larger.
SIZE = 4096


def note(name, kind, desc, align=4):
    def pad(b):
        return b + bytes(-len(b) % align)
    head = struct.pack("=III", len(name), len(desc), kind) + name
    return pad(pad(head) + desc)


def elf64(notes, size=SIZE):
    """An image whose one segment holds the notes."""
    ehdr = struct.pack("=16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, 0, 0, 64, 56, 1,
                       64, 0, 0)
    phdr = struct.pack("=IIQQQQQQ", 4, 4, 120, 120, 120, len(notes), len(notes), 4)
    return (ehdr + phdr + notes).ljust(size, b"\0")


def with_id(ident, size=SIZE):
    """An image with that GNU build-id (bytes)."""
    return elf64(note(b"GNU\0", 3, ident), size)


def put_files(directory, count):
    """So many, each of its own content: {path: identity}."""
    wanted = {}
    for number in range(count):
        path = os.path.join(directory, f"{number}.so")
        with open(path, "wb") as file:
            file.write(with_id(number.to_bytes(20, "big")))
        wanted[path] = number.to_bytes(20, "big").hex()
    return wanted
