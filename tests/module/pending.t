#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Files that are not in memory when they are mapped: the mapping is sent at once,
the identity follows as soon as the file was read."""

import contextlib
import os
import signal

import lib
import servers
import stream
from device import Lost
from lib import built
from tap import equal, run, test

NAMES = ["id8", "id20", "id32", "id83", "m32", "section", "go", "none"]
# Requests for files being read, of which a quarter is for one device.
REQUESTS = 32
READ = REQUESTS // 4
MANY = 20


def wanted_ids(paths):
    """Of the programs in NAMES."""
    found = lib.readelf_ids(paths)
    for path in paths:
        if path not in found:
            data = lib.read_bytes(path)
            found[path] = b"actionid/contentid/contentid/actionid".hex() \
                if path.endswith("/go") else lib.htlhash(data)
    return found


def told(wanted):
    return {lib.told(path): identity for path, identity in wanted.items()}


def put_programs(directory):
    paths = []
    for name in NAMES:
        paths.append(os.path.join(directory, name))
        lib.write_bytes(paths[-1], lib.read_bytes(built(name)))
    return paths


@test("a file that is not in memory is pending when mapped, and then identified")
def _():
    with lib.ext4() as directory, stream.Watch() as watch:
        paths = put_programs(directory)
        wanted = told(wanted_ids(paths))
        before = stream.stats()["parsed_worker"]
        lib.drop_caches()
        for path in paths:
            lib.map_file(path)
        watch.settle()
        equal([mapped.state for mapped in watch.mmaps], ["pending"] * len(paths), "states")
        equal({mapped.path: watch.file_of(mapped).id for mapped in watch.mmaps}, wanted,
              "identities")
        read = stream.stats()["parsed_worker"] - before
        assert read >= len(paths), f"{read} files read by the worker"


@test("a FILE that says pending comes before a pending mapping, the identity after it")
def _():
    with lib.ext4() as directory, stream.Watch() as watch:
        path = put_programs(directory)[0]
        lib.drop_pages(path)
        lib.map_file(path)
        watch.settle()
        first, mapped, last = watch.records
        equal((first.reason, mapped.state, last.kind), ("pending", "pending", "gnu"),
              "the three records")
        equal((first.path, last.path), (lib.told(path),) * 2, "paths")
        equal(last.file_id, first.file_id, "file_id")


@test("mon -j shows the identity of a file that was not in memory")
def _():
    with lib.ext4() as directory:
        paths = put_programs(directory)
        wanted = told(wanted_ids(paths))
        with lib.Mon() as mon:
            for path in paths:
                lib.drop_pages(path)
            for path in paths:
                lib.map_file(path)
        shown = {line["path"]: line["build_id"] for line in mon.lines
                 if line.get("path") in wanted}
        equal(shown, wanted, "identities")


@test("buildid record waits for files that are still being read at its end")
def _():
    with lib.ext4() as directory, lib.directory() as work:
        paths = put_programs(directory)
        wanted = told(wanted_ids(paths))
        log = os.path.join(work, "log")
        for path in paths:
            lib.drop_pages(path)
        lib.buildid("record", "-o", log, "--", built("maps"), "1", *paths)
        recorded = stream.Stream()
        recorded.add(stream.read_log(log))
        equal(recorded.pending(), [], "files pending in the log")
        last = {file.path: file.id for file in recorded.files.values()
                if file.path in wanted}
        equal(last, wanted, "identities")


@test("a file that was identified stays so when its pages go")
def _():
    with lib.ext4() as directory, stream.Watch() as watch:
        path = put_programs(directory)[0]
        lib.settle_times(path)
        _, first = watch.see(lib.map_file, path)
        lib.drop_pages(path)
        mapped, again = watch.see(lib.map_file, path)
        equal((mapped.state, again.file_id), ("known", first.file_id), "state and file_id")


@test("more new files than there are requests: each is identified, or counted")
def _():
    with lib.unloaded(), contextlib.ExitStack() as stack:
        lib.load(f"requests={REQUESTS}")
        fds, _, server = stack.enter_context(servers.device(MANY))
        watch = stack.enter_context(stream.Watch())
        server.send_signal(signal.SIGSTOP)
        before = stream.stats()["no_request"]
        servers.map_unread(fds)
        # behind which a LOST record stands
        lib.map_file(built("id8"))
        stats = stream.stats()
        watch.drain()
        mapped = watch.mmaps[:MANY]
        states = [each.state for each in mapped]
        equal((states.count("pending"), states.count("unresolved")), (READ, MANY - READ), "states")
        equal(stats["no_request"] - before, MANY - READ, "no_request of STATS")
        equal(sum(record.unresolved for record in watch.records if isinstance(record, Lost)),
              MANY - READ, "unresolved of LOST")

        server.send_signal(signal.SIGCONT)
        watch.settle()
        for number, (fd, each) in enumerate(zip(fds, mapped)):
            wanted = lib.htlhash(servers.content(number))
            if each.state == "pending":
                equal(watch.file_of(each).id, wanted, f"file {number}")
            else:
                # those that were not are at the next mapping
                _, file = watch.see(servers.map_unread, [fd])
                equal(file.id, wanted, f"file {number}, again")


run()
