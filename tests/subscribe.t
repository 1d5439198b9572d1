#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Who may subscribe, what it counts against, how a subscriber is woken, and what it
is told of processes."""

import contextlib
import errno
import mmap
import os
import select
import signal
import socket
import threading

import lib
import stream
from device import (EXEC, EXIT, FORK, SUB_CHILDREN, SUB_DATA, SUB_PATH, SUB_TASKS, TASK_SHARES_MM,
                    Device, Mmap, Task)
from lib import built, fails_with
from tap import equal, run, test

AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def with_capabilities(names):
    return [*AS_NOBODY, f"--inh-caps={names}", f"--ambient-caps={names}"]


PERFMON = with_capabilities("+perfmon")
FILES = [built("id8"), built("id83"), built("other")]


# ----------------------------------------------------------------- who may --

@contextlib.contextmanager
def device_for_all():
    os.chmod(lib.DEVICE, 0o666)
    try:
        yield
    finally:
        os.chmod(lib.DEVICE, 0o600)


def with_device(*prefix, body):
    """What a Python program prints that has the device and these rights."""
    script = f"import os, sys; sys.path.insert(0, {lib.TOP + '/tests'!r})\n" \
        "from device import Device\n" \
        "def attempt(device, **options):\n" \
        "    try: print(device.subscribe(**options)[1])\n" \
        "    except OSError as error: print(-error.errno)\n" + body
    with device_for_all():
        return [int(word) for word in lib.run(*prefix, "python3", "-c", script).stdout.split()]


@test("nobody subscribes without a capability, not even to himself")
def _():
    body = "attempt(Device(), pids=[os.getpid()]); attempt(Device())\n"
    equal(with_device(*AS_NOBODY, body=body), [-errno.EPERM] * 2, "nobody")
    equal(with_device(*PERFMON, body=body), [1 << 20] * 2, "CAP_PERFMON")


@test("rings count against the user's RLIMIT_MEMLOCK as long as they are there")
def _():
    limited = ["prlimit", f"--memlock={1 << 20}", *PERFMON]
    body = "a, b, c = Device(), Device(), Device()\n" \
        "attempt(a, ring_size=1 << 20)\n" \
        "attempt(a, ring_size=1 << 19); attempt(b, ring_size=1 << 19)\n" \
        "attempt(b, ring_size=1 << 18)\n" \
        "a.close(); attempt(c, ring_size=1 << 19)\n"
    equal(with_device(*limited, body=body),
          [-errno.ENOMEM, 1 << 19, -errno.ENOMEM, 1 << 18, 1 << 19], "sizes")
    # all of it was given back when the program ended
    equal(with_device(*limited, body="attempt(Device(), ring_size=1 << 19)\n"), [1 << 19], "again")
    limited[2:] = with_capabilities("+perfmon,+ipc_lock")
    equal(with_device(*limited, body=body.replace("1 << 20", "64 << 20"))[0], 64 << 20,
          "with CAP_IPC_LOCK")


def map_data(path):
    lib.map_file(path, prot=mmap.PROT_READ)


@test("data mappings of others are not even looked at")
def _():
    with stream.Watch(flags=SUB_DATA) as watch, lib.tmpfs() as directory:
        path = os.path.join(directory, "data")
        lib.write_bytes(path, lib.read_bytes(built("id8")))
        stat = os.stat(path)
        key = (os.major(stat.st_dev), os.minor(stat.st_dev)), stat.st_ino
        lib.in_child(map_data, path)
        fails_with(errno.ENOENT, watch.resolve_key, *key)
        map_data(path)
        watch.settle()
        equal(watch.resolve_key(*key).path, path, "path")


# ------------------------------------------------------------------ waking --

def rounds(wait, device, count=50):
    """Maps, waits and reads, so many times."""
    for number in range(count):
        lib.map_file(FILES[0])
        assert wait(), f"not woken, in round {number}"
        with contextlib.suppress(BlockingIOError):
            while os.read(device.fd, 1 << 16):
                pass


@test("whoever waits for edges is woken each time, as after each he has read all")
def _():
    with Device() as device, select.epoll() as epoll:
        device.subscribe(pids=[os.getpid()])
        os.set_blocking(device.fd, False)
        epoll.register(device.fd, select.EPOLLIN | select.EPOLLET)
        rounds(lambda: epoll.poll(lib.PATIENCE), device)


@test("so is one who reads a record at a time, and one who waits before it comes")
def _():
    with Device() as device, select.epoll() as epoll:
        device.subscribe(pids=[os.getpid()])
        os.set_blocking(device.fd, False)
        epoll.register(device.fd, select.EPOLLIN | select.EPOLLET)
        for _ in range(20):
            timer = threading.Timer(0.01, lib.map_file, [FILES[0]])
            timer.start()
            assert epoll.poll(lib.PATIENCE), "not woken"
            timer.join()
            got = 0
            with contextlib.suppress(BlockingIOError):
                while os.read(device.fd, 512):
                    got += 1
            assert got, "nothing to read"


# ------------------------------------------------------------------- tasks --

class Tasks(stream.Watch):
    """What becomes of this process's descendants."""

    def __init__(self, flags=SUB_PATH | SUB_TASKS | SUB_CHILDREN, **options):
        super().__init__(flags=flags, **options)
        self.start_of_self = start_ticks(os.getpid())

    def of(self, pid):
        """The names of a process's records, in order."""
        names = {FORK: "fork", EXEC: "exec", EXIT: "exit"}
        return [names.get(record.header.type, "mmap") for record in self.records
                if isinstance(record, (Task, Mmap)) and record.pid == pid]

    def tasks(self, kind, pid):
        return [record for record in self.records if isinstance(record, Task) and
                record.header.type == kind and record.pid == pid]


