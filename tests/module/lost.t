#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A ring that is overrun on purpose: what is missing is reported, exactly, and what
comes after it can be understood."""

import mmap
import os
import select
import subprocess

import lib
import stream
from device import Device, File, Lost, parse_all
from tap import equal, run, test

WRITERS = 4
COUNT = 15 if lib.DEBUG else 200
NAMES = ["id8", "id16", "id20", "id32", "id83", "plain", "other", "section"]
# The smallest ring, and mappings that it does not hold.
SMALL = 16384
MANY = 200
FILES = [lib.built(name) for name in NAMES]


def start_writers():
    return [subprocess.Popen([lib.built("maps"), str(COUNT), *FILES])
            for _ in range(WRITERS)]


def wait_for(writers):
    for writer in writers:
        equal(writer.wait(lib.TIMEOUT), 0, "exit status of a writer")


def expect_ids(watch, mmaps):
    wanted = lib.readelf_ids(FILES)
    for mapped in mmaps:
        if mapped.path in wanted:
            equal(watch.file_of(mapped).id, wanted[mapped.path], mapped.path)


@test("a ring that was full reports how much is lost, and all that follows is whole")
def _():
    with stream.Watch(pids=[], ring_size=SMALL) as watch:
        wait_for(start_writers())
        assert not watch.lost, "lost before anything was read"
        watch.drain()
        assert watch.lost >= WRITERS * COUNT * len(FILES) // 2, f"lost {watch.lost}"


@test("after a loss each FILE comes again, behind a mapping that refers to it")
def _():
    with stream.Watch(ring_size=SMALL) as watch:
        for path in FILES:
            lib.map_file(path)
            watch.drain()       # Stream checks what it takes in
        equal(watch.lost, 0, "lost records at first")
        before = len(watch.records)
        for _ in range(MANY):
            lib.map_file(FILES[0])
        watch.drain()
        for path in FILES:
            lib.map_file(path)
            watch.settle()
        assert watch.lost, "nothing was lost"
        records = watch.records[before:]
        lost = next(number for number, record in enumerate(records)
                    if isinstance(record, Lost))
        again = {file.path for file in records[lost:] if isinstance(file, File)}
        equal(again, set(FILES), "files sent again")
        expect_ids(watch, watch.mmaps)


@test("a LOST record stands where the records are missing")
def _():
    with stream.Watch(ring_size=SMALL) as watch:
        lib.map_file(FILES[0])
        watch.drain()
        for _ in range(MANY):
            lib.map_file(FILES[0])
        equal(watch.lost, 0, "lost before there was room to report it")
        taken = len(watch.drain())
        lib.map_file(FILES[0])
        watch.drain()
        assert 0 < taken < MANY, f"{taken} of {MANY} mappings in a ring of {SMALL} bytes"
        kinds = [type(record).__name__ for record in watch.records[-3:]]
        equal(kinds, ["Lost", "Mmap", "File"], "records behind a loss")
        missing = watch.records[-3].ring_full
        assert missing >= MANY - taken, f"{missing} lost of {MANY - taken} missing mappings"


@test("a loss is reported although nothing comes after it")
def _():
    with stream.Watch(ring_size=SMALL) as watch:
        for _ in range(MANY):
            lib.map_file(FILES[0])
        watch.drain()
        assert isinstance(watch.records[-1], Lost), watch.records[-1]


@test("nor does it wait for a watermark, until it is read")
def _():
    def poll(device):
        poller = select.poll()
        poller.register(device.fd, select.POLLIN)
        return poller.poll(0)

    with Device() as device:
        device.subscribe(ring_size=SMALL, watermark=SMALL // 2, pids=[os.getpid()])
        with mmap.mmap(device.fd, lib.PAGE) as consumer, \
                mmap.mmap(device.fd, lib.PAGE, prot=mmap.PROT_READ, offset=lib.PAGE) as producer:
            def consume():
                consumer[:8] = producer[:8]

            for _ in range(MANY):
                lib.map_file(FILES[0])
            consume()
            for _ in range(2):
                assert poll(device), "it is not told that records were lost"
            consume()
            equal(poll(device), [], "readable")


@test("nor on a reader that maps the ring and waits for edges: the last loss reaches it, too")
def _():
    with Device() as device, select.epoll() as epoll:
        device.subscribe(ring_size=SMALL, pids=[os.getpid()])
        with mmap.mmap(device.fd, lib.PAGE) as consumer, \
                mmap.mmap(device.fd, lib.PAGE + 2 * SMALL, prot=mmap.PROT_READ,
                          offset=lib.PAGE) as ring:
            checked = stream.Stream()

            def consume():
                begin, end = (int.from_bytes(page[:8], "little") for page in (consumer, ring))
                at = lib.PAGE + begin % SMALL
                checked.add(parse_all(ring[at:at + end - begin]))
                consumer[:8] = ring[:8]

            epoll.register(device.fd, select.EPOLLIN | select.EPOLLET)
            made = 0
            for again in range(3):
                for _ in range(MANY):
                    lib.map_file(FILES[0])
                made += MANY
                while len(checked.mmaps) + sum(
                        record.ring_full_mmaps for record in checked.records
                        if isinstance(record, Lost)) < made:
                    assert epoll.poll(lib.TIMEOUT), f"not woken, {again + 1}: {checked.records[-1]}"
                    consume()
            assert checked.lost, "nothing was lost"


@test("several writers and a slow reader: each record is in sequence, or counted")
def _():
    before = stream.stats()["ring_full"]
    with stream.Watch(pids=[], ring_size=SMALL) as watch:
        writers = start_writers()
        # On a slow machine a reader keeps up with them.
        lib.until(lambda: stream.stats()["ring_full"] > before, "the ring is full")
        while any(writer.poll() is None for writer in writers):
            watch.drain()
        wait_for(writers)
        watch.settle()
        watch.drain()
        expect_ids(watch, watch.mmaps)
        assert watch.lost, "nothing was lost"
        pids = {writer.pid for writer in writers}
        seen = sum(mapped.pid in pids and mapped.path in FILES for mapped in watch.mmaps)
        assert seen + watch.lost >= WRITERS * COUNT * len(FILES), \
            f"{seen} seen and {watch.lost} lost"
        # that of the netlink group, if anything listens there, counts as well
        assert stream.stats()["ring_full"] - before >= watch.lost, "the counter"


@test("a ring that is large enough loses nothing, with several writers")
def _():
    with stream.Watch(pids=[], ring_size=16 << 20) as watch:
        writers = start_writers()
        wait_for(writers)
        watch.settle()
        pids = {writer.pid for writer in writers}
        seen = sum(mapped.pid in pids and mapped.path in FILES for mapped in watch.mmaps)
        equal((seen, watch.lost), (WRITERS * COUNT * len(FILES), 0), "seen and lost")
        expect_ids(watch, watch.mmaps)


@test("four writers: what a small ring lost is what a large one has more, by the record")
def _():
    before = stream.stats()["ring_full"]
    before_mmaps = stream.stats()["ring_full_mmaps"]
    with stream.Watch(pids=[], ring_size=16 << 20) as large, \
            stream.Watch(pids=[], ring_size=SMALL) as small:
        for number in range(3):
            writers = start_writers()
            # at first nobody reads: on a slow kernel the reader keeps up with four
            while number and any(writer.poll() is None for writer in writers):
                small.drain()
            wait_for(writers)
        large.settle()
        small.settle()
        lib.map_file(FILES[0])      # behind which a LOST record stands, if one has to
        for watch in (large, small):
            watch.settle()
        counted = stream.stats()["ring_full"] - before
    equal(large.lost, 0, "lost by the large ring")
    assert small.lost, "nothing was lost"
    equal(counted, small.lost, "records dropped, as STATS has it and as LOST has it")
    # Stream has compared each hole in seq with the LOST that follows.
    equal(small.seq, len(small.records) + small.lost, "the last seq")
    mmaps = len(large.mmaps) - len(small.mmaps)
    equal(mmaps, sum(record.ring_full_mmaps for record in small.records
                     if isinstance(record, Lost)), "mappings lost, as LOST has it")
    equal(mmaps, stream.stats()["ring_full_mmaps"] - before_mmaps, "and as STATS has it")
    # what else is lost is the FILE behind one
    files = sum(isinstance(record, File) for record in large.records) - \
        sum(isinstance(record, File) for record in small.records)
    assert small.lost <= mmaps + files, f"{small.lost} lost, {mmaps} mappings and {files} files"
    # and nothing else is: those that are there are among those that were made, in order
    made = [(mapped.pid, mapped.addr, mapped.len) for mapped in large.mmaps]
    for pid in {mapped.pid for mapped in small.mmaps}:
        own = iter(each for each in made if each[0] == pid)
        for mapped in small.mmaps:
            if mapped.pid == pid:
                assert (pid, mapped.addr, mapped.len) in own, f"not made, or out of order: {mapped}"


MISSED = f"build/tests/kmod-{os.environ['KERNEL_NAME']}/buildid_missed.ko"
MISSES = 7


def miss_mappings():
    with open("/proc/kallsyms", encoding="ascii") as symbols:
        address = next(line.split()[0] for line in symbols
                       if line.split()[2] == "perf_event_mmap")
    lib.run("insmod", MISSED, f"address=0x{address}", f"times={MISSES}")
    lib.run("rmmod", "buildid_missed")


@test("mappings that the probe was not called for are counted, in LOST and in STATS; with ftrace "
      "there are none")
def _():
    missed = MISSES if lib.hook_is_kprobe() else 0
    miss_mappings()
    before = stream.stats()["missed_probe"]
    with stream.Watch() as watch:
        lib.map_file(FILES[0])
        watch.drain()
        miss_mappings()
        lib.map_file(FILES[0])
        watch.drain()
        with stream.Watch() as later:
            lib.map_file(FILES[0])
            later.drain()
            watch.drain()
    equal([record.missed_probe for record in watch.records if isinstance(record, Lost)],
          [missed] if missed else [], "missed_probe, as who watched has it")
    kinds = [type(record).__name__ for record in watch.records]
    equal(kinds, ["Mmap", "File", *(["Lost"] if missed else []), *["Mmap", "File"] * 2], "records")
    equal([record for record in later.records if isinstance(record, Lost)], [],
          "LOST for who came later")
    equal(stream.stats()["missed_probe"] - before, missed, "the counter")


@test("buildid record reports what was lost, and its log is whole")
def _():
    with lib.directory() as work:
        log = os.path.join(work, "log")
        # The recorder is stopped until the command has ended: no more records come then.
        maps = " ".join([lib.built("maps"), str(COUNT * WRITERS), *FILES])
        done = lib.buildid("record", "--ring-size", str(SMALL), "-o", log, "--", "sh", "-c",
                           f"kill -STOP $PPID; {maps}; (sleep 1; kill -CONT $PPID) & exit")
        checked = stream.Stream()
        checked.add(stream.read_log(log))
        lost = int(done.stderr.split()[-2])
        assert lost, "nothing is lost, or else this test shows nothing"
        equal(lost, checked.lost, "lost, as record says and as the log has it")
        shown = lib.json_lines(lib.buildid("mon", "-j", "-l", log).stdout)
        equal(sum(line["ring_full"] for line in shown if line["type"] == "lost"), lost,
              "lost, as mon shows it")


run()
