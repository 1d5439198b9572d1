#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""buildid symbolize beside what bpftrace and perf say themselves of processes that are
gone."""

import contextlib
import os
import re
import shutil
import signal

import arch
import lib
from lib import built, contains
from recording import build_id, copy, perf, work
from tap import equal, run, test

FRAMES = ["reach", "layer_of_one", "run", "call", "in_child", "main"]
if arch.ENTRY_MISSES_CALLER:
    FRAMES.remove("layer_of_one")


@contextlib.contextmanager
def place():
    """A directory with deep and the first library in it, as ./library.so."""
    with lib.directory() as path:
        shutil.copy(built("deep"), path)
        copy(built("layer-one.so"), f"{path}/library.so")
        yield path


def keep(home, path, file):
    """In ~/.debug, as perf and buildid store have it."""
    identity = build_id(file)
    entry = f"{home}/.debug/{path[1:]}/{identity}"
    link = f"{home}/.debug/.build-id/{identity[:2]}/{identity[2:]}"
    os.makedirs(entry)
    os.makedirs(os.path.dirname(link))
    shutil.copy(file, f"{entry}/elf")
    os.symlink(f"../../{path[1:]}/{identity}", link)


def symbolize(text, *arguments, home="/"):
    return lib.buildid("symbolize", *arguments, input=text, stdin=None,
                       env=dict(os.environ, HOME=home))


def bpftrace(path, how, actions):
    program = f"uprobe:{path}/deep:reach {{ {actions} }}"
    command = f"{path}/deep {path}/library.so {how}"
    for _ in range(10):
        done = lib.run("bpftrace", "-e", program, "-c", command, cwd=path, status=None)
        # bpftrace 0.17 does not catch that /proc/PID/exe is gone, when a process exits
        # while its stack is printed.
        if done.returncode != -signal.SIGABRT:
            break
    equal(done.returncode, 0, done.stderr)
    return done.stdout


def functions(text):
    return re.findall(r"^\s+0x[0-9a-f]+ (\S+?)\+0x", text, re.M)


@test("bpftrace has addresses only of a process that is gone, and here are their names")
def _():
    with place() as path:
        text = bpftrace(path, "", "@[pid, ustack(4)] = count(); @late[ustack(4), pid] = 1;")
        # Its own.
        before, early, late = re.fullmatch(
            r"(.*\n)@\[(\d+, \n(?:    .*\n)+)\]: 1\n@late\[\n((?:    .*\n)+), \d+\]: 1\s*",
            text, re.S).groups()
        assert re.search(r"^    0x[0-9a-f]+$", early, re.M), early
        assert "layer_of" not in text and "reach" not in before, text
        # Ours.
        done = symbolize(text)
        named = done.stdout
        equal(functions(named), FRAMES[:4] * 2, named)
        equal(done.stderr, "")
        contains(named, f" ({path}/library.so+0x")
        contains(named, f" {build_id(built('layer-one.so'))} ")
        # But for the names all is as it was.
        equal(re.sub(r"^( +0x[0-9a-f]+) \S+\+0x.*$", r"\1", named, flags=re.M)
              .replace(named.splitlines()[1], text.splitlines()[1]), text)


@test("stacks as bpftrace prints them while it runs, in its own style and in perf's")
def _():
    with place() as path:
        text = bpftrace(path, "",
                        r'printf("pid %d%s\n", pid, ustack(4)); '
                        r'printf("tgid %d%s\n", pid, ustack(perf, 4));')
        named = symbolize(text).stdout
        own, perfs = named.split("tgid ")
        # What bpftrace could name itself is left alone.
        equal(re.findall(r"^ {8}(?:0x[0-9a-f]+ )?(\w+)\+", own, re.M), FRAMES[:4], own)
        equal(re.findall(r"^\t[0-9a-f]+ (\w+)\+0x", perfs, re.M)[-3:], FRAMES[1:4], perfs)
        assert "[unknown]" in text and "[unknown]" not in named, named


@test("a library that was replaced since has the names of what ran, not of what is there")
def _():
    with place() as path:
        text = bpftrace(path, "", f"@[pid, ustack({len(FRAMES)})] = count();")
        keep(path, f"{path}/library.so", f"{path}/library.so")
        copy(built("layer-two.so"), f"{path}/library.so")
        equal(functions(symbolize(text, home=path).stdout), FRAMES)
        without = symbolize(text).stdout
        contains(without, f" [unknown] ({path}/library.so+0x")
        assert "layer_of" not in without, without


@test("perf script names the wrong content's functions, and here are the right ones")
def _():
    with place() as path:
        library, data, log = f"{path}/libwork.so", f"{path}/perf.data", f"{path}/log"
        copy(work("one"), library)
        # No build-ids, so that it is by path.
        perf("record", "-q", "-B", "-N", "-e", "cpu-clock:u", "-F", "500", "-o", data, "--",
             "buildid", "record", "--tasks", "-o", log, "--", built("busy"), library, "300")
        keep(path, library, work("one"))
        copy(work("two"), library)
        text = perf("script", "-i", data, "--comms", "busy", "-F", "+pid").stdout
        contains(text, " work_of_two+")
        assert "work_of_one" not in text
        for arguments in [], ["--log", log]:
            named = symbolize(text, *arguments, home=path).stdout
            contains(named, " work_of_one+")
            assert "work_of_two" not in named, named
            equal(len(named.splitlines()), len(text.splitlines()), "lines")
        # A log is enough, on a machine without the module.
        with lib.unloaded():
            named = symbolize(text, "--log", log, home=path).stdout
        contains(named, " work_of_one+")
        assert "work_of_two" not in named, named


run()
