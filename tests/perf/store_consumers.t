#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What is in ~/.debug, as others than perf read it: gdb, llvm-symbolizer, and debuginfod,
which serves it to other machines."""

import contextlib
import os
import signal

import lib
from lib import contains
from recording import (ONE, TWO, Live, copy, entry, record, same, server_of, store, symbols,
                       tool_test, work)
from tap import equal, run, test

stack = contextlib.ExitStack()
core = address = None


def address_of(function, path):
    """In the file."""
    for line in lib.run("nm", path).stdout.splitlines():
        if line.endswith(" " + function):
            return int(line.split()[0], 16)
    raise AssertionError(f"{function} is not in {path}")


def gdb(*arguments, environment=None):
    """What gdb has for an address of the process that is gone."""
    return lib.run("gdb", "-nx", "-batch", *arguments, "-ex", f"info symbol {address:#x}",
                   env=dict(os.environ, **(environment or {}))).stdout


def symbolize(identity, home):
    """What llvm-symbolizer has for that function of a build-id."""
    offset = address_of("work_of_two", work("two"))
    return lib.run(lib.newest("/usr/bin/llvm-symbolizer-*"), f"--debug-file-directory={home}/.debug",
                   f"--build-id={identity}", hex(offset)).stdout.split("\n")[0]


@tool_test("a container is gone, with its library; its core dump is left")
def _():
    global core, address, live
    live = stack.enter_context(Live())
    outside = stack.enter_context(lib.directory())
    inside = os.path.join(outside, "libwork.so")
    core = live.path + "/core"
    mark = live.path + "/mark"
    stack.enter_context(lib.written("/proc/sys/kernel/core_pattern", core))
    with lib.started(os.path.join(lib.TOP, "tests/src/container"), live.path, work("two"),
                     inside, "sh", "-c", "ulimit -c unlimited; "
                     f"exec {lib.built('busy')} {inside} 0 {mark}") as container:
        live.options = ("-p", str(container.pid), "--children")
        live.start()
        lib.until(lambda: os.path.exists(mark) or container.poll() is not None, "it has worked")
        equal(live.wait_for(TWO)["path"], inside, "path")
        (start,) = [start - offset for start, _, offset, path in lib.proc_maps(container.pid)
                    if path.endswith("libwork.so")]
        address = start + address_of("work_of_two", work("two"))
        container.send_signal(signal.SIGSEGV)
        container.wait(lib.TIMEOUT)
    live.finish()
    equal(os.path.exists(inside), False, "a library outside")
    assert os.path.getsize(core), "a core dump"


@tool_test("gdb and debuginfod-find on another machine have its symbols from debuginfod")
def _():
    contains(gdb("-c", core), "No symbol matches")
    with server_of(live.path + "/.debug") as environment:
        found = lib.run("debuginfod-find", "executable", TWO,
                        env=dict(os.environ, **environment)).stdout.strip()
        same(found, work("two"))
        contains(gdb("-iex", "set debuginfod enabled on", "-c", core,
                     environment=environment), "work_of_two")


@tool_test("a debuginfod that has a host's in its DEBUGINFOD_URLS serves what the host stored")
def _():
    with server_of(live.path + "/.debug") as host, lib.directory() as directory:
        copy(work("one"), directory + "/one")
        with server_of(directory, host) as central:
            def find(identity, status=0):
                return lib.run("debuginfod-find", "executable", identity, status=status,
                               env=dict(os.environ, **central)).stdout.strip()
            for identity, name in (ONE, "one"), (TWO, "two"):
                same(find(identity), work(name))
            equal(find("ab" * 20, 1), "", "nobody's")


@tool_test("and so has perf")
def _():
    data = live.path + "/perf.data"
    library = live.path + "/libgone.so"
    copy(work("two"), library)
    record(data, lib.built("busy"), library, "300")
    os.unlink(library)
    with lib.directory() as home, server_of(live.path + "/.debug") as environment:
        assert "work_of_two" not in symbols(data, home), "named by chance"
        lines = store("-i", data, home=home, environment=environment, status=None)
        equal(lines[TWO]["source"], "debuginfod", "source")
        assert "work_of_two" in symbols(data, home), "named"


@tool_test("llvm-symbolizer names a deleted library's functions by build-id")
def _():
    with lib.directory() as home:
        os.mkdir(home + "/.debug")
        equal(symbolize(TWO, home), "??", "before")
    equal(symbolize(TWO, live.path), "work_of_two", "after")


@tool_test("gdb finds the debug file of a stripped library")
def _():
    with lib.directory() as home:
        library, debug = home + "/libwork.so", "/usr/lib/debug/.build-id/" + ONE[:2]
        data = home + "/perf.data"
        lib.run("strip", "-o", library, work("one"))
        os.makedirs(debug, exist_ok=True)
        lib.run("objcopy", "--only-keep-debug", work("one"), f"{debug}/{ONE[2:]}.debug")
        record(data, lib.built("busy"), library, "300")
        store("-i", data, home=home)
        os.unlink(f"{debug}/{ONE[2:]}.debug")
        assert os.path.exists(entry(home, ONE, "debug")), "a debug file"
        ask = ("-ex", "info line work_of_one", library)
        run_gdb = lambda *options: lib.run("gdb", "-nx", "-batch", *options, *ask,
                                           status=None).stdout
        assert "work.c" not in run_gdb(), "before"
        contains(run_gdb("-iex", f"set debug-file-directory {home}/.debug"), "work.c")


@test("nothing is left behind")
def _():
    stack.close()


run()
