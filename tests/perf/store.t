#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""buildid store: what was recorded is kept, as perf lays it out, and nothing else."""

import os

import lib
from lib import contains
from recording import (ONE, THREE, TWO, build_id, busy, copy, forged, perf, place, record,
                       recorded, same, same_tree, store, symbols, tool_test, tree, work)
from rights import AS_NOBODY
from tap import equal, run, test

@tool_test("a file that is at its path is kept, and perf names its functions")
def _():
    with place() as here:
        here.record()
        lines = here.store()
        equal(lines[ONE]["status"], "ok", "status")
        equal(lines[ONE]["path"], here.library, "path")
        same(here.entry(ONE), work("one"))
        os.unlink(here.library)
        assert "work_of_one" in symbols(here.data, here.home), "named"
        # Nothing else than what was kept could have named it.
        assert "work_of_one" not in symbols(here.data, here.path), "named by chance"


@tool_test("what is printed for people")
def _():
    with place() as here:
        here.record()
        environment = dict(os.environ, HOME=here.home)
        text = lib.buildid("store", "-i", here.data, env=environment, status=None).stdout
        contains(text, f"OK {ONE} {here.library}\n")
        os.unlink(here.library)
        done = lib.buildid("store", "-i", here.data, "--dir", here.path + "/d", status=1)
        contains(done.stdout, f"FAIL {ONE} {here.library}: No such file or directory; "
                 "DEBUGINFOD_URLS is not set\n")
        contains(done.stdout, "OK ")


@tool_test("the directory is as perf's own scan leaves it")
def _():
    with place() as here:
        theirs = os.path.join(here.path, "theirs")
        os.mkdir(theirs)
        perf("record", "-e", "cpu-clock", "-o", here.data, "--", lib.built("busy"),
             here.library, "300", environment={"HOME": theirs})
        # perf takes modules for the kernel where it has found /proc/kcore, and keeps all
        # or none.
        lines = here.store(status=None)
        equal({line["status"] for key, line in lines.items() if key}, {"ok"}, "status")
        same_tree(here.home + "/.debug", theirs + "/.debug", ignored=(".ko", "[buildid]"))
        assert ".build-id/" + ONE[:2] + "/" + ONE[2:] in tree(theirs + "/.debug"), "linked"
        # Again, and nothing changes.
        lines = here.store(status=None)
        equal(lines[ONE]["source"], "kept", "source")
        same_tree(here.home + "/.debug", theirs + "/.debug", ignored=(".ko", "[buildid]"))


@test("a deleted file is kept from a process that has it mapped")
def _():
    with place() as here, busy(here.library, 0, here.path):
        here.record()
        os.unlink(here.library)
        equal(here.store()[ONE]["source"], "mapped", "source")
        same(here.entry(ONE), work("one"))
        assert "work_of_one" in symbols(here.data, here.home), "named"


@tool_test("a file is kept from a process although another is at its path now")
def _():
    with place() as here, busy(here.library, 0, here.path):
        here.record()
        copy(work("two"), here.library)
        equal(here.store()[ONE]["source"], "mapped", "source")
        same(here.entry(ONE), work("one"))
        equal(here.has(TWO), False, "the other is kept")


@tool_test("another content at the path is refused, and all else is kept")
def _():
    with place() as here:
        here.record()
        copy(work("two"), here.library)
        lines = here.store("--all", status=1)
        equal(lines[ONE]["status"], "fail", "status")
        contains(lines[ONE]["reason"], f"has build-id {TWO}")
        equal(here.has(ONE) or here.has(TWO), False, "kept")
        equal(os.path.exists(f"{here.home}/.debug{here.library}"), False, "half an entry")
        program = build_id(lib.built("busy"))
        equal(lines[program]["status"], "ok", "the program")
        same(here.entry(program), lib.built("busy"))


@tool_test("a file that was cut short is refused")
def _():
    with place() as here:
        here.record()
        copy(work("one"), here.library)
        os.truncate(here.library, 8192)
        equal(build_id(here.library), ONE, "its note is still there")
        contains(here.store(status=1)[ONE]["reason"], "is truncated")
        equal(here.has(ONE), False, "kept")


@test("a file in a container is kept, not the one at the same path outside")
def _():
    with place() as here, lib.directory() as outside:
        inside = os.path.join(outside, "libwork.so")
        copy(work("one"), inside)
        container = (os.path.join(lib.TOP, "tests/src/container"), here.path, work("two"),
                     inside)
        with recorded(here.data, inside, here.path, prefix=container):
            lines = here.store()
        equal((lines[TWO]["status"], lines[TWO]["path"]), ("ok", inside), "line")
        same(here.entry(TWO), work("two"))
        equal(here.has(ONE), False, "the one outside is kept")
        assert "work_of_two" in symbols(here.data, here.home), "named"
        # The container is gone by now.
        again = store("-i", here.data, "--dir", here.path + "/d", home=here.home, status=1)
        contains(again[TWO]["reason"], f"has build-id {ONE}")


