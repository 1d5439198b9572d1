#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What is there already: MAPS, RESOLVE_ADDR, RESOLVE_KEY; and the filters."""
import errno
import os
import subprocess
import sys
import time

from device import (Device, File, Mmap, ADDR_HISTORY, MAPS_DATA, SNAPSHOT, SUB_CGROUP,
                    SUB_CHILDREN, SUB_UID)
from lib import fails_with
from tap import equal, run, test


def proc_maps(pid, executable=True):
    with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
        for line in f:
            fields = line.rstrip("\n").split(None, 5)
            if len(fields) < 6 or not fields[5].startswith("/"):
                continue
            if executable and "x" not in fields[1]:
                continue
            start, end = (int(n, 16) for n in fields[0].split("-"))
            yield start, end - start, int(fields[2], 16), fields[5]


def sleeper():
    child = subprocess.Popen(["sleep", "1000"])
    # not those of this process, which it has until it execs
    while not {"sleep", "libc.so.6"} <= {os.path.basename(m[3]) for m in proc_maps(child.pid)}:
        time.sleep(0.01)
    return child


def check_maps(pid, flags, executable):
    with Device() as device:
        records = device.maps(pid, flags)
    files, got = {}, []
    for r in records:
        equal(r.header.flags, SNAPSHOT)
        if isinstance(r, File):
            files[r.file_id] = r
        else:
            got.append((r.addr, r.len, r.pgoff, files[r.file_id].path))
    equal(got, list(proc_maps(pid, executable)))
    return files


@test
def maps_are_the_executable_mappings_of_a_process():
    child = sleeper()
    files = check_maps(child.pid, 0, True)
    for f in files.values():
        out = subprocess.run(["eu-readelf", "-n", f.path], check=True, capture_output=True,
                             text=True).stdout
        assert f"Build ID: {f.id}" in out, f
    child.kill()
    child.wait()


@test
def maps_with_data_are_all_mappings_of_files():
    check_maps(os.getpid(), MAPS_DATA, False)


@test
def maps_of_a_big_process_come_in_pieces():
    with Device() as device:
        whole = device.maps(os.getpid(), MAPS_DATA, 1 << 20)
        pieces = device.maps(os.getpid(), MAPS_DATA, 16384)
    equal([r.addr for r in pieces if isinstance(r, Mmap)],
          [r.addr for r in whole if isinstance(r, Mmap)])


@test
def subscribe_then_maps_leaves_no_gap():
    code = "import time, ctypes\nwhile 1: ctypes.CDLL('libz.so.1'); time.sleep(.001)"
    child = subprocess.Popen([sys.executable, "-c", code])
    try:
        with Device() as device:
            device.subscribe()
            seen = {r.addr for r in device.maps(child.pid) if isinstance(r, Mmap)}
            wanted = {m[0] for m in proc_maps(child.pid)}
            while wanted - seen:
                seen |= {r.addr for r in device.read(30)
                         if isinstance(r, Mmap) and r.pid == child.pid}
    finally:
        child.kill()
        child.wait()


@test
def no_process_no_maps():
    with Device() as device:
        fails_with(errno.ESRCH, device.maps, 2**22 - 1)
        fails_with(errno.ESRCH, device.maps, 2)


@test
def an_address_of_a_living_process_resolves_with_its_offset():
    child = sleeper()
    with Device() as device:
        for start, length, pgoff, path in proc_maps(child.pid):
            record, flags, offset, _ = device.resolve_addr(child.pid, start + length - 1)
            equal((record.path, flags, offset), (path, 0, pgoff + length - 1))
        fails_with(errno.ENOENT, device.resolve_addr, child.pid, 4096)
    child.kill()
    child.wait()


@test
def an_address_of_a_process_that_has_exited_resolves():
    child = sleeper()
    maps = list(proc_maps(child.pid))
    child.kill()
    child.wait()
    with Device() as device:
        for start, _, pgoff, path in maps:
            record, flags, offset, _ = device.resolve_addr(child.pid, start + 5)
            equal((record.path, flags, offset), (path, ADDR_HISTORY, pgoff + 5))
            equal(record.kind, "gnu")


@test
def a_key_resolves_after_the_file_is_gone():
    path = "/tmp/gone"
    subprocess.run(["cp", "/bin/true", path], check=True)
    subprocess.run([path], check=True)
    with Device() as device:
        fd = os.open(path, os.O_RDONLY)
        known = device.resolve_fd(fd)
        os.close(fd)
        os.unlink(path)
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as f:
            f.write("1")  # no more: from 2 on the cache itself is asked to shrink
        record = device.resolve_key(known.dev, known.ino)
        equal((record.id, record.path), (known.id, path))
        equal(device.resolve_key(known.dev, known.ino, known.generation).id, known.id)
        fails_with(errno.ENOENT, device.resolve_key, known.dev, known.ino, known.generation + 1)
        fails_with(errno.ENOENT, device.resolve_key, known.dev, 2**63)


