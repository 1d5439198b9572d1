# SPDX-License-Identifier: GPL-2.0
"""What the kernel holds, and held before: objects of slabs by their caches, vmalloc areas, open
files.

That memory is as free as before says little: the page cache of a guest moves it by more than
a leak, and Linux 7 keeps some 30 MiB back that it accounts for nowhere. The pages of a ring are
told by its area, and by the cgroup that they are charged to (pressure.t)."""

import contextlib
import glob
import re
import time

import lib

SETTLES = 20


def numbers(path, pattern):
    return {name: int(number) for name, number in
            re.findall(pattern, lib.read_bytes(path).decode(), re.M)}


def vmalloc_pages():
    """KiB of memory in vmalloc areas: those that map pages of others, as vmap() does, have
    none of their own."""
    text = lib.read_bytes("/proc/vmallocinfo")
    return sum(map(int, re.findall(rb"\bpages=(\d+)\b.*\bvmalloc\b", text))) * lib.PAGE // 1024


def of_module():
    """Areas that are the module's, rings among them."""
    return len(re.findall(rb"\[buildid\]|bid_", lib.read_bytes("/proc/vmallocinfo")))


def write_one(path):
    with open(path, "w", encoding="ascii") as file:
        file.write("1")


def slabs():
    """KiB of objects of each cache that no shrinker empties; open files by number, which
    file-nr has but roughly."""
    found = {}
    for name, active, size in re.findall(r"^(\S+) +(\d+) +\d+ +(\d+) ",
                                         lib.read_bytes("/proc/slabinfo").decode(), re.M):
        try:
            reclaimable = lib.read_bytes(f"/sys/kernel/slab/{name}/reclaim_account") == b"1\n"
        except FileNotFoundError:
            reclaimable = False
        if name == "filp":
            found["files"] = int(active)
        elif not reclaimable:
            found["slab " + name] = int(active) * int(size) // 1024
    return found


def look():
    lib.drop_caches()
    for path in glob.glob("/sys/kernel/slab/*/shrink"):
        with contextlib.suppress(FileNotFoundError):
            write_one(path)
    sizes = numbers("/proc/meminfo", r"^(\w+): +(\d+)")
    return {
        "areas of the module": of_module(),
        "vmalloc": vmalloc_pages(),
        "stacks": sizes["KernelStack"], "tables": sizes["PageTables"],
        "percpu": sizes.get("Percpu", 0),
        **slabs(),
    }


# What is left to the kernel's own moods: KiB, or files.
SLACK = {"files": 16, "areas of the module": 0, "vmalloc": 256, "stacks": 256,
         "tables": 256, "percpu": 256}
SLACK_SLAB = 96
if lib.DEBUG:
    # KASAN holds back what was freed, kmemleak keeps an object for each object
    SLACK = {name: 4 * size for name, size in SLACK.items()}
    SLACK_SLAB = 4096


def growth(before, after):
    return {name: size - before.get(name, 0) for name, size in after.items()
            if size - before.get(name, 0) > SLACK.get(name, SLACK_SLAB)}


def more_than(before):
    """What there is more of than look() saw @before, after it had time to go; nothing if all
    went."""
    for _ in range(SETTLES):
        grown = growth(before, look())
        if not grown:
            break
        time.sleep(0.5)
    return grown


def shown(grown):
    return ", ".join(f"{name} +{size}" for name, size in sorted(grown.items()))
