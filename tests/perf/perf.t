#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""perf.data of every shape that perf writes, annotated; streams, logs, processes that
were there before; and what perf's own look for build-ids costs beside it."""

import contextlib
import glob
import os
import re
import subprocess
import time

import lib
from lib import built, contains
from perf_scenarios import Story, diagnose, logged, read_id
from tap import equal, run, test

FILES = 2000
MAP_ALL = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                      ctypes.c_int, ctypes.c_long]
page = os.sysconf("SC_PAGESIZE")
for entry in os.scandir(sys.argv[1]):
    fd = os.open(entry.path, os.O_RDONLY)
    libc.mmap(None, page, 5, 2, fd, page)
    os.close(fd)
"""

stack = contextlib.ExitStack()
story = Story("6.12", stack.enter_context(lib.tmpfs()))
program = story.path("program")
lib.write_bytes(program, lib.read_bytes(built("spin-first")))
wanted = read_id(built("spin-first"))


# perf walks this tree each time it starts, which is most of what it costs here. The
# sessions of perf_scenarios.py have it.
MODULES = f"/lib/modules/{os.uname().release}"
os.makedirs(MODULES, exist_ok=True)
lib.run("mount", "-t", "tmpfs", "tmpfs", MODULES)
stack.callback(lib.run, "umount", MODULES)

# Two overlayfs over one file, as of containers that have an image in common.
CONTAINERS = """
set -e
{program} alone
for name in one two; do
    mkdir -p {work}/$name/upper {work}/$name/inner {work}/$name/merged
    mount -t overlay overlay -o lowerdir={work}/image,upperdir={work}/$name/upper,workdir={work}/$name/inner \\
        {work}/$name/merged
    {work}/$name/merged/program $name
    umount {work}/$name/merged