@test
def a_key_resolves_after_the_inode_and_its_filesystem_are_gone():
    top = "/tmp/gone-filesystem"
    os.makedirs(top, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", top], check=True)
    subprocess.run(["cp", "/bin/true", f"{top}/program"], check=True)
    status = os.stat(f"{top}/program")
    subprocess.run([f"{top}/program"], check=True)
    subprocess.run(["umount", top], check=True)
    with Device() as device:
        record = device.resolve_key((os.major(status.st_dev), os.minor(status.st_dev)),
                                    status.st_ino)
    equal((record.path, record.kind), (f"{top}/program", "gnu"))
    out = subprocess.run(["eu-readelf", "-n", "/bin/true"], check=True, capture_output=True,
                         text=True).stdout
    assert f"Build ID: {record.id}" in out, record


@test
def what_was_forgotten_is_read_again_where_there_is_something_to_read():
    child = sleeper()
    with Device() as device:
        before = {r.path: r for r in device.maps(child.pid) if isinstance(r, File)}
        device.flush()
        for start, _, _, path in proc_maps(child.pid):
            record, flags, _, _ = device.resolve_addr(child.pid, start)
            equal((record.path, record.id, flags), (path, before[path].id, 0))
            assert record.file_id != before[path].file_id, "it was not forgotten"
        device.flush()
        after = {r.path: r for r in device.maps(child.pid) if isinstance(r, File)}
        equal({path: r.id for path, r in after.items()}, {path: r.id for path, r in before.items()})
        # nothing is left to read of a process that is gone
        maps = list(proc_maps(child.pid))
        child.kill()
        child.wait()
        device.flush()
        for start, _, _, _ in maps:
            fails_with(errno.ENOENT, device.resolve_addr, child.pid, start)


def watched(device, commands):
    """comms whose mappings arrive while the shell commands run."""
    comms = set()
    for command in commands:
        subprocess.run(["sh", "-c", command], check=True)
    for r in device.read(5):
        if isinstance(r, Mmap):
            comms.add(r.comm)
    return comms


@test
def children_of_a_watched_process_are_watched_too():
    shell = subprocess.Popen(["sh"], stdin=subprocess.PIPE, text=True)
    with Device() as device:
        device.subscribe(flags=SUB_CHILDREN, pids=[shell.pid])
        # one that loses its parent before it execs is a descendant all the same
        shell.communicate("(sh -c 'sh -c \"sleep 0.2; exec env true\" & exit 0'; uname) >/dev/null; "
                          "sleep 1\n")
        comms = watched(device, ["date > /dev/null"])
    assert {"uname", "true", "env", "sleep"} <= comms, comms
    assert "date" not in comms, comms


@test
def children_there_before_are_watched_too():
    shell = subprocess.Popen(["sh", "-c", "(read x; uname > /dev/null) ; true"],
                             stdin=subprocess.PIPE, text=True)
    while len(subprocess.run(["pgrep", "-P", str(shell.pid)], capture_output=True,
                             check=False).stdout) == 0:
        time.sleep(0.01)
    with Device() as device:
        device.subscribe(flags=SUB_CHILDREN, pids=[shell.pid])
        shell.communicate("go\n")
        comms = watched(device, ["date > /dev/null"])
    assert "uname" in comms and "date" not in comms, comms


@test
def a_uid_filters():
    with Device() as device:
        device.subscribe(flags=SUB_UID, uid=65534)
        comms = watched(device, ["uname > /dev/null",
                                 "setpriv --reuid 65534 date > /dev/null"])
    assert "date" in comms and "uname" not in comms, comms


@test
def a_cgroup_filters_with_what_is_below_it():
    top = "/tmp/cgroup2"
    os.makedirs(top, exist_ok=True)
    subprocess.run(["mount", "-t", "cgroup2", "none", top], check=True)
    os.makedirs(f"{top}/watched/below", exist_ok=True)
    fd = os.open(f"{top}/watched", os.O_RDONLY | os.O_DIRECTORY)
    with Device() as device:
        device.subscribe(flags=SUB_CGROUP, cgroup_fd=fd)
        comms = watched(device, [
            "uname > /dev/null",
            f"echo $$ > {top}/watched/below/cgroup.procs; date > /dev/null"])
    os.close(fd)
    assert "date" in comms and "uname" not in comms, comms


run()
