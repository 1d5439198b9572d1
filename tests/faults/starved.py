# SPDX-License-Identifier: GPL-2.0
"""Mappings while memory or a disk fails: each is reported, and identified once that is over."""

import contextlib
import os

import genl
import lib
import stream
from device import SUB_PATH, Lost
from image import put_files
from injection import (DEBUGFS, always, bad_disk, code_in_module, code_of_module,
                       failing_function, tell)
from tap import equal

SMALL = 16384       # the smallest ring


class Starved:
    """In the block what @faults is about fails. What is mapped meanwhile is counted then, and
    identified once it is mapped again."""

    def __init__(self, faults):
        self.faults = faults
        self.ids = {}

    def map(self, wanted):
        """@wanted: the identity of each file that is mapped, by its path."""
        with stream.Watch() as watch, contextlib.ExitStack() as stack:
            # whose directories are not what is to fail
            files = [stack.enter_context(open(path, "rb")) for path in wanted]
            before = stream.stats()
            with self.faults:
                for file in files:
                    lib.unmap(lib.map_fd(file.fileno(), lib.PAGE), lib.PAGE)
                watch.settle()
            lib.map_file("/bin/true")   # behind which a LOST record stands, if one has to
            watch.settle()
            after = stream.stats()
            self.count = {name: after[name] - before[name] for name in before}
            self.records, self.mmaps = watch.records, watch.mmaps[:-1]
            self.files = [watch.files.get(mapped.file_id) for mapped in self.mmaps]
        equal(len(self.mmaps), len(wanted), "mappings, each with a record")
        # the last one, too: there may be no visit yet again
        self.unresolved = [mapped for mapped in watch.mmaps if mapped.state == "unresolved"]
        self.unread = [file for file in self.files if file and file.reason == "io-error"]
        equal(self.count["unresolved"], len(self.unresolved), "unresolved of STATS")
        equal(sum(record.unresolved for record in self.records if isinstance(record, Lost)),
              len(self.unresolved), "unresolved of LOST")
        equal(self.count["io_errors"], len(self.unread), "io_errors of STATS")
        equal(self.count["ring_full"], 0, "ring_full")
        for path, file in zip(wanted, self.files):
            assert file is None or file in self.unread or file.id == wanted[path], \
                f"{path} is {file}, not {wanted[path]}"
        self.identify(wanted)

    def counts(self):
        return {"": len(self.mmaps), ": unresolved": len(self.unresolved),
                ": not read": len(self.unread)}

    def identify(self, wanted):
        """What was lost comes back with the next mapping, once there is memory again."""
        with stream.Watch() as watch:
            lib.until(lambda: watch.see(lib.map_file, next(iter(wanted)))[1], "an entry is free")
            for path in wanted:
                mapped, file = watch.see(lib.map_file, path)
                equal((file.id, mapped.path), (wanted[path], path), "identity and path")


def kinds_of_files(directory):
    """With a short identity, a long one, a hash; with a long path: {path: identity}."""
    deep = os.path.join(directory, *["d" * 100] * 3)
    os.makedirs(deep)
    wanted = {}
    for place in directory, deep:
        for name in ("id20", "id83", "none"):
            path = os.path.join(place, name)
            data = lib.read_bytes(lib.built(name))
            lib.write_bytes(path, data)
            wanted[path] = lib.readelf_ids([path]).get(path) or lib.htlhash(data)
    return wanted


@contextlib.contextmanager
def on_disk(put=kinds_of_files):
    """Files that are not in memory, and the name of their disk. It is read-only, as a journal
    that meets an error stops the file system."""
    with lib.loop_device() as device, lib.directory() as path:
        lib.mount(device, path, "ext4")
        try:
            wanted = put(path)
        finally:
            lib.umount(path)
        lib.mount(device, path, "ext4", lib.MS_RDONLY)
        try:
            yield wanted, os.path.basename(device)
        finally:
            lib.umount(path)


def mappings_without_entries(many):
    """In memory, but without memory for entries of the cache: they are identified all the same, and
    read again the next time."""
    with lib.tmpfs() as directory:
        starved = Starved(always("failslab", code_of_module()))
        starved.map(put_files(directory, many))
    equal((len(starved.unresolved), len(starved.unread)), (0, 0), "unresolved, not read")
    equal(starved.count["not_stored"], many, "not_stored of STATS")
    return starved.counts()


def mappings_without_memory(kind):
    """To be read, but without memory for it."""
    with on_disk() as (wanted, _):
        starved = Starved(always(kind, code_of_module()))
        starved.map(wanted)
    assert starved.unread, "all were read"
    return starved.counts()


def mappings_of_a_bad_disk():
    with on_disk() as (wanted, disk):
        starved = Starved(bad_disk(disk))
        starved.map(wanted)
    equal(len(starved.unread), len(wanted), "files that were not read")
    return starved.counts()


def mappings_without_page_cache():
    """Pages find no place in it."""
    with on_disk() as (wanted, _):
        starved = Starved(failing_function("__filemap_add_folio", code_of_module()))
        starved.map(wanted)
    equal(len(starved.unread), len(wanted), "files that were not read")
    return starved.counts()


def messages_without_memory(times):
    """Records wait in the ring of a listener until there is memory for a message, so often, and
    those behind them, too."""
    path = lib.built("id20")
    with genl.Genl() as link:
        link.subscribe(SUB_PATH, SMALL, pids=[os.getpid()])
        link.socket.settimeout(lib.TIMEOUT)
        seen = stream.Stream(paths=True)

        def receive(count):
            while len(seen.mmaps) < count or seen.following():
                seen.add(link.receive())
        lib.map_file(path)
        receive(1)
        with always("failslab", code_in_module("fill_socket")):
            tell("failslab", times=times)
            lib.map_file(path)
            lib.map_file(path)
            lib.until(lambda: lib.read_bytes(f"{DEBUGFS}/failslab/times") == b"0\n",
                      f"{times} messages find no memory")
        receive(3)
        equal(seen.lost, 0, "records lost")
        equal({(file.id, file.reason) for file in map(seen.file_of, seen.mmaps)},
              {(lib.readelf_ids([path])[path], "none")}, "the file of all mappings")
    return {"": times}


# Under the names that findings have.
OTHERS = {
    "mappings without entries 1000": lambda: mappings_without_entries(1000),
    "mappings without memory failslab": lambda: mappings_without_memory("failslab"),
    "mappings without memory fail_page_alloc": lambda: mappings_without_memory("fail_page_alloc"),
    "mappings of a bad disk": mappings_of_a_bad_disk,
    "mappings without page cache": mappings_without_page_cache,
    "messages without memory": lambda: messages_without_memory(20),
}
