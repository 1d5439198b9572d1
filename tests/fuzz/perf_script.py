# SPDX-License-Identifier: GPL-2.0
"""The samples that perf script prints of a recording, before and after buildid annotate."""

import hashlib
import json
import os
import random
import re
import struct
import subprocess
import time

# A recording that perf takes longer for is none that it reads.
TIMEOUT = 60
HEADER, MAGIC, PIPE = 104, b"PERFILE2", 16
# What a log is made of; see tool/identities/log.h and include/uapi/buildid.h.
LOG_HEADER, RECORD, LOG_END = "=8sIIII16sQQ", "=HHIQQQ", "=QQ"
FILE, MMAP = "=QQQIIIIIIqqQQHHHHHHHH", "=IIQQQQQIIIHH16s"
FILE_TYPE, MMAP_TYPE = 1, 2

# Not --call-graph dwarf: perf unwinds by the files, which are not those of the logs' build-ids.
OPTIONS = ((), ("-g",), ("-k", "mono"), ("-z", "-g"), ("-d",), ("--buildid-mmap",),
           ("-e", "context-switches:u"), ("--all-cgroups",))
WORK = "for i in 1 2 3; do ls /usr/bin; done > /dev/null"

MAPPED = re.compile(rb"\s(\d+)\.(\d{9}): PERF_RECORD_MMAP2 (-?\d+)/(-?\d+): "
                    rb"\[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (0x[0-9a-f]+|0) "
                    rb"(?:([0-9a-f]+):([0-9a-f]+) (\d+) \d+|<[0-9a-f]+>)\]: \S+ (/.*)")


def perf(*arguments):
    """What it prints; None when it fails, or hangs."""
    try:
        done = subprocess.run(("perf",) + arguments, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT, check=False,
                              env=dict(os.environ, PERF_PAGER="cat", HOME="/nonexistent"))
    except subprocess.TimeoutExpired:
        return None
    return None if done.returncode else done.stdout


def samples(path):
    """The lines of perf script but for what names a content; None when it does not read it."""
    text = perf("script", "-f", "--no-inline", "-F", "-sym,-symoff,-dso", "-i", path)
    return text.splitlines() if text else None


# ------------------------------------------------------------------------ logs --

def record(kind, fixed, variable, moment, number):
    """A record of the module with what varies in length behind."""
    size = struct.calcsize(RECORD) + len(fixed) + len(variable)
    return struct.pack(RECORD, kind, 0, size, number, moment, moment) + fixed + variable


def padded(content):
    return content + bytes(-len(content) % 8)


