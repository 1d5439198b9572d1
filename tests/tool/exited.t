#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Addresses of processes that have exited, as libbuildid finds them: what they mapped
themselves, and of what their parent had only what is certain."""

import errno
import mmap
import os
import signal

import lib
import rights
from device import Device
from lib import PAGE, built, fails_with, libc
from library import ADDR_HISTORY, Handle
from tap import equal, run, test

ID8 = "0123456789abcdef"
OTHER_ID = "fedcba98765432100123456789abcdef01234567"
# Nothing else is mapped there: far from heap, libraries and stack.
FIXED, MAP_FIXED_NOREPLACE = 0x200000000000, 0x100000


def map_fixed(fd, prot, flags=mmap.MAP_PRIVATE):
    lib.check(libc.mmap(FIXED, PAGE, prot, flags | MAP_FIXED_NOREPLACE, fd, 0), "mmap")


def map_there(path, prot=lib.RX):
    fd = os.open(path, os.O_RDONLY)
    map_fixed(fd, prot)
    os.close(fd)


def unmap():
    lib.unmap(FIXED, PAGE)


def know():
    """So that a mapping of one of these is of a file that is known."""
    with Device() as device:
        for name in "id8", "other":
            with open(built(name), "rb") as file:
                device.resolve_fd(file.fileno())


def exited(function, *arguments):
    """The pid of a process that has called it."""
    pid = lib.forked(function, *arguments)
    equal(os.waitpid(pid, 0)[1], 0, "status")
    return pid


def nothing():
    pass


def call_exec():
    os.execv("/bin/true", ["true"])


# --------------------------------------------------------------------- its own --

@test("an address of a process that has exited is found, as long as its file is remembered")
def _():
    child = lib.sleeper()
    maps = list(lib.proc_maps(child.pid))
    with Handle() as handle:
        for start, _, pgoff, path in maps:
            found = handle.resolve_addr(child.pid, start + 5)
            equal((found.record.path, found.source, found.offset), (path, 0, pgoff + 5))
        child.kill()
        child.wait()
        for start, _, pgoff, path in maps:
            again = handle.resolve_addr(child.pid, start + 5)
            equal((again.record.path, again.source, again.offset, again.record.kind),
                  (path, ADDR_HISTORY, pgoff + 5, "gnu"))
            equal(again.start_time, found.start_time)
        fails_with(errno.ENOENT, handle.resolve_addr, child.pid, 4096)
        with Device() as device:
            device.flush()
        for start, _, _, _ in maps:
            fails_with(errno.ENOENT, handle.resolve_addr, child.pid, start)


@test("processes that have exited are distinguished, though they had the same pid")
def _():
    know()
    with Handle() as handle:
        pid = exited(map_there, built("id8"))
        first = handle.resolve_addr(pid, FIXED)
        equal((first.source, first.record.id), (ADDR_HISTORY, ID8))
        lib.run_as(pid, lib.map_file, built("other"))
        fails_with(errno.ENOENT, handle.resolve_addr, pid, FIXED)
        again = handle.resolve_addr(pid, FIXED, first.start_time)
        equal((again.source, again.record.id), (ADDR_HISTORY, ID8))
        lib.run_as(pid, map_there, built("other"))
        second = handle.resolve_addr(pid, FIXED)
        equal(second.record.id, OTHER_ID)
        assert second.start_time > first.start_time
        fails_with(errno.ESRCH, handle.resolve_addr, pid, FIXED, first.start_time + 1)


@test("a process learns nothing about an earlier one with its pid")
def _():
    with Handle() as handle:
        pid = exited(map_there, built("id8"))
        before = handle.resolve_addr(pid, FIXED).start_time

        def ask():
            rights.become_nobody()
            # with a handle of its own: the other one has kept what it was told
            with Handle() as own:
                fails_with(errno.ESRCH, own.resolve_addr, pid, FIXED, before)
        with rights.device_for_all():
            lib.run_as(pid, ask)


# ---------------------------------------------------------- through its parent --

@test("one that never called exec had what its parent has had since it forked")
def _():
    # Whether the parent's mapping is remembered or not: it is older than the module here.
    with lib.unloaded():
        map_there(built("id8"))
    try:
        with Handle() as handle:
            child = exited(nothing)
            found = handle.resolve_addr(child, FIXED + 5)
            equal((found.source, found.record.id, found.offset), (ADDR_HISTORY, ID8, 5))
            equal(handle.resolve_addr(child, FIXED, found.start_time).record.id, ID8)
            fails_with(errno.ESRCH, handle.resolve_addr, child, FIXED, found.start_time + 1)
            fails_with(errno.ENOENT, handle.resolve_addr, child, 4096)
            fails_with(errno.ENOENT, handle.resolve_addr, exited(call_exec), FIXED)

            def map_over():
                unmap()
                map_there(built("other"))
            know()
            equal(handle.resolve_addr(exited(map_over), FIXED).record.id, OTHER_ID)
    finally:
        unmap()


@test("what the parent has unmapped is nobody's: its code of now is no file's")
def _():
    with Handle() as handle:
        map_there(built("id8"))
        before = exited(nothing)
        equal(handle.resolve_addr(before, FIXED).record.id, ID8)
        unmap()
        map_fixed(-1, lib.RX, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        try:
            for pid in os.getpid(), exited(nothing), before:
                fails_with(errno.ENOENT, handle.resolve_addr, pid, FIXED)
        finally:
            unmap()


@test("nor is it certain what a parent had that has exited, or maps there later")
def _():
    def fork_once():
        map_there(built("id8"))
        return exited(nothing)
    know()
    with Handle() as handle:
        fails_with(errno.ENOENT, handle.resolve_addr, lib.in_child(fork_once), FIXED)
        for path, prot in (built("other"), lib.RX), (built("other"), mmap.PROT_READ), \
                (built("id8"), lib.RX):
            child = fork_once()
            equal(handle.resolve_addr(child, FIXED).record.id, ID8)
            unmap()
            map_there(path, prot)
            fails_with(errno.ENOENT, handle.resolve_addr, child, FIXED)
            unmap()


@test("nor what it mapped after it called exec")
def _():
    reader, writer = os.pipe()

    def fork_and_exec():
        os.write(writer, str(exited(nothing)).encode())
        os.execvp("sleep", ["sleep", "1000"])
    parent = lib.forked(fork_and_exec)
    child = int(os.read(reader, 20))
    try:
        lib.until(lambda: lib.is_asleep(parent), "it called exec")
        with Handle() as handle:
            for start, _, _, path in lib.proc_maps(parent):
                equal(handle.resolve_addr(parent, start).record.path, path)
                fails_with(errno.ENOENT, handle.resolve_addr, child, start)
    finally:
        os.kill(parent, signal.SIGKILL)
        os.waitpid(parent, 0)
        os.close(reader)
        os.close(writer)


def forget():
    """As many mappings on each processor as are remembered."""
    allowed = os.sched_getaffinity(0)
    with open("/bin/true", "rb") as file:
        for cpu in allowed:
            os.sched_setaffinity(0, [cpu])
            for _ in range(1030):
                lib.unmap(lib.map_fd(file.fileno(), PAGE), PAGE)
    os.sched_setaffinity(0, allowed)


@test("nor anything after so many mappings that some are forgotten")
def _():
    with Handle() as handle:
        map_there(built("id8"))
        try:
            child = exited(nothing)
            equal(handle.resolve_addr(child, FIXED).record.id, ID8)
            forget()
            fails_with(errno.ENOENT, handle.resolve_addr, child, FIXED)
            equal(handle.resolve_addr(exited(nothing), FIXED).record.id, ID8)
        finally:
            unmap()


run()
