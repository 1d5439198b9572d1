#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""buildid stale: whose content is no longer what its path leads to, beside needrestart."""

import contextlib
import os
import re
import resource
import shutil
import subprocess
import threading

import lib
import liar
import rights
import servers
from lib import built, contains
from tap import Skip, equal, run, test

V1, V2 = "11" * 20, "22" * 20
STALE = 3
IDS = 70 # more than workers may be left behind


@contextlib.contextmanager
def library(content="v1.so", below=None):
    """A directory with a library in it, and its path."""
    # not below /tmp, whose deleted files are nobody's library
    directory = lib.tempfile.mkdtemp(dir=below or "/opt")
    path = os.path.join(directory, "lib.so")
    shutil.copy(built(content), path)
    try:
        yield path
    finally:
        shutil.rmtree(directory)


def replace(path, content):
    """As package managers do."""
    shutil.copy(built(content), path + ".new")
    os.rename(path + ".new", path)


def map_it(path):
    with open(path, "rb") as file:
        lib.map_fd(file.fileno(), lib.PAGE)


def stale(*arguments, status=None):
    """What it prints, and its exit status if none is given."""
    found = lib.buildid("stale", "-j", *map(str, arguments), status=status)
    return lib.json_lines(found.stdout), found.returncode


def of(pid, *arguments):
    """Of one process, with the right exit status."""
    found, status = stale(*arguments, pid)
    equal(status, STALE if found else 0, f"exit status with {found}")
    return found


@test("a library that was replaced: who runs it, what it runs, what is there since when")
def _():
    with library() as path, lib.child(map_it, path) as pid:
        equal(of(pid), [], "before")
        replace(path, "v2.so")
        (found,) = of(pid)
        comm = lib.read_bytes(f"/proc/{pid}/comm").decode().strip()
        since = lib.time.strftime("%Y-%m-%dT%H:%M:%SZ", lib.time.gmtime(os.stat(path).st_ctime))
        wanted = {"type": "stale", "pid": pid, "comm": comm, "path": path, "build_id": V1,
                  "kind": "gnu", "state": "replaced", "now_build_id": V2, "now_kind": "gnu",
                  "since": since}
        equal({key: found[key] for key in wanted}, wanted, "line")
        text = lib.buildid("stale", str(pid), status=STALE).stdout
        for word in str(pid), comm, V1, V2, since, path:
            contains(text, word)
        equal(len(text.splitlines()), 1, "lines")


@test("units for systemctl, and a plan for what else there is")
def _():
    cgroup = "/sys/fs/cgroup"
    if not os.path.exists(f"{cgroup}/cgroup.procs"):
        lib.mount("cgroup2", cgroup, "cgroup2")
    service = f"{cgroup}/shop.service"
    os.makedirs(service, exist_ok=True)
    with library() as path, lib.child(map_it, path) as inside, lib.child(map_it, path) as outside:
        lib.write_bytes(f"{service}/cgroup.procs", str(inside).encode())
        replace(path, "v2.so")
        found = lib.buildid("stale", "--units", str(inside), str(outside), status=STALE)
        equal(found.stdout, "shop.service\n")
        contains(found.stderr, "1 processes are in no service that can be restarted; see "
                               "--restart-plan")
        plan, _ = stale("--restart-plan", inside, outside)
        equal([(line["action"], line["command"], line["processes"]) for line in plan],
              [("restart", "systemctl restart -- shop.service", 1), ("process", None, 1)])
    os.rmdir(service)


@test("a library that was deleted")
def _():
    with library() as path, lib.child(map_it, path) as pid:
        os.unlink(path)
        (found,) = of(pid)
        equal((found["state"], found["build_id"], found["now_build_id"], found["since"]),
              ("deleted", V1, None, None))
        text = lib.buildid("stale", str(pid), status=STALE).stdout
        equal(text.split()[-3:], ["deleted", "-", path], "text")


