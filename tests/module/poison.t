#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Every byte that reaches user space was written: tests/host/poison.t has prepared a kernel and
a module that leave patterns in memory and on the stack, which no answer may have in it."""

import device_fuzz
import lib
from tap import equal, run, test

CALLS = 6000
KINDS = ["INFO", "STATS", "RESOLVE_FD", "SUBSCRIBE", "FLUSH", "RESOLVE_KEY", "RESOLVE_ADDR", "MAPS",
         "RESOLVE_ID", "HISTORY", "read", "mmap", "mapped ring", "netlink GET", "netlink dump",
         "netlink SUBSCRIBE"]
RECORDS = ["FILE", "MMAP", "KERNEL", "MODULE", "COOKIE", "LOST", "FORK", "EXEC", "EXIT"]


@test("the kernel leaves patterns in what is not written")
def _():
    parameters = lib.read_bytes("/proc/cmdline").decode().split()
    for parameter in ("init_on_alloc=0", "init_on_free=0", "page_poison=1"):
        assert parameter in parameters, parameter
    for size in ("64", "512", "4k", "8k"):
        equal(lib.read_bytes(f"/sys/kernel/slab/kmalloc-{size}/poison"), b"1\n", size)


@test("no answer, record or message has a byte that was not written")
def _():
    lib.load()
    try:
        counts, findings = device_fuzz.fuzz("--seed", 1, "--calls", CALLS, "--poison")
    finally:
        lib.unload()
    equal(findings, [], "findings")
    seen = {f"{name} succeeded" for name in KINDS} | {f"{name} records" for name in RECORDS}
    equal([name for name in sorted(seen) if not counts[name]], [], "what was not looked at")


run()
