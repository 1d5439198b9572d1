#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""buildid store --live: each version of a file is kept before it is gone."""

import collections
import contextlib
import os
import shutil
import signal
import stat
import subprocess

import lib
import liar
import servers
from lib import contains
from recording import (ONE, THREE, TWO, Live, build_id, busy, copy, entry, forged, record,
                       symbols, tool_test, work)
from rights import AS_NOBODY
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


@test("a file so deep that the module has only the last part of its path")
def _():
    with Live() as live:
        library = os.path.join(live.path, *(["d"] * 130), "libwork.so")
        os.makedirs(os.path.dirname(library))
        copy(work("two"), library)
        live.start()
        with busy(library, 0, live.path):
            equal(live.wait_for(TWO)["path"], library, "path")
        live.check(TWO, "two")
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
        live.process.wait(lib.TIMEOUT)


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


def overlay_above(served, merged, live):
    """The path of a served file on an overlay that is mounted at @merged meanwhile."""
    lib.mount("none", merged, "overlay", 0, f"lowerdir={os.path.dirname(served)}:{live.path}")
    live.stack.callback(lib.umount, merged, servers.MNT_DETACH)
    return os.path.join(merged, os.path.basename(served))


@tool_test("a path that leads to a server by now holds nobody up")
def _():
    for answers, below in (False, "fuse"), (True, "fuse"), (True, "overlay"):
        with lib.directory() as merged, Live() as live, \
                servers.stopped() as (served, stop):
            if below == "overlay":
                served = overlay_above(served, merged, live)
            live.start()
            live.process.send_signal(signal.SIGSTOP)
            with busy(live.library, 0, live.path):
                pass
            os.unlink(live.library)
            os.symlink(served, live.library)
            if not answers:
                stop()
            live.process.send_signal(signal.SIGCONT)
            line = live.wait_for(ONE)
            equal((line["status"], line["path"]), ("fail", live.library), line)
            contains(line["reason"], "on FUSE" if answers else "server does not answer")
            other = os.path.join(live.path, "other.so")
            copy(work("two"), other)
            with busy(other, 0, live.path):
                equal(live.wait_for(TWO)["status"], "ok", "the next one")
            live.finish(ONE)


@tool_test("paths that lead to a server that does not answer are waited for three times at most")
def _():
    with Live() as live, servers.stopped() as (served, stop):
        paths = [os.path.join(live.path, f"{number}.so") for number in range(4)]
        live.start()
        live.process.send_signal(signal.SIGSTOP)
        for number, path in enumerate(paths):
            lib.write_bytes(path, lib.read_bytes(work("one")).replace(
                bytes.fromhex(ONE), bytes([number]) * 20))
            with busy(path, 0, live.path):
                pass
            os.unlink(path)
            os.symlink(served, path)
        stop()
        live.process.send_signal(signal.SIGCONT)
        lines = {}
        for number in range(4):
            line = live.wait_for((bytes([number]) * 20).hex())
            lines[line["path"]] = line["status"], line["reason"]
        silent, refused = ("fail", "its server does not answer"), \
            ("fail", "its path may lead to a server that does not answer")
        got = [lines[path] for path in paths]
        # Who is killed takes some time to end, and two may be left behind.
        equal(got, 2 * [silent] + [got[2]] + [refused], "what becomes of them")
        assert got[2] in (silent, refused), got
        # What is mapped still takes no path.
        with busy(live.library, 0, live.path):
            equal(live.wait_for(ONE)["status"], "ok", "what is mapped")
        live.finish(*((bytes([number]) * 20).hex() for number in range(4)))


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


@tool_test("another user's file with a forged build-id is replaced by root's")
def _():
    with Live() as live:
        os.chmod(live.path, 0o755)
        evil = forged(live.path + "/evil")
        live.start()
        with busy(evil, 0, os.path.dirname(evil), *AS_NOBODY):
            equal(live.wait_for(ONE)["path"], evil, "the first")
        with busy(live.library, 0, live.path):
            lib.until(lambda: [line for line in live.lines() if line["path"] == live.library],
                      "root's is stored")
        live.check(ONE, "one")
        live.finish()


WAITED_ENOUGH = "other files of that user have taken too long"
OVERLAY = 'mount -t overlay none -o "lowerdir=$1:$2" "$3" && shift 3 && exec "$@"'


