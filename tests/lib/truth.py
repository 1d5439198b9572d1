# SPDX-License-Identifier: GPL-2.0
"""What is right under the load of soak.py, of which any reader of any record can say whether it
is, although it was not there when that was written, and although others are lost: the offset of a
mapping is the number of a step, and what the file holds in that step is a function of both."""

import collections
import hashlib
import re
import struct

import lib
import stream
from device import UNSTABLE, Cookie, File, Lost, Mmap
from lib import PAGE

REWRITTEN, MOUNTED = 1, 2
# Steps with one content.
STEPS = 3
NAME = re.compile(r"soak-(\d)-\d+\.so$")


def identity(writer, step):
    """Of what that writer's files hold in that step."""
    version = step - step % STEPS
    start = struct.pack("=BQ", writer, version)
    return start + hashlib.sha1(start).digest()[:11]


def follows(later, earlier):
    """Whether that identity is the same writer's, of a later step."""
    writer, step = struct.unpack_from("=BQ", bytes.fromhex(later))
    return step > struct.unpack_from("=BQ", bytes.fromhex(earlier))[1] and \
        later == identity(writer, step).hex() and later[:2] == earlier[:2]


def cookie_of(number):
    start = struct.pack("=Q", number)
    return start + hashlib.sha1(b"cookie" + start).digest()


def system_ids():
    """The build-id of each program and library of the machine, as readelf reads it."""
    with open(lib.built("elf-files"), encoding="utf-8", errors="surrogateescape") as file:
        return {path: ident for ident, path in (line.rstrip("\n").split("\t") for line in file)
                if ident != "-"}


class Truth:
    """Holds records to what is so. One that asks about the @present learns what a file is when
    it is asked, and the file may have changed since it was found mapped."""

    def __init__(self, ids, present=False):
        self.ids = ids
        self.present = present
        self.of_version = {}        # file_id: its identity
        self.waiting = {}           # file_id: what its pending mappings are to be
        self.wrong = []
        self.counts = collections.Counter()

    def fail(self, what):
        self.counts["wrong"] += 1
        if len(self.wrong) < 20:
            self.wrong.append(what)

    def check_identity(self, file, wanted, writer=None):
        if file.kind == "gnu":
            if file.id == wanted:
                self.counts["identities right"] += 1
            elif file.flags & UNSTABLE:
                self.counts["identities of files that change"] += 1
            elif self.present and writer == REWRITTEN and follows(file.id, wanted):
                self.counts["identities of a later step"] += 1
            else:
                self.fail(f"{file.id} in place of {wanted}: {file}")
        elif file.reason in ("changing", "pending") or \
                file.reason == "io-error" and writer == MOUNTED:
            # what is unmounted before it was read cannot be
            self.counts[f"identities {file.reason}"] += 1
        else:
            self.fail(f"no identity: {file}")

    def see_file(self, file):
        self.counts["files"] += 1
        known = self.of_version.get(file.file_id)
        if file.id and file.file_id:
            if known and known != file.id:
                self.fail(f"{file.file_id} was {known}: {file}")
            self.of_version[file.file_id] = file.id
        if file.reason != "pending":
            for wanted, writer in self.waiting.pop(file.file_id, ()):
                self.check_identity(file, wanted, writer)
        if file.id and file.path in self.ids:
            self.check_identity(file, self.ids[file.path])

    def see_mapping(self, mapped, file):
        self.counts["mappings"] += 1
        if mapped.state == "unresolved":
            self.counts["mappings unresolved"] += 1
            return
        match = NAME.search(mapped.path)
        if not match:
            return
        writer = int(match[1])
        wanted = identity(writer, mapped.pgoff // PAGE).hex()
        if file.reason == "pending":
            self.waiting.setdefault(file.file_id, []).append((wanted, writer))
        else:
            self.check_identity(file, wanted, writer)

    def see_cookie(self, cookie):
        self.counts["cookies"] += 1
        if cookie.id and bytes.fromhex(cookie.id) != cookie_of(cookie.len // PAGE):
            self.fail(f"a cookie that nobody set: {cookie}")

    def forget(self):
        """Numbers begin anew when the module is loaded again."""
        self.of_version.clear()
        self.waiting.clear()

    def summary(self):
        self.counts["identities pending"] += sum(map(len, self.waiting.values()))
        return {"counts": dict(self.counts), "wrong": self.wrong}


class Checked(stream.Stream):
    """A stream that is held to the truth as it comes, and not kept."""

    def __init__(self, truth):
        super().__init__()
        self.truth = truth
        self.received = 0
        self.lost_mmaps = 0
        self.losses = 0
        self.missed = 0

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
        if len(self.files) > 20000:
            self.files = dict(self.sent)

    def summary(self):
        return {"seq": self.seq, "received": self.received, "lost": self.lost,
                "lost_mmaps": self.lost_mmaps, "losses": self.losses, "missed": self.missed,
                **self.truth.summary()}