@test("a program that was replaced, and one whose file got another name")
def _():
    with library() as path:
        for name in "first", "second":
            program = os.path.join(os.path.dirname(path), name)
            shutil.copy("/bin/sleep", program)
            with lib.started(program, "1000") as process:
                lib.until(lambda: os.readlink(f"/proc/{process.pid}/exe") == program, "exec")
                if name == "first":
                    replace(program, "other")
                    (found,) = of(process.pid)
                    equal((found["path"], found["comm"]), (program, name))
                else:
                    os.rename(program, program + ".old")
                    equal(of(process.pid), [], "by its new name it is there")


@test("the same build installed again is not stale, nor is a file overwritten in place")
def _():
    with library() as path, lib.child(map_it, path) as pid:
        replace(path, "v1.so")
        equal(of(pid), [], "installed again")
    with library() as path, lib.child(map_it, path) as pid:
        shutil.copyfile(built("v2.so"), path)
        equal(of(pid), [], "overwritten: the process runs what is there")


@test("an equal build-id is no proof: sizes, then bytes")
def _():
    content = lib.read_bytes(built("v1.so"))
    for name, other in (("a payload behind it", content + b"payload"),
                        ("another last byte", content[:-1] + bytes([content[-1] ^ 1]))):
        with library() as path, lib.child(map_it, path) as pid:
            lib.write_bytes(path + ".new", other)
            os.rename(path + ".new", path)
            (found,) = of(pid)
            equal((found["build_id"], found["now_build_id"], found["note"]),
                  (V1, V1, "same id, other content"), name)
            users = lib.buildid("users", "-j", path, status=None)
            assert pid not in [line["pid"] for line in lib.json_lines(users.stdout)], users.stdout
            # others of this build may have run before
            assert re.search(r"not shown: \d+ with the same id, other content", users.stderr)


@test("a file that is mapped in parts is one line, and so is a file in several processes for each")
def _():
    def map_twice(path):
        map_it(path)
        with open(path, "rb") as file:
            lib.map_fd(file.fileno(), lib.PAGE, offset=lib.PAGE)
        map_it(built("other"))
        map_it(path)
    with library() as path, lib.child(map_twice, path) as one, lib.child(map_it, path) as other:
        replace(path, "v2.so")
        found, status = stale(one, other)
        equal((sorted(line["pid"] for line in found), status), (sorted([one, other]), STALE))


# ---------------------------------------------------------- not an upgrade --

def map_deleted(path, content):
    shutil.copyfile(content, path)
    map_it(path)
    os.unlink(path)


def map_memfd():
    fd = os.memfd_create("jit")
    os.write(fd, lib.read_bytes(built("v1.so")))
    lib.map_fd(fd, lib.PAGE)


@test("what a JIT compiler deletes is not stale unless asked for")
def _():
    with library() as path:
        lib.write_bytes(path + ".code", b"\xc3" * lib.PAGE)
        for name, where, content in (("in /tmp", "/tmp/jna123.tmp", built("v1.so")),
                                     ("in /dev/shm", "/dev/shm/x", built("v1.so")),
                                     ("no ELF", path + ".jit", path + ".code")):
            os.makedirs(os.path.dirname(where), exist_ok=True)
            with lib.child(map_deleted, where, content) as pid:
                equal(of(pid), [], name)
                equal([line["path"] for line in of(pid, "--temporary")], [where], name)
    with lib.child(map_memfd) as pid:
        equal(of(pid, "--temporary"), [], "a memfd never was a file")


# ----------------------------------------------------------------- other roots --

