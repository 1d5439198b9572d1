#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""buildid store --live: each version of a file is kept before it is gone."""

import contextlib
import os
import signal
import subprocess

import lib
from lib import contains
from recording import (ONE, THREE, TWO, Live, build_id, busy, copy, entry, record, symbols,
                       tool_test, work)
from tap import equal, run, test


@test("a library that is replaced, and one that is overwritten in place")
def _():
    with Live() as live:
        live.start()
        data = os.path.join(live.path, "data")
        with contextlib.ExitStack() as processes:
            processes.enter_context(busy(live.library, 0, live.path))
            equal(live.wait_for(ONE)["status"], "ok", "the first")
            copy(work("two"), live.library)
            processes.enter_context(busy(live.library, 0, live.path))
            equal(live.wait_for(TWO)["status"], "ok", "the second")
        # In place: what was kept must not be a link to it.
        lib.write_bytes(live.library, lib.read_bytes(work("three")))
        record(data, lib.built("busy"), live.library, "300")
        equal(live.wait_for(THREE)["status"], "ok", "the third")
        os.unlink(live.library)
        live.finish()
        for identity, version in ((ONE, "one"), (TWO, "two"), (THREE, "three")):
            live.check(identity, version)
        assert "work_of_three" in symbols(data, live.path), "named"


@tool_test("what was mapped before, and deleted")
def _():
    with Live() as live, busy(live.library, 0, live.path):
        os.unlink(live.library)
        live.start()
        equal(live.wait_for(ONE)["status"], "ok", "status")
        live.check(ONE, "one")
        live.finish()


@test("a file in a container that is gone as soon as it has worked")
def _():
    with Live() as live, lib.directory() as outside:
        inside = os.path.join(outside, "libwork.so")
        live.start()
        container = (os.path.join(lib.TOP, "tests/src/container"), live.path, work("two"), inside)
        with busy(inside, 0, live.path, *container):
            equal(live.wait_for(TWO)["path"], inside, "path")
        live.check(TWO, "two")
        live.finish()


@tool_test("what is in a memfd")
def _():
    with Live() as live:
        live.start()
        fd = os.memfd_create("work", 0)
        os.write(fd, lib.read_bytes(work("three")))
        with busy(f"/proc/{os.getpid()}/fd/{fd}", 0, live.path):
            equal(live.wait_for(THREE)["status"], "ok", "status")
        os.close(fd)
        live.check(THREE, "three")
        live.finish()


@tool_test("a module as it is loaded, and the kernel")
def _():
    with Live() as live:
        live.start()
        lib.run("modprobe", "dummy")
        with open("/sys/module/dummy/notes/.note.gnu.build-id", "rb") as file:
            identity = file.read()[16:].hex()
        equal(live.wait_for(identity)["status"], "ok", "module")
        lib.run("rmmod", "dummy")
        (kernel,) = (line for line in live.lines() if line["path"] == "[kernel.kallsyms]")
        equal(kernel["status"], "ok", "kernel")
        equal(os.path.exists(entry(live.path, kernel["build_id"], "kallsyms")), True, "kallsyms")
        live.process.send_signal(signal.SIGTERM)
        live.process.wait(lib.PATIENCE)


@test("a content that is gone before it could be stored is reported, once")
def _():
    with Live() as live:
        live.start()
        live.process.send_signal(signal.SIGSTOP)
        for _ in range(3):
            with busy(live.library, 0, live.path):
                pass
        copy(work("two"), live.library)
        live.process.send_signal(signal.SIGCONT)
        line = live.wait_for(ONE)
        equal(line["status"], "fail", "status")
        contains(line["reason"], f"has build-id {TWO}")
        equal(os.path.exists(entry(live.path, ONE)), False, "kept")
        live.finish(ONE)


@tool_test("a program that became another one at the same address before it was looked at")
def _():
    with Live() as live:
        wrapper = os.path.join(live.path, "wrapper")
        copy("/usr/bin/env", wrapper)
        live.start()
        live.process.send_signal(signal.SIGSTOP)
        with lib.started("setarch", "-R", wrapper, "sleep", "1000") as process:
            lib.until(lambda: os.readlink(f"/proc/{process.pid}/exe").endswith("/sleep"),
                      "it sleeps")
            live.process.send_signal(signal.SIGCONT)
            line = live.wait_for(build_id(wrapper))
        equal((line["status"], line["path"]), ("ok", wrapper), line)
        live.finish()


@tool_test("only the processes that are named, with --children what they start, too")
def _():
    for options in (), ("--children",):
        with Live() as live:
            other, third = (os.path.join(live.path, name) for name in ("other.so", "third.so"))
            copy(work("two"), other)
            copy(work("three"), third)
            with lib.started("sh", "-c", 'read line; "$0" "$1" 300; exec "$0" "$2" 300',
                             lib.built("busy"), live.library, other,
                             stdin=subprocess.PIPE) as named, busy(third, 0, live.path):
                live.options = ("-p", str(named.pid), *options)
                live.start()
                named.stdin.write(b"go\n")
                named.stdin.flush()
                equal(live.wait_for(TWO)["status"], "ok", "its own")
                live.finish()
            equal(bool(live.line(ONE)), bool(options), "a child's")
            equal(live.line(THREE), None, "another's")


run()
