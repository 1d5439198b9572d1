#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The last release's tool with this module, this tool with the last release's module: the ABI is
another, which both say, with what to do. tests/host/upgrade.t builds that release."""

import contextlib
import os

import lib
import stream
from lib import built, contains
from tap import equal, run, test

OLD = os.path.join(lib.TOP, "build", "0.2.0", "build")
OLD_TOOL = os.path.join(OLD, "tool", "buildid")
OLD_MODULE = os.path.join(OLD, os.uname().release, "buildid.ko")
OLD_VERSION = "0.2.0"
VERSION = lib.read_bytes("/sys/module/buildid/version").decode().strip()
ID = "fedcba98765432100123456789abcdef01234567"


@contextlib.contextmanager
def old_module():
    with lib.unloaded():
        lib.run("insmod", OLD_MODULE)
        yield


def refusals(tool):
    """What each command of a tool says that needs the module."""
    with lib.directory() as home:
        for command in (["info"], ["stats"], ["flush"], ["id", built("other")],
                        ["maps", str(os.getpid())], ["mon"],
                        ["record", "-o", os.path.join(home, "log"), "--", "true"],
                        ["store", "--live"], ["cookie", built("other"), "--clear"]):
            done = lib.run(tool, *command, status=1, env=dict(os.environ, HOME=home))
            equal(done.stderr.count("\n"), 1, f"lines of {done.stderr}")
            yield done.stderr


def netlink_refusals(tool):
    """Likewise, of those that ask by netlink."""
    for command in (["list"], ["mon", "--netlink", "--count", "1"]):
        done = lib.run(tool, *command, status=1)
        equal(done.stdout, "", "output")
        yield done.stderr


def loaded(tool):
    """What doctor says of the loaded module."""
    return {line["check"]: line for line in
            lib.json_lines(lib.run(tool, "doctor", "-j", status=None).stdout)}["loaded"]


@test("the old tool says that the new module has another ABI, and what to do")
def _():
    contains(lib.run(OLD_TOOL, "--version").stdout, OLD_VERSION)
    for said in refusals(OLD_TOOL):
        contains(said, "the module has another ABI version; install the module and the tool of "
                 "the same version")
    found = loaded(OLD_TOOL)
    equal(found["status"], "failed")
    contains(found["message"], "another ABI")


@test("by netlink the new module does not answer the old tool")
def _():
    for said in netlink_refusals(OLD_TOOL):
        contains(said, "not supported")


@test("a recorder of the old library says so, too")
def _():
    done = lib.run(os.path.join(OLD, "tool", "examples", "mappings"), status=1)
    contains(done.stderr, "another ABI version")


@test("the new tool names version and ABI of the old module, and what to do")
def _():
    with old_module():
        for said in refusals("buildid"):
            contains(said, f"the module is version {OLD_VERSION} (ABI 1), this tool needs ABI 2; "
                     "install the module and the tool of the same version, and load it: "
                     "rmmod buildid && modprobe buildid")
        for said in netlink_refusals("buildid"):
            contains(said, f"the module is version {OLD_VERSION} (ABI 1), this tool needs ABI 2; ")
        found = loaded("buildid")
    equal(found["status"], "failed")
    contains(found["message"], f"version {OLD_VERSION}, the tool {VERSION}; the ABI is 1, the "
             "tool's is 2")


@test("the module is as good as before after all this")
def _():
    equal(loaded("buildid")["status"], "ok")
    with stream.Watch() as watch:
        _, file = watch.see(lib.map_file, built("other"))
        equal(file.id, ID, "build-id")


run()
