#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""maps, stale, users, mon and record without the module, beside what the module says of the
same."""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time

import lib
import liar
import rights
from lib import built, contains
from tap import Skip, equal, run, test

STALE, NOBODY = 3, 3
MNT_DETACH = 2
SAYS = "without the module"
QUERY = (6, 11)  # from then on the kernel is asked for what cannot be opened
# Maps a file, and keeps it so; a program that runs could not be written to.
MAPPER = """
import mmap, os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY)
mapped = mmap.mmap(fd, 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
mapped[:]
print(flush=True)
time.sleep(1000)
"""
# What only the module knows, and times of day.
UNKNOWN = {"source", "time", "time_mono", "time_perf", "gen", "file_id", "tree"}


@contextlib.contextmanager
def place():
    """A directory for all on a filesystem whose inodes are its own: the guest's root is an overlay.
    Not below /tmp, whose deleted files are nobody's."""
    directory = lib.tempfile.mkdtemp(dir="/opt")
    lib.mount("none", directory, "tmpfs", options="mode=755")
    try:
        yield directory
    finally:
        lib.umount(directory, MNT_DETACH)
        os.rmdir(directory)


@contextlib.contextmanager
def programs():
    """A directory with programs in it that all may run, and processes of these by name: root's
    "plain" and nobody's "own"."""
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(place())
        pids = {}
        for name, command in (("plain", []), ("own", rights.AS_NOBODY)):
            path = os.path.join(directory, name)
            shutil.copy("/bin/sleep", path)
            pids[name] = stack.enter_context(lib.started(*command, path, "1000")).pid
            lib.until(lambda: os.readlink(f"/proc/{pids[name]}/exe") == path, "it runs")
        yield directory, pids


def replace(path, content):
    """As package managers do."""
    shutil.copy(content, path + ".new")
    os.rename(path + ".new", path)


def known(line):
    """An overlay's inode below is the module's to know, too."""
    seen = {key: line.pop("user_" + key, line[key]) for key in ("dev", "ino")}
    return {key: seen.get(key, value) for key, value in line.items() if key not in UNKNOWN}


def maps(*arguments, **options):
    """By address, without what only the module knows."""
    lines = lib.json_lines(lib.buildid("maps", "-j", *arguments, **options).stdout)
    return {line["addr"]: known(line) for line in lines}


def same_process(one, other):
    """/proc has its start in ticks."""
    tick = 10**9 // os.sysconf("SC_CLK_TCK")
    return 0 <= one["start_time"] - other["start_time"] < tick


@test
def it_says_of_a_process_what_the_module_says():
    with programs() as (_, pids):
        for pid in (*pids.values(), 1, os.getpid()):
            for option in [], ["--data"]:
                ours = maps("--source=module", *option, str(pid))
                theirs = maps("--source=perf", *option, str(pid))
                equal(theirs.keys(), ours.keys(), f"addresses of {pid}")
                for address, line in ours.items():
                    other = theirs[address]
                    assert same_process(line, other), (line, other)
                    equal({**other, "start_time": 0}, {**line, "start_time": 0}, line["path"])


@test
def it_says_of_all_processes_what_the_module_says():
    def contents(source):
        lines = lib.json_lines(lib.buildid("maps", "-A", "-j", f"--source={source}").stdout)
        return {(line["pid"], line["addr"], line["build_id"], line["kind"], line["path"])
                for line in lines if line["comm"] != "buildid"}

    with programs():
        equal(contents("perf"), contents("module"), "contents")


@test
def stale_and_users_are_those_of_the_module():
    def lines(command, *arguments):
        found = lib.json_lines(lib.buildid(*command, "-j", *arguments, status=None).stdout)
        return sorted(((line["pid"], line["build_id"], line["path"],
                        line.get("state"), line.get("now_build_id"), line.get("note"),
                        line.get("package")) for line in found), key=str)

    with programs() as (directory, pids):
        plain, own = (os.path.join(directory, name) for name in pids)
        replace(plain, "/bin/cat")
        os.unlink(own)
        ours, theirs = (lines(["stale"], f"--source={source}") for source in ("module", "perf"))
        equal(theirs, ours, "stale")
        equal({line[0] for line in theirs} >= set(pids.values()), True, "both are stale")
        for file in "/bin/sleep", lib.sys.executable:
            ours = [line for line in lines(["users"], "--source=module", file)
                    if line[3] == "mapped"]
            equal(lines(["users"], "--source=perf", file), ours, f"users of {file}")


@test
def without_the_module_they_do_it_unasked_and_say_so():
    with programs() as (directory, pids), lib.unloaded():
        path, pid = os.path.join(directory, "plain"), str(pids["plain"])
        done = lib.buildid("stale", pid)
        equal((done.stdout, done.returncode), ("", 0), "nothing is stale")
        contains(done.stderr, f"buildid: stale: {SAYS}, as it is not loaded (modprobe buildid)")
        replace(path, "/bin/cat")
        done = lib.buildid("stale", pid, status=STALE)
        contains(done.stdout, path)
        contains(lib.buildid("users", "/bin/sleep").stdout, path)
        lib.buildid("users", "/bin/tac", status=NOBODY)
        contains(lib.buildid("maps", pid).stdout, f"{path} (deleted)")
        done = lib.buildid("stale", "--source=module", pid, status=1)
        contains(done.stderr, "the module is not loaded; load it: modprobe buildid")


@test
def an_ordinary_user_is_told_of_processes_of_their_own():
    def nobody(*words, status=0):
        return lib.run(*rights.AS_NOBODY, "buildid", *words, status=status)

    with programs() as (directory, pids), lib.unloaded():
        path, pid = os.path.join(directory, "own"), str(pids["own"])
        replace(path, "/bin/cat")
        done = nobody("stale", status=STALE)
        contains(done.stdout, path)
        contains(done.stderr, "processes were not looked at, as that is not permitted")
        done = nobody("maps", str(pids["plain"]), status=1)
        contains(done.stderr, "not permitted; run as root, or with CAP_SYS_PTRACE")
        # of what runs a link leads to the file; of a library it does not
        line = next(line for line in nobody("maps", pid).stdout.splitlines() if path in line)
        contains(line, f"{path} (deleted)")
        assert "(denied)" not in line, line


@test
def what_nobody_tells_is_not_guessed():
    def uses(pid, path):
        return path in lib.read_bytes(f"/proc/{pid}/maps").decode()

    with place() as directory:
        path = os.path.join(directory, "lib.so")
        shutil.copy(built("v1.so"), path)
        command = [*rights.AS_NOBODY, "env", f"LD_PRELOAD={path}", "sleep", "1000"]
        with lib.unloaded(), lib.started(*command) as process:
            pid = process.pid
            lib.until(lambda: uses(pid, path), "it is mapped")
            lib.until(lambda: lib.is_asleep(pid), "it runs")
            replace(path, built("v1.so"))
            done = lib.run(*rights.AS_NOBODY, "buildid", "maps", str(pid))
            line = next(line for line in done.stdout.splitlines() if path in line)
            contains(line, "(deleted)")
            contains(line, "11" * 20 if lib.KERNEL >= QUERY else "(denied)")
            # the same id proves nothing, and without one it is not known at all
            done = lib.run(*rights.AS_NOBODY, "buildid", "stale", str(pid))
            equal(done.stdout, "", "what is not known is not stale")
            contains(done.stderr, "not known to be what is at their path" if lib.KERNEL >= QUERY
                     else "mapped files were not compared")
            replace(path, built("v2.so"))
            done = lib.run(*rights.AS_NOBODY, "buildid", "stale", str(pid), status=None)
            equal(done.returncode, STALE if lib.KERNEL >= QUERY else 0, "another id")
            # root sees the file itself
            lib.buildid("stale", str(pid), status=STALE)


@test
def cap_perfmon_alone_is_no_more_than_the_kernel_makes_of_it():
    with programs() as (_, pids), lib.unloaded():
        done = lib.run(*rights.as_nobody("perfmon"), "buildid", "maps", str(pids["plain"]),
                       status=None)
        # since 6.15 it is enough for /proc/PID/maps
        if done.returncode:
            contains(done.stderr, "not permitted; run as root, or with CAP_SYS_PTRACE")
        contains(lib.run(*rights.as_nobody("perfmon"), "buildid", "maps", str(pids["own"])).stdout,
                 "/own")


@test
def a_process_that_keeps_its_address_space_locked_is_counted_here_too():
    def said(*command, status):
        done = lib.buildid(*command, status=status, timeout=lib.TIMEOUT)
        return done.stdout + done.stderr

    # since 6.17 /proc/PID/maps takes no lock of all
    if lib.KERNEL >= (6, 17):
        raise Skip("nothing has to wait for it")
    with programs() as (directory, pids), lib.unloaded(), liar.locked() as locked:
        path, missed = os.path.join(directory, "plain"), "1 processes were not looked at"
        replace(path, "/bin/cat")
        for command, status in (["stale", "--full"], STALE), (["users", "sleep"], None), \
                (["maps", "-A"], 0):
            contains(said(*command, status=status), missed)
        contains(said("stale", "--full", status=STALE), path)
        contains(said("stale", str(locked), status=1), f"pid {locked}: it keeps calling exec, or")
        contains(said("maps", str(locked), status=1), "the process keeps its address space locked")


# ---------------------------------------------------------------------- mon --

PARANOID = "/proc/sys/kernel/perf_event_paranoid"


@contextlib.contextmanager
def watching(*command):
    """A mon that has seen something, and a list that has its lines behind the block."""
    with lib.started(*command, "-j", stdout=subprocess.PIPE, text=True) as mon:
        first = []
        while not first:
            lib.run("true")
            if select.select([mon.stdout], [], [], 0.5)[0]:
                first.append(mon.stdout.readline())
        lines = []
        yield lines
        # what is a tenth of a second old is read with the next tick
        time.sleep(1)
        mon.send_signal(signal.SIGINT)
        lines += lib.json_lines("".join(first) + mon.stdout.read())


def contents_of(lines, pid):
    return sorted((line["addr"], line["len"], line["pgoff"], line["prot"], line["comm"],
                   line["build_id"], line["path"]) for line in lines if line.get("pid") == pid)


@test
def an_overlay_s_file_that_was_copied_up_is_not_what_is_mapped():
    sleep, cat = (lib.readelf_ids([path])[path] for path in ("/bin/sleep", "/bin/cat"))
    with lib.overlay() as (merged, lower, _), lib.unloaded():
        os.chmod(merged, 0o755)
        shutil.copy("/bin/sleep", lower + "/program")
        path = merged + "/program"
        time.sleep(0.05)    # the file is older than the process by more than a tick
        with lib.started(sys.executable, "-c", MAPPER, path, stdout=subprocess.PIPE) as process:
            process.stdout.readline()

            def ids():
                return [line["build_id"] for line in lib.json_lines(
                    lib.buildid("maps", "-j", str(process.pid)).stdout)
                        if line.get("path") == path]
            equal(set(ids()), {sleep}, "as it was")
            with open("/bin/cat", "rb") as source, open(path, "r+b") as file:
                file.truncate(0)
                file.write(source.read())
            equal(set(ids()) - {sleep, None}, set(), "not what the path leads to by now")
            if lib.KERNEL >= QUERY:
                equal(set(ids()), {sleep}, "the kernel knows")
                lib.buildid("stale", "-q", str(process.pid), status=STALE)
            assert cat != sleep


@test
def mon_says_of_a_program_what_the_module_says():
    with watching("buildid", "mon", "--source=module") as ours, \
            watching("buildid", "mon", "--source=perf") as theirs:
        with lib.started("sh", "-c", "exec cat /dev/null") as process:
            process.wait()
    found = contents_of(theirs, process.pid)
    equal(found, contents_of(ours, process.pid), "contents")
    equal(len(found) > 4, True, "of sh and cat")
    equal({line["source"] for line in theirs}, {"perf"}, "source")
    equal([line for line in theirs if line["type"] == "lost"], [], "losses")


@test
def mon_does_it_unasked_with_cap_perfmon_alone():
    with lib.unloaded(), lib.written(PARANOID, "2"):
        with watching(*rights.as_nobody("perfmon"), "buildid", "mon") as lines:
            with lib.started("cat", "/dev/null") as process:
                process.wait()
        contains([line["path"] for line in lines if line["pid"] == process.pid], "/usr/bin/cat")
        done = lib.run(*rights.AS_NOBODY, "buildid", "mon", status=1)
        contains(done.stderr, f"buildid: mon: {SAYS}, as it is not loaded (modprobe buildid)")
        contains(done.stderr, "buildid: perf_event_open: not permitted; run as root, or where")


@test
def mon_shows_an_ordinary_user_processes_of_their_own():
    with lib.unloaded(), lib.written(PARANOID, "2"):
        with lib.started(*rights.AS_NOBODY, "sh", "-c", "read -r line; cat /dev/null; exec id",
                         stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            lib.until(lambda: b"sh" in lib.read_bytes(f"/proc/{process.pid}/comm"), "exec")
            with lib.started(*rights.AS_NOBODY, "buildid", "mon", "-p", str(process.pid),
                             "--count", "2", "-j", stdout=subprocess.PIPE, text=True) as mon:
                maps, rings = f"/proc/{mon.pid}/maps", os.sysconf("SC_NPROCESSORS_ONLN")
                lib.until(lambda: lib.read_bytes(maps).count(b"[perf_event]") == rings,
                          "it watches")
                process.stdin.write(b"go\n")
                process.stdin.close()
                lines = lib.json_lines(mon.stdout.read())
        equal({line["pid"] for line in lines}, {process.pid}, "not of its children")
        contains([line["path"] for line in lines], "/usr/bin/id")


# ------------------------------------------------------------------- record --

def lines_of(log, **wanted):
    """Of mappings in a log that have these values."""
    lines = lib.json_lines(lib.buildid("mon", "-j", log).stdout)
    return [line for line in lines if line["type"] == "mmap" and
            all(line[key] == value for key, value in wanted.items())]


@test
def record_says_of_a_command_what_the_module_says():
    with lib.directory() as directory, programs() as (_, pids):
        ours, theirs = (os.path.join(directory, name) for name in ("ours", "theirs"))
        done = lib.buildid("record", "--source=module", "-o", ours, "--", "buildid", "record",
                           "--source=perf", "-o", theirs, "--", "sh", "-c", "exec cat /dev/null")
        contains(done.stderr, f"{theirs}: ")
        contains(done.stderr, " 0 lost")
        pid = lines_of(theirs, comm="cat")[0]["pid"]
        found = contents_of(lines_of(theirs), pid)
        equal(found, contents_of(lines_of(ours), pid), "contents of the command")
        equal(len(found) > 4, True, "of sh and cat")
        for pid in pids.values():
            found = contents_of(lines_of(theirs), pid)
            equal(found, contents_of(lines_of(ours), pid), "contents of what was there before")
            equal(len(found) > 1, True, "of it")
        line = lines_of(theirs, pid=pid)[0]
        equal(("snapshot" in line["flags"], line["source"]), (True, "perf"), "flags, source")
        # perf's own clock, which the module reads, too
        clocks = [{line["addr"]: line["time_perf"] for line in lines_of(log, comm="cat")}
                  for log in (ours, theirs)]
        for addr, time_perf in clocks[0].items():
            assert abs(clocks[1][addr] - time_perf) < 10**9, clocks


@test
def record_does_it_unasked_with_cap_perfmon_alone():
    with place() as directory, lib.unloaded(), lib.written(PARANOID, "2"):
        os.chmod(directory, 0o777)
        log = os.path.join(directory, "log")
        with lib.started(*rights.as_nobody("perfmon"), "buildid", "record", "-o", log,
                         stderr=subprocess.PIPE, text=True) as recorder:
            lib.until(lambda: os.path.exists(log) and os.path.getsize(log), "it records")
            lib.run("cat", "/dev/null")
            recorder.send_signal(signal.SIGINT)
            said = recorder.stderr.read()
        contains(said, f"buildid: record: {SAYS}, as it is not loaded (modprobe buildid)")
        contains(said, "processes were not looked at, as that is not permitted"
                 if not may_look() else "")
        contains([line["path"] for line in lines_of(log, comm="cat")], "/usr/bin/cat")


def may_look():
    """Since 6.15 CAP_PERFMON is enough for /proc/PID/maps."""
    return lib.KERNEL >= (6, 15)


@test
def record_is_for_an_ordinary_user_s_own_command():
    def nobody(*words, status=0):
        return lib.run(*rights.AS_NOBODY, "buildid", "record", *words, status=status)

    with place() as directory, lib.unloaded(), lib.written(PARANOID, "2"):
        os.chmod(directory, 0o777)
        log = os.path.join(directory, "log")
        done = nobody("-o", log, "--", "sh", "-c", "cat /dev/null; exec id")
        contains(done.stderr, "not permitted for all processes; recording those of the command")
        for name in "sh", "cat", "id":
            contains([line["comm"] for line in lines_of(log)], name)
        done = nobody("-o", log, status=1)
        contains(done.stderr, "buildid: perf_event_open: not permitted; run as root, or where "
                 "sysctl kernel.perf_event_paranoid is 2 or less with CAP_PERFMON")
        equal(len(lines_of(log)) > 4, True, "the old log is left")
        # the library that it maps now, and the one that it mapped before
        contains(lib.buildid("users", "-l", log, "/bin/cat").stderr,
                 "was recorded without the module")


run()
