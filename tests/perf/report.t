#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What perf report makes of contents of one path whose functions lie at the same
offsets and have the same sizes, which only their names tell apart."""

import collections
import contextlib
import os
import re
import subprocess

import lib
from lib import built, contains
from perf_scenarios import LIBRARY_SESSION, Story, diagnose, logged, read_id
from recording import tool_test
from tap import equal, run, test

PERFS = ("6.1", "6.12", "7.2")
SORTS = ((), ("--sort", "dso"), ("--sort", "sym"), ("--sort", "dso,sym"))
SUFFIXES = ("first", "second", "third")

stack = contextlib.ExitStack()
# What it records the others can read.
story = Story("6.1", stack.enter_context(lib.tmpfs()))
lib.write_bytes(story.path("session"),
                LIBRARY_SESSION.format(work=story.work, spin=story.spin).encode())
raw, log, named, plain = (story.path(name) for name in ("raw", "log", "named", "plain"))
library = story.path("library.so")
ids = {suffix: read_id(f"{story.spin}-{suffix}.so") for suffix in SUFFIXES}
# The first content keeps the path.
names = {suffix: f"library.so@{ids[suffix][:8]}" for suffix in SUFFIXES} | {
    "first": "library.so"}


def with_perf(name):
    story.perf = built(f"perf-{name}/perf")
    return story


def truth(data):
    """How many samples each function and each content has, as perf script says: by the
    processes, each of which had one content."""
    by_function, by_content = collections.Counter(), collections.Counter()
    for who, symbols in story.symbols(data).items():
        suffix = who.removeprefix("library-")
        for (symbol, dso), count in symbols.items():
            if dso.startswith("library.so"):
                by_content[names[suffix]] += count
            if symbol.startswith("spin_in_"):
                equal(symbol, f"spin_in_{suffix}", f"the function of {who}")
                by_function[symbol] += count
    return by_function, by_content


def report(data, *options):
    """(samples, rest) of each line."""
    text = story.run("report", "-i", data, "--stdio", "-n", *options).stdout
    return [(int(match[1]), match[2]) for match in
            re.finditer(r"^ +[\d.]+% +(\d+) +(.*)$", text, re.M)]


def reported(data, *options):
    """Samples of each function, and of each content, in all lines that have it."""
    by_function, by_content = collections.Counter(), collections.Counter()
    for count, rest in report(data, *options):
        for word in rest.split():
            if word.startswith("spin_in_"):
                by_function[word] += count
            elif word.startswith("library.so"):
                by_content[word] += count
    return by_function, by_content


def wrong_reports(data):
    """The sorts with which perf report says other than perf script."""
    by_function, by_content = truth(data)
    wrong = []
    for options in SORTS:
        functions, contents = reported(data, *options)
        if options != ("--sort", "dso") and functions != by_function:
            wrong.append((options, "functions", dict(functions), dict(by_function)))
        if options != ("--sort", "sym") and contents != by_content:
            wrong.append((options, "contents", dict(contents), dict(by_content)))
    return wrong


def table(data):
    """The build-id table, and nothing else, is what this lists where there is one."""
    return {path: build_id for build_id, path in story.ids("-i", data)}


@test("a session in which a path has three contents is recorded, annotated with names")
def _():
    offsets = {subprocess.run(["sh", "-c", f"nm -S {story.spin}-{suffix}.so | grep spin_in_"],
                              capture_output=True, text=True, check=True).stdout.rsplit(" ", 1)[0]
               for suffix in SUFFIXES}
    equal(len(offsets), 1, f"places and sizes of the functions: {offsets}")
    with logged(log):
        story.run("record", "-B", "-F", "499", "-e", "cpu-clock:u", "-o", raw, "sh",
                  story.path("session"))
    done = lib.buildid("annotate", "-l", log, "-o", named, raw)
    diagnose(done.stderr)
    contains(done.stderr, " 2 further contents named")
    got = list(dict.fromkeys((build_id, os.path.basename(path)) for build_id, path in
                             story.mappings(named) if path.startswith(library)))
    equal(got, [(ids[suffix], names[suffix]) for suffix in SUFFIXES], "mappings")


@test("to annotate it again changes nothing, with the log or without")
def _():
    before, inode = lib.read_bytes(named), os.stat(named).st_ino
    for options in (("-l", log), ()):
        line = lib.json_lines(lib.buildid("annotate", "-j", *options, named).stdout)[-1]
        equal((line["contents_named"], line["contents_not_named"]), (2, 0))
    equal(os.stat(named).st_ino, inode, "written anew")
    equal(lib.read_bytes(named) == before, True, "the same")


@test("list -i has each content under its path and under its name")
def _():
    lines = lib.json_lines(lib.buildid("list", "-j", "-i", named).stdout)
    got = {(line["build_id"], line["path"], line.get("name")) for line in lines
           if line["path"].startswith(library)}
    equal(got, {(ids[suffix], library,
                 None if suffix == "first" else story.path(names[suffix]))
                for suffix in SUFFIXES})
    text = lib.buildid("list", "-i", named).stdout.splitlines()
    for suffix in SUFFIXES:
        contains(text, f"{ids[suffix]} {story.path(names[suffix])}")


@test("with --no-names all contents have the path, and there is no table")
def _():
    line = lib.json_lines(lib.buildid("annotate", "-j", "--no-names", "-l", log, "-o", plain,
                                      raw).stdout)[-1]
    equal((line["contents_named"], line["contents_not_named"]), (0, 2))
    equal({path for _, path in story.mappings(plain) if path.startswith(library)}, {library})
    equal(story.ids("-i", plain), story.ids("-H", "-i", plain))


@test("the build-id table has each content by its name, and all that was mapped")
def _():
    for name in PERFS[:1] if lib.DEBUG else PERFS:
        with_perf(name)
        entries = table(named)
        for suffix in SUFFIXES:
            equal(entries.get(story.path(names[suffix])), ids[suffix], f"perf {name}: {suffix}")
        mapped = {path: build_id for build_id, path in story.mappings(named)
                  if build_id and path.startswith("/") and not path.startswith("//")}
        equal({path: entries.get(path) for path in mapped}, mapped, f"perf {name}: mapped")


@tool_test("a recording of perf 7.2, which has no table, is mended on any machine")
def _():
    recorded = story.path("recorded")
    with_perf("7.2").run("record", "--buildid-mmap", "-F", "499", "-e", "cpu-clock:u", "-o",
                         recorded, "sh", story.path("session"))
    mended = story.path("mended")
    # There it is neither this boot, nor is there a module.
    done = lib.run("unshare", "--uts", "sh", "-c",
                   'hostname elsewhere; exec buildid annotate -o "$@"', "sh", mended, recorded)
    diagnose(done.stderr)
    contains(done.stderr, " 2 further contents named")
    entries = {path: build_id for path, build_id in table(mended).items()
               if path.startswith(library)}
    equal(entries, {story.path(names[suffix]): ids[suffix] for suffix in SUFFIXES})


def add_report(name):
    @tool_test(f"perf {name}: perf report gives each function and each content its samples")
    def _():
        with_perf(name)
        story.keep()
        equal(wrong_reports(named), [], "wrong")
        # That is what the names are for.
        wrong = wrong_reports(plain)
        contains([options for options, *_ in wrong], ("--sort", "dso,sym"))
        diagnose(f"perf {name} with --no-names: {wrong[-1]}")


for perf in PERFS:
    add_report(perf)


@test("nothing is left behind")
def _():
    stack.close()


run()
