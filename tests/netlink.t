#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Generic netlink: what is remembered, of processes and files long gone, too, and
the same events as those of the device."""

import errno
import os
import socket
import subprocess

import lib
import stream
from device import File, Lost, Mmap
from genl import A_DEV_MAJOR, CMD_GET, Genl, attribute
from image import with_id
from lib import built, contains, fails_with
from tap import equal, run, test

OTHER_ID = "fedcba98765432100123456789abcdef01234567"
AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def with_capability(name):
    return [*AS_NOBODY, f"--inh-caps=+{name}", f"--ambient-caps=+{name}"]


def run_and_delete(directory):
    """A program that has exited, and its file as it was."""
    path = os.path.join(directory, "program")
    lib.write_bytes(path, lib.read_bytes(built("other")))
    lib.run(path)
    stat = os.stat(path)
    os.unlink(path)
    return path, (os.major(stat.st_dev), os.minor(stat.st_dev)), stat.st_ino


@test("list has a program that has exited and a file that is deleted")
def _():
    with lib.tmpfs() as directory:
        path, dev, ino = run_and_delete(directory)
        lines = lib.json_lines(lib.buildid("list", "-j").stdout)
        (line,) = [line for line in lines if line["path"] == path]
        equal((line["build_id"], line["kind"], line["dev"], line["ino"]),
              (OTHER_ID, "gnu", "%d:%d" % dev, ino), "identity, device and inode")
        contains(lib.buildid("list").stdout, f"{OTHER_ID} {path}\n")


@test("GET answers for a program that has exited and a file that is deleted")
def _():
    with lib.tmpfs() as directory, Genl() as genl:
        path, dev, ino = run_and_delete(directory)
        file = genl.get(dev, ino)
        equal((file.id, file.path, file.dev, file.ino), (OTHER_ID, path, dev, ino), "FILE")
        equal(genl.get(dev, ino, file.generation).file_id, file.file_id, "by generation")
        fails_with(errno.ENOENT, genl.get, dev, ino, file.generation + 1)


@test("GET answers for the newest version of a file")
def _():
    with lib.tmpfs() as directory, Genl() as genl:
        path = os.path.join(directory, "lib.so")
        lib.write_bytes(path, lib.read_bytes(built("v1.so")))
        stat = os.stat(path)
        lib.map_file(path)
        lib.write_bytes(path, lib.read_bytes(built("v2.so")))
        lib.map_file(path)
        file = genl.get((os.major(stat.st_dev), os.minor(stat.st_dev)), stat.st_ino)
        equal(file.id, "22" * 20, "build-id")


@test("GET of what was never seen is ENOENT, without all keys EINVAL")
def _():
    with Genl() as genl:
        fails_with(errno.ENOENT, genl.get, (0, 0), 1)
        incomplete = attribute(A_DEV_MAJOR, bytes(4))
        fails_with(errno.EINVAL, lambda: list(
            genl.request(genl.family, CMD_GET, 0, incomplete)))


@test("a dump has each file that is remembered once, while nothing is mapped")
def _():
    with Genl() as genl:
        lib.map_file(built("id8"))
        lib.until(lambda: not stream.stats()["requests"], "all files were read")
        files = genl.dump()
        ids = [file.file_id for file in files]
        equal(len(ids), len(set(ids)), "file_ids")
        equal(len(ids), stream.stats()["entries"], "files")
        contains([file.path for file in files], built("id8"))


@test("mon --netlink and mon of the device show the same mappings")
def _():
    with lib.Mon("--netlink") as netlink, lib.Mon() as device:
        for path in (built("id8"), built("none"), built("id83"), "/usr/bin/true"):
            lib.map_file(path)
        lib.run("sh", "-c", "/usr/bin/true; /usr/bin/false; /usr/bin/env true")
        lib.run("python3", "-c", "import ssl")
        device.catch_up()

    def mappings(lines):
        return [{key: line[key] for key in line if key not in ("seq", "time_mono", "time_perf")}
                for line in lines if line["type"] == "mmap" and
                not netlink.is_mark(line["path"]) and not device.is_mark(line["path"])]
    ours, theirs = mappings(device.lines), mappings(netlink.lines)
    assert len(ours) > 20, f"{len(ours)} mappings"
    # the group's listener was there before the device's
    equal(theirs[-len(ours):], ours, "mappings")


@test("each listener is told the FILE before the first mapping that refers to it")
def _():
    lib.map_file(built("id8"))
    with Genl() as first, Genl() as second:
        for genl in (first, second):
            genl.subscribe()
            lib.map_file(built("id8"))
            checked = []
            while not any(isinstance(record, Mmap) and record.pid == os.getpid()
                          for record in checked):
                checked += genl.receive()
            known = {record.file_id for record in checked if isinstance(record, File)}
            wanted = {record.file_id for record in checked if isinstance(record, Mmap)}
            if not wanted <= known:     # those sent before are in the dump
                known |= {file.file_id for file in genl_dump()}
            assert wanted <= known, f"{wanted - known} never told"


def genl_dump():
    with Genl() as genl:
        return genl.dump()


@test("a listener that is too slow is told so by ENOBUFS, and goes on after it")
def _():
    with Genl() as genl:
        genl.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        genl.subscribe()
        lib.run(built("maps"), "3000", built("id8"))
        fails_with(errno.ENOBUFS, lambda: [genl.receive() for _ in range(100)])
        genl.socket.setblocking(False)

        def is_seen():
            lib.map_file(built("id8"))
            try:
                return any(isinstance(record, Mmap) and record.pid == os.getpid()
                           for record in genl.receive())
            except BlockingIOError:
                return False
        lib.until(is_seen, "a mapping after it")


def receive_all(genl):
    """What is there, and how often the socket said that there was more."""
    records, overruns = [], 0
    genl.socket.setblocking(False)
    while True:
        try:
            records += genl.receive()
        except BlockingIOError:
            return records, overruns
        except OSError as error:
            equal(errno.errorcode[error.errno], "ENOBUFS", "error")
            overruns += 1


def next_mapping(genl, records):
    """Up to the next mapping by this process."""
    genl.socket.setblocking(True)
    genl.socket.settimeout(lib.PATIENCE)
    while True:
        records += genl.receive()
        mapped = [record for record in records
                  if isinstance(record, Mmap) and record.pid == os.getpid()]
        if mapped:
            return mapped[-1]


@test("a listener that overran has a hole in seq, and what it missed from a dump")
def _():
    with lib.tmpfs() as directory, Genl() as genl:
        wanted = {}
        for number in range(300):
            path = os.path.join(directory, f"{number}.so")
            lib.write_bytes(path, with_id(number.to_bytes(20, "big")))
            wanted[path] = number.to_bytes(20, "big").hex()
        genl.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        genl.subscribe()
        lib.map_file(built("id8"))
        records = []
        next_mapping(genl, records)
        before = max(record.header.seq for record in records)

        # each is resolved at last, though not at once where entries are short
        for path in wanted:
            lib.map_file(path)
        with stream.Watch() as watch:
            for path in wanted:
                lib.until(lambda: watch.see(lib.map_file, path)[1], path)
        records, overruns = receive_all(genl)
        assert overruns, "no overrun"
        known = {file.file_id: file for file in genl_dump()}

        heard = [record for record in records if record.header.seq > before]
        numbers = []
        for path in list(wanted)[::10]:
            lib.map_file(path)
            records = []
            mapped = next_mapping(genl, records)
            numbers += [record.header.seq for record in records]
            heard += records
            known |= {record.file_id: record for record in records if isinstance(record, File)}
            equal(known[mapped.file_id].id, wanted[path], path)
        # this time none is missing
        equal(numbers, list(range(numbers[0], numbers[0] + len(numbers))), "seq after the dump")
        counted = sum(record.ring_full for record in heard if isinstance(record, Lost))
        missing = numbers[-1] - before - len(heard)
        assert missing > counted, f"{missing} missing, and LOST has {counted}"


@test("without a capability neither the cache nor the events can be read")
def _():
    for command in (["list"], ["mon", "--netlink", "--count", "1"]):
        failed = lib.run(*AS_NOBODY, "buildid", *command, status=1)
        equal(failed.stderr.count("\n"), 1, f"lines of {failed.stderr}")
        contains(failed.stderr, "not permitted")


@test("CAP_PERFMON alone reads the cache, and does not join the group")
def _():
    contains(lib.run(*with_capability("perfmon"), "buildid", "list").stdout, "/")
    failed = lib.run(*with_capability("perfmon"), "buildid", "mon", "--netlink", status=1)
    contains(failed.stderr, "not permitted")


@test("CAP_SYS_ADMIN alone joins the group")
def _():
    with lib.started(*with_capability("sys_admin"), "buildid", "mon", "--netlink",
                     stdout=subprocess.PIPE, text=True) as mon:
        os.set_blocking(mon.stdout.fileno(), False)

        def shown():
            lib.map_file(built("id8"))
            return mon.stdout.readline()
        contains(lib.until(shown, "a mapping is shown"), "/")


run()
