#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Files on NFS: the worker reads them, as itself and not as the user has them open, and waits for
nobody who has them locked."""

import os

import lib
import liar
import nfs
import stream
from image import with_id
from tap import equal, run, test

ID = bytes(range(20))


def not_in_memory(there, here):
    """A file that the server has, and the client has not read."""
    path = os.path.join(there, "lib.so")
    lib.write_bytes(path, with_id(ID))
    lib.settle_times(path)
    return os.path.join(here, "lib.so")


def map_direct(path):
    fd = os.open(path, os.O_RDONLY | os.O_DIRECT)
    try:
        lib.unmap(lib.map_fd(fd, lib.PAGE), lib.PAGE)
    finally:
        os.close(fd)


for name, mapping in ("", lib.map_file), (" that is open for direct I/O", map_direct):
    @test(f"a file{name} is identified by who maps it")
    def _(mapping=mapping):
        with nfs.mounted() as directories, stream.Watch() as watch:
            path = not_in_memory(*directories)
            mapped, file = watch.see(mapping, path)
            equal((mapped.state, file.kind, file.id), ("follows", "gnu", ID.hex()))


for name, waiting in ("who writes", liar.waiting_writer), \
        ("who reads directly", liar.waiting_direct_reader):
    @test(f"{name} and waits for memory that a user serves is waited for by nobody")
    def _(waiting=waiting):
        with nfs.mounted() as directories, stream.Watch() as watch:
            path = not_in_memory(*directories)
            # which is no reason not to read it again
            with open(path, "r+b"):
                with waiting(path):
                    equal(watch.see(lib.map_file, path)[1].reason, "changing")
                lib.drop_pages(path)
                equal(watch.see(lib.map_file, path)[1].id, ID.hex())


@test("what is known of a file is not forgotten as it cannot be read for who has it locked")
def _():
    with nfs.mounted() as directories, stream.Watch() as watch:
        path = not_in_memory(*directories)
        with open(path, "r+b"):
            _, before = watch.see(lib.map_file, path)
            with liar.waiting_writer(path), open(path, "rb") as file:
                lib.drop_pages(path)
                found = watch.resolve_fd(file.fileno())
                equal((found.reason, found.file_id), ("changing", 0), "reason and file_id")
            equal(watch.resolve_id(before.file_id).id, ID.hex())


@test("who reads is in nobody's way")
def _():
    with nfs.mounted() as directories, stream.Watch() as watch:
        path = not_in_memory(*directories)
        with liar.waiting_reader(path):
            # so that the hook does not read it itself
            lib.drop_pages(path)
            equal(watch.see(lib.map_file, path)[1].id, ID.hex())


run()