done
"""
os.mkdir(story.path("image"))
lib.write_bytes(story.path("image/program"), lib.read_bytes(built("spin-second")))
lib.write_bytes(story.path("containers"), CONTAINERS.format(
    program=program, work=story.work).encode())


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


def add_shape(name, *options, command=(program, "work"), check=lambda data: None):
    @test(f"{name} is annotated")
    def _():
        data = story.path("shape-" + "".join(filter(str.isalnum, name)))
        begin = time.monotonic()
        done = lib.run("buildid", "record", "--", story.perf, "record", "-e", "cpu-clock",
                       *options, "-o", data, "--", *command, env=story.environment)
        diagnose(f"{done.stderr.splitlines()[-1]} ({time.monotonic() - begin:.0f} s in all)")
        check_program(data)
        check(data)
        listed = {line.split(" ", 1)[0] for line in
                  lib.buildid("list", "-H", "-i", data).stdout.splitlines()}
        contains(listed, wanted)


def is_a_directory(data):
    assert len(glob.glob(data + "/data.*")) > 0, os.listdir(data)


def has_containers(data):
    """The content of one file, of which each overlayfs shows another inode."""
    inside = read_id(story.path("image/program"))
    for name in ("one", "two"):
        equal(ids_of(story.mappings(data), story.path(f"{name}/merged/program")), {inside},
              name)


add_shape("one of the whole machine, with containers", "-a",
          command=("sh", story.path("containers")), check=has_containers)
# On the debug kernel each takes a minute, and the rest is all perf's and the tool's.
if not lib.DEBUG:
    add_shape("one that is compressed, by CLOCK_MONOTONIC, of several events", "-z", "-k", "mono",
              "-e", "page-faults,context-switches")
    add_shape("one with data mappings and call chains", "-d", "-g")
    add_shape("a directory", "-a", "--threads", check=is_a_directory)


@test("a stream is annotated from what the module remembers")
def _():
    raw, data = story.path("raw"), story.path("stream")
    lib.run("insmod", story.module("first"))
    with open(raw, "wb") as output:
        subprocess.run([story.perf, "record", "-B", "-e", "cpu-clock", "-o", "-", "--", program,
                        "work"], stdout=output, env=story.environment, check=True)
    # Another module of the name, where there was one: it is unknown which perf saw.
    lib.run("rmmod", "buildid_spin")
    lib.run("insmod", story.module("second"))
    with open(raw, "rb") as source, open(data, "wb") as output:
        through = subprocess.Popen(["cat"], stdin=source, stdout=subprocess.PIPE)
        annotator = subprocess.run(["buildid", "annotate", "-"], stdin=through.stdout,
                                   stdout=output, stderr=subprocess.PIPE, text=True, check=False)
        through.stdout.close()
        equal(through.wait(), 0, "cat")
    lib.run("rmmod", "buildid_spin")
    diagnose(annotator.stderr)
    equal(annotator.returncode, 0)
    contains(annotator.stderr, "buildid: [buildid_spin]: not annotated: ")
    contains(annotator.stderr, " 1 not annotated of 1 paths")
    with open(data, "rb") as source:
        text = story.run("script", "-i", "-", "--show-mmap-events", stdin=source).stdout
    contains(text, f"<{wanted}>]: r-xp {program}")
    for name in (r"\[kernel\.kallsyms\]", r"\[buildid\]"):
        assert re.search(rf"<[0-9a-f]{{40}}>\]: \S+ {name}", text), name
    assert read_id(story.module("second")) not in text, "of a module that was not there"


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
                       "-o", data, "--switch-output", "--", old, "work",
                       env=story.environment)
    diagnose(done.stderr)
    # And there are several perf.data, of which this is the only one.
    assert not os.path.exists(data), data
    (data,) = [path for path in glob.glob(data + ".*")]
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
    with logged(log):
        story.run("record", "-e", "cpu-clock", "-o", data, "--", program, "work")
    before = lib.read_bytes(data)
    out = story.path("annotated")
    diagnose(lib.buildid("annotate", "--log", log, "-o", out, data).stderr)
    equal(lib.read_bytes(data), before, "the input")
    check_program(out)
    # perf had made a table of its own, of what was hit: it has all that was mapped now.
    table = {build_id for build_id, _ in story.ids("-i", out)}
    equal({build_id for build_id, _ in story.ids("-H", "-i", out)} - table, set(), "hits")
    shown = lib.json_lines(lib.buildid("mon", "-j", "-l", log).stdout)
    assert any("snapshot" in line.get("flags", []) for line in shown), "no snapshot"


@test("the exit status is perf's, and nothing is left where perf fails")
def _():
    data = story.path("status")
    for command, status in ((["sh", "-c", "exit 7"], 7), (["/nonexistent"], 255)):
        lib.run("buildid", "record", "--", story.perf, "record", "-e", "cpu-clock", "-o", data,
                "--", *command, status=status, env=story.environment)
    equal(glob.glob(data + ".*"), [data + ".old"] if os.path.exists(data + ".old") else [])


@test("a log is of those who were asked for")
def _():
    log = story.path("filtered")
    lib.buildid("record", "--no-annotate", "-o", log, "-u", "65534", "--", "sh", "-c",
                "uname; setpriv --reuid 65534 date; uname")
    comms = {line["comm"] for line in lib.json_lines(lib.buildid("mon", "-j", "-l", log).stdout)
             if line["type"] == "mmap" and "snapshot" not in line["flags"]}
    equal(comms, {"date"})


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


def cost(*command):
    """System calls of a command itself, not of what it starts, and its seconds of CPU."""
    counts = story.path("counts")
    story.run("stat", "--no-inherit", "-x", ",", "-o", counts,
              "-e", "raw_syscalls:sys_enter,task-clock", "--", *command)
    text = lib.read_bytes(counts).decode()
    calls = re.search(r"^(\d+),,raw_syscalls", text, re.M)
    clock = re.search(r"^([\d.]+),msec,task-clock", text, re.M)
    assert calls and clock, text
    return int(calls[1]), float(clock[1]) / 1000


def perf_looks_for_build_ids():
    """perf's look for build-ids at its end, beside an annotation"""
    lib.run("mount", "-t", "tracefs", "tracefs", "/sys/kernel/tracing", status=None)
    directory, log = story.path("many"), story.path("many.log")
    os.mkdir(directory)
    content = lib.read_bytes(built("spin-first.so"))
    for number in range(FILES):
        lib.write_bytes(f"{directory}/lib{number}.so", content)
    work = ["python3", "-c", MAP_ALL, directory]
    perf = [story.perf, "record", "-e", "cpu-clock", "-m", "4M"]
    scan = cost(*perf, "--buildid-all", "-o", story.path("scan"), "--", *work)
    with logged(log):
        plain = cost(*perf, "-B", "-o", story.path("plain"), "--", *work)
    ours = cost("buildid", "annotate", "--log", log, "-o", story.path("many.data"),
                story.path("plain"))
    diagnose(f"{FILES} files mapped: perf's look for build-ids at its end takes "
             f"{scan[0] - plain[0]} system calls and {scan[1] - plain[1]:.2f} s of CPU, "
             f"buildid annotate in its place {ours[0]} and {ours[1]:.2f} s\n"
             f"(perf record in all: {scan[0]} and {scan[1]:.2f} s with it, "
             f"{plain[0]} and {plain[1]:.2f} s without)")
    got = [path for build_id, path in story.mappings(story.path("many.data"))
           if path.startswith(directory) and build_id]
    equal(len(got), FILES, "mappings with an id")
    assert ours[0] < scan[0] - plain[0], "more system calls than perf's own"


# The debug kernel has no tracepoint to count by.
if not lib.DEBUG:
    test(perf_looks_for_build_ids)


@test("nothing is left behind")
def _():
    stack.close()


run()
