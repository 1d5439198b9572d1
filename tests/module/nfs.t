#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Files on NFS are read as a fault would read them, by pages: whatever they are opened for, and
whoever has them locked."""

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


for name, waiting in ("writes", liar.waiting_writer), ("reads", liar.waiting_reader), \
        ("reads directly", liar.waiting_direct_reader):
    @test(f"who {name} and waits for memory that a user serves is waited for by nobody")
    def _(waiting=waiting):
        with nfs.mounted() as directories, stream.Watch() as watch:
            path = not_in_memory(*directories)
            # which is no reason not to read it again
            with open(path, "r+b") as file:
                with waiting(path):
                    equal(watch.see(lib.map_file, path)[1].id, ID.hex(), "of who maps it")
                    lib.drop_pages(path)
                    equal(watch.resolve_fd(file.fileno()).id, ID.hex(), "of who asks")


run()
