#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""libbuildid, by its shared object: recorders, snapshots, questions, cookies; and
the filters of mon, which are the library's."""

import collections
import contextlib
import errno
import itertools
import mmap
import os
import signal
import subprocess
import sys
import time

import lib
from device import (RECORD_MAX, SUB_CGROUP, SUB_CHILDREN, SUB_DATA, SUB_KERNEL, SUB_PATH,
                    SUB_UID, Cookie, File, Image, Lost, Mmap)
from library import ADDR_HISTORY, Recorder
from lib import contains, fails_with
from tap import equal, run, test

NOBODY = 65534
# Maps and unmaps libraries for ever, and forks now and then.
BUSY = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.dlopen.restype = ctypes.c_void_p
libc.dlclose.argtypes = [ctypes.c_void_p]
names = [b"libz.so.1", b"liblzma.so.5", b"libbz2.so.1.0", b"libm.so.6"]
print(flush=True)
while True:
    for handle in [libc.dlopen(name, 2) for name in names]:
        libc.dlclose(handle)
"""


@contextlib.contextmanager
def busy(count=1):
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(lib.started(sys.executable, "-c", BUSY,
                                                     stdout=subprocess.PIPE))
                     for _ in range(count)]
        for process in processes:
            process.stdout.readline()
        yield [process.pid for process in processes]


@contextlib.contextmanager
def cat():
    with lib.started("/bin/cat", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        yield process.pid


def mmaps(events):
    """The mappings, each with its file, if that came behind it."""
    found, behind = [], {}
    for event in reversed(list(events)):
        record = event.record
        if isinstance(record, File):
            behind[record.file_id] = behind[record.file_id, record.tid] = record
        elif isinstance(record, Mmap):
            if event.follows:
                event.file = behind.get((record.file_id, record.tid),
                                        behind.get(record.file_id, event.file))
            found.append(event)
    return found[::-1]


def key_of(record):
    return record.pid, record.addr, record.len, record.pgoff, record.file_id


def maps_of(pid):
    return lib.maps_of(lib.read_bytes(f"/proc/{pid}/maps").decode())


# ---------------------------------------------------------------- recorder --

@test
def a_snapshot_has_what_proc_shows():
    with cat() as pid, Recorder(pids=[pid], snapshot=True) as recorder:
        events = mmaps(recorder.all())
        equal([(e.record.addr, e.record.len, e.record.pgoff, e.file.path) for e in events],
              [(m["addr"], m["len"], m["pgoff"], m["path"]) for m in maps_of(pid)])
        wanted = lib.readelf_ids([event.file.path for event in events])
        for event in events:
            assert event.snapshot and not event.duplicate, event.record
            equal(event.file.id, wanted[event.file.path], event.file.path)


# Of processes that map and unmap all the time: whatever is mapped at the end came with
# the snapshot or as an event.
@test
def a_recorder_that_starts_late_misses_nothing():
    with busy(4) as pids, Recorder(pids=pids, snapshot=True) as recorder:
        events = []

        def went_on():
            events.extend(itertools.islice(recorder.all(10), 100))
            return len([event for event in mmaps(events) if not event.snapshot]) >= 200

        lib.until(went_on, "mappings after the snapshot")
        for pid in pids:
            os.kill(pid, 19)
        for pid in pids:
            lib.until(lambda p=pid: " T" in lib.read_bytes(f"/proc/{p}/stat").decode(), "stop")
        shown = {pid: maps_of(pid) for pid in pids}
        events = mmaps(events + recorder.rest())
    # ld.so of arm64 maps a library as a whole, and takes from it what is not code: of that
    # there is no record.
    seen = collections.defaultdict(int)
    for e in events:
        key = e.record.pid, e.record.addr, e.record.pgoff, e.file.path
        seen[key] = max(seen[key], e.record.len)
    for pid in pids:
        for m in shown[pid]:
            key = pid, m["addr"], m["pgoff"], m["path"]
            assert seen[key] >= m["len"], f"{key}: {seen[key]} of {m['len']} bytes"
    assert len([e for e in events if e.snapshot]) >= 4 * 5, len(events)


@test
def what_comes_twice_is_marked_and_nothing_else_is():
    with busy(2) as pids:
        def has_duplicates():
            duplicates, sent = 0, set()
            # A snapshot of all takes some time, in which these go on.
            with Recorder(snapshot=True) as recorder:
                try:
                    events = mmaps(recorder.until_snapshot())
                except TimeoutError:
                    return 0    # one of these had its address space locked for too long
                for event in events:
                    key = key_of(event.record)
                    if event.snapshot:
                        equal(event.duplicate, key in sent, f"{event.record}")
                        duplicates += event.duplicate and event.record.pid in pids
                    else:
                        assert not event.duplicate, event.record
                        sent.add(key)
            return duplicates

        lib.until(has_duplicates, "a mapping comes twice")


@test
def a_snapshot_is_behind_what_was_mapped_before_it():
    with busy(2), Recorder() as recorder, open(lib.built("plain"), "rb") as file:
        for _ in range(3):
            address = lib.map_fd(file.fileno(), lib.PAGE)
            recorder.snapshot()
            events = [(event.snapshot, event.record.pid, event.record.addr)
                      for event in mmaps(recorder.until_snapshot())]
            lib.unmap(address, lib.PAGE)
            first = [snapshot for snapshot, *_ in events].index(True)
            contains(events[:first], (False, os.getpid(), address))
            contains(events[first:], (True, os.getpid(), address))


@test
def a_snapshot_of_everything_has_every_process():
    with cat() as one, cat() as other, Recorder(snapshot=True) as recorder:
        pids = {event.record.pid for event in mmaps(recorder.until_snapshot())}
        assert {1, one, other, os.getpid()} <= pids, pids


def pids_in_snapshot(**filters):
    with Recorder(snapshot=True, **filters) as recorder:
        return {event.record.pid for event in mmaps(recorder.until_snapshot())
                if event.snapshot}


@test
def a_snapshot_passes_the_filters_of_the_subscription():
    with lib.started("sh", "-c", "echo; cat; exit", stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE) as shell, \
            lib.started("setpriv", "--reuid", str(NOBODY), "--clear-groups", "/bin/cat",
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE) as nobody:
        for process in shell, nobody:
            process.stdin.write(b"\n")
            process.stdin.flush()
        shell.stdout.readline()
        shell.stdout.readline()
        nobody.stdout.readline()
        [child] = map(int, lib.run("pgrep", "-P", str(shell.pid)).stdout.split())
        equal(pids_in_snapshot(pids=[shell.pid]), {shell.pid})
        equal(pids_in_snapshot(pids=[shell.pid], flags=SUB_CHILDREN), {shell.pid, child})
        equal(pids_in_snapshot(flags=SUB_UID, uid=NOBODY), {nobody.pid})
        with lib.cgroups() as top:
            lib.write_bytes(f"{top}/below/cgroup.procs", str(child).encode())
            fd = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
            equal(pids_in_snapshot(flags=SUB_CGROUP, cgroup_fd=fd), {child})
            lib.write_bytes(f"{top}/cgroup.procs", str(shell.pid).encode())
            equal(pids_in_snapshot(flags=SUB_CGROUP, cgroup_fd=fd), {shell.pid, child})
            equal(pids_in_snapshot(flags=SUB_CGROUP, cgroup_fd=fd, pids=[child]), {child})
            os.close(fd)


@test
def processes_that_come_and_go_are_no_error():
    loop = "while :; do /bin/true & /bin/true; done"
    with lib.started("sh", "-c", loop, stderr=subprocess.DEVNULL):
        for _ in range(10):
            with Recorder(snapshot=True) as recorder:
                assert mmaps(recorder.until_snapshot())


@test
def a_file_that_is_read_late_comes_behind_its_mapping_with_the_path_there():
    with lib.ext4() as work, Recorder(pids=[os.getpid()], flags=SUB_PATH) as recorder:
        paths = [os.path.join(work, f"{n}") for n in range(8)]
        for path in paths:
            lib.run("cp", "/bin/true", path)
        for path in paths:
            lib.drop_pages(path)
            lib.map_file(path)
            lib.map_file("/bin/cat")
        events = mmaps(recorder.rest())
        wanted = lib.readelf_ids(["/bin/true", "/bin/cat"])
        equal([event.file.path for event in events],
              [path for name in paths for path in (name, "/usr/bin/cat")])
        for event in events:
            equal(event.file.id, wanted["/bin/cat" if "cat" in event.file.path
                                        else "/bin/true"], event.file.path)
        equal({event.record.state for event in events}, {"follows"}, "states")


@test
def who_reads_late_finds_the_identity_behind_the_mapping():
    # in the ring, or in the socket
    wanted = lib.readelf_ids(["/bin/true"])["/bin/true"]
    with lib.ext4() as work, Recorder(pids=[os.getpid()], flags=SUB_PATH) as recorder, \
            lib.Mon("--pid", str(os.getpid())) as mon, \
            lib.Mon("--pid", str(os.getpid()), "--netlink") as listener:
        path = os.path.join(work, "true")
        lib.run("cp", "/bin/true", path)
        lib.drop_pages(path)
        for watcher in mon, listener:
            watcher.process.send_signal(signal.SIGSTOP)
        lib.map_file(path)
        # longer than a file is waited for
        waited = time.monotonic() + 1.5
        lib.until(lambda: time.monotonic() > waited, "time passes")
        for watcher in mon, listener:
            watcher.process.send_signal(signal.SIGCONT)
        events = mmaps(recorder.rest())
    [event] = [event for event in events if event.file.path == path]
    equal((event.record.state, event.file.id), ("follows", wanted))
    for watcher in mon, listener:
        equal([line["build_id"] for line in watcher.lines if line.get("path") == path],
              [wanted])


@test
def losses_are_reported_and_a_new_snapshot_makes_up_for_them():
    with Recorder(pids=[os.getpid()], ring_size=2 * RECORD_MAX) as recorder:
        path = lib.built("plain")
        with open(path, "rb") as file:
            mapped = [lib.map_fd(file.fileno(), lib.PAGE) for _ in range(200)]
        events = list(recorder.all(200))
        sent = sum(e.record.ring_full for e in events if isinstance(e.record, Lost))
        assert len(mmaps(events)) < 200, "nothing was lost"
        assert sent >= 200 - len(mmaps(events)), f"{sent} lost, {len(mmaps(events))} came"
        recorder.snapshot()
        seen = {event.record.addr for event in mmaps(recorder.all())}
        # Neighbours of one file become one mapping.
        shown = {m["addr"] for m in maps_of(os.getpid()) if m["path"] == path}
        assert shown and shown <= seen, (shown, seen)
        for address in mapped:
            lib.unmap(address, lib.PAGE)


@test
def the_kernel_comes_first_when_asked_for():
    with Recorder(pids=[os.getpid()], flags=SUB_KERNEL) as recorder:
        events = list(recorder.all())
        images = [event.record for event in events if isinstance(event.record, Image)]
        equal(images[0].name, os.uname().release)
        contains([image.name for image in images], "buildid")


@test
def a_refused_subscription_is_reported():
    fails_with(errno.ESRCH, Recorder, pids=[2**22 - 1])
    fails_with(errno.EINVAL, Recorder, uid=1)
    fails_with(errno.EINVAL, Recorder, ring_size=5000)


# --------------------------------------------------------------- questions --

@test
def an_inode_and_an_address_are_resolved_when_all_else_is_gone():
    with Recorder() as recorder:
        path = "/tmp/buildid-gone"
        lib.run("cp", "/bin/cat", path)
        with lib.started(path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdin.write(b"\n")
            process.stdin.flush()
            process.stdout.readline()
            [first, *_] = [m for m in maps_of(process.pid) if m["path"] == path]
            alive, flags, offset, start = recorder.resolve_addr(process.pid, first["addr"] + 7)
            equal((alive.path, flags, offset), (path, 0, first["pgoff"] + 7))
        os.unlink(path)
        record, flags, offset, start = recorder.resolve_addr(process.pid, first["addr"] + 7)
        equal((record.id, flags, offset), (alive.id, ADDR_HISTORY, first["pgoff"] + 7))
        again = recorder.resolve_addr(process.pid, first["addr"] + 7, start)
        equal((again.record.id, again.start_time), (alive.id, start))
        fails_with(errno.ESRCH, recorder.resolve_addr, process.pid, first["addr"], start + 1)
        equal(recorder.resolve_id(alive.file_id).id, alive.id)
        fails_with(errno.ENOENT, recorder.resolve_id, 2**63)
        equal(recorder.resolve_key(alive.dev, alive.ino).id, alive.id)
        equal(recorder.resolve_key(alive.dev, alive.ino, alive.generation).id, alive.id)
        fails_with(errno.ENOENT, recorder.resolve_key, alive.dev, alive.ino,
                   alive.generation + 1)
        fails_with(errno.ESRCH, recorder.resolve_addr, 2**22 - 1, 4096)
    equal(alive.id, lib.readelf_ids(["/bin/cat"])["/bin/cat"])


# ----------------------------------------------------------------- cookies --

@test
def a_cookie_reaches_recorders_and_snapshots():
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    address = lib.check(lib.libc.mmap(None, 2 * lib.PAGE, lib.RX, flags, -1, 0), "mmap")
    with Recorder(pids=[os.getpid()]) as recorder:
        recorder.name_mapping(address, lib.PAGE, 5, b"jit 1")
        [event] = [e for e in recorder.all() if isinstance(e.record, Cookie)]
        equal((event.record.pid, event.record.addr, event.record.len, event.record.kind,
               event.record.id), (os.getpid(), address, lib.PAGE, "cookie", b"jit 1".hex()))
        recorder.snapshot()
        [again] = [e for e in recorder.all() if isinstance(e.record, Cookie)]
        equal((again.snapshot, again.record.id), (True, b"jit 1".hex()))
        text = lib.buildid("maps", str(os.getpid())).stdout
        contains(text, f"{address:08x}-{address + lib.PAGE:08x} ---- "
                 f"cookie:{b'jit 1'.hex()} [cookie]\n")
        recorder.name_mapping(address, lib.PAGE, 5, b"")
        [event] = [e for e in recorder.all() if isinstance(e.record, Cookie)]
        equal((event.record.kind, event.record.id), ("none", ""))
        fails_with(errno.ENOENT, recorder.name_mapping, address, lib.PAGE, 5, b"")
        fails_with(errno.EINVAL, recorder.name_mapping, address, lib.PAGE, 3, b"x")
    lib.unmap(address, 2 * lib.PAGE)


@test
def a_cookie_is_shown_by_mon_and_from_a_log():
    code = ("import lib, mmap, library\n"
            "a = lib.libc.mmap(None, 4096, lib.RX, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)\n"
            "import os\n"
            "with library.Recorder(pids=[os.getpid()]) as r: r.name_mapping(a, 4096, 1, b'abcd')\n")
    with lib.directory() as work, lib.Mon() as mon:
        log = os.path.join(work, "log")
        lib.buildid("record", "-o", log, "--", "/usr/bin/python3", "-c", code)
        mon.catch_up()
        shown = lib.buildid("mon", "-j", "-l", log).stdout
        text = lib.buildid("mon", "-l", log).stdout
    for lines in mon.lines, lib.json_lines(shown):
        [line] = [line for line in lines if line["type"] == "cookie"]
        equal((line["kind"], line["build_id"], line["len"], line["comm"]),
              ("gnu", b"abcd".hex(), 4096, "python3"))
    contains(text, " ---- 61626364                                 [cookie]\n")


# ------------------------------------------------------------ mon's filters --

def comms(mon):
    return {line["comm"] for line in mon.lines if line["type"] == "mmap"}


@test
def mon_watches_descendants():
    with lib.started("sh", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as shell:
        # The mark of Mon is this process's.
        with lib.Mon("-p", f"{os.getpid()},{shell.pid}") as mon:
            shell.stdin.write(b"uname; exec 1>&-; exit\n")
            shell.stdin.flush()
            shell.wait(lib.TIMEOUT)
    assert "uname" not in comms(mon), comms(mon)
    with lib.started("sh", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as shell:
        with lib.Mon("-p", f"{os.getpid()},{shell.pid}", "--children") as mon:
            shell.stdin.write(b"(sh -c 'uname; date'); exit\n")
            shell.stdin.flush()
            shell.wait(lib.TIMEOUT)
    assert {"uname", "date"} <= comms(mon), comms(mon)


def watch(*options):
    """What mon -j shows of two programs by two users in two cgroups."""
    with lib.cgroups() as group, lib.directory() as work:
        with open(os.path.join(work, "lines"), "w+b") as output, \
                lib.started("buildid", "mon", "-j", "--cgroup", group, *options,
                            stdout=output, stderr=subprocess.DEVNULL) as mon:
            def until_shown(comm):
                """Again and again, as it is unknown when mon has begun."""
                def shown():
                    assert mon.poll() is None, "mon has ended"
                    lib.run("setpriv", "--reuid", str(NOBODY), "sh", "-c", "exec uname")
                    lib.run("sh", "-c", f"echo $$ > {group}/below/cgroup.procs; exec date")
                    lib.run("sh", "-c", f"echo $$ > {group}/cgroup.procs; "
                            f"exec setpriv --reuid {NOBODY} --clear-groups {comm}")
                    return f'"{comm}"'.encode() in lib.read_bytes(output.name)
                lib.until(shown, f"{comm} is shown")
            # All that is run in a turn for the second has run under watch.
            until_shown("true")
            until_shown("id")
            lib.interrupt(mon)
            text = lib.read_bytes(output.name).decode()
        return {line["comm"] for line in lib.json_lines(text)} - {"true"}


@test
def mon_watches_a_cgroup_with_what_is_below():
    found = watch()
    assert {"id", "date"} <= found and "uname" not in found, found


@test
def mon_s_filters_add_up():
    equal(watch("--uid", "nobody"), {"id"})


@test
def mon_shows_modules():
    empty = os.path.join(lib.BUILT, f"kmod-{os.environ['KERNEL_NAME']}", "buildid_empty.ko")
    with lib.Mon("--with-kernel") as mon:
        lib.run("insmod", empty)
        lib.run("rmmod", "buildid_empty")
    kernel, *modules = [line for line in mon.lines if line["type"] in ("kernel", "module")]
    equal((kernel["type"], kernel["name"], kernel["flags"]),
          ("kernel", os.uname().release, ["snapshot"]))
    mine = [line for line in modules if line["name"] == "buildid_empty"]
    equal([line["flags"] for line in mine], [[], ["unload"]])
    equal([line["build_id"] for line in mine], 2 * [lib.readelf_ids([empty])[empty]])
    equal({tuple(line["flags"]) for line in modules if line not in mine}, {("snapshot",)})
    with lib.Mon() as mon:
        lib.run("insmod", empty)
        lib.run("rmmod", "buildid_empty")
    equal([line for line in mon.lines if line["type"] != "mmap"], [])


@test
def mon_shows_processes_that_fork_exec_and_exit():
    for options in [], ["--netlink"]:
        with lib.Mon("--tasks", *options) as mon:
            with lib.started("sh", "-c", "uname & wait", stdout=subprocess.DEVNULL) as shell:
                shell.wait(lib.TIMEOUT)
        tasks = [line for line in mon.lines if line["type"] in ("fork", "exec", "exit")]
        mine = [line for line in tasks if line["pid"] == shell.pid]
        equal([line["type"] for line in mine], ["fork", "exec", "exit"])
        equal(mine[0]["parent_pid"], os.getpid())
        [child] = [line for line in tasks if line.get("parent_pid") == shell.pid]
        equal(child["parent_start_time"], mine[0]["start_time"])
        theirs = [line for line in mon.lines if line.get("pid") == child["pid"]]
        equal({line["start_time"] for line in theirs}, {child["start_time"]})
        equal([line["type"] for line in theirs if line in tasks], ["fork", "exec", "exit"])
        # As /proc/PID/stat has it, in clock ticks.
        ticks = int(lib.read_bytes("/proc/self/stat").rsplit(b")")[1].split()[19])
        hz = os.sysconf("SC_CLK_TCK")
        assert 0 <= mine[0]["parent_start_time"] * hz // 10**9 - ticks <= 1, (mine, ticks)


@test
def nobody_waits_in_vain_without_being_warned():
    if not os.path.exists(lib.KPROBES):
        lib.mount("debugfs", "/sys/kernel/debug", "debugfs")
    for switch in lib.FTRACE, lib.KPROBES:
        with lib.turned_off(switch) as off:
            for options in ([], ["--netlink"]) if off else ():
                with lib.started("buildid", "mon", *options, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True) as mon:
                    warning = mon.stderr.readline()
                contains(warning, "buildid: /dev/buildid: no mapping is seen")
                for remedy in "sysctl kernel.ftrace_enabled=1", f"echo 1 > {lib.KPROBES}":
                    contains(warning, remedy)
            [info] = lib.json_lines(lib.buildid("info", "-j").stdout)
            equal(info["status"], [] if off else ["armed"])
    done = lib.buildid("info", "-j")
    [info] = lib.json_lines(done.stdout)
    equal((info["status"], done.stderr), (["armed"], ""))


@test
def list_asks_for_a_device_or_a_kind():
    # What was on an earlier device with that number is remembered, too.
    lib.buildid("flush")
    with lib.tmpfs() as directory:
        for name in "v1.so", "none":
            path = os.path.join(directory, name)
            lib.write_bytes(path, lib.read_bytes(lib.built(name)))
            lib.map_file(path)
        device = os.stat(directory).st_dev
        dev = f"{os.major(device)}:{os.minor(device)}"

        def names(*options):
            lines = lib.json_lines(lib.buildid("list", "-j", "--dev", dev, *options).stdout)
            return sorted(os.path.basename(line["path"]) for line in lines)
        equal(names(), ["v1.so"])
        equal(names("--kind", "any"), ["none", "v1.so"])
        equal(names("--kind", "gnu"), ["v1.so"])
        equal(names("--kind", "htlhash"), ["none"])
        equal(names("--kind", "cookie"), [])
    for line in lib.json_lines(lib.buildid("list", "-j", "--kind", "htlhash").stdout):
        equal(line["kind"], "htlhash")


@test
def list_is_sorted_by_path_the_older_versions_first():
    lib.buildid("flush")
    with lib.tmpfs() as directory:
        def install(name, content):
            path = os.path.join(directory, name)
            lib.write_bytes(path + ".new", lib.read_bytes(lib.built(content)))
            os.rename(path + ".new", path)
            lib.map_file(path)
        names = list("hbfadgce")
        for content in "v1.so", "v2.so":
            for name in names:
                install(name, content)
        paths = {os.path.join(directory, name) for name in names}
        lines = [(os.path.basename(line["path"]), line["build_id"])
                 for line in lib.json_lines(lib.buildid("list", "-j").stdout)
                 if line["path"] in paths]
        equal(lines, [(name, identity) for name in sorted(names)
                      for identity in ("11" * 20, "22" * 20)])


@test
def info_has_a_word_for_all_that_the_module_can():
    [info] = lib.json_lines(lib.buildid("info", "-j").stdout)
    for key in "records", "ioctls", "features":
        assert len(info[key]) > 2 and "unknown" not in info[key], info
    contains(info["records"], "exit")
    contains(info["ioctls"], "resolve")
    contains(info["flags"], "subscribe:0x7f")
    equal((info["status"], info["record_max"]), (["armed"], RECORD_MAX))


@test
def data_is_in_a_snapshot_when_asked_for():
    with cat() as pid, Recorder(pids=[pid], flags=SUB_DATA, snapshot=True) as recorder:
        prots = {event.record.prot for event in mmaps(recorder.all())}
        assert {mmap.PROT_READ, lib.RX} <= prots, prots


run()
