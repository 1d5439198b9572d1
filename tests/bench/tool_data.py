# SPDX-License-Identifier: GPL-2.0
"""What scripts/bench-tool measures the tool with: perf.data as perf 6.1 writes them, and logs.

Samples are written in blocks of the same bytes, so that it does not take long.
"""

import random
import struct

IP, TID, TIME, CALLCHAIN, PERIOD = 1, 2, 4, 0x20, 0x100
SAMPLE_ID_ALL = 1 << 18
USE_CLOCKID = 1 << 25
USER = 2
CONTEXT_USER = 2 ** 64 - 512
CHAIN = 24
LIBRARIES = 40
SECOND = 10 ** 9
ROUND = struct.pack('<IHH', 68, 0, 8)


def padded(name):
    return name.encode() + b'\0' * (8 - len(name) % 8)


def event(kind, misc, body):
    return struct.pack('<IHH', kind, misc, 8 + len(body)) + body


def mmap2(pid, start, length, inode, time, path):
    return event(10, USER, struct.pack('<IIQQQ', pid, pid, start, length, 0) +
                 struct.pack('<IIQQII', 8, 1, inode, 0, 5, 2) + padded(path) +
                 struct.pack('<IIQ', pid, pid, time))


def sample(pid, time, addresses):
    chain = (CONTEXT_USER,) + tuple(addresses)
    return event(9, USER, struct.pack('<QIIQQQ', addresses[0], pid, pid, time, 1, len(chain)) +
                 struct.pack('<%dQ' % len(chain), *chain))


def plain_sample(pid, time, address):
    return event(9, USER, struct.pack('<QIIQQ', address, pid, pid, time, 1))


def build_id(number):
    return struct.pack('<QQI', number, 0, 1)


def table(paths):
    """An entry of the build-id table for each path."""
    entries = b''
    for number, path in enumerate(paths):
        name = padded(path)
        name += b'\0' * (-len(name) % 8)
        entries += (struct.pack('<IHHi', 67, USER | 0x8000, 36 + len(name), -1) +
                    build_id(number) + b'\x14\0\0\0' + name)
    return entries


class Recording:
    """A perf.data being written."""

    def __init__(self, path, sample_type):
        self.file = open(path, 'wb')
        attr = struct.pack('<IIQQQQQ', 1, 128, 0, 4000, sample_type, 0,
                           SAMPLE_ID_ALL | 0x400 | USE_CLOCKID)
        attr = attr.ljust(88, b'\0') + struct.pack('<I', 0) + struct.pack('<i', 1)
        attr = attr.ljust(128, b'\0') + struct.pack('<QQ', 104, 8)
        self.attrs = 112, len(attr)
        self.data = 112 + len(attr)
        self.file.write(b'\0' * 104 + struct.pack('<Q', 1) + attr)

    def write(self, events):
        self.file.write(events)

    def end(self, paths):
        size = self.file.tell() - self.data
        entries = table(paths)
        features = 1 << 2 if entries else 0
        if entries:
            self.file.write(struct.pack('<QQ', self.file.tell() + 16, len(entries)) + entries)
        self.file.seek(0)
        self.file.write(b'PERFILE2' + struct.pack('<QQ', 104, 144) +
                        struct.pack('<QQQQQQ', *self.attrs, self.data, size, 0, 0) +
                        struct.pack('<QQQQ', features, 0, 0, 0))
        self.file.close()


def library(number):
    return f'/usr/lib/x86_64-linux-gnu/libraries/lib{number}.so.1.{number}'


def place(number):
    return 0x7f0000000000 + number * 0x1000000


def dsos(path, count):
    """@count files, each mapped once."""
    recording = Recording(path, IP | TID | TIME | PERIOD)
    for number in range(count):
        recording.write(mmap2(1000, place(number), 0x200000, 100 + number, 0, library(number)))
    recording.end([library(number) for number in range(count)])


