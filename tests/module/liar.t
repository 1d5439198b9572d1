#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""FUSE servers that lie: what the module says of one file is never of another, no number that
a server returns is taken for one of the module's own, and nobody waits but who maps or asks."""

import contextlib
import errno
import os

import content
import lib
import liar
import stream
from image import with_id
from tap import equal, run, test

ROUNDS = 8 if lib.DEBUG else 20
NOISE = os.urandom(5000)


def ident(number):
    return bytes([number]) * 20


@contextlib.contextmanager
def served(*files):
    """Open files, and the server."""
    with liar.Server({str(file.node): file for file in files}) as server:
        fds = [os.open(server.path(str(file.node)), os.O_RDONLY) for file in files]
        try:
            yield fds, server
        finally:
            for fd in fds:
                os.close(fd)


def mapped(watch, fd):
    return watch.see(lambda: lib.unmap(lib.map_fd(fd, lib.PAGE), lib.PAGE))


@test("two files of one number, size and time are two files")
def _():
    files = [liar.File(node, (with_id(ident(node)),), ino=42) for node in (2, 3)]
    with served(*files) as (fds, _), stream.Watch() as watch:
        equal(os.fstat(fds[0]).st_ino, os.fstat(fds[1]).st_ino, "numbers")
        for _ in range(2):
            equal([stream.resolve_fd(fd).id for fd in fds], [ident(2).hex(), ident(3).hex()],
                  "build-ids")
        equal([mapped(watch, fd)[1].id for fd in fds], [ident(2).hex(), ident(3).hex()],
              "build-ids of mappings")


@test("a node that has another generation at each lookup is another file each time")
def _():
    file = liar.File(2, tuple(with_id(ident(number)) for number in range(3)), valid=0,
                     generation="changing", read="by-generation")
    seen = []
    with liar.Server({"2": file}) as server, stream.Watch() as watch, \
            contextlib.ExitStack() as stack:
        for _ in range(4):
            fd = os.open(server.path("2"), os.O_RDONLY)
            stack.callback(liar.close, fd)
            record = stream.resolve_fd(fd)
            equal(record.id, ident(record.generation % 3).hex(), "build-id")
            _, of = mapped(watch, fd)
            equal((of.file_id, of.id), (record.file_id, record.id), "the file of its mapping")
            seen.append((fd, record))
        equal(len({record.generation for _, record in seen}), 4, "generations")
        equal(len({record.file_id for _, record in seen}), 4, "files")
        # the kernel lets nobody read those before the last one any more
        for fd, record in seen:
            said = content.answer_of(stream.resolve_fd(fd))
            assert said in (content.answer_of(record), content.IO_ERROR), f"{said}, not {record}"


# What is not read directly the kernel reads ahead, and once more.
for name, flags, times in ("cached", 0, liar.ALWAYS), ("direct", liar.DIRECT_IO, 1):
    @test(f"whatever number a server fails a read with, it is an I/O error ({name})")
    def _(flags=flags, times=times):
        numbers = [number for number in liar.ERRORS if not lib.DEBUG or number % 8 == 4] + \
            [errno.EINTR, errno.EDQUOT, errno.ESTALE]
        wrong = {}
        files = [liar.File(2 + at, (with_id(ident(1)),), errors=(number,) * times, open=flags)
                 for at, number in enumerate(numbers)]
        before = stream.stats()["io_errors"]
        with served(*files) as (fds, _):
            for number, fd in zip(numbers, fds):
                try:
                    said = content.answer_of(stream.resolve_fd(fd))
                except OSError as error:
                    said = error
                if said != content.IO_ERROR:
                    wrong[number] = said
        equal(wrong, {}, "what is none")
        equal(stream.stats()["io_errors"] - before, len(numbers), "I/O errors counted")


@test("a file without a build-id has its hash, whether it was in memory or not")
def _():
    want = content.Answer("htlhash", "not-elf", lib.htlhash(NOISE))
    for resident in False, True:
        with served(liar.File(2, (NOISE,))) as (fds, _), stream.Watch() as watch:
            if resident:
                os.pread(fds[0], len(NOISE), 0)
            equal(lib.resident(fds[0]), resident, "it is in memory")
            equal(content.answer_of(mapped(watch, fds[0])[1]), want, "of the mapping")
            equal(content.answer_of(stream.resolve_fd(fds[0])), want, "of RESOLVE")


@test("servers that lie at random: each file is its own, and nobody waits")
def _():
    with liar.Servers(1) as servers:
        for number in range(ROUNDS):
            servers.round(number)
    print("# " + ", ".join(f"{what} {times}" for what, times in servers.counts.items()))
    equal(servers.findings, [], "findings (round, what)")
    assert servers.counts["honest answers"] and servers.counts["killed"], servers.counts


run()
