# SPDX-License-Identifier: GPL-2.0
"""Everything that uses the module at once, beside the load of stressors.py, for as long as
asked, and what holds then: tests/module/soak.t for seconds, tests/soak/guest for half an hour."""

import collections
import contextlib
import errno
import mmap
import os
import random
import re
import signal
import time

import leftovers
import lib
import stream
from device import SUB_DATA, SUB_PATH
from image import with_id
from stressors import Stressors, alone, differences
from tap import equal
from truth import MOUNTED, REWRITTEN, WAYS
from users import (DRAINS, ENDS, SMALL, WORKS, Member, Shared, asker, forgetter, killer, listener,
                   mounter, namer, rewriter, subscriber, visitor)

# The fewest that evict all the time.
ENTRIES = 64
LARGE = 16 << 20
# Seconds, more than any run takes.
LONGEST = 24 * 3600
MADV_POPULATE_WRITE = 23
MIB = 1 << 20
# Short of what kswapd begins at.
NEAR = 96 * MIB
# What has to have happened. On a busy machine a short run may take longer: so many times as long.
NEEDED = ("programs right", "stats: evicted", "subscriber lost", "listener records",
          "killed: read", "killed: ring", "killed: netlink", "answers", "cookies",
          "mappings named", "files named", "files rewritten", "file systems mounted")
ATTEMPTS = 5


@contextlib.contextmanager
def room():
    """A tmpfs in which everybody may write, and not too much. Another one comes before it, as the
    stressor tmpfs fills the first that it finds, which takes it minutes if that is large."""
    with lib.directory() as small, lib.directory() as path:
        lib.mount("none", small, "tmpfs", 0, "size=4m,mode=1777")
        lib.mount("none", path, "tmpfs", 0, "size=256m,mode=1777")
        try:
            yield path
        finally:
            for place in (path, small):
                lib.run("umount", place, status=None)
                if os.path.ismount(place):
                    lib.umount(place, 2)


class Findings(list):
    def add(self, what, where):
        self.append({"what": what, "where": where})

    def need(self, condition, what, where):
        if not condition:
            self.add(what, where)


def gather(members, counts, findings):
    """What each says at its end; that of who watches also as it is."""
    results = {}
    for member in members:
        result = member.end()
        if isinstance(result, str):
            findings.add(result, member.name)
            continue
        results[member.name] = result
        for what in result.get("wrong", ()):
            findings.add(what, member.name)
        for name, number in result.get("counts", result).items():
            counts[name] += number
    return results


def members_that_work(shared, place, flags, *others):
    """@flags: of those that are killed."""
    makers = [Member(rewriter, shared, place), Member(mounter, shared, place)]
    shared.makers = [member.pid for member in makers]
    members = [*makers, Member(namer, shared, place), Member(asker, shared),
               Member(killer, shared, flags), Member(forgetter, shared),
               *(Member(other, shared) for other in others)]
    for member in members:
        assert member.wait_until_ready(), f"{member.name}: {member.end()}"
    return members


def account(name, result, mappings, findings):
    """Each record is there or lost, and so is each mapping that the hook saw."""
    findings.need(result["seq"] == result["received"] + result["lost"],
                  f"the last seq is {result['seq']}: {result['received']} records, "
                  f"{result['lost']} lost", name)
    seen = result["counts"].get("stream: mappings", 0)
    findings.need(seen + result["lost_mmaps"] == mappings,
                  f"{mappings} mappings: {seen} records, {result['lost_mmaps']} lost", name)


WATCHERS = ((subscriber, LARGE), (subscriber, SMALL), (listener,))