def chains(path, size, processes, unhit, library=library):
    """Samples with call chains in processes of LIBRARIES libraries, and @unhit never hit."""
    chance = random.Random(1)
    recording = Recording(path, IP | TID | TIME | PERIOD | CALLCHAIN)
    for pid in range(1000, 1000 + processes):
        for number in range(LIBRARIES + unhit):
            recording.write(mmap2(pid, place(number), 0x200000, 100 + number, 0,
                                  library(number)))
    block, time = b'', SECOND
    while len(block) < 1 << 20:
        time += 1000
        addresses = [place(chance.randrange(LIBRARIES)) + chance.randrange(0x200000)
                     for _ in range(CHAIN)]
        block += sample(1000 + chance.randrange(processes), time, addresses)
    for _ in range(max(1, size // len(block))):
        recording.write(block + ROUND)
    recording.end([library(number) for number in range(LIBRARIES + unhit)])


def samples(path, size):
    """Samples without call chains, and few mappings."""
    recording = Recording(path, IP | TID | TIME | PERIOD)
    for number in range(LIBRARIES):
        recording.write(mmap2(1000, place(number), 0x200000, 100 + number, 0, library(number)))
    block = b''.join(plain_sample(1000, 100 * SECOND + n, place(n % LIBRARIES))
                     for n in range(25000))
    for _ in range(max(1, size // len(block))):
        recording.write(block + ROUND)
    recording.end([])


def mappings(path, count, processes):
    """@count mappings, in each process the same libraries."""
    recording = Recording(path, IP | TID | TIME | PERIOD)
    each = count // processes
    for pid in range(1000, 1000 + processes):
        recording.write(b''.join(
            mmap2(pid, place(number), 0x200000, 100 + number % 200, SECOND + pid * 1000 + number,
                  library(number % 200)) for number in range(each)) + ROUND)
    recording.end([])


# -------------------------------------------------------------------------- log --

LOG_END, LOG_FILE, LOG_MMAP = 0, 1, 2


def record(kind, time, body):
    return struct.pack('<HHIQQQ', kind, 0, 32 + len(body), 1, time, time) + body


def file_record(number, time, path, identity):
    path = path.encode()
    return record(LOG_FILE, time, struct.pack(
        '<QQQQIIIIIIqqQQIIHHHHHHHH', number + 1, 100 + number, 100 + number, 0, 8, 1, 8, 1, 0, 0,
        1, 1, 1 << 30, 0, 1000, 1000, 1, 0, 20, len(path), 144, 0, 0, 0) +
        identity + b'\0' * 4 + path.ljust((len(path) + 8) & ~7, b'\0'))


def mmap_record(pid, start, length, offset, time, number):
    return record(LOG_MMAP, time, struct.pack('<IIQQQQQQIIII16s', pid, pid, start, length, offset,
                                              number + 1, pid, 1, 0, 5, 2, 0, b'program'))


def write_log(path, records, count, end):
    with open(path, 'wb') as file:
        file.write(b'\211BIDLOG\n' + struct.pack('<IIII', 0x01020304, 2, 56, 2) + b'\1' * 16 +
                   struct.pack('<QQ', 1, 1))
        for each in records:
            file.write(each)
        file.write(record(LOG_END, end, struct.pack('<QQ', count, end)))


def mapping_records(count, processes):
    for number in range(200):
        yield file_record(number, 2, library(number), build_id(number))
    for pid in range(1000, 1000 + processes):
        yield b''.join(mmap_record(pid, place(number), 0x200000, 0, SECOND + pid * 1000 + number,
                                   number % 200) for number in range(count // processes))


def log(path, count, processes):
    """The records of mappings(), and before samples()."""
    write_log(path, mapping_records(count, processes), 200 + count, 200 * SECOND)


def program_log(path, program, identity, text):
    """Of a process 1000 that has the @text, (address, offset, size), of @program."""
    address, offset, size = text
    write_log(path, [file_record(0, SECOND, program, identity),
                     mmap_record(1000, address, size, offset, SECOND, 0)], 2, 2 * SECOND)
