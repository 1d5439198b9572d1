#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The session of tests/perf/perf.t, of which each content is kept by buildid store --live
beside it; and its modules by those who come later."""

import contextlib
import os
import shutil

import lib
from lib import contains
from perf_scenarios import CONTENTS, TRUTH, USER, Story, diagnose, knowable, read_id, wrong_symbols
from recording import Live, entry, record, server, store, tool_test
from tap import equal, run, test

MODULES = os.path.join("/lib/modules", os.uname().release, "updates")
NAME = "/sys/module/buildid_spin/buildid_spin"

stack = contextlib.ExitStack()
story = Story("6.1", stack.enter_context(lib.tmpfs()))
data = story.path("perf.data")
first, second = story.module("first"), story.module("second")


def install_modules():
    """The session loads them from where modules are, one after the other, and nobody runs
    depmod; the second is packed."""
    text = lib.read_bytes(story.path("session")).decode()
    place = MODULES + "/buildid_spin.ko"
    for module, install, file in (
            (first, f"mkdir -p {MODULES}; cp {first} {place}", place),
            (second, f"rm {place}; xz --check=crc32 -c {second} >{place}.xz", place + ".xz")):
        equal(text.count(f"insmod {module}"), 1, "insmod")
        text = text.replace(f"insmod {module}", f"{install}; insmod {file}")
    lib.write_bytes(story.path("session"), (text + f"rm -r {MODULES}\n").encode())


def named(home, who=tuple(TRUTH), perfs=("6.1", "6.12", "7.2")):
    """With what is kept in @home each perf names the right function for each sample."""
    story.environment["HOME"] = home
    for name in perfs:
        story.perf = lib.built(f"perf-{name}/perf")
        found = story.symbols(data)
        diagnose(f"perf {name}: " + "; ".join(
            f"{worker}: {dict(found[worker].most_common(2))}" for worker in who))
        equal(wrong_symbols(found, knowable(who)), {}, f"perf {name}: wrong symbols")


@test("a session is recorded, and each content in it is kept before it is gone")
def _():
    install_modules()
    live = stack.enter_context(Live())
    live.start()
    diagnose(story.record(data, before=("buildid", "record", "--")).stderr)
    live.finish()
    for path in [story.spin + suffix for suffix in CONTENTS] + [first, second]:
        kept = entry(live.path, read_id(path))
        equal(lib.read_bytes(kept) == lib.read_bytes(path), True, f"{kept} is {path}")
    story.kept = live.path


@tool_test("perf script names the right function for each sample, by what was kept")
def _():
    named(story.kept)


@tool_test("and can not without")
def _():
    story.environment["HOME"] = story.path("home")
    story.perf = lib.built("perf-6.1/perf")
    wrong = wrong_symbols(story.symbols(data), TRUTH)
    # Of the library and of the program the last content is there still, but under the path
    # that the first one keeps.
    equal(set(wrong), set(TRUTH), "wrong")


@tool_test("modules of which perf.data has no file's path are found later, and bundled")
def _():
    # One is of a kernel that was, the other is with a server.
    place = "/lib/modules/0.0-was/extra"
    os.makedirs(place)
    shutil.copy(first, place + "/buildid-spin.ko")
    home, other = story.path("later"), story.path("other")
    os.mkdir(home)
    os.mkdir(other)
    with server(second) as urls:
        environment = dict(os.environ, HOME=home, **urls)
        lines = lib.json_lines(lib.buildid("bundle", "-j", "--no-data", "-o", home + "/bundle",
                                           data, env=environment, status=1).stdout)
    shutil.rmtree("/lib/modules/0.0-was")
    modules = {line["path"]: (line["build_id"], line["status"], line["source"])
               for line in lines if line["path"].startswith(NAME)}
    equal(modules, {
        NAME + ".ko": (read_id(first), "ok", "path"),
        f"{NAME}@{read_id(second)[:8]}.ko": (read_id(second), "ok", "debuginfod"),
    }, "modules")
    named(home, who=[name for name in TRUTH if name not in USER], perfs=["6.12"])
    lib.buildid("unbundle", home + "/bundle", env=dict(os.environ, HOME=other))
    for module in first, second:
        equal(lib.read_bytes(entry(other, read_id(module))) == lib.read_bytes(module), True,
              module)
    # All of it is there: nobody is asked.
    again = store("-i", data, "--no-debuginfod", home=home, status=None)
    equal(again[read_id(second)]["source"], "kept", "again")


@tool_test("a module that perf knows by the name of a packed file, kept unpacked")
def _():
    os.makedirs(MODULES)
    packed = MODULES + "/buildid_spin.ko.xz"
    with Live() as live:
        live.start()
        lib.run("sh", "-c", f"xz --check=crc32 -c {second} >{packed}; insmod {packed}")
        live.wait_for(read_id(second))
        record(data, story.spin + "-first", "module-second",
               "/sys/module/buildid_spin/parameters/spin", "150", event="cpu-clock")
        live.finish()
        lib.run("rmmod", "buildid_spin")
        shutil.rmtree(MODULES)
        contains(lib.buildid("list", "-m", "-i", data).stdout,
                 f"{read_id(second)} {packed}\n")
        named(live.path, who=["module-second"])


@test("nothing is left behind")
def _():
    stack.close()
    equal(os.path.exists(MODULES), False, MODULES)


run()