def use(seconds, shared, names, place, findings):
    """All of it for a while, with the module loaded. Returns what was counted, and what the
    stressors @names met."""
    counts = collections.Counter()
    watchers = [Member(function, shared, *arguments) for function, *arguments in WATCHERS]
    for member in watchers:
        assert member.wait_until_ready(), f"{member.name}: {member.end()}"
    before = stream.stats()
    load = Stressors(names, seconds, place)
    members = members_that_work(shared, place, SUB_PATH)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.1)
    met = load.end()
    shared.enter(DRAINS)
    gather(members, counts, findings)
    lib.until(lambda: not stream.stats()["visits"], "all files were read")
    after = stream.stats()
    mappings = after["mappings"] - before["mappings"]
    shared.enter(ENDS)
    results = gather(watchers, counts, findings)
    shared.enter(WORKS)
    for name, result in results.items():
        account(name, result, mappings, findings)
        counts[f"{name.split()[0]} records"] += result["received"]
        counts[f"{name.split()[0]} lost"] += result["lost"]
    counts["mappings made"] += mappings
    for name in ("evicted", "stale", "missed_probe", "unresolved", "misses", "rechecks",
                 "read_mapper", "read_caller", "changing", "io_errors"):
        counts["stats: " + name] += after[name] - before[name]
    return counts, met


def compare(without, met, counts, findings):
    """What stress-ng @met with the module with what it did without."""
    for what in differences(without, met):
        findings.add(what, "stress-ng")
    for name, (_, operations, _) in met.items():
        counts["stress-ng " + name] = operations
        counts[f"stress-ng {name} without"] = without[name][1]


def idle(findings, memory=None):
    """With nobody there the module has nothing but its cache, and that goes."""
    def left():
        stream.flush()
        stats = stream.stats()
        return {name: stats[name] for name in ("subscribers", "visits", "cookies", "entries")
                if stats[name]} | {
                    "bytes": size for size in [stats["memory"]] if memory and size > memory}
    try:
        lib.until(lambda: not left(), "nothing is left")
    except TimeoutError:
        findings.add(f"STATS still has {left()}, and had {memory} bytes", "the module")


def need_right(counts, findings, long):
    """What came each way was identified, and that most often."""
    for source in ("stream", "maps", "history"):
        missing = [way for way in WAYS if not counts[f"{source}: right, {way}"]]
        # in a short run who asks does not meet each of them
        most = 0 if source == "stream" or long else len(WAYS) - 1
        findings.need(len(missing) <= most, f"{source}: nothing right of {', '.join(missing)}",
                      "the test")
    for kind, ways in (("rewritten", REWRITTEN), ("mounted", MOUNTED)):
        right = sum(counts[f"stream: right, {way}"] for way in ways)
        unknown = counts[f"stream: not known, {kind}"]
        findings.need(unknown < right / 10, f"{kind}: {unknown} identities are not known, {right} "
                      "are right", "the watchers")