@tool_test("what is in a memfd is kept")
def _():
    with place() as here:
        fd = os.memfd_create("work", 0)
        os.write(fd, lib.read_bytes(work("three")))
        with recorded(here.data, f"/proc/{os.getpid()}/fd/{fd}", here.path):
            lines = here.store()
        os.close(fd)
        equal(lines[THREE]["status"], "ok", "status")
        same(here.entry(THREE), work("three"))
        assert "work_of_three" in symbols(here.data, here.home), "named"


@tool_test("modules and the kernel are kept, what is compressed as it is")
def _():
    release = os.uname().release
    with place() as here:
        lib.run("modprobe", "dummy")
        record(here.data, lib.built("busy"), here.library, "300", options=["-a"])
        lines = here.store("--all", "--no-debuginfod", status=None)
        module = lib.run("modinfo", "-n", "dummy").stdout.strip()
        with open("/sys/module/dummy/notes/.note.gnu.build-id", "rb") as file:
            identity = file.read()[16:].hex()
        equal((lines[identity]["status"], os.path.realpath(lines[identity]["path"])),
              ("ok", os.path.realpath(module)), "module")
        equal(release in os.path.realpath(here.entry(identity)), True, "its path")
        same(here.entry(identity), module)
        (kernel,) = (line for line in lines.values() if line["path"] == "[kernel.kallsyms]")
        equal(kernel["status"], "ok", "kernel")
        same(here.entry(kernel["build_id"], "kallsyms"), "/proc/kallsyms")
        lib.run("rmmod", "dummy")


@tool_test("an ordinary user keeps what is at its path")
def _():
    with place() as here:
        os.chmod(here.path, 0o755)
        os.chown(here.home, 1000, 1000)
        here.record()
        os.chmod(here.data, 0o644)
        done = lib.run("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "env",
                       f"HOME={here.home}", "buildid", "store", "-i", here.data, status=None)
        contains(done.stdout, f"OK {ONE} {here.library}\n")
        same(here.entry(ONE), work("one"))


@test("another user's file with a forged build-id is not stored in place of root's")
def _():
    with place() as here:
        os.chmod(here.path, 0o755)
        evil = forged(here.path + "/evil")
        here.record()
        with busy(evil, 0, os.path.dirname(evil), *AS_NOBODY):
            equal(here.store()[ONE]["source"], "path", "source")
            same(here.entry(ONE), work("one"))
            equal(os.path.samefile(os.path.dirname(here.entry(ONE)) + ".debug", here.entry(ONE)), True, "a debugger's link")
            # Nor when root's is gone.
            os.unlink(here.library)
            again = store("-i", here.data, "--dir", here.path + "/d", home=here.home, status=1)
            contains(again[ONE]["reason"], "No such file or directory")
            # That of a process in the recording is all there is: copied, until root's comes.
            copy(work("one"), here.library)
            record(here.data, *AS_NOBODY, lib.built("busy"), evil, "300")
            here.home = here.path + "/home2"
            os.mkdir(here.home)
            equal(here.store()[ONE]["path"], evil, "path")
        kept = os.stat(here.entry(ONE))
        equal((kept.st_uid, kept.st_nlink), (0, 1), "a copy")
        here.record()
        equal(here.store()[ONE]["source"], "path", "source")
        same(here.entry(ONE), work("one"))
        equal(os.path.exists(f"{here.home}/.debug{evil}"), False, "the other is left")


@tool_test("a further content of a path is looked for without what its name has for it")
def _():
    with place() as here:
        named = f"{here.library}@{ONE[:8]}"
        os.rename(here.library, named)
        with busy(named, 0, here.path):
            record(here.data, lib.built("busy"), named, "300")
        os.rename(named, here.library)
        line = here.store()[ONE]
        equal((line["path"], line["source"]), (named, "path"), "line")
        equal(os.path.exists(f"{here.home}/.debug{here.library}/{ONE}/elf"), True, "its path")
        os.unlink(here.library)
        assert "work_of_one" in symbols(here.data, here.home), "named"


@tool_test("what cannot be read is reported, and the status is 1")
def _():
    with place() as here:
        done = lib.buildid("store", "-i", here.path + "/nosuch", status=1)
        equal(done.stderr, f"buildid: {here.path}/nosuch: No such file or directory\n", "error")
        lib.write_bytes(here.data, b"not a recording")
        done = lib.buildid("store", "-i", here.data, status=1)
        contains(done.stderr, f"buildid: {here.data}: ")
        equal(done.stdout, "", "output")
        here.record()
        done = lib.buildid("store", "-i", here.data, "--dir", "/proc/nosuch", status=1)
        equal(done.stderr, "buildid: /proc/nosuch: No such file or directory\n", "error")
        lib.buildid("store", "--live", "-i", here.data, status=2)
        lib.buildid("store", "-p", "1", status=2)


run()
