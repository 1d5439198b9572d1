#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Loading and unloading: again and again, while in use, with wrong parameters, with
few entries, and where kprobes do not work. The module is loaded at the end."""

import glob
import os
import re
import tempfile

import lib
import stream
from image import put_files
from lib import built, contains
from tap import equal, run, test

# A cycle takes seconds on the debug kernel; kmemleak looks closer there, and itself
# takes memory.
CYCLES, SLACK_KIB = (10, 4096) if lib.DEBUG else (25, 96)
HOOKED = [b"perf_event_mmap", b"generic_shutdown_super", b"perf_event_comm"]
PROGRAMS = ["id8", "id83", "none", "go"]


# Pages in /proc/zoneinfo that are free, for all or for one processor, or counted for what they are.
ELSEWHERE = re.compile(r"^ +(?:pages free|count:|nr_(?:in)?active_(?:anon|file)|nr_unevictable|"
                       r"nr_slab_\w+|nr_(?:sec_)?page_table_pages) +(\d+)$", re.M)


def taken_by_page(sizes):
    """In KiB, what somebody has from alloc_page(), of which nobody keeps account."""
    # all at one time, as pages go from one to the other
    zones = lib.read_bytes("/proc/zoneinfo").decode()
    pages = sum(map(int, re.findall(r"^ +managed +(\d+)$", zones, re.M))) - \
        sum(map(int, ELSEWHERE.findall(zones)))
    # which has the stacks, too, where these are mapped
    mapped = re.search(rb"kernel_clone|copy_process|thread_stack",
                       lib.read_bytes("/proc/vmallocinfo"))
    return pages * lib.PAGE // 1024 - sizes["VmallocUsed"] - sizes["Percpu"] - \
        (0 if mapped else sizes["KernelStack"])


def kernel_memory():
    """Kinds of it that are the kernel's own, in KiB, and mapped areas."""
    lib.drop_caches()
    # counters that each processor has a part of are added up
    lib.read_bytes("/proc/sys/vm/stat_refresh")
    # Free objects that SLUB keeps for each processor: hundreds of KiB, from Linux 7.0 on.
    for path in glob.glob("/sys/kernel/slab/*/shrink"):
        with open(path, "w") as file:
            file.write("1")
    with open("/proc/meminfo") as file:
        sizes = dict(re.findall(r"(\w+): +(\d+) kB", file.read()))
    with open("/proc/vmallocinfo") as file:
        areas = len(re.findall(r"\[buildid\]|bid_", file.read()))
    sizes = {name: int(size) for name, size in sizes.items()}
    return {name: sizes[name] for name in ("SUnreclaim", "Percpu", "KernelStack")} | \
        {"areas": areas, "pages": taken_by_page(sizes)}


def grown(before):
    """Of what there is more than @before, before and now."""
    return {name: (before[name], now) for name, now in kernel_memory().items()
            if now - before[name] > (SLACK_KIB if name != "areas" else 0)}


def use():
    """Both ways to an identity: read by who maps a file, and by who asks."""
    with stream.Watch() as watch:
        for name in PROGRAMS:
            lib.map_file(built(name))
        stream.resolve_fd(watch.fd)
        with open(built("other"), "rb") as file:
            equal(stream.resolve_fd(file.fileno()).kind, "gnu", "kind")
        watch.settle()
        equal({watch.file_of(mapped).kind for mapped in watch.mmaps},
              {"gnu", "htlhash", "go"}, "kinds")


@test(f"{CYCLES} times unloaded, loaded and used, and no memory is left behind")
def _():
    for _ in range(5):
        lib.reload()
        use()
    lib.unload()
    # up to 100 KiB come and go, so that one look may be a high one
    looks = [kernel_memory() for _ in range(3)]
    before = {name: min(look[name] for look in looks) for name in looks[0]}
    counters = lib.read_bytes("/proc/meminfo") + lib.read_bytes("/proc/zoneinfo")
    lib.load()
    for _ in range(CYCLES):
        lib.reload()
        use()
    lib.unload()
    try:
        # what is freed later, by RCU or a kworker, is no leak
        lib.until(lambda: not grown(before), "the memory is back")
    except TimeoutError:
        print("#", grown(before), *(
            f"{old} -> {new}" for old, new in zip(counters.decode().splitlines(), (
                lib.read_bytes("/proc/meminfo") + lib.read_bytes("/proc/zoneinfo")
            ).decode().splitlines()) if old != new), sep="\n# ")
        raise
    finally:
        lib.load()
    use()