def soak(seconds, seed, names):
    """Returns what was counted, and findings."""
    counts, findings = collections.Counter(), Findings()
    shared = Shared(seed)
    long = seconds >= 300
    lib.unload()
    with room() as place:
        # Both before anything is counted, as the first of its kind leaves something behind.
        without = alone(names, max(4, seconds // 10), place)
        lib.load(f"max_entries={ENTRIES}")
        use(2, shared, (), place, findings)
        lib.unload()
    before = leftovers.look()
    lib.load(f"max_entries={ENTRIES}")
    idle(findings)
    memory = stream.stats()["memory"]
    for _ in range(1 if long else ATTEMPTS):
        with room() as place:
            found, met = use(seconds, shared, names, place, findings)
        counts.update(found)
        compare(without, met, counts, findings)
        if findings or all(counts[name] for name in NEEDED):
            break
    idle(findings, memory)
    lib.unload()
    grown = leftovers.more_than(before)
    findings.need(not grown, "left behind: " + leftovers.shown(grown), "the kernel")
    lib.load()
    for name in NEEDED:
        findings.need(counts[name], f"no {name}", "the test")
    need_right(counts, findings, long)
    return counts, findings


def unload(shared, counts):
    """As often as it takes: who has the device open does not know."""
    for tries in range(10000):
        try:
            lib.unload_once()
            break
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EBUSY):
                raise
        counts["unloads refused"] += 1
        shared.close(tries > 5)
        time.sleep(0.005)
    shared.close(False)


def reload_under_load(times, shared, without, findings):
    """With the stressors of @without, who ran without the module. Returns what was counted."""
    counts = collections.Counter()
    with room() as place:
        load = Stressors(without, LONGEST, place)
        members = members_that_work(shared, place, SUB_PATH | SUB_DATA, visitor, visitor)
        for _ in range(times):
            unload(shared, counts)
            time.sleep(random.random() / 20)
            lib.load(random.choice(("", "max_entries=16", f"max_entries={ENTRIES}")))
            time.sleep(random.random() / 10)
        shared.enter(DRAINS)
        gather(members, counts, findings)
        met = load.stop()
        shared.enter(WORKS)
    compare(without, met, counts, findings)
    idle(findings)
    lib.unload()
    return counts


def reloads(times, seed, names, first=3):
    """insmod and rmmod under load, the @first few before anything is counted. Returns what was
    counted, and findings."""
    findings = Findings()
    shared = Shared(seed)
    random.seed(seed)
    lib.unload()
    with room() as place:
        without = alone(names, 4, place)
    if first:
        lib.load()
        reload_under_load(first, shared, without, findings)
    before = leftovers.look()
    lib.load()
    counts = reload_under_load(times, shared, without, findings)
    grown = leftovers.more_than(before)
    findings.need(not grown, "left behind: " + leftovers.shown(grown), "the kernel")
    lib.load()
    counts["reloads"] = times
    # in a few reloads on a busy machine not everybody has found the module
    for name in ("visits", "answers", "killed: read", "mappings named")[:None if times > 50 else 1]:
        findings.need(counts[name], f"no {name}", "the test")
    if times > 50:
        need_right(counts, findings, False)
    return counts, findings


# ----------------------------------------------------------- memory is short --

@contextlib.contextmanager
def mapped_files(count):
    """So many that are in the cache; a function that maps some again, and looks."""
    with lib.tmpfs() as directory:
        def path(number):
            return os.path.join(directory, str(number))
        for number in range(count):
            lib.write_bytes(path(number), with_id(number.to_bytes(20, "big")))
            lib.map_file(path(number))

        def map_again():
            with stream.Watch() as watch:
                for number in range(0, count, count // 40):
                    _, file = watch.see(lib.map_file, path(number))
                    equal(file.id, number.to_bytes(20, "big").hex(), f"id of {number}")
        yield map_again


def ask_shrinkers():
    """Of the kernel's caches and the module's, as drop_caches has it; pages stay."""
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
        file.write("2")


def available():
    return int(re.search(rb"MemAvailable: +(\d+)", lib.read_bytes("/proc/meminfo"))[1]) << 10


def take(shrunk):
    """Memory, until @shrunk() or there is no more. The OOM killer would take this process."""
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")
    held = [mmap.mmap(-1, max(available() - NEAR, lib.PAGE), mmap.MAP_PRIVATE)]
    held[0].madvise(MADV_POPULATE_WRITE)
    for _ in range(2 * NEAR // MIB):
        if shrunk():
            return
        held.append(mmap.mmap(-1, MIB, mmap.MAP_PRIVATE))
        held[-1][:] = b"x" * MIB
    raise AssertionError("the cache is as large as before")


def pressure(files, _seed, _names):
    """All memory of the guest is taken until the cache has given back."""
    findings = Findings()
    with mapped_files(files) as map_again:
        before = stream.stats()
        child = lib.forked(take, lambda: stream.stats()["entries"] < before["entries"] // 2)
        status = os.waitpid(child, 0)[1]
        after = stream.stats()
        # the OOM killer may take it first, behind all shrinkers
        findings.need(not status or status == signal.SIGKILL and
                      after["entries"] < before["entries"] // 2,
                      f"who takes all memory ended with {status}", "the module")
        map_again()
    return {"entries before": before["entries"], "entries after": after["entries"]}, findings
