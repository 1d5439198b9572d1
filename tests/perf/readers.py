# SPDX-License-Identifier: GPL-2.0
"""Readers of perf.data that are not perf's own, as far as tests need them: what hotspot's
perfparser writes, and a perf.data itself, read by the rules of those that are not packaged."""

import collections
import functools
import os
import struct

import arch
import lib

PERFPARSER = f"{arch.LIBRARIES}/libexec/hotspot-perfparser"


# ---------------------------------------------------------------- hotspot --

class Message:
    """A QDataStream: big-endian; a QByteArray is its length, -1 for none, and its bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(">" + form)
        return values

    def text(self):
        (size,) = self.take("i")
        start, self.at = self.at, self.at + max(size, 0)
        return self.data[start:self.at].decode(errors="replace")


def messages(data):
    """Each as (EventType, Message), as app/perfunwind.cpp of KDAB/perfparser sends them."""
    assert data.startswith(b"QPERFSTREAM\0"), data[:16]
    at = 16
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at)
        message = Message(data[at + 4:at + 4 + size])
        at += 4 + size
        yield message.take("B")[0], message


COMMAND, LOCATION, SYMBOL, STRING, SAMPLE = 2, 3, 4, 5, 13


def hotspot(data, home, output):
    """Samples of each (comm, function, file), as hotspot 1.3.0, Debian 12's, has them."""
    lib.run(PERFPARSER, "--input", data, "--output", output,
            env=dict(os.environ, HOME=home, QT_QPA_PLATFORM="offscreen"))
    strings, parents, symbols, comms = {-1: ""}, {}, {}, {}
    found = collections.Counter()
    for kind, message in messages(lib.read_bytes(output)):
        if kind == STRING:
            (number,) = message.take("i")
            strings[number] = message.text()
        elif kind == LOCATION:
            number, *_, parents[number] = message.take("iQiIiii")
        elif kind == SYMBOL:
            number, name, _, path = message.take("iiii")
            symbols[number] = strings[name], strings[path]
        elif kind == COMMAND:
            pid, *_, comm = message.take("IIQIi")
            comms[pid] = strings[comm]
        elif kind == SAMPLE:
            pid, *_, frames = message.take("IIQII")
            frame = message.take("i" * frames)[0]
            while frame not in symbols and parents.get(frame, -1) >= 0:
                frame = parents[frame]
            found[(comms.get(pid), *symbols.get(frame, ("", "")))] += 1
    return found


# --------------------------------------------------------------- perf.data --

COMM, EXIT, FORK, SAMPLE_RECORD, MMAP2 = 3, 4, 7, 9, 10
MISC_COMM_EXEC, MISC_BUILD_ID = 1 << 13, 1 << 14
IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID = (1 << n for n in range(10))
IDENTIFIER = 1 << 16
BUILD_ID_FEATURE = 2

Mapping = collections.namedtuple("Mapping", "start end path build_id")


def cut(text):
    return text.split(b"\0", 1)[0].decode(errors="surrogateescape")