def start_ticks(pid):
    text = lib.read_bytes(f"/proc/{pid}/stat").decode(errors="replace")
    return int(text.rpartition(") ")[2].split()[19])


def squeezed(names):
    """Without repetitions."""
    return [name for number, name in enumerate(names) if names[number - 1:number] != [name]]


def fork(function):
    """A child that calls it and exits; its pid, once it has."""
    child = os.fork()
    if not child:
        try:
            function()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    return child


@test("a child that maps and exits: FORK, MMAP, EXIT, and whose")
def _():
    ours, theirs = socket.socketpair()

    def child():
        lib.map_file(FILES[0])
        theirs.send(str(start_ticks(os.getpid())).encode())
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


@test("vfork says that the two share their memory until the exec")
def _():
    with Tasks() as watch:
        pid = os.posix_spawn("/bin/true", ["true"], {})
        os.waitpid(pid, 0)
        watch.settle()
        equal(squeezed(watch.of(pid)), ["fork", "exec", "mmap", "exit"], "records")
        equal(watch.tasks(FORK, pid)[0].flags, TASK_SHARES_MM, "flags")


@test("an exec from a thread is one of the process, and no exit")
def _():
    def child():
        threading.Thread(target=os.execv, args=("/bin/true", ["true"])).start()
        signal.pause()
    with Tasks() as watch:
        pid = fork(child)
        watch.settle()
        equal(squeezed(watch.of(pid)), ["fork", "exec", "mmap", "exit"], "records")
        starts = {record.start_time for kind in (FORK, EXEC, EXIT)
                  for record in watch.tasks(kind, pid)}
        equal(len(starts), 1, "start times")


@test("a process of many threads exits once, and threads send nothing")
def _():
    def child():
        for _ in range(8):
            threading.Thread(target=signal.pause, daemon=True).start()
        os._exit(0)
    with Tasks(ring_size=4 << 20) as watch:
        for _ in range(30 if lib.DEBUG else 150):
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


@test("FORK passes as the parent, EXEC and EXIT as the process")
def _():
    with Tasks(flags=SUB_TASKS) as watch:
        pid = fork(lambda: fork(lambda: None))
        watch.settle()
        equal([(record.header.type, record.pid) for record in watch.records
               if isinstance(record, Task)], [(FORK, pid)], "records")


@test("grandchildren of a process with CHILDREN are told of, others are not")
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


@test("nobody is told of tasks who has not asked")
def _():
    with Tasks() as asked, stream.Watch(pids=[], flags=0) as plain:
        fork(lambda: lib.map_file(FILES[0]))
        asked.settle()
        plain.settle()
        equal([record for record in plain.records if isinstance(record, Task)], [], "tasks")
        assert asked.records and plain.mmaps


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
            pids = [fork(lambda: None) for _ in range(30 if lib.DEBUG else 200)]
        finally:
            stop.set()
            thread.join()
        watch.settle()
        equal([watch.of(pid) for pid in pids], [["fork", "exit"]] * len(pids), "records")


run()
