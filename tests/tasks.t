#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""FORK, EXEC and EXIT: with these a reader knows what each process has mapped, whether
it maps anything itself or not, and long after it is gone."""

import os

import lib
import stream
from device import (EXEC, EXIT, FORK, SUB_CHILDREN, SUB_PATH, SUB_TASKS,
                    TASK_SHARES_MM, Device, Mmap, Task)
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
        else:
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
            for kind, record in spaces.events if record.pid == pid]


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
    equal([watch.file_of(mapped).path for _, _, mapped in spaces.of[keys_of(spaces, pid)[0]]],
          [built("id8")], "what it has mapped in the end")


def ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return int(file.read().rsplit(")", 1)[1].split()[19])


@test("start times are those of /proc, and the same in every record and answer")
def _():
    with stream.Watch(flags=SUB_TASKS | SUB_CHILDREN) as watch, Device() as device:
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(writer)
            fd = os.open(built("id8"), os.O_RDONLY)
            address = lib.map_fd(fd, lib.PAGE)
            os.read(reader, 1)
            os._exit(0)
        os.close(reader)
        lib.until(lambda: watch.settle() or watch.mmaps, "the child maps")
        (mapped,) = watch.mmaps
        started = ticks(child)
        in_maps = {record.start_time for record in device.maps(child) if isinstance(record, Mmap)}
        resolved = device.resolve_addr(child, mapped.addr)
        lib.fails_with(3, device.resolve_addr, child, mapped.addr, mapped.start_time + 1)
        equal(device.resolve_addr(child, mapped.addr, mapped.start_time).record.file_id,
              mapped.file_id, "answer for that very process")
        os.close(writer)
        os.waitpid(child, 0)
        later = device.resolve_addr(child, mapped.addr, mapped.start_time)
        watch.settle()
    tasks = [record for record in watch.records if isinstance(record, Task)]
    equal({record.start_time for record in tasks}, {mapped.start_time}, "of FORK and EXIT")
    equal(in_maps, {mapped.start_time}, "in MAPS")
    equal((resolved.start_time, later.start_time), (mapped.start_time,) * 2, "in RESOLVE_ADDR")
    equal((resolved.source, later.source), (0, 1), "whether it has exited")
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
        for record in (first, second):
            answer = device.resolve_addr(record.pid, record.addr, record.start_time)
            equal(answer.record.file_id, record.file_id, "answer by start time")
        equal(device.resolve_addr(second.pid, second.addr).record.file_id, second.file_id,
              "answer without one: of the last")
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
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
        for watch in (none, own):
            watch.settle()
    equal([record for record in none.records if isinstance(record, Task)], [], "not asked for")
    tasks = [record for record in own.records if isinstance(record, Task)]
    # by the parent a FORK passes; the child's own EXEC and EXIT do not
    equal({(record.header.type, record.parent_pid) for record in tasks}, {(FORK, os.getpid())},
          "of this process alone")
    equal(tasks[-1].pid, child, "its last child")


run()