def hooks():
    """Of the module's, those that somebody watches."""
    text = lib.read_bytes("/sys/kernel/debug/kprobes/list") + \
        lib.read_bytes("/sys/kernel/tracing/enabled_functions")
    return [name for name in HOOKED if name in text]


@test("what the module makes is gone with it")
def _():
    with lib.unloaded():
        assert not os.path.exists(lib.DEVICE), lib.DEVICE
        with open("/proc/kallsyms") as file:
            assert "[buildid]" not in file.read(), "symbols"
        equal(hooks(), [], "functions that are hooked")


@test("the module cannot be unloaded while its device is open")
def _():
    with stream.Watch():
        contains(lib.run("rmmod", "buildid", status=1).stderr, "in use")
    use()


def is_refused(parameters=""):
    try:
        lib.load(parameters)
    except OSError:
        return
    raise AssertionError(f"it was loaded with {parameters!r}")


@test("it loads where no more memory may be committed")
def _():
    with lib.written("/proc/sys/vm/overcommit_ratio", "0"), \
            lib.written("/proc/sys/vm/overcommit_memory", "2"):
        lib.reload()
    use()


BY_KPROBES = lib.hook_is_kprobe()
for switch in (lib.KPROBES, lib.FTRACE):
    @test(f"with 0 in {switch} the module refuses to load, and says why"
          if BY_KPROBES or switch == lib.FTRACE else f"with 0 in {switch} it loads, and needs none")
    def _(switch=switch):
        with lib.unloaded():
            log = lib.KernelLog()
            with lib.turned_off(switch) as off:
                off &= BY_KPROBES or switch == lib.FTRACE
                (is_refused if off else lib.load)()
            equal("buildid: self-test: the probe on perf_event_mmap did not fire" in log.text(),
                  off, "the kernel log has it")
            equal(os.path.exists(lib.DEVICE), not off, lib.DEVICE)
        use()


def module_for(directory, symbol, other):
    """A copy of the module that probes another function, with a name as long."""
    path = os.path.join(directory, "buildid.ko")
    before = lib.read_bytes(lib.MODULE)
    after = before.replace(symbol.encode() + b"\0", other.encode() + b"\0")
    assert after != before and len(after) == len(before), symbol
    with open(path, "wb") as file:
        file.write(after)
    return path


# One of the functions that a kernel does not let be probed, nor traced.
UNPROBED = "exc_page_fault" if lib.arch.MACHINE == "x86_64" else "el1_abort"
for symbol, other, why in (
        ("perf_event_mmap", "perf_event_none", "-2: this kernel has no such function"),
        ("generic_shutdown_super", "generic_shutdown_never", "-2: this kernel has no such"),
        ("perf_event_mmap", UNPROBED.ljust(15, "\0"), "-22: this kernel does not allow it")):
    name = other.rstrip("\0")

    @test(f"on a kernel where {name} cannot be probed insmod says so, and leaves nothing")
    def _(symbol=symbol, other=other, why=why, name=name):
        with lib.unloaded(), tempfile.TemporaryDirectory() as directory:
            log = lib.KernelLog()
            done = lib.run("insmod", module_for(directory, symbol, other), status=1)
            contains(done.stderr, "not supported")
            contains(log.text(), f"buildid: no probe on {name}: {why}")
            assert not lib.is_loaded() and not os.path.exists(lib.DEVICE), "something is left"
            equal(hooks(), [], "functions that are hooked")
            assert b"[buildid]" not in lib.read_bytes("/proc/kallsyms"), "symbols"
        use()


def add_bad_parameter(parameter, message):
    @test(f"{parameter} is refused, and the kernel log says why")
    def _():
        with lib.unloaded():
            log = lib.KernelLog()
            is_refused(parameter)
            contains(log.text(), message)


add_bad_parameter("max_entries=15", "buildid: max_entries=15: not in 16 to 16777216")
add_bad_parameter("max_entries=16777217", "buildid: max_entries=16777217: not in 16 to")
add_bad_parameter("max_entries=many", "`many' invalid for parameter `max_entries'")


def with_parameters(parameters, function):
    lib.unload()
    try:
        lib.load(parameters)
        function()
    finally:
        lib.unload()
        lib.load()


@test("with max_entries=16 files are forgotten to make room, and all answers are right")
def _():
    def map_many():
        with lib.tmpfs() as directory, stream.Watch() as watch:
            for path, identity in list(put_files(directory, 100).items()) * 2:
                equal(watch.see(lib.map_file, path)[1].id, identity, path)
                stats = stream.stats()
                assert stats["entries"] <= stats["entries_max"] == 16, stats
            assert stream.stats()["evicted"] >= 150, stream.stats()
    with_parameters("max_entries=16", map_many)


run()