def log_of(path):
    """The log of a recording of this boot: each mapping of a file, with a content of that path
    which is another one in every second process."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot = bytes.fromhex(file.read().strip().replace("-", ""))
    now = time.monotonic_ns()
    log = [struct.pack(LOG_HEADER, b"\211BIDLOG\n", 0x01020304, 1, 56, 1, boot, 1,
                       time.time_ns() - now + 1)]
    text = perf("script", "-f", "--ns", "--show-mmap-events", "-i", path) or b""
    for found in MAPPED.finditer(text):
        seconds, fraction, pid, tid = (int(value) for value in found.groups()[:4])
        start, length, offset = (int(value, 16) for value in found.groups()[4:7])
        major, minor = (int(value or b"0", 16) for value in found.groups()[7:9])
        inode, name = int(found[10] or 0), found[11]
        moment = seconds * 10**9 + fraction
        identity = hashlib.sha1(name + bytes([pid % 2])).digest()
        number = len(log)
        fixed = struct.pack(FILE, number, inode, inode, major, minor, major, minor, 0, 0, 1, 1, 1,
                            0, 1, 0, len(identity), len(name), 32 + struct.calcsize(FILE),
                            0, 0, 0)
        log.append(record(FILE_TYPE, fixed, padded(identity) + padded(name + b"\0"), moment,
                          number))
        fixed = struct.pack(MMAP, pid, tid, start, length, offset, number, 1, 5, 2, 0, 0,
                            32 + struct.calcsize(MMAP), b"comm")
        log.append(record(MMAP_TYPE, fixed, b"", moment, number + 1))
    log.append(record(0, struct.pack(LOG_END, len(log) - 1, time.time_ns()), b"", now,
                      0))
    return b"".join(log)


# ------------------------------------------------------------------ recordings --

def split(content):
    """The perf.data and the log of an input of annotate_fuzz."""
    size = min(int.from_bytes(content[:8], "little"), max(len(content) - 8, 0))
    return content[8:8 + size], content[8 + size:]


def recorded(directory):
    """Recordings by perf, of programs of this machine, with their logs."""
    path = os.path.join(directory, "recorded")
    for options in OPTIONS:
        event = () if "-e" in options else ("-e", "cpu-clock:u", "-F", "2000")
        if perf("record", *event, "-o", path, *options, "--", "sh", "-c", WORK) is None:
            return
        log = log_of(path)
        with open(path, "rb") as file:
            yield file.read(), log


def events(data):
    """Where each event is, and its size."""
    size, = struct.unpack_from("<Q", data, 8)
    at, end = (PIPE, len(data)) if size == PIPE else struct.unpack_from("<2Q", data, 40)
    end = min(len(data), end if size == PIPE else at + end)
    while at + 8 <= end:
        length, = struct.unpack_from("<H", data, at + 6)
        if length < 8:
            return
        yield at, length
        at += length


def mutate(data, choose):
    """A few bytes in events, but in none of their headers, so that perf goes on."""
    data = bytearray(data)
    places = [place for place in events(data) if place[1] > 8]
    for _ in range(choose.randint(1, 4) if places else 0):
        at, length = choose.choice(places)
        where = at + choose.randrange(8, length)
        if where < len(data):
            data[where] = choose.choice((0, 1, 0x7f, 0x80, 0xff, choose.randrange(256)))
    return bytes(data)


def inputs(paths, directory, seed, counts):
    """(perf.data, log): those of @paths that perf reads, those that it makes, then all of them
    changed without end."""
    originals = []
    path = os.path.join(directory, "input")
    for one in paths:
        with open(one, "rb") as file:
            data, log = split(file.read())
        with open(path, "wb") as file:
            file.write(data)
        if data[:8] == MAGIC and len(data) > HEADER and samples(path):
            originals.append((data, log))
    made = list(recorded(directory))
    counts["recorded here"] = len(made)
    originals += made
    yield from originals
    choose = random.Random(seed)
    while originals:
        data, log = choose.choice(originals)
        yield mutate(data, choose), log


# --------------------------------------------------------------------- compare --

def compare(buildid, data, log, directory, counts):
    """What is wrong, or None."""
    before, logged, after = (os.path.join(directory, name) for name in ("data", "log", "after"))
    for path, content in ((before, data), (logged, log)):
        with open(path, "wb") as file:
            file.write(content)
    expected = samples(before)
    counts["recordings"] += 1
    if not expected:
        counts["not read by perf"] += 1
        return None
    done = subprocess.run((buildid, "annotate", "-j", "--log", logged, "-o", after, before),
                          stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          timeout=10 * TIMEOUT)
    if done.returncode not in (0, 1):
        return f"annotate ended with {done.returncode}: {done.stderr[-2000:].decode()}"
    if done.returncode:
        counts["not annotated"] += 1
        return None
    summary = [json.loads(line) for line in done.stdout.splitlines()]
    counts["mappings annotated"] += sum(line.get("annotated", 0) for line in summary)
    counts["contents named"] += sum(line.get("contents_named", 0) for line in summary)
    counts["samples compared"] += len(expected)
    found = samples(after)
    os.unlink(after)
    if found is None:
        return "perf script does not read what was annotated"
    for number, (line, other) in enumerate(zip(expected, found), 1):
        if line != other:
            return f"line {number} of perf script was {line!r} and is {other!r}"
    if len(expected) != len(found):
        return f"{len(expected)} lines of perf script became {len(found)}"
    return None
