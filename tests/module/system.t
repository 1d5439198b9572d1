#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The whole system: every program and shared object of this machine has the build-id
that libelf reads, and that readelf reads; one without says why."""

import json
import os

import lib
import stream
from lib import built
from tap import Skip, equal, run, test

SAMPLE = 200


def expected():
    """path: build-id, None where there is none; by elf-files, see its source."""
    found = {}
    with open(built("elf-files"), errors="surrogateescape") as file:
        for line in file:
            identity, path = line.rstrip("\n").split("\t")
            found[path] = None if identity == "-" else identity
    return found


def every(number, found):
    return dict(sorted(found.items())[::number])


# A tenth on the debug kernel, where all would take four minutes.
WANTED = every(10 if lib.DEBUG else 1, expected())
asked = {}


@test(f"buildid id --verify of {len(WANTED)} programs and libraries: libelf agrees on each")
def _():
    assert len(WANTED) > (100 if lib.DEBUG else 1000), "hardly a system"
    stream.flush()
    with lib.directory() as work:
        names = os.path.join(work, "names")
        lib.write_bytes(names, b"".join(os.fsencode(path) + b"\0" for path in WANTED))
        done = lib.buildid("id", "--verify", "-j", "-0", "--files-from", names)
    equal(done.stderr, "", "errors")
    for line in done.stdout.splitlines():
        line = json.loads(line)
        path = line["path"]
        if "path_bytes" in line:
            path = os.fsdecode(bytes.fromhex(line["path_bytes"]))
        assert path not in asked, f"{path} twice"
        asked[path] = line


@test("none is missing: as many answers as find and the ELF magic count")
def _():
    equal(set(WANTED) - set(asked), set(), "missing")
    equal(len(asked), len(WANTED), "number of answers")


@test("each has the build-id that readelf reads")
def _():
    for path, identity in WANTED.items():
        if identity:
            line = asked[path]
            equal((line["kind"], line["build_id"], line["reason"]), ("gnu", identity, None),
                  path)


@test("each without a build-id has another identity, and a reason")
def _():
    without = [path for path, identity in WANTED.items() if not identity]
    if not without:
        raise Skip("every file of this machine has a build-id")
    for path in without:
        line = asked[path]
        assert line["kind"] in ("go", "htlhash") and line["reason"] == "no-note", line
        if line["kind"] == "htlhash" and line["size"] < 64 << 20:
            equal(line["build_id"], lib.htlhash(lib.read_bytes(path)), path)


@test("buildid list has them all, with the same identities")
def _():
    listed = {}
    for line in lib.json_lines(lib.buildid("list", "--kind", "any", "-j").stdout):
        listed.setdefault(line["file_id"], line["build_id"])
    for path, line in asked.items():
        equal(listed.get(line["file_id"]), line["build_id"], path)


@test(f"{SAMPLE} of them, mapped, have the same identity")
def _():
    sample = sorted(WANTED)[::max(1, len(WANTED) // SAMPLE)]
    stream.flush()
    with stream.Watch(ring_size=4 << 20) as watch:
        for path in sample:
            lib.map_file(path)
        watch.settle()
        equal([mapped.path for mapped in watch.mmaps], sample, "mappings")
        for mapped in watch.mmaps:
            file = watch.file_of(mapped)
            equal((file.kind, file.id), (asked[mapped.path]["kind"],
                                         asked[mapped.path]["build_id"]), mapped.path)


run()
