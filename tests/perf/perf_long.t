#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A perf.data that is much longer than what its annotation may take of memory."""

import contextlib
import os
import resource
import struct
import time

import lib
from lib import built
from perf_scenarios import Story, diagnose, logged, read_id
from recording import tool_test
from tap import equal, run, test

SIZE = 128 << 20
# The tool and its libraries are 56 MiB of it.
ROOM = 96 << 20
# In the header: where data and the map of features are.
DATA_AT, FEATURES_AT, FEATURES = 40, 72, 256

stack = contextlib.ExitStack()
story = Story("6.12", stack.enter_context(lib.tmpfs()))
program, log = story.path("program"), story.path("log")
short, long = story.path("short"), story.path("long")
lib.write_bytes(program, lib.read_bytes(built("spin-first")))


def repeat(source, target, size):
    """A perf.data with all events of another, again and again; how often."""
    whole = lib.read_bytes(source)
    offset, length = struct.unpack_from("=QQ", whole, DATA_AT)
    times = size // length
    header, data = bytearray(whole[:offset]), whole[offset:offset + length]
    rest = bytearray(whole[offset + length:])
    more = length * (times - 1)
    struct.pack_into("=Q", header, DATA_AT + 8, length * times)
    features = int.from_bytes(header[FEATURES_AT:FEATURES_AT + FEATURES // 8], "little")
    for number in range(bin(features).count("1")):
        (at,) = struct.unpack_from("=Q", rest, 16 * number)
        struct.pack_into("=Q", rest, 16 * number, at + more)
    with open(target, "wb") as file:
        file.write(header)
        for _ in range(times):
            file.write(data)
        file.write(rest)
    return times


def annotate(source, **options):
    return lib.run("buildid", "annotate", "--log", log, "-o", source + ".out", source, **options)


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))


@tool_test("a long recording is annotated in less memory than it has bytes, all of it")
def _():
    with logged(log):
        story.run("record", "-B", "-e", "cpu-clock", "-o", short, "--", program, "work")
    times = repeat(short, long, SIZE)
    annotate(short)
    assert (read_id(program), program) in story.mappings(short + ".out")
    begin = time.monotonic()
    annotate(long, preexec_fn=limit_memory)
    seconds = time.monotonic() - begin
    begin = time.monotonic()
    lib.run("sh", "-c", 'cat "$1" >"$2"; sync "$2"', "sh", long, story.path("copy"))
    diagnose(f"{os.path.getsize(long) >> 20} MiB annotated in {seconds:.1f} s, copied in "
             f"{time.monotonic() - begin:.1f} s")
    identity = bytes.fromhex(read_id(program))
    once = lib.read_bytes(short + ".out").count(identity)
    assert once > 1, "none"
    # And once in the table.
    equal(lib.read_bytes(long + ".out").count(identity), (once - 1) * times + 1,
          "ids of the program")


@test("nothing is left behind")
def _():
    stack.close()


run()
