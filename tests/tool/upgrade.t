#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The first release's tool with this module, this tool with the first release's module: what
fits works, and what does not is said. tests/host/upgrade.t builds that release."""

import contextlib
import os
import subprocess

import lib
import stream
from lib import built, contains
from tap import equal, run, test

OLD = os.path.join(lib.TOP, "build", "0.1.0", "build")
OLD_TOOL = os.path.join(OLD, "tool", "buildid")
OLD_MODULE = os.path.join(OLD, os.uname().release, "buildid.ko")
OLD_VERSION = "0.1.0"
VERSION = lib.read_bytes("/sys/module/buildid/version").decode().strip()
ID = "fedcba98765432100123456789abcdef01234567"


@contextlib.contextmanager
def old_module():
    with lib.unloaded():
        lib.run("insmod", OLD_MODULE)
        yield


def of_file(tool):
    """What a tool says of the file, by each of its ways to the module."""
    with lib.mapped(built("other")):
        pid = str(os.getpid())
        identified = lib.json_lines(lib.run(tool, "id", "-j", built("other")).stdout)
        maps = [line for line in lib.json_lines(lib.run(tool, "maps", "-j", pid).stdout)
                if line.get("path") == built("other")]
        listed = lib.run(tool, "list").stdout.splitlines()
    equal([line["build_id"] for line in identified], [ID], "id")
    equal([line["build_id"] for line in maps], [ID], "maps")
    contains(listed, f"{ID} {built('other')}")
    kernel = lib.run(tool, "list", "-k").stdout
    contains(kernel, "[kernel.kallsyms]")


def of_stream(tool):
    """A log that it records, and the same live."""
    with lib.directory() as work:
        log = os.path.join(work, "log")
        lib.run(tool, "record", "-o", log, "--", built("maps"), "2", built("other"))
        lines = lib.json_lines(lib.run(tool, "mon", "-j", "-l", log).stdout)
        equal({line["build_id"] for line in lines if line.get("path") == built("other")}, {ID},
              "in the log")
    for options in [], ["--netlink"]:
        with lib.started(tool, "mon", "-j", "--path", built("other"), "--count", "1", *options,
                         stdout=subprocess.PIPE, text=True) as mon:
            lib.until(lambda mon=mon: lib.map_file(built("other")) or mon.poll() is not None,
                      "mon ends")
            (line,) = [line for line in lib.json_lines(mon.stdout.read())
                       if line["type"] == "mmap"]
            equal((line["build_id"], mon.returncode), (ID, 0), f"mon {options}")


def of_numbers(tool, version):
    info = lib.json_lines(lib.run(tool, "info", "-j").stdout)[0]
    equal((info["version"], info["abi"], info["status"]), (version, 1, ["armed"]))
    stats = lib.json_lines(lib.run(tool, "stats", "-j").stdout)[0]
    assert stats["mappings"] and stats["records"], stats
    lib.run(tool, "flush")


@test("the old tool with the new module does all that it did")
def _():
    contains(lib.run(OLD_TOOL, "--version").stdout, OLD_VERSION)
    of_file(OLD_TOOL)
    of_stream(OLD_TOOL)
    of_numbers(OLD_TOOL, VERSION)
    lib.run(OLD_TOOL, "cookie", lib.MODULE, "--clear", status=1)


@test("a recorder of the old library with the new module")
def _():
    with lib.started(os.path.join(OLD, "tool", "examples", "mappings"),
                     stdout=subprocess.PIPE) as old:
        text = b""
        while ID.encode() not in text:
            lib.map_file(built("other"))
            chunk = os.read(old.stdout.fileno(), 65536)
            assert chunk, f"it has ended: {text[-400:]}"
            text += chunk


@test("the new tool with the old module does all that the old one did, in silence")
def _():
    with old_module():
        of_file("buildid")
        of_stream("buildid")
        of_numbers("buildid", OLD_VERSION)
        with lib.mapped(built("other")):
            equal(lib.buildid("stale", str(os.getpid())).stderr, "", "stale")


@test("what the old module cannot answer is said, with what to do; the rest is done")
def _():
    with old_module(), lib.mapped(built("other")):
        done = lib.buildid("users", ID)
        contains(done.stdout, built("other"))
        contains(done.stderr, "processes that have exited")
        contains(done.stderr, "install the module and the tool of the same version")
        equal(done.stderr.count("\n"), 1, f"lines of {done.stderr}")


@test("doctor says which versions they have; before and after the new module is loaded")
def _():
    def loaded():
        return {line["check"]: line for line in
                lib.json_lines(lib.buildid("doctor", "-j", status=None).stdout)}["loaded"]
    with old_module():
        found = loaded()
        equal(found["status"], "warning")
        contains(found["message"], f"version {OLD_VERSION}, the tool {VERSION}")
        contains(found["message"], "history")
        contains(found["remedy"], "of the same version")
    equal(loaded()["status"], "ok")


@test("the module is as good as before after all this")
def _():
    with stream.Watch() as watch:
        _, file = watch.see(lib.map_file, built("other"))
        equal(file.id, ID, "build-id")


run()