@tool_test("so is one that an overlay of another mount namespace says is root's")
def _():
    with Live() as live:
        os.chmod(live.path, 0o755)
        evil = forged(live.path + "/evil")
        os.chown(evil, 0, 0)
        empty, merged = live.path + "/empty", live.path + "/merged"
        for path in empty, merged:
            os.mkdir(path)
        live.start()
        with busy(merged + "/libwork.so", 0, live.path, "unshare", "-m", "sh", "-c", OVERLAY,
                  "sh", os.path.dirname(evil), empty, merged):
            equal(live.wait_for(ONE)["path"], merged + "/libwork.so", "the first")
        with busy(live.library, 0, live.path):
            lib.until(lambda: [line for line in live.lines() if line["path"] == live.library],
                      "root's is stored")
        live.check(ONE, "one")
        live.finish()


@tool_test("but what is on one that is mounted here is its owner's")
def _():
    with Live() as live:
        os.chmod(live.path, 0o755)
        lower, empty, merged = (f"{live.path}/{name}" for name in ("lower", "empty", "merged"))
        for path in lower, empty, merged:
            os.mkdir(path)
        copy(work("one"), lower + "/libwork.so")
        lib.mount("none", merged, "overlay", 0, f"lowerdir={lower}:{empty}")
        live.stack.callback(lib.umount, merged, servers.MNT_DETACH)
        live.start()
        with busy(merged + "/libwork.so", 0, live.path):
            equal(live.wait_for(ONE)["status"], "ok", "status")
        # others' files have it
        equal(os.stat(entry(live.path, ONE)).st_mode & stat.S_ISVTX, 0, "the sticky bit")
        live.finish()


@tool_test("what is on FUSE, below an overlay too, is stored while its server answers")
def _():
    for below in "fuse", "overlay":
        with lib.directory() as merged, Live() as live, \
                servers.fuse(path=live.library) as (served, server):
            if below == "overlay":
                served = overlay_above(served, merged, live)
            live.start()
            with busy(served, 0, live.path):
                line = live.wait_for(ONE)
            equal((line["status"], line["path"]), ("ok", served), line)
            live.check(ONE, "one")
            # anybody may have served it
            mode = os.stat(entry(live.path, ONE)).st_mode
            equal(mode & 0o1000, 0o1000, f"mode {mode:o}")
            live.finish()


@tool_test("a user, whatever namespaces he makes, is waited for some seconds where it is silent")
def _():
    with lib.directory() as path, contextlib.ExitStack() as stack, Live() as live:
        stops, names = [], [f"{number:02x}" * 20 for number in range(1, 5)]
        namespaces = ["unshare", "-Ur"]
        os.chmod(live.path, 0o777)
        live.start()
        live.process.send_signal(signal.SIGSTOP)
        for depth, name in enumerate(names):
            library = os.path.join(path, name)
            lib.write_bytes(library, lib.read_bytes(work("one")).replace(
                bytes.fromhex(ONE), bytes.fromhex(name)))
            # no signal ends who waits for an answer to what it has taken
            served, server = stack.enter_context(servers.fuse("stops", path=library))
            stack.enter_context(busy(served, 0, live.path, *AS_NOBODY, *depth * namespaces))
            stops.append(server)
        for server in stops:
            server.send_signal(signal.SIGUSR1)
        live.process.send_signal(signal.SIGCONT)
        reasons = [live.wait_for(name)["reason"] for name in names]
        # Two at most, and fewer on a machine that takes its time to open them.
        equal(set(reasons), {"its server does not answer", WAITED_ENOUGH}, "reasons")
        with busy(live.library, 0, live.path):
            equal(live.wait_for(ONE)["status"], "ok", "the next one")
        live.finish(*(line["build_id"] for line in live.lines() if line["status"] == "fail"))


