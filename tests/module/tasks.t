#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""FORK, EXEC and EXIT: with these a reader knows what each process has mapped, whether
it maps anything itself or not, and long after it is gone."""

import os
import signal
import socket
import threading

import lib
import stream
from device import (COMM, EXEC, EXIT, FORK, SUB_CHILDREN, SUB_PATH, SUB_TASKS,
                    TASK_SHARES_MM, Device, File, Mmap, Task)
from lib import built
from tap import equal, run, test


class Spaces:
    """Address spaces, kept as the header says: process -> [(start, end, mapping)]. One
    that is shared is one list. A process is its pid and its start time."""

    def __init__(self):
        self.of = {}
        self.gone = {}
        self.events = []

    def add(self, record):
        if isinstance(record, Mmap):
            space = self.of.setdefault((record.pid, record.start_time), [])
            end = record.addr + record.len
            space[:] = [old for old in space if old[1] <= record.addr or old[0] >= end]
            space.append((record.addr, end, record))
        elif isinstance(record, Task):
            self.add_task(record)

    def add_task(self, record):
        key, kind = (record.pid, record.start_time), record.header.type
        self.events.append((kind, record))
        if kind == FORK:
            space = self.of.get((record.parent_pid, record.parent_start_time), [])
            assert key not in self.of, f"{record} is there already"
            self.of[key] = space if record.flags & TASK_SHARES_MM else list(space)
        elif kind == EXEC:
            self.of[key] = []
        elif kind == EXIT:
            assert key not in self.gone, f"{record} has exited already"
            # for those who ask later
            self.gone[key] = list(self.of.get(key, []))

    def find(self, key, address):
        (found,) = [mapped for start, end, mapped in self.of[key] if start <= address < end]
        return found


def watched(how, *arguments):
    """What the program fork does, by name of process: pid, address; and the stream."""
    with stream.Watch(flags=SUB_PATH | SUB_TASKS | SUB_CHILDREN) as watch:
        lines = lib.run(built("fork"), how, *arguments).stdout.splitlines()
        lib.map_file(built("id8"))      # after all that
        watch.settle()
        spaces = Spaces()
        for record in watch.records:
            spaces.add(record)
    named = {}
    for line in lines:
        name, pid, address = line.split()
        named[name] = int(pid), int(address, 16)
    return named, spaces, watch


def keys_of(spaces, pid):
    return [(record.pid, record.start_time) for kind, record in spaces.events
            if record.pid == pid and kind == FORK]


def events_of(spaces, pid):
    return [{FORK: "fork", EXEC: "exec", EXIT: "exit"}[kind]
            for kind, record in spaces.events if record.pid == pid and kind != COMM]


def is_named(spaces, watch, pid, address):
    (key,) = keys_of(spaces, pid)
    assert key in spaces.gone, f"{pid} has not exited"
    mapped = spaces.find(key, address)
    equal(watch.file_of(mapped).path, built("fork"), "file at the address of main()")
    equal(watch.file_of(mapped).id, lib.readelf_ids([built("fork")])[built("fork")], "build-id")


@test("an address of a child that has forked, mapped nothing, and exited is named")
def _():
    named, spaces, watch = watched("fork")
    for name in ("self", "child"):
        is_named(spaces, watch, *named[name])
    equal(events_of(spaces, named["self"][0]), ["fork", "exec", "exit"], "the program's events")
    equal(events_of(spaces, named["child"][0]), ["fork", "exit"], "its child's events")
    equal([mapped for mapped in watch.mmaps if mapped.pid == named["child"][0]], [],
          "mappings the child has made itself")


@test("likewise a child's child, and one that a thread has forked")
def _():
    named, spaces, watch = watched("double")
    for name in ("self", "middle"):
        is_named(spaces, watch, *named[name])
    inner = [record for kind, record in spaces.events
             if kind == FORK and record.parent_pid == named["middle"][0]]
    equal(len(inner), 1, "children of the child")
    is_named(spaces, watch, inner[0].pid, named["self"][1])
    named, spaces, watch = watched("fork_from_thread")
    is_named(spaces, watch, *named["child"])


@test("vfork, posix_spawn and CLONE_VM say that they share, until exec or exit")
def _():
    program = built("id8")
    for how in ("vfork", "spawn", "clone_vm"):
        named, spaces, watch = watched(how, program)
        pid = named["shares"][0]
        execs = ["exec"] if how != "clone_vm" else []
        equal(events_of(spaces, pid), ["fork", *execs, "exit"], f"{how}: events")
        (fork,) = [record for kind, record in spaces.events if kind == FORK and record.pid == pid]
        equal(fork.flags, TASK_SHARES_MM, f"{how}: flags")
        if execs:
            equal([watch.file_of(mapped).path for _, _, mapped in spaces.of[keys_of(spaces, pid)[0]]],
                  [program], f"{how}: what it has mapped in the end")
        is_named(spaces, watch, *named["self"])
    named, spaces, _ = watched("fork")
    equal([record.flags for kind, record in spaces.events
           if kind == FORK and record.pid == named["child"][0]], [0], "flags of fork(2)")


@test("threads send nothing, and a process exits once, with its last thread")
def _():
    for how in ("thread", "thread_exit"):
        named, spaces, _ = watched(how)
        equal(events_of(spaces, named["self"][0]), ["fork", "exec", "exit"], how)


@test("an exec by another thread than the first is the process's")
def _():
    named, spaces, watch = watched("exec_in_thread", built("id8"))
    pid = named["self"][0]
    equal(events_of(spaces, pid), ["fork", "exec", "exec", "exit"], "events")
    assert keys_of(spaces, pid)[0] in spaces.gone, "EXIT has another start time"
    equal([watch.file_of(mapped).path for _, _, mapped in spaces.of[keys_of(spaces, pid)[0]]],
          [built("id8")], "what it has mapped in the end")


@test("start times are those of /proc, and the same in every record and answer")
def _():
    with stream.Watch(flags=SUB_TASKS | SUB_CHILDREN) as watch, Device() as device:
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(writer)
            fd = os.open(built("id8"), os.O_RDONLY)
            lib.map_fd(fd, lib.PAGE)
            os.read(reader, 1)
            os._exit(0)
        os.close(reader)
        lib.until(lambda: watch.settle() or watch.mmaps, "the child maps")
        (mapped,) = watch.mmaps
        started = lib.start_ticks(child)
        in_maps = {record.start_time for record in device.maps(child) if isinstance(record, Mmap)}
        resolved = device.resolve_addr(child, mapped.addr)
        lib.fails_with(3, device.resolve_addr, child, mapped.addr, mapped.start_time + 1)
        equal(device.resolve_addr(child, mapped.addr, mapped.start_time).record.file_id,
              mapped.file_id, "answer for that very process")
        os.close(writer)
        os.waitpid(child, 0)
        lib.fails_with(3, device.resolve_addr, child, mapped.addr, mapped.start_time)
        in_history = {record.start_time for record in device.history(child)
                      if not isinstance(record, File)}
        watch.settle()
    tasks = [record for record in watch.records if isinstance(record, Task)]
    equal({record.start_time for record in tasks}, {mapped.start_time}, "of FORK and EXIT")
    equal(in_maps, {mapped.start_time}, "in MAPS")
    equal(resolved.start_time, mapped.start_time, "in RESOLVE by ADDR")
    equal(in_history, {mapped.start_time}, "in HISTORY")
    equal(mapped.start_time * os.sysconf("SC_CLK_TCK") // 10**9, started, "in clock ticks")


def map_there(name):
    fd = os.open(built(name), os.O_RDONLY)
    lib.check(lib.libc.mmap(0x200000000, lib.PAGE, lib.RX, 0x12, fd, 0), "mmap")


@test("a pid that is used again is another process")
def _():
    with stream.Watch(flags=SUB_PATH | SUB_TASKS | SUB_CHILDREN) as watch, Device() as device:
        mapped = {}
        number = lib.in_child(lambda: (map_there("id8"), os.getpid())[1])
        lib.run_as(number, map_there, "id16")
        watch.settle()
        for record in watch.mmaps:
            mapped[watch.file_of(record).path] = record
        first, second = mapped[built("id8")], mapped[built("id16")]
        equal(first.pid, second.pid, "pids")
        assert first.start_time < second.start_time, "start times"
        equal({(record.start_time, record.file_id) for record in device.history(first.pid)
               if isinstance(record, Mmap)},
              {(record.start_time, record.file_id) for record in (first, second)}, "in HISTORY")
        spaces = Spaces()
        for record in watch.records:
            spaces.add(record)
        for record in (first, second):
            equal(spaces.find((record.pid, record.start_time), record.addr).file_id,
                  record.file_id, "in the reader's address spaces")


@test("without SUB_TASKS there are none, and a filter of pids holds for these, too")
def _():
    with stream.Watch(pids=[], flags=0) as none, \
            stream.Watch(flags=SUB_TASKS) as own:
        lib.run(built("fork"), "fork")
        child = fork(lambda: lib.map_file(built("id8")))
        for watch in (none, own):
            watch.settle()
    equal([record for record in none.records if isinstance(record, Task)], [], "not asked for")
    assert none.mmaps, "it is not watching"
    tasks = [record for record in own.records if isinstance(record, Task)]
    # by the parent a FORK passes; the child's own EXEC and EXIT do not
    equal({(record.header.type, record.parent_pid) for record in tasks}, {(FORK, os.getpid())},
          "of this process alone")
    equal([task.pid for task in tasks][-1:], [child], "its last child")
    equal(len({task.pid for task in tasks}), len(tasks), "one FORK for each")


# -------------------------------------------------------------------- in order --

class Tasks(stream.Watch):
    """What becomes of this process and its descendants."""

    def __init__(self, flags=SUB_PATH | SUB_TASKS | SUB_CHILDREN, **options):
        super().__init__(flags=flags, **options)
        self.start_of_self = lib.start_ticks(os.getpid())

    def of(self, pid):
        """The names of a process's records, in order."""
        names = {FORK: "fork", EXEC: "exec", EXIT: "exit", COMM: "comm"}
        return [names.get(record.header.type, "mmap") for record in self.records
                if isinstance(record, (Task, Mmap)) and record.pid == pid]

    def tasks(self, kind, pid):
        return [record for record in self.records if isinstance(record, Task) and
                record.header.type == kind and record.pid == pid]


