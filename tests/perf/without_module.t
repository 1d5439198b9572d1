#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""buildid record around perf without the module: names per content from the records that perf_event
gives to anyone who may profile at all."""

import contextlib
import os
import subprocess

import lib
import rights
from lib import built, contains
from perf_scenarios import USER, Story, diagnose, read_id, wrong_symbols
from recording import PERF, busy
from tap import equal, run, test

PARANOID = "/proc/sys/kernel/perf_event_paranoid"
# Before that root alone can open what is mapped of an overlay, as the guest's root is.
OVERLAY = (6, 8)

stack = contextlib.ExitStack()
story = Story("6.12", stack.enter_context(lib.tmpfs()))
data = story.path("perf.data")

# See perf.t.
MODULES = f"/lib/modules/{os.uname().release}"
os.makedirs(MODULES, exist_ok=True)
lib.run("mount", "-t", "tmpfs", "tmpfs", MODULES)
stack.callback(lib.run, "umount", MODULES)

stack.enter_context(lib.unloaded())
stack.enter_context(lib.written(PARANOID, "2"))


def record(output, *command, perf=story.perf, options=(), before=(), environment=None,
           complete=True):
    done = lib.run(*before, "buildid", "record", "--", perf, "record", "-F", "499",
                   "-e", "cpu-clock:u", *options, "-o", output, "--", *command,
                   env=environment or story.environment)
    diagnose(done.stderr)
    contains(done.stderr, "buildid: record: without the module, as it is not loaded")
    contains(done.stderr, " 0 not annotated" if complete else " mappings annotated")
    assert not os.path.exists(output + ".buildid"), "a log is left"
    return done.stderr


def names(recording, path):
    """(path, id) of each content of a path, in order, as perf shows them."""
    return list(dict.fromkeys((mapped, build_id) for build_id, mapped in story.mappings(recording)
                              if mapped.split("@")[0] == path))


def wanted(path, *suffixes):
    ids = [read_id(story.spin + suffix) for suffix in suffixes]
    return [(story.name(path, ids, build_id), build_id) for build_id in ids]


@test("each content of a path has its name, whatever it leads to by now")
def _():
    # What it says of modules only the module knows.
    lib.write_bytes(story.path("files"), lib.read_bytes(story.path("session")).split(b"insmod")[0])
    record(data, "sh", story.path("files"))
    for path, *suffixes in (("library.so", "-first.so", "-second.so", "-third.so"),
                            ("program", "-first", "-second", "-inside")):
        equal(names(data, story.path(path)), wanted(path, *suffixes), path)


@test("perf script names the right function for each sample")
def _():
    story.keep()
    equal(wrong_symbols(story.symbols(data), USER), {}, "wrong symbols")


@test("what ran before perf did has its content, though its path leads to another")
def _():
    library, output = story.path("old.so"), story.path("old.data")
    lib.write_bytes(library, lib.read_bytes(built("work-one.so")))
    with busy(library, 100, story.work) as process:
        lib.write_bytes(library + ".new", lib.read_bytes(built("work-two.so")))
        os.rename(library + ".new", library)
        record(output, built("busy"), library, "100", options=["-a"])
        assert process.poll() is None
    equal({build_id for _, build_id in names(output, library)},
          {read_id(built("work-two.so"))}, "its path")
    equal({build_id for build_id, path in story.mappings(output)
           if path.startswith(library + " (deleted)")}, {read_id(built("work-one.so"))},
          "the one that is gone")


@test("a perf that a script runs is annotated")
def _():
    output = story.path("script.data")
    library = story.path("script.so")
    lib.write_bytes(library, lib.read_bytes(built("work-one.so")))
    script = (f"{story.perf} record -B -e cpu-clock:u -o {output} -- {built('busy')} {library} 100;"
              f" true")
    done = subprocess.run(["buildid", "record", "-o", story.path("log"), "--", "sh", "-c", script],
                          cwd=story.work, env=story.environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    diagnose(done.stderr.decode())
    equal({build_id for _, build_id in names(output, library)}, {read_id(library)}, "its id")


def upgraded(directory):
    """A script in which a library is replaced, and run before and after."""
    script = os.path.join(directory, "upgrade")
    lib.write_bytes(script, f"""
        cp {built("work-one.so")} {directory}/own.so
        {built("busy")} {directory}/own.so 100
        cp {built("work-two.so")} {directory}/new
        mv {directory}/new {directory}/own.so
        {built("busy")} {directory}/own.so 100
    """.encode())
    return script


def add_user(who, before, *options, complete=True):
    @test(f"{who} gets both names of a library that was upgraded")
    def _():
        with lib.directory() as directory:
            os.chmod(directory, 0o777)
            output = os.path.join(directory, "perf.data")
            # The other perfs are where root alone may look.
            record(output, "sh", upgraded(directory), perf=PERF, options=options, before=before,
                   environment=dict(story.environment, HOME=directory), complete=complete)
            os.chown(output, 0, 0)
            ids = [read_id(built(f"work-{name}.so")) for name in ("one", "two")]
            path = os.path.join(directory, "own.so")
            equal(names(output, path), [(path, ids[0]), (f"{path}@{ids[1][:8]}", ids[1])])


add_user("an ordinary user", rights.AS_NOBODY)
add_user("CAP_PERFMON alone", rights.as_nobody("perfmon"), "-a",
         complete=lib.KERNEL >= OVERLAY)


@test("an ordinary user's process that runs already is recorded by its pid")
def _():
    with lib.tmpfs() as directory:
        os.chmod(directory, 0o777)
        output, library = (os.path.join(directory, name) for name in ("perf.data", "library.so"))
        lib.write_bytes(library, lib.read_bytes(built("work-one.so")))
        with busy(library, 100, directory, *rights.AS_NOBODY) as process:
            os.rename(library, library + ".old")
            lib.write_bytes(library, lib.read_bytes(built("work-two.so")))
            done = lib.run(*rights.AS_NOBODY, "buildid", "record", "-p", str(process.pid),
                           "-e", "cpu-clock:u", "-o", output, "sleep", "0.1",
                           env=dict(story.environment, HOME=directory))
        diagnose(done.stderr)
        os.chown(output, 0, 0)
        equal(names(output, library + ".old"),
              [(library + ".old", read_id(built("work-one.so")))], "by where it is now")


@test("nothing is left behind")
def _():
    stack.close()


run()
