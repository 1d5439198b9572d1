# SPDX-License-Identifier: GPL-2.0
"""What is right under the load of soak.py, of which any reader of any record can say whether it
is, although it was not there when that was written, and although others are lost: the offset of a
mapping is the number of a step, and what the file holds in that step is a function of both."""

import collections
import hashlib
import mmap
import re
import struct

import lib
import stream
from device import UNSTABLE, Cookie, File, Lost, Mmap
from lib import PAGE

# How content comes to a file: it changes, or is that of a new file on another filesystem.
REWRITTEN = ("in_place", "truncated", "by_store", "replaced")
MOUNTED = ("tmpfs", "ext4", "overlay")
WAYS = REWRITTEN + MOUNTED
# Steps with one content.
STEPS = 3
# Files that are kept of a stream before those of the past are forgotten.
MOST = 20000
# A new file's number is that of the only step it is there in.
NAME = re.compile(r"soak-(?:rewritten|mounted-(\d+))\.so$")


def identity(way, step):
    """Of what comes that way in that step."""
    start = struct.pack("=BQ", WAYS.index(way), step - step % STEPS)
    return start + hashlib.sha1(start).digest()[:11]


def origin(ident):
    """The way and the step of one that identity() made, or (None, None)."""
    data = bytes.fromhex(ident)
    if len(data) == 20 and data[0] < len(WAYS):
        way, step = WAYS[data[0]], struct.unpack_from("=Q", data, 1)[0]
        if data == identity(way, step):
            return way, step
    return None, None


def had(name, ident):
    """Whether the file with that NAME, as matched, ever had that identity."""
    way, step = origin(ident)
    return way in MOUNTED and step == int(name[1]) if name[1] else way in REWRITTEN


def cookie_of(number):
    start = struct.pack("=Q", number)
    return start + hashlib.sha1(b"cookie" + start).digest()


def system_ids():
    """The build-id of each program and library of the machine, as readelf reads it."""
    with open(lib.built("elf-files"), encoding="utf-8", errors="surrogateescape") as file:
        return {path: ident for ident, path in (line.rstrip("\n").split("\t") for line in file)
                if ident != "-"}


class Truth:
    """Holds records to what is so. What came of which way is counted by the source of the record:
    a stream, or what was asked for. MAPS, alone of these, says what a file is when it is asked,
    and the file may have changed since it was found mapped."""

    def __init__(self, ids):
        self.ids = ids
        self.of_version = {}        # file_id: its identity
        self.waiting = {}           # (file_id, tid): mappings whose FILE is to come
        self.wrong = []
        self.counts = collections.Counter()

    def fail(self, what):
        self.counts["wrong"] += 1
        if len(self.wrong) < 20:
            self.wrong.append(what)

    def see_file(self, file):
        self.counts["files"] += 1
        known = self.of_version.get(file.file_id)
        if file.id and file.file_id:
            if known and known != file.id:
                self.fail(f"{file.file_id} was {known}: {file}")
            self.of_version[file.file_id] = file.id
        name = NAME.search(file.path)
        if file.id and file.path in self.ids:
            self.counts["programs right"] += file.id == self.ids[file.path]
            if file.id != self.ids[file.path]:
                self.fail(f"{file.id} in place of {self.ids[file.path]}: {file}")
        elif name and file.id and file.file_size and not had(name, file.id):
            self.fail(f"an identity that it never had: {file}")
        for mapped, source in self.waiting.pop((file.file_id, file.tid), ()):
            self.check_mapping(mapped, file, source)

    def see_mapping(self, mapped, file, source="stream"):
        """Of a stream each mapping is followed by its FILE."""
        self.counts[f"{source}: mappings"] += 1
        if mapped.state == "unresolved":
            self.counts[f"{source}: unresolved"] += 1
        elif mapped.state == "follows":
            self.waiting.setdefault((mapped.file_id, mapped.tid), []).append((mapped, source))
        else:
            self.check_mapping(mapped, file, source)

    def check_mapping(self, mapped, file, source):
        name = NAME.search(file.path)
        # lib.resident() maps it, too, to look at and not to run
        if not name or not mapped.prot & mmap.PROT_EXEC:
            return
        wanted = mapped.pgoff // PAGE
        wanted -= wanted % STEPS
        way, step = origin(file.id)
        its_own = had(name, file.id)
        if its_own and step == wanted:
            self.counts[f"{source}: right, {way}"] += 1
            return
        changed = its_own and (file.flags & UNSTABLE or source == "maps" and step > wanted)
        # while it is truncated
        empty = source == "maps" and not name[1] and not file.file_size
        # what is unmounted before it was read cannot be
        unread = not file.id and (file.reason in ("changing", "interrupted") or
                                  file.reason == "io-error" and name[1])
        if changed or empty or unread:
            self.counts[f"{source}: not known, {'mounted' if name[1] else 'rewritten'}"] += 1
        else:
            self.fail(f"{source}: not of step {wanted}: {file}")

    def see_cookie(self, cookie):
        self.counts["cookies"] += 1
        if cookie.id and bytes.fromhex(cookie.id) != cookie_of(cookie.len // PAGE):
            self.fail(f"a cookie that nobody set: {cookie}")

    def forget(self):
        """Numbers begin anew when the module is loaded again."""
        self.of_version.clear()
        self.waiting.clear()

    def summary(self):
        self.counts["without a file at the end"] += sum(map(len, self.waiting.values()))
        return {"counts": dict(self.counts), "wrong": self.wrong}


class Checked(stream.Stream):
    """A stream that is held to the truth as it comes, and not kept."""

    def __init__(self, truth):
        super().__init__(paths=True)
        self.truth = truth
        self.received = 0
        self.lost_mmaps = 0
        self.losses = 0
        self.missed = 0
        self.most = MOST

    def add(self, records):
        for record in records:
            super().add([record])
            if isinstance(record, File):
                self.truth.see_file(record)
            elif isinstance(record, Mmap):
                self.truth.see_mapping(record, self.sent.get(record.file_id))
            elif isinstance(record, Cookie):
                self.truth.see_cookie(record)
            elif isinstance(record, Lost):
                self.lost_mmaps += record.ring_full_mmaps
                self.missed += record.missed_probe
                self.losses += bool(record.ring_full)
        self.received += len(records)
        self.records.clear()
        self.mmaps.clear()
        # What was evicted is not referred to again but by who has lost nothing since.
        if len(self.files) > self.most:
            self.files = dict(self.sent)
            self.most = max(MOST, 2 * len(self.files))

    def summary(self):
        return {"seq": self.seq, "received": self.received, "lost": self.lost,
                "lost_mmaps": self.lost_mmaps, "losses": self.losses, "missed": self.missed,
                **self.truth.summary()}