def squeezed(names):
    """Without repetitions."""
    return [name for number, name in enumerate(names) if names[number - 1:number] != [name]]


def fork(function):
    """A child that calls it and exits; its pid, once it has."""
    pid = lib.forked(function)
    os.waitpid(pid, 0)
    return pid


@test("a child that maps and exits: FORK, MMAP, EXIT, and whose")
def _():
    ours, theirs = socket.socketpair()

    def child():
        lib.map_file(built("id8"))
        theirs.send(str(lib.start_ticks(os.getpid())).encode())
    with Tasks() as watch:
        pid = fork(child)
        watch.settle()
        equal(watch.of(pid), ["fork", "mmap", "exit"], "records")
        (made,), (gone,) = watch.tasks(FORK, pid), watch.tasks(EXIT, pid)
        equal((made.tid, made.parent_pid, made.flags), (pid, os.getpid(), 0), "FORK")
        equal((gone.tid, gone.parent_pid, gone.parent_start_time, gone.flags), (pid, 0, 0, 0),
              "EXIT")
        ticks = os.sysconf("SC_CLK_TCK")
        equal(made.start_time * ticks // 10**9, int(ours.recv(64)), "start_time as in /proc")
        equal(made.parent_start_time * ticks // 10**9, watch.start_of_self, "of the parent")
        mapped = [record for record in watch.mmaps if record.pid == pid]
        equal({record.start_time for record in mapped} | {gone.start_time}, {made.start_time},
              "start_time in all records")


@test("a program that is run: FORK, EXEC before all of its mappings, EXIT")
def _():
    with Tasks() as watch:
        pid = fork(lambda: os.execv("/bin/sh", ["sh", "-c", "exec /bin/true"]))
        watch.settle()
        equal(squeezed(watch.of(pid)), ["fork", "exec", "mmap", "exec", "mmap", "exit"], "records")
        equal([record.comm for record in watch.tasks(EXEC, pid)], ["sh", "true"], "comm")
        equal(watch.tasks(EXIT, pid)[0].comm, "true", "comm at the end")


@test("a process of many threads exits once, and threads send nothing")
def _():
    def child():
        for _ in range(8):
            threading.Thread(target=signal.pause, daemon=True).start()
        os._exit(0)
    with Tasks(ring_size=4 << 20) as watch:
        for _ in range(20 if lib.DEBUG else 50):
            pid = fork(child)
            watch.drain()
            equal([name for name in watch.of(pid) if name != "mmap"], ["fork", "exit"], "records")
        forked = {record.pid for record in watch.records if isinstance(record, Task)}
        assert os.getpid() not in forked, "this process never exited"


@test("a process that is killed has an EXIT, too")
def _():
    with Tasks() as watch:
        with lib.started("sleep", "1000") as process:
            pid = process.pid
        watch.settle()
        equal(watch.of(pid)[-1], "exit", "the last record")


@test("grandchildren of a process with CHILDREN have records, others have not")
def _():
    with Tasks() as watch:
        reader, writer = os.pipe()

        def child():
            os.write(writer, str(fork(lambda: None)).encode())
        pid = fork(child)
        grandchild = int(os.read(reader, 64))
        watch.settle()
        equal(watch.of(grandchild), ["fork", "exit"], "of the grandchild")
        equal(watch.tasks(FORK, grandchild)[0].parent_pid, pid, "its parent")
        tasks = {record.pid for record in watch.records if isinstance(record, Task)}
        equal(tasks, {pid, grandchild}, "processes")


@test("EXIT has what wait(2) says, and a record the uid and the cgroup at that time")
def _():
    def become_nobody():
        os.setuid(65534)
        os._exit(3)

    def exit_in_thread():
        thread = threading.Thread(target=lambda: os._exit(5))
        thread.start()
        thread.join()
    with Tasks() as watch, lib.cgroups() as group:
        def enter_group():
            lib.write_bytes(f"{group}/cgroup.procs", b"0")
            os.kill(os.getpid(), signal.SIGTERM)
        ends = {}
        for function in (become_nobody, exit_in_thread, enter_group):
            pid = lib.forked(function)
            ends[function] = pid, os.waitpid(pid, 0)[1]
        watch.settle()
        for pid, status in ends.values():
            (gone,) = watch.tasks(EXIT, pid)
            equal(gone.exit_code, status, "exit_code and status")
            (made,) = watch.tasks(FORK, pid)
            equal((made.exit_code, made.uid), (0, 0), "exit_code and uid of a FORK")
        equal([watch.tasks(EXIT, pid)[0].uid for pid, _ in ends.values()], [65534, 0, 0], "uids")
        pid, _ = ends[enter_group]
        equal(watch.tasks(EXIT, pid)[0].cgroup_id, os.stat(group).st_ino, "cgroup_id")
        assert watch.tasks(FORK, pid)[0].cgroup_id != os.stat(group).st_ino, "before it went there"


@test("a thread that gets another name has a COMM, also where another one gives it")
def _():
    def rename(whom, name):
        with open(f"/proc/{whom}/comm", "w", encoding="ascii") as file:
            file.write(name)

    def child():
        rename("self", "renamed")
        release = threading.Event()
        thread = threading.Thread(target=release.wait)
        thread.start()
        rename(f"self/task/{thread.native_id}", "by another")
        release.set()
        thread.join()
    with Tasks() as watch:
        pid = fork(child)
        watch.settle()
        equal(watch.of(pid), ["fork", "comm", "comm", "exit"], "records")
        first, second = watch.tasks(COMM, pid)
        (made,) = watch.tasks(FORK, pid)
        equal((first.comm, first.tid), ("renamed", pid), "the first")
        equal(second.comm, "by another", "the second")
        assert second.tid != pid, f"the thread of {second}"
        equal({first.start_time, second.start_time}, {made.start_time}, "start times")
        equal((second.parent_pid, second.parent_start_time, second.flags), (0, 0, 0), "the rest")


@test("a program that the kernel runs has a FORK without parent, EXEC and EXIT")
def _():
    with stream.Watch(flags=SUB_TASKS, pids=[]) as watch, \
            lib.written("/proc/sys/kernel/core_pattern", "|/bin/true"):
        def records():
            watch.drain()
            tasks = [record for record in watch.records if isinstance(record, Task)]
            run = {record.pid for record in tasks if record.header.type == EXEC and
                   record.comm == "true"}
            return [record for record in tasks if record.pid in run]
        fork(os.abort)
        lib.until(lambda: any(record.header.type == EXIT for record in records()),
                  "it has run and exited")
        equal([record.header.type for record in records()], [FORK, EXEC, EXIT], "types")
        made = records()[0]
        equal((made.parent_pid, made.parent_start_time, made.flags), (0, 0, 0), "its parent")
        equal({record.start_time for record in records()}, {made.start_time}, "start times")


@test("a subscriber to tasks that comes or goes disturbs no other")
def _():
    stop = threading.Event()

    def churn():
        while not stop.is_set():
            with Tasks():
                pass
    thread = threading.Thread(target=churn)
    with Tasks(ring_size=4 << 20) as watch:
        thread.start()
        try:
            pids = [fork(lambda: None) for _ in range(20 if lib.DEBUG else 60)]
        finally:
            stop.set()
            thread.join()
        watch.settle()
        equal([watch.of(pid) for pid in pids], [["fork", "exit"]] * len(pids), "records")


run()