@contextlib.contextmanager
def container(directory, content, target):
    """Process 1 of a container that has mapped @target, a copy of @content."""
    script = ("import sys, mmap, ctypes; f = open(sys.argv[1], 'rb');"
              "m = mmap.mmap(f.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC);"
              "print(flush=True); input()")
    with lib.started(os.path.join(lib.TOP, "tests/src/container"), directory, content, target,
                     "/usr/bin/python3", "-c", script, target,
                     stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        equal(process.stdout.readline(), b"\n", "it is ready")
        yield process.pid


@test("in a container it is the container's file that counts")
def _():
    with lib.directory() as shared, library("v2.so") as path, \
            container(shared, built("v1.so"), path) as pid:
        equal(of(pid), [], "another content at the path on the host")
        inside = f"/proc/{pid}/root{path}"
        replace(inside, "v1.so")
        equal(of(pid), [], "installed again in the container")
        replace(inside, "v2.so")
        (found,) = of(pid)
        equal((found["path"], found["build_id"], found["now_build_id"]), (path, V1, V2))
        # an absolute link: /elsewhere is the container's, too
        os.unlink(inside)
        shutil.copy(built("v1.so"), f"/proc/{pid}/root/elsewhere")
        os.symlink("/elsewhere", inside)
        equal(of(pid), [], "through a link inside of the container")
        os.unlink(f"/proc/{pid}/root/elsewhere")
        equal([line["state"] for line in of(pid)], ["deleted"], "a link that leads nowhere")


@test("a daemon that has locked itself up runs what is outside")
def _():
    def map_and_leave(path, root):
        map_it(path)
        os.chroot(root)
        os.chdir("/")
    with library() as path, lib.directory() as root, lib.child(map_and_leave, path, root) as pid:
        equal(of(pid), [], "before")
        replace(path, "v2.so")
        equal([line["path"] for line in of(pid)], [path])


@test("a process in a chroot")
def _():
    def enter_and_map(root):
        os.chroot(root)
        os.chdir("/")
        map_it("/lib.so")
    with library() as path, lib.child(enter_and_map, os.path.dirname(path)) as pid:
        equal(of(pid), [], "before")
        replace(path, "v2.so")
        (found,) = of(pid)
        equal((found["path"], found["now_build_id"]), (path, V2))


# ---------------------------------------------------------------- what gets in the way --

def map_both(path, served):
    """What maps the one that is served waits for its server."""
    map_it(path)
    threading.Thread(target=map_it, args=(served,), daemon=True).start()
    lib.until(lambda: served in lib.read_bytes("/proc/self/maps").decode(), "it is mapped")


@test("a server that does not answer holds nobody up")
def _():
    with servers.fuse("silent") as (served, _), library() as path, \
            lib.child(map_both, path, served) as pid:
        # the process's path leads to the server now
        os.unlink(path)
        os.symlink(served, path)
        found = lib.buildid("stale", str(pid), status=None)
        equal((found.stdout, found.returncode), ("", 0))
        contains(found.stderr, "mapped files were not compared")


@test("a root directory whose server does not answer holds nobody up")
def _():
    def enter(root):
        os.chroot(root)
        os.chdir("/")
    with servers.stopped() as (served, stop), lib.child(enter, os.path.dirname(served)) as pid:
        stop()
        lib.buildid("stale", str(pid), timeout=lib.TIMEOUT)


def map_as_nobody(*paths):
    for path in paths:
        map_it(path)
    # as in a set-user-ID program
    os.setresuid(rights.NOBODY, 0, 0)


@test("who has files whose server does not answer hides his own processes' only")
def _():
    with contextlib.ExitStack() as stack:
        def on_device():
            place = stack.enter_context(lib.directory())
            lib.run("mount", "-t", "tmpfs", "none", place)
            stack.callback(lib.umount, place, servers.MNT_DETACH)
            return stack.enter_context(library(below=place))
        served, stop = stack.enter_context(servers.stopped())
        covered = [stack.enter_context(library()), on_device(), on_device()]
        other, roots = on_device(), stack.enter_context(library())
        hiding = stack.enter_context(lib.child(map_as_nobody, *covered))
        same_user = stack.enter_context(lib.child(map_as_nobody, other))
        root = stack.enter_context(lib.child(map_it, roots))
        for path in covered:
            os.unlink(path)
            os.symlink(served, path)
        for path in other, roots:
            replace(path, "v2.so")
        equal([line["pid"] for line in of(same_user)], [same_user], "alone")
        stop()
        # in the order of pids
        assert hiding < same_user < root, "in this order"
        found = lib.buildid("stale", "-j", status=None)
        pids = [line["pid"] for line in lib.json_lines(found.stdout)]
        # three of its devices did not answer: no other is tried
        equal([pid for pid in pids if pid in (hiding, same_user, root)], [root], found.stderr)
        contains(found.stderr, "mapped files were not compared")


@test("nobody is held up by many users whose servers do not answer")
def _():
    def map_as(path, uid):
        map_it(path)
        os.setresuid(uid, 0, 0)
    users = lib.TIMEOUT // 5 + 12
    with contextlib.ExitStack() as stack:
        served, stop = stack.enter_context(servers.stopped())
        pids = []
        # five seconds for each would be too long for anybody
        for uid in range(rights.NOBODY - users, rights.NOBODY):
            path = stack.enter_context(library())
            pids.append(stack.enter_context(lib.child(map_as, path, uid)))
            os.unlink(path)
            os.symlink(served, path)
        stop()
        found = lib.buildid("stale", *map(str, pids), timeout=lib.TIMEOUT)
        contains(found.stderr, f"{users} mapped files were not compared")


@test("who has many ids in a user namespace of their own is one user, and hides nobody else's")
def _():
    def map_as(path, uid, namespace):
        map_it(path)
        rights.enter_namespace_as(uid, namespace)
    with contextlib.ExitStack() as stack:
        served, stop = stack.enter_context(servers.stopped())
        namespace = stack.enter_context(
            rights.user_namespace(rights.become_nobody, f"0 200000 {IDS}"))
        pids = []
        for uid in range(IDS):
            path = stack.enter_context(library())
            pids.append(stack.enter_context(lib.child(map_as, path, uid, namespace)))
            os.unlink(path)
            os.symlink(served, path)
        roots = stack.enter_context(library())
        root = stack.enter_context(lib.child(map_it, roots))
        replace(roots, "v2.so")
        stop()
        found = lib.buildid("stale", "-j", *map(str, pids), str(root), status=STALE)
        equal([line["pid"] for line in lib.json_lines(found.stdout)], [root], found.stderr)
        contains(found.stderr, f"{IDS} mapped files were not compared")


def map_below(path, root):
    """Its path is in memory as far as from there."""
    map_it(path)
    os.chroot(root)


@test("a file of an overlay is another one once it was written to, whatever its inode number")
def _():
    with lib.tmpfs() as root:
        merged, lower, upper, work = (os.path.join(root, name)
                                      for name in ("merged", "lower", "upper", "work"))
        for path in merged, lower, upper, work:
            os.mkdir(path)
        path = os.path.join(merged, "lib.so")
        shutil.copy(built("v1.so"), os.path.join(lower, "lib.so"))
        lib.mount("overlay", merged, "overlay", 0,
                  f"lowerdir={lower},upperdir={upper},workdir={work}")
        try:
            with lib.child(map_below, path, root) as pid:
                equal(of(pid), [], "as it was")
                with open(built("v2.so"), "rb") as source, open(path, "r+b") as file:
                    file.truncate(0)
                    file.write(source.read())
                equal([(line["build_id"], line["now_build_id"]) for line in of(pid)], [(V1, V2)])
        finally:
            lib.umount(merged)


@test("a path that leads to a FIFO or a directory now is as good as deleted")
def _():
    for make in os.mkfifo, os.mkdir:
        with library() as path, lib.child(map_it, path) as pid:
            os.unlink(path)
            make(path)
            equal([line["state"] for line in of(pid)], ["deleted"], make.__name__)


@test("who may not look at a process says so, and how many there are")
def _():
    with rights.device_for_all(), lib.child(lambda: None) as pid:
        as_nobody = dict(status=None)
        command = [*rights.as_nobody("perfmon"), "buildid", "stale"]
        one = lib.run(*command, str(pid), **as_nobody)
        equal(one.returncode, 1, "exit status")
        contains(one.stderr, f"pid {pid}: ")
        with lib.started(*rights.AS_NOBODY, "sleep", "1000") as own:
            lib.until(lambda: lib.read_bytes(f"/proc/{own.pid}/comm") == b"sleep\n", "exec")
            everything = lib.run(*command, **as_nobody)
            equal(everything.returncode, 0, "exit status")
            contains(everything.stderr, "processes were not looked at")
        alone = lib.run(*rights.AS_NOBODY, "buildid", "stale", **as_nobody)
        contains(alone.stderr, "processes were not looked at")


@test("what is no process is an error, also beside one that is")
def _():
    with lib.child(lambda: None) as pid:
        for wrong, word in (2**22 + 1, "No such process"), (2, "kernel thread"):
            found = lib.buildid("stale", str(pid), str(wrong), status=1)
            contains(found.stderr, word)
    lib.buildid("stale", "0", status=2)
    contains(lib.buildid("stale", "no such", status=1).stderr, "no process has this name")


@test("a process that keeps its address space locked is counted, and the others are looked at")
def _():
    def said(*command):
        done = lib.buildid(*command, status=None, timeout=lib.TIMEOUT)
        return done.stdout + done.stderr

    with library() as path, lib.child(map_it, path) as pid, liar.locked() as locked:
        missed = "1 processes were not looked at"
        replace(path, "v2.so")
        everything = said("stale", "--full")
        contains(everything, missed)
        contains(everything, path)
        contains(said("stale", str(locked)), f"pid {locked}: it keeps calling exec, or")
        users = said("users", "--full", V1)
        contains(users, missed)
        contains(users, str(pid))
        contains(said("maps", str(locked)), "the process keeps its address space locked")
        metrics = said("stats", "--openmetrics", "--stale", "--contents=1000")
        contains(metrics, "\nbuildid_skipped_processes 1\n")
        contains(metrics, V1)


# -------------------------------------------------------------- needrestart --

def needrestart():
    """Pids that it says use something obsolete, and what."""
    found = lib.run("needrestart", "-b", "-v", "-l", "-r", "l", status=None)
    text = found.stdout + found.stderr
    contains(text, "needrestart")
    return {int(pid): path
            for pid, path in re.findall(r"#(\d+) uses \S+ (\S+)", text)}


@test("beside needrestart: the same upgrades, and none of its false alarms")
def _():
    if lib.DEBUG or not shutil.which("needrestart"):
        raise Skip("needrestart is slow under this kernel, or not installed")
    with contextlib.ExitStack() as stack:
        def mapped(function=map_it, content="v1.so"):
            path = stack.enter_context(library(content))
            return path, stack.enter_context(lib.child(function, path))
        upgraded, gone, again = mapped(), mapped(), mapped()
        shared, inside = stack.enter_context(lib.directory()), stack.enter_context(library("v2.so"))
        contained = stack.enter_context(container(shared, built("v1.so"), inside))
        _, jit = mapped(lambda path: map_deleted(path + ".jit", "/etc/passwd"))
        replace(upgraded[0], "v2.so")
        os.unlink(gone[0])
        replace(again[0], "v1.so")

        theirs = needrestart()
        ours = {line["pid"] for line in stale()[0]}
        names = {upgraded[1]: "upgraded", gone[1]: "deleted", again[1]: "installed again",
                 contained: "in a container", jit: "made by a JIT compiler"}
        print("# needrestart:", sorted(names[pid] for pid in theirs if pid in names))
        print("# buildid stale:", sorted(names[pid] for pid in ours if pid in names))
        equal({names[pid] for pid in ours if pid in names}, {"upgraded", "deleted"}, "ours")
        assert {upgraded[1], gone[1], again[1]} <= set(theirs), theirs


# --------------------------------------------------------------------- cost --

@test("a whole machine")
def _():
    count = 20 if lib.DEBUG else int(os.environ.get("STALE_PROCESSES", "100"))
    loop = f"i=0; while [ $i -lt {count} ]; do sleep 1000 & i=$((i + 1)); done; echo; wait"
    with library() as path, contextlib.ExitStack() as stack:
        shell = stack.enter_context(lib.started("sh", "-c", loop, stdout=subprocess.PIPE,
                                                start_new_session=True))
        stack.callback(os.killpg, shell.pid, 9)
        shell.stdout.readline()
        pid = stack.enter_context(lib.child(map_it, path))
        replace(path, "v2.so")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        found, _ = stale()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        equal([line["pid"] for line in found if line["path"] == path], [pid])
        used = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
        print(f"# {count} processes: {used:.2f} s of user and system time under emulation")


run()
