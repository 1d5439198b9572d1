#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A recording is read on another machine, which has other programs and another kernel.
This is the second one; what the first one left is in build/tests/two-machines, see
tests/host/two_machines.t."""

import contextlib
import os

import lib
from lib import contains
from recording import (ONE, TWO, copy, entry, free_port, perf, same, server, store, symbols,
                       tree, work)
from tap import equal, run, test

CARRIED = lib.built("two-machines")
DATA = os.path.join(CARRIED, "perf.data")
# As on the first machine.
PLACE = "/opt/two-machines"
PROGRAM, LIBRARY = PLACE + "/busy", PLACE + "/libwork.so"


@contextlib.contextmanager
def home():
    with lib.directory() as path:
        yield path


@test("the recording is of another machine, and nothing of it can be named here")
def _():
    os.makedirs(PLACE)
    copy(work("two"), LIBRARY)
    with open("/sys/kernel/notes", "rb") as file:
        here = file.read()[16:36].hex()
    listed = perf("buildid-list", "-i", DATA).stdout
    contains(listed, f"{ONE} {LIBRARY}\n")
    assert here not in listed, "the kernel is the same"
    with home() as path:
        equal({name for name in symbols(DATA, path) if name.startswith("work")}, set(), "names")


@test("without a server nothing is kept that is something else")
def _():
    with home() as path:
        lines = store("-i", DATA, home=path, status=1)
        equal(lines[ONE]["status"], "fail", "library")
        contains(lines[ONE]["reason"], f"has build-id {TWO}; DEBUGINFOD_URLS is not set")
        equal(os.path.exists(entry(path, ONE)), False, "kept")
        equal([key for key in tree(path + "/.debug") if TWO[2:] in key], [], "the other")


@test("store gets what is missing from debuginfod, and perf report names the functions")
def _():
    with home() as path, server(work("one"), lib.built("busy"), work("three")) as urls:
        done = lib.buildid("store", "-i", DATA, status=1,
                           env=dict(os.environ, HOME=path, **urls))
        contains(done.stdout, f"OK {ONE} {LIBRARY}\n")
        # The kernel is not to be had: Debian's has no symbols in its file.
        (kernel,) = (line for line in done.stdout.splitlines() if "[kernel.kallsyms]" in line)
        contains(kernel, "FAIL ")
        contains(kernel, "debuginfod: not found")
        equal(lib.read_bytes(entry(path, ONE)) == lib.read_bytes(work("one")), True, "content")
        assert "work_of_one" in symbols(DATA, path), "perf script"
        report = perf("report", "--stdio", "-i", DATA, environment={"HOME": path}).stdout
        contains(report, "work_of_one")
        resolved = lib.buildid("resolve", ONE, env=dict(os.environ, HOME=path)).stdout.strip()
        equal(lib.read_bytes(resolved) == lib.read_bytes(work("one")), True, "resolve")


@test("what has no symbols gets its debug file, when that is asked for")
def _():
    with home() as path:
        stripped, debug = path + "/stripped", path + "/debug"
        lib.run("objcopy", "--strip-all", work("one"), stripped)
        lib.run("objcopy", "--only-keep-debug", work("one"), debug)
        with server(stripped, debug) as urls:
            equal(store("-i", DATA, home=path, status=None, environment=urls)[ONE]["status"],
                  "ok", "without")
            assert "work_of_one" not in symbols(DATA, path), "named without"
            equal(store("--debug", "-i", DATA, home=path, status=None, environment=urls)[ONE]["status"],
                  "ok", "with")
            same(entry(path, ONE), stripped)
            same(entry(path, ONE, "debug"), debug)
            assert "work_of_one" in symbols(DATA, path), "named"
        with home() as other, server(stripped) as urls:
            line = store("--debug", "-i", DATA, home=other, status=1, environment=urls)[ONE]
            contains(line["reason"], "debuginfod: not found")


@test("resolve asks debuginfod, and never prints the file at the path")
def _():
    with home() as path, server(work("one")) as urls:
        environment = dict(os.environ, HOME=path, **urls)
        resolved = lib.buildid("resolve", ONE, env=environment).stdout.strip()
        equal(lib.read_bytes(resolved) == lib.read_bytes(work("one")), True, "content")
        done = lib.buildid("resolve", "00" * 20, status=1, env=environment)
        equal(done.stderr, f"buildid: {'00' * 20}: no file with this build-id found; "
              "debuginfod: not found\n", "error")
        done = lib.buildid("resolve", "--no-debuginfod", ONE, status=1, env=environment)
        contains(done.stderr, "debuginfod was not asked")


@test("what a server sends is refused when it is something else")
def _():
    with home() as path, server(work("one")) as urls:
        environment = dict(os.environ, HOME=path, **urls)
        cached = lib.buildid("resolve", ONE, env=environment).stdout.strip()
        # A cache that somebody wrote to is no better than a server.
        lib.write_bytes(cached, lib.read_bytes(work("two")))
        lines = store("-i", DATA, home=path, status=1, environment=urls)
        equal(lines[ONE]["status"], "fail", "library")
        contains(lines[ONE]["reason"], f"the file from debuginfod has build-id {TWO}")
        equal(os.path.exists(entry(path, ONE)), False, "kept")


@test("a server that does not answer is reported")
def _():
    with home() as path:
        urls = {"DEBUGINFOD_URLS": f"http://127.0.0.1:{free_port()}",
                "DEBUGINFOD_CACHE_PATH": path + "/cache"}
        lines = store("-i", DATA, home=path, status=1, environment=urls)
        reasons = [line["reason"].rpartition("; debuginfod: ")[2] for line in lines.values()
                   if line["status"] == "fail" and "debuginfod" in line["reason"]]
        # Two are asked for; one of them may be the module itself, see recording.store().
        asked = reasons.count("Connection refused")
        assert 1 <= asked <= 2, reasons
        equal(reasons[asked:], ["skipped, as the server did not respond"] *
              (len(reasons) - asked), "the others")
        contains(lines[ONE]["reason"], f"has build-id {TWO}; debuginfod: ")


@test("a bundle needs no server, and the kernel is named, too")
def _():
    with home() as path:
        done = lib.buildid("unbundle", CARRIED + "/bundle.tar.zst", cwd=path,
                           env=dict(os.environ, HOME=path))
        contains(done.stdout, f"OK {ONE} {LIBRARY}\n")
        contains(done.stdout, " [kernel.kallsyms]\n")
        equal(lib.read_bytes(path + "/perf.data") == lib.read_bytes(DATA), True, "perf.data")
        assert "work_of_one" in symbols(path + "/perf.data", path), "perf script"
        lines = store("-i", path + "/perf.data", home=path)
        equal({line["status"] for line in lines.values()}, {"ok"}, "store")
        equal({line["source"] for line in lines.values()}, {"kept"}, "store")


run()