class PerfData:
    """A perf.data file of one event, not compressed."""

    def __init__(self, path):
        self.data = lib.read_bytes(path)
        magic, _, self.attr_size, self.attrs, _, self.start, self.size = \
            struct.unpack_from("<8s6Q", self.data)
        assert magic == b"PERFILE2", magic
        (self.sample_type,) = struct.unpack_from("<Q", self.data, self.attrs + 24)

    def table(self):
        """HEADER_BUILD_ID: the build-id of each path; of two entries the last, as all
        readers have it."""
        words = struct.unpack_from("<4Q", self.data, 72)
        numbers = [n for n in range(256) if words[n // 64] >> n % 64 & 1]
        found = {}
        if BUILD_ID_FEATURE not in numbers:
            return found
        at, size = struct.unpack_from(
            "<2Q", self.data, self.start + self.size + 16 * numbers.index(BUILD_ID_FEATURE))
        end = at + size
        while at < end:
            _, misc, length = struct.unpack_from("<IHH", self.data, at)
            count = self.data[at + 32] if misc & 0x8000 else 20
            found[cut(self.data[at + 36:at + length])] = self.data[at + 12:at + 12 + count].hex()
            at += length
        return found

    def records(self):
        at, end = self.start, self.start + self.size
        while at < end:
            kind, misc, size = struct.unpack_from("<IHH", self.data, at)
            yield kind, misc, self.data[at:at + size]
            at += size

    def time_of(self, record, kind):
        """Of the sample_id at its end, all of which have IDENTIFIER or not even a time."""
        fields = [bit for bit in (TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER)
                  if self.sample_type & bit]
        if kind == SAMPLE_RECORD:
            at = 8 + 8 * bool(self.sample_type & IDENTIFIER) + 8 * bool(self.sample_type & IP) + 8
        else:
            at = len(record) - 8 * (len(fields) - fields.index(TIME))
        return struct.unpack_from("<Q", record, at)[0]

    def sample(self, record):
        at = 8 + 8 * bool(self.sample_type & IDENTIFIER)
        ip, pid = struct.unpack_from("<QI", record, at)
        return ip, pid

    def ordered(self):
        known = [(self.time_of(record, kind), number, kind, misc, record)
                 for number, (kind, misc, record) in enumerate(self.records())
                 if kind in (COMM, EXIT, FORK, SAMPLE_RECORD, MMAP2)]
        return [rest for _, _, *rest in sorted(known)]

    def samples(self):
        """(comm, mapping) of each sample, by the events in the order of time."""
        comms, spaces = {}, collections.defaultdict(list)
        for kind, misc, record in self.ordered():
            (pid,) = struct.unpack_from("<I", record, 8)
            if kind == COMM:
                comms[pid] = cut(record[16:])
                if misc & MISC_COMM_EXEC:
                    spaces[pid] = []
            elif kind == FORK:
                parent = struct.unpack_from("<I", record, 12)[0]
                if parent != pid:
                    spaces[pid] = list(spaces[parent])
                    comms.setdefault(pid, comms.get(parent))
            elif kind == MMAP2:
                start, length = struct.unpack_from("<2Q", record, 16)
                has_id = misc & MISC_BUILD_ID
                spaces[pid].append(Mapping(start, start + length, cut(record[72:]),
                                           record[44:44 + record[40]].hex() if has_id else None))
            elif kind == SAMPLE_RECORD:
                ip, pid = self.sample(record)
                mapping = next((mapping for mapping in reversed(spaces[pid])
                                if mapping.start <= ip < mapping.end), None)
                yield comms.get(pid), mapping


def by_table(table, mapping):
    """The table alone."""
    return table.get(mapping.path)


def by_event_or_table(table, mapping):
    return mapping.build_id or table.get(mapping.path)


@functools.cache
def id_of(path):
    """The build-id of a file, None where there is none."""
    return lib.readelf_ids([path]).get(path) if os.path.isfile(path) else None


def by_samply(table, mapping):
    """The id, but nothing where the path has a file with another one: samply leaves such a
    mapping out (add_module_to_process() in converter.rs)."""
    found, wanted = id_of(mapping.path), by_event_or_table(table, mapping)
    return wanted if not os.path.exists(mapping.path) or found == wanted else None


def perfetto_binary(root, path, identity):
    """The file that Perfetto symbolizes with: the path or its name below PERFETTO_BINARY_PATH,
    or by build-id; of any only one with that id (FindBinaryInRoot() in local_symbolizer.cc)."""
    places = (path, "/" + os.path.basename(path), f"/.build-id/{identity[:2]}/{identity[2:]}.debug")
    return next((root + place for place in places if id_of(root + place) == identity), None)


def by_name(_, mapping):
    """As whoever shows names shows them."""
    return os.path.basename(mapping.path)


def told_apart(path, rule):
    """Samples of each (comm, what the rule says of its mapping)."""
    data = PerfData(path)
    table = data.table()
    return collections.Counter((comm, rule(table, mapping)) for comm, mapping in data.samples()
                               if mapping)