@tool_test("what is on an overlay that a user has mounted is stored: it may lead to a server")
def _():
    with Live() as live:
        os.chmod(live.path, 0o755)
        lower, empty, merged = (f"{live.path}/{name}" for name in ("lower", "empty", "merged"))
        for path in lower, empty, merged:
            os.mkdir(path)
        copy(work("one"), lower + "/libwork.so")
        live.start()
        with busy(merged + "/libwork.so", 0, live.path, "unshare", "-Urm", "sh", "-c", OVERLAY,
                  "sh", lower, empty, merged):
            line = live.wait_for(ONE)
        # on PREEMPT_RT the path is only what is below the mount point
        equal((line["status"], os.path.basename(line["path"])), ("ok", "libwork.so"), line)
        live.check(ONE, "one")
        # it is a copy of others', whoever ran it
        with busy(live.library, 0, live.path):
            lib.until(lambda: [line for line in live.lines() if line["path"] == live.library],
                      "root's takes its place")
        live.finish()


@tool_test("one process at a time stores into a directory; SIGUSR1 prints how much")
def _():
    with Live("-p", str(os.getpid())) as live:
        live.start()
        done = lib.buildid("store", "--live", env=dict(os.environ, HOME=live.path), status=1)
        equal(done.stderr, f"buildid: {live.path}/.debug: process {live.process.pid} stores into "
              "it already\n", "error")
        live.process.send_signal(signal.SIGUSR1)
        (summary,) = lib.until(lambda: live.objects("summary"), "a summary")
        equal((summary["stored"] >= summary["entries"] > 0, summary["evicted"]), (True, 0),
              summary)
        live.finish()


MEGABYTE = 1 << 20


def large(path, version, size=4 * MEGABYTE):
    """A library with so much behind it."""
    lib.write_bytes(path, lib.read_bytes(work(version)) + os.urandom(size))


def usage(path):
    return int(lib.run("du", "-sk", path).stdout.split()[0]) << 10


