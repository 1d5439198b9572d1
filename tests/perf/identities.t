#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which content a mapping had, where the record of the mapping itself does not say: files
that perf links, data mappings, a log of something else."""

import contextlib
import os
import re
import signal
import subprocess

import lib
from lib import built
from perf_scenarios import Story, diagnose, read_id
from recording import tool_test
from tap import equal, run, test

stack = contextlib.ExitStack()
story = Story("6.12", stack.enter_context(lib.tmpfs()))
library = story.path("library.so")

# perf walks this tree each time it starts.
MODULES = f"/lib/modules/{os.uname().release}"
os.makedirs(MODULES, exist_ok=True)
lib.run("mount", "-t", "tmpfs", "tmpfs", MODULES)
stack.callback(lib.run, "umount", MODULES)


def record(data, *command, options=()):
    story.run("record", "-e", "cpu-clock:u", *options, "-o", data, "--", *command)


def annotate(*arguments):
    done = lib.buildid("annotate", *arguments)
    diagnose(done.stderr)
    return done.stderr


@contextlib.contextmanager
def log_of(path, *options):
    """A log of what happens in the block."""
    with lib.started("buildid", "record", "-o", path, *options,
                     stderr=subprocess.DEVNULL) as recorder:
        lib.until(lambda: os.path.exists(path) and os.path.getsize(path) > 1000, "a snapshot")
        yield
        recorder.send_signal(signal.SIGINT)
        equal(recorder.wait(lib.TIMEOUT), 0)


def mappings(data):
    """(id or None, protection) of each mapping of the library."""
    text = story.run("script", "-i", data, "--show-mmap-events").stdout
    return re.findall(r"PERF_RECORD_MMAP2 .*\[.*?(?:<([0-9a-f]+)>)?\]: (\S+) "
                      rf"{library}(?:@\w+)?$", text, re.M)


@tool_test("a file that perf links into its cache is unchanged")
def _():
    program, data = story.path("program"), story.path("linked")
    lib.write_bytes(program, lib.read_bytes(built("spin-first")))
    lib.settle_times(program)
    before = os.stat(program)
    record(data, program, "work")
    after = os.stat(program)
    equal(after.st_nlink, before.st_nlink + 1, "links")
    assert after.st_ctime_ns > before.st_ctime_ns, "the ctime is as it was"
    # So that the module knows it as it is now, too.
    lib.run(program, "work")
    said = annotate(data)
    assert program not in said, said
    equal({build_id for build_id, path in story.mappings(data) if path == program},
          {read_id(built("spin-first"))})


@test("data mappings have the content of their time, by a log alone")
def _():
    log, data = story.path("log"), story.path("data")
    steps = f"""
        {built("busy")} {library} 100
        cat {built("work-two.so")} >{library}
        touch {story.path("written")}
        until [ -e {story.path("settled")} ]; do sleep 0.1; done
        {built("busy")} {library} 100
    """
    lib.write_bytes(library, lib.read_bytes(built("work-one.so")))
    lib.settle_times(library)
    with log_of(log):
        with lib.started(story.perf, "record", "-d", "-e", "cpu-clock:u", "-B", "-o", data, "--",
                         "sh", "-c", steps, env=story.environment,
                         stderr=subprocess.DEVNULL) as recorder:
            lib.until(lambda: os.path.exists(story.path("written")), "it was overwritten")
            lib.settle_times(library)
            lib.write_bytes(story.path("settled"), b"")
            equal(recorder.wait(lib.TIMEOUT), 0)
    with lib.unloaded():
        said = annotate("--log", log, data)
    assert library not in said, said
    found = mappings(data)
    assert {prot for _, prot in found} > {"r-xp"}, found
    first, second = (read_id(built(f"work-{name}.so")) for name in ("one", "two"))
    half = len(found) // 2
    equal([build_id for build_id, _ in found], [first] * half + [second] * half)


@tool_test("a log of something else is refused")
def _():
    log, data = story.path("other-log"), story.path("other")
    with log_of(log, "--no-annotate", "-p", "1"):
        record(data, "true", options=["-B"])
    before = lib.read_bytes(data)
    said = lib.buildid("annotate", "--log", log, data, status=1).stderr
    equal(said, f"buildid: {log}: none of the recording's mappings is in it; it is of another "
          "boot, or of other processes\n")
    equal(lib.read_bytes(data), before, "the recording")


@tool_test("a perf in another pid namespace has other pids")
def _():
    program, data = story.path("inside"), story.path("namespace")
    lib.write_bytes(program, lib.read_bytes(built("spin-first")))
    done = lib.run("buildid", "record", "--", "unshare", "-pf", "--mount-proc", story.perf, "record",
                   "-e", "cpu-clock:u", "-o", data, "--", program, "work", env=story.environment)
    diagnose(done.stderr)
    lib.contains(done.stderr, "recorded in another pid namespace: ")
    text = story.run("script", "-i", data, "--show-mmap-events").stdout
    lib.contains(text, f"<{read_id(program)}>]: r-xp {program}")


@test("nothing is left behind")
def _():
    stack.close()


run()
