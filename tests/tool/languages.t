#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The example recorders in C, in Go without cgo and in Python by ctypes: they read the same."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys

import lib
import stream
from tap import equal, run, test

EXAMPLES = os.path.join(lib.TOP, "tool", "examples")
BUILT = os.path.join(lib.TOP, "build", "tool")
READERS = {
    "C": [os.path.join(BUILT, "examples", "mappings")],
    "Go": [lib.built("mappings-go")],
    "Python": [sys.executable, os.path.join(EXAMPLES, "mappings.py")],
}
ODD = b'odd "name" \\ \n\xff'


@contextlib.contextmanager
def reading(command):
    """A function that returns the records that it has printed so far."""
    environment = {**os.environ, "LD_LIBRARY_PATH": BUILT}
    with lib.directory() as work:
        path = os.path.join(work, "out")
        with open(path, "wb") as out, lib.started(*command, stdout=out, env=environment):
            def records():
                with open(path, "rb") as file:
                    lines = file.read().split(b"\n")[:-1]
                return [json.loads(line.decode("latin-1")) for line in lines]
            yield records


def stream_of(records, pid):
    """The mappings of a process in their order, and the last of each of their files."""
    mappings = [record for record in records if record.get("pid") == pid]
    wanted = {record["file_id"] for record in mappings}
    files = {record["file_id"]: record for record in records
             if "kind" in record and record["file_id"] in wanted}
    return mappings, files


def map_them(paths, times=1):
    """The pid of a process that maps these files, as often as that."""
    with subprocess.Popen([sys.executable, "-c", """
import mmap, os, sys
for path in sys.argv[2:] * int(sys.argv[1]):
    fd = os.open(os.fsencode(path), os.O_RDONLY)
    mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC).close()
    os.close(fd)
""", str(times), *paths]) as process:
        pass
    equal(process.returncode, 0, "what maps")
    return process.pid


@test("C, Go and Python read the same mappings and files of a process")
def _():
    with contextlib.ExitStack() as stack:
        work = os.fsencode(stack.enter_context(lib.directory()))
        readers = {language: stack.enter_context(reading(command))
                   for language, command in READERS.items()}
        paths = []
        for name in ("id20", "id83", "uuid", "go", "none"):
            paths.append(os.path.join(work, name.encode() + ODD))
            lib.write_bytes(paths[-1], lib.read_bytes(lib.built(name)))

        def each_has(pid):
            return all(any(record.get("pid") == pid for record in records())
                       for records in readers.values())
        for language, records in readers.items():
            lib.until(lambda records=records: lib.run("/bin/true") and records(),
                      f"{language} reads")
        pid = map_them(paths, 3)
        last = map_them(paths)
        lib.until(lambda: each_has(last), "all have read what came last")
        streams = {language: stream_of(records(), pid) for language, records in readers.items()}
        mappings, files = streams["C"]
        seen = [files[mapping["file_id"]]["path"] for mapping in mappings]
        equal(seen[-len(paths) * 3:], [path.decode("latin-1") for path in paths] * 3, "paths")
        equal({file["kind"] for file in files.values()}, {"gnu", "go", "htlhash"}, "kinds")
        for language in "Go", "Python":
            equal(streams[language], streams["C"], language)


@test("what is lost is said by those in Go and Python")
def _():
    said = re.compile(rb"(\d+) records lost, 0 mappings without identity, 0 missed by the hook")
    environment = {**os.environ, "LD_LIBRARY_PATH": BUILT}
    with lib.directory() as work, contextlib.ExitStack() as stack:
        before, errors, pids = stream.stats()["ring_full"], [], []
        for language in "Go", "Python":
            errors.append(os.path.join(work, language))
            with open(errors[-1], "wb") as file:
                pids.append(stack.enter_context(lib.started(
                    *READERS[language], stdout=subprocess.DEVNULL, stderr=file,
                    env=environment)).pid)
        lib.until(lambda: stream.stats()["subscribers"] == len(pids), "both read")
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        lib.until(lambda: map_them([lib.built("id20")], 2000) and
                  stream.stats()["ring_full"] > before + 2000, "both rings are full")
        lost = stream.stats()["ring_full"] - before
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        for path in errors:
            lib.until(lambda path=path: said.search(lib.read_bytes(path)), f"{path}: it is said")
        counts = [int(said.search(lib.read_bytes(path))[1]) for path in errors]
        equal(sum(counts), lost, f"records lost of {counts}")
        assert min(counts) > 0, counts


run()