class Worker:
    """A process that maps what it is told to map."""

    def __init__(self, live):
        self.live, self.count = live, 0
        self.pids = collections.defaultdict(list)   # of those that map a library
        self.shell = live.stack.enter_context(lib.started(
            "sh", "-c", 'while read line; do "$0" $line >&2 & echo $!; done', lib.built("busy"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True))
        live.stack.callback(os.killpg, self.shell.pid, signal.SIGKILL)

    def map(self, library):
        mark = f"{self.live.path}/worker-{self.count}"
        self.count += 1
        self.shell.stdin.write(f"{library} 0 {mark}\n".encode())
        self.shell.stdin.flush()
        self.pids[library].append(int(self.shell.stdout.readline()))
        lib.until(lambda: os.path.exists(mark), "it is mapped")

    def unmap(self, library):
        for pid in self.pids.pop(library):
            os.kill(pid, signal.SIGKILL)
            lib.until(lambda: not os.path.exists(f"/proc/{pid}/exe"), "it is unmapped")


@tool_test("the oldest goes when there is too much, but not what is mapped, nor perf's")
def _():
    # Who keeps his address space locked does not prevent it.
    with liar.locked(), Live() as live:
        paths = {version: f"{live.path}/{version}.so" for version in ("one", "two", "three")}
        for version, path in paths.items():
            large(path, version)
        debug = live.path + "/.debug"
        worker = Worker(live)
        live.options = ("-p", str(worker.shell.pid), "--children")
        # Of nobody's concern: perf put it there.
        lib.run("perf", "buildid-cache", "-a", live.library, env=dict(os.environ,
                                                                      HOME=live.path))
        theirs = f"{debug}{live.library}/{ONE}/elf"
        os.rename(f"{debug}/.build-id/{ONE[:2]}/{ONE[2:]}", live.path + "/link")
        live.start()
        lib.write_bytes(live.path + "/any.so",
                        lib.read_bytes(work("two")).replace(bytes.fromhex(TWO), bytes(20)))
        worker.map(live.path + "/any.so")
        live.finish()
        limit = live.taken() + 10 * MEGABYTE
        live.options += ("--max-size", f"{limit >> 10}k")
        live.start()
        for version, identity in ("one", ONE), ("two", TWO):
            worker.map(paths[version])
            equal(live.wait_for(identity)["status"], "ok", version)
        worker.unmap(paths["two"])
        # The first is older, and mapped still.
        worker.map(paths["three"])
        equal(live.wait_for(THREE)["status"], "ok", "the third")
        equal([os.path.exists(entry(live.path, identity)) for identity in (ONE, TWO, THREE)],
              [True, False, True], "which are left")
        equal(os.path.lexists(f"{debug}/.build-id/{TWO[:2]}/{TWO[2:]}.debug"), False, "its link")
        assert usage(debug) <= limit, "it is too large"
        equal(os.path.exists(theirs), True, "what perf put there")
        # What was removed is stored again.
        worker.unmap(paths["one"])
        worker.map(paths["two"])
        lib.until(lambda: os.path.exists(entry(live.path, TWO)), "the second is back")
        equal(os.path.exists(entry(live.path, ONE)), False, "the first is left")
        live.finish()
        (summary,) = live.objects("summary")
        equal(summary["evicted"] >= 2, True, summary)


@tool_test("blocks that a file does not use make nothing go")
def _():
    with Live() as live:
        one, two = live.path + "/one.so", live.path + "/two.so"
        large(one, "one")
        large(two, "two", 0)
        with open(two, "r+b") as file:
            os.posix_fallocate(file.fileno(), 0, 32 * MEGABYTE)
        worker = Worker(live)
        live.options = ("-p", str(worker.shell.pid), "--children")
        # The kernel's, which stays.
        live.start()
        live.finish()
        live.options += ("--max-size", f"{(live.taken() >> 10) + 8192}k")
        live.start()
        worker.map(one)
        equal(live.wait_for(ONE)["status"], "ok", "the first")
        worker.unmap(one)
        worker.map(two)
        equal(live.wait_for(TWO)["status"], "ok", "the second")
        live.finish()
        (summary,) = live.objects("summary")
        equal(summary["evicted"], 0, summary)


def fill_blocks(debug, left=4):
    lib.write_bytes(debug + "/filler/all", bytes((64 - left) * MEGABYTE - usage(debug)))


def fill_but_a_part(debug):
    """It has room for the file, and then less than a twentieth is left."""
    fill_blocks(debug, 18)


def fill_inodes(debug):
    for number in range(os.statvfs(debug).f_favail - 2):
        lib.write_bytes(f"{debug}/filler/{number}", b"")


@tool_test("a full disk fails what it has no room for, until it has")
def _():
    for limit, fill in (("size=64m", fill_blocks), ("size=64m", fill_but_a_part),
                        ("nr_inodes=500", fill_inodes)):
        fill_for_a_while(limit, fill)


def fill_for_a_while(limit, fill):
    with Live() as live:
        debug = live.path + "/.debug"
        large(live.path + "/one.so", "one", 16 * MEGABYTE)
        os.mkdir(debug)
        lib.mount("tmpfs", debug, "tmpfs", 0, limit)
        live.stack.callback(lib.umount, debug)
        worker = Worker(live)
        live.options = ("-p", str(worker.shell.pid), "--children")
        live.start()
        os.mkdir(debug + "/filler")
        fill(debug)
        worker.map(live.path + "/one.so")
        line = live.wait_for(ONE)
        equal((line["status"], "No space left" in line["reason"]), ("fail", True), line)
        shutil.rmtree(debug + "/filler")
        lib.until(lambda: [line for line in live.lines()
                           if (line["build_id"], line["status"]) == (ONE, "ok")], "it has room")
        same = lib.read_bytes(entry(live.path, ONE)) == lib.read_bytes(live.path + "/one.so")
        equal(same, True, "content")
        live.process.send_signal(signal.SIGTERM)
        equal(live.process.wait(lib.TIMEOUT), 0, "exit status")


@tool_test("after a kill -9 nothing half is left, and the next goes on")
def _():
    with Live() as live:
        debug = live.path + "/.debug"
        live.start()
        live.process.kill()
        live.process.wait()
        # As if it had been killed a moment earlier, or later.
        other = THREE[:-2] + "00"
        os.makedirs(f"{debug}/half/{other}")
        lib.write_bytes(f"{debug}/half/{other}/elf", b"half of it")
        os.symlink(f"../half/{other}", f"{debug}/.buildid/{other}")
        lib.write_bytes(f"{debug}/.buildid/.new-0123456789abcdef", b"half of it")
        live.start()
        with busy(live.library, 0, live.path):
            live.wait_for(ONE)
        live.finish()
        equal(os.path.exists(debug + "/half"), False, "half an entry")
        for identity in os.listdir(debug + "/.buildid"):
            if identity != "lock":
                contains(os.readlink(f"{debug}/.build-id/{identity[:2]}/{identity[2:]}"), identity)
        equal(lib.run("find", debug, "-name", ".new-*").stdout, "", "temporary files")


run()
