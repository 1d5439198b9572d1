#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""perf.data of every shape that perf writes, annotated; streams, logs, processes that
were there before; and what perf's own look for build-ids costs beside it."""

import contextlib
import glob
import os
import re
import signal
import subprocess

import lib
from lib import built, contains
from perf_story import Story, diagnose, read_id
from tap import equal, run, test

FILES = 200 if lib.DEBUG else 3000
MAP_ALL = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                      ctypes.c_int, ctypes.c_long]
for entry in os.scandir(sys.argv[1]):
    fd = os.open(entry.path, os.O_RDONLY)
    libc.mmap(None, 4096, 5, 2, fd, 4096)
    os.close(fd)
"""

stack = contextlib.ExitStack()
story = Story("6.12", stack.enter_context(lib.tmpfs()))
program = story.path("program")
lib.write_bytes(program, lib.read_bytes(built("spin-first")))
wanted = read_id(built("spin-first"))


def ids_of(mappings, path):
    return {build_id for build_id, mapped in mappings if mapped == path}


def check_program(data):
    """The program, and the libraries it was started with, have the ids they have."""
    mappings = story.mappings(data)
    equal(ids_of(mappings, program), {wanted}, "program")
    libraries = sorted({path for build_id, path in mappings
                        if re.match(r"/usr/lib/.*\.so", path)})
    assert libraries, "no library was mapped"
    known = lib.readelf_ids(libraries)
    for path in libraries:
        equal(ids_of(mappings, path), {known.get(path)}, path)


def add_shape(name, *options, check=lambda data: None):
    @test(f"{name} is annotated")
    def _():
        data = story.path("shape-" + "".join(filter(str.isalnum, name)))
        done = lib.run("buildid", "record", "--", story.perf, "record", "-e", "cpu-clock",
                       *options, "-o", data, "--", program, "work", env=story.environment)
        diagnose(done.stderr.splitlines()[-1])
        check_program(data)
        check(data)
        listed = {line.split(" ", 1)[0] for line in
                  lib.buildid("list", "-H", "-i", data).stdout.splitlines()}
        contains(listed, wanted)


def is_a_directory(data):
    assert len(glob.glob(data + "/data.*")) > 0, os.listdir(data)


add_shape("a perf.data")
add_shape("one of the whole machine", "-a")
# On the debug kernel each takes a minute, and the rest is all perf's and the tool's.
if not lib.DEBUG:
    add_shape("one that is compressed", "-z")
    add_shape("one by CLOCK_MONOTONIC", "-k", "mono")
    add_shape("one with data mappings and call chains", "-d", "-g")
    add_shape("one with several events", "-e", "page-faults,context-switches")
    add_shape("a directory", "-a", "--threads", check=is_a_directory)


@test("a stream is annotated from what the module remembers")
def _():
    data = story.path("stream")
    with open(data, "wb") as output:
        recorder = subprocess.Popen([story.perf, "record", "-B", "-e", "cpu-clock", "-o", "-",
                                     "--", program, "work"], stdout=subprocess.PIPE,
                                    env=story.environment)
        annotator = subprocess.run(["buildid", "annotate", "-"], stdin=recorder.stdout,
                                   stdout=output, stderr=subprocess.PIPE, text=True, check=False)
        recorder.stdout.close()
        equal(recorder.wait(), 0, "perf record")
    diagnose(annotator.stderr)
    equal(annotator.returncode, 0)
    with open(data, "rb") as source:
        text = story.run("script", "-i", "-", "--show-mmap-events", stdin=source).stdout
    contains(text, f"<{wanted}>]: r-xp {program}")


@test("a stream of perf record is annotated on its way out")
def _():
    done = subprocess.run(["buildid", "record", "--", story.perf, "record", "-e", "cpu-clock",
                           "--", program, "work"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=story.environment, check=True)
    diagnose(done.stderr.decode())
    text = subprocess.run([story.perf, "script", "-i", "-", "--show-mmap-events"],
                          input=done.stdout, stdout=subprocess.PIPE, env=story.environment,
                          check=True).stdout.decode()
    contains(text, f"<{wanted}>]: r-xp {program}")
    assert not os.path.exists("perf.data"), "a perf.data, too"


@test("a process that was there before has the content it was started with")
def _():
    old = story.path("old")
    lib.write_bytes(old, lib.read_bytes("/bin/sleep"))
    before = read_id(old)
    with lib.started(old, "1000") as process:
        lib.until(lambda: "libc" in lib.read_bytes(f"/proc/{process.pid}/maps").decode(),
                  "it runs")
        os.rename(built_copy("spin-second"), old)
        data = story.path("before")
        done = lib.run("buildid", "record", "--", story.perf, "record", "-a", "-e", "cpu-clock",
                       "-o", data, "--", old, "work", env=story.environment)
    diagnose(done.stderr)
    mappings = story.mappings(data)
    equal(ids_of(mappings, old + " (deleted)"), {before})
    equal(ids_of(mappings, old), {read_id(built("spin-second"))})


def built_copy(name):
    path = story.path("copy")
    lib.write_bytes(path, lib.read_bytes(built(name)))
    return path


@test("a log of buildid record does for a perf that was started by itself")
def _():
    log, data = story.path("log"), story.path("by-log")
    with lib.started("buildid", "record", "-o", log, stderr=subprocess.DEVNULL) as recorder:
        lib.until(lambda: os.path.exists(log) and os.path.getsize(log) > 10000, "a snapshot")
        story.run("record", "-e", "cpu-clock", "-o", data, "--", program, "work")
        recorder.send_signal(signal.SIGINT)
        equal(recorder.wait(lib.PATIENCE), 0)
    before = lib.read_bytes(data)
    out = story.path("annotated")
    diagnose(lib.buildid("annotate", "--log", log, "-o", out, data).stderr)
    equal(lib.read_bytes(data), before, "the input")
    check_program(out)
    # perf had made a table of its own, which has one id for a path.
    equal(story.ids("-i", out), story.ids("-H", "-i", out))
    shown = lib.json_lines(lib.buildid("mon", "-j", "-i", log).stdout)
    assert any("snapshot" in line.get("flags", []) for line in shown), "no snapshot"


@test("the exit status is perf's, and nothing is left where perf fails")
def _():
    data = story.path("status")
    for command in (["sh", "-c", "exit 7"], ["/nonexistent"]):
        arguments = [story.perf, "record", "-e", "cpu-clock", "-o", data, "--", *command]
        plain = lib.run(*arguments, status=None, env=story.environment).returncode
        ours = lib.run("buildid", "record", "--", *arguments, status=None,
                       env=story.environment).returncode
        equal(ours, plain, command)
    equal(glob.glob(data + ".*"), [data + ".old"] if os.path.exists(data + ".old") else [])


@test("what cannot be annotated is left as it was, and the log is kept")
def _():
    data = story.path("bad")
    fake = story.path("perf")
    lib.write_bytes(fake, b"#!/bin/sh\nprintf PERFILE2 > " + data.encode() + b"\n")
    done = lib.run("buildid", "record", "--", fake, "record", "-o", data, "true", status=1)
    contains(done.stderr, f"buildid: {data}: ")
    contains(done.stderr, f"{data}.buildid: kept")
    equal(lib.read_bytes(data), b"PERFILE2")
    assert os.path.getsize(data + ".buildid") > 1000, "the log"


def count_calls(*command):
    """System calls of a command itself, not of what it starts; seconds in them."""
    trace = story.path("trace")
    lib.run("strace", "-c", "-o", trace, *command, env=story.environment)
    total = lib.read_bytes(trace).decode().splitlines()[-1].split()
    return int(total[3 if len(total) > 4 else 2]), float(total[1])


@test("perf's look for build-ids at its end, beside an annotation")
def _():
    directory, log = story.path("many"), story.path("many.log")
    os.mkdir(directory)
    content = lib.read_bytes(built("spin-first.so"))
    for number in range(FILES):
        lib.write_bytes(f"{directory}/lib{number}.so", content)
    work = ["python3", "-c", MAP_ALL, directory]
    perf = [story.perf, "record", "-e", "cpu-clock", "-m", "4M"]
    scan = count_calls(*perf, "--buildid-all", "-o", story.path("scan"), "--", *work)
    lib.buildid("record", "-o", log, "--", "sh", "-c", '"$@"', "sh", *perf, "-B", "-o",
                story.path("none"), "--", *work, env=story.environment)
    plain = count_calls(*perf, "-B", "-o", story.path("plain"), "--", *work)
    ours = count_calls("buildid", "annotate", "--log", log, "-o", story.path("many.data"),
                       story.path("none"))
    diagnose(f"{FILES} files mapped: perf record makes {scan[0]} system calls with its look for\n"
             f"build-ids ({scan[1]:.3f} s in them), {plain[0]} without ({plain[1]:.3f} s);\n"
             f"buildid annotate makes {ours[0]} ({ours[1]:.3f} s)")
    got = [path for build_id, path in story.mappings(story.path("many.data"))
           if path.startswith(directory) and build_id]
    equal(len(got), FILES, "mappings with an id")
    assert ours[0] < scan[0] - plain[0], "more system calls than perf's own"


@test("nothing is left behind")
def _():
    stack.close()


run()
