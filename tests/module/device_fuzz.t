#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The short form of make fuzz-device: random calls of everything, held to the header."""

import collections

import device_fuzz
import lib
from tap import Skip, equal, run, test

CALLS = 2000 if lib.DEBUG else 10000
ROUNDS_RACING = 4 if lib.DEBUG else 10
# How often threads meet depends on what else the machine does: so many times as many rounds.
ATTEMPTS = 5
SEED = 1
# Of each kind that many have to succeed, of as many calls: else only refusals were tested.
OFTEN = {
    "INFO": 60, "STATS": 60, "RESOLVE_FD": 200, "SUBSCRIBE": 60, "FLUSH": 30, "RESOLVE_KEY": 100,
    "RESOLVE_ADDR": 100, "MAPS": 100, "SET_COOKIE": 100, "RESOLVE_ID": 100, "HISTORY": 100,
    "read": 100, "poll": 100, "mmap": 80, "mapped ring": 150, "netlink GET": 200,
    "netlink dump": 80, "netlink SUBSCRIBE": 50,
}
# Of threads that race: calls that began while another thread was in one of the same device, and
# those that succeeded although the device was closed meanwhile.
MEET = {
    "SUBSCRIBE met another": 60, "RESOLVE_FD met another": 20, "MAPS met another": 6,
    "SET_COOKIE met another": 30, "read met another": 40, "met a close": 2,
}
RECORDS = {"FILE": 3000, "MMAP": 3000, "KERNEL": 10, "MODULE": 20, "COOKIE": 300, "LOST": 5,
           "FORK": 10, "EXEC": 1, "EXIT": 5,
           "COMM": 1}


def fuzz(*arguments):
    counts, findings = device_fuzz.fuzz("--seed", SEED, *arguments)
    equal(findings, [], "findings")
    return counts


def too_seldom(counts, calls, wanted):
    return {what: counts[what] for what, n in wanted.items() if counts[what] < n * calls // 10000}


def expect_often(counts, calls, wanted):
    equal(too_seldom(counts, calls, wanted), {}, f"what was reached too seldom, of {calls} calls")


@test("random calls do what the header says, and no more; each succeeds often")
def _():
    wanted = {f"{kind} succeeded": n for kind, n in OFTEN.items()}
    wanted |= {f"{kind} records": n for kind, n in RECORDS.items()}
    expect_often(fuzz("--calls", CALLS), CALLS, wanted)


@test("the same seed makes the same calls")
def _():
    if lib.DEBUG:
        raise Skip("as on other kernels")
    names = [*OFTEN, "unknown ioctl", "other netlink message"]
    first, second = (fuzz("--rounds", 1, "--first", 3) for _ in range(2))
    equal({name: first[name] for name in names}, {name: second[name] for name in names}, "calls")


@test("threads that share descriptors, close them and write to the ring do no harm")
def _():
    calls = ROUNDS_RACING * device_fuzz.CALLS_OF_ROUND
    counts = collections.Counter()
    for attempt in range(ATTEMPTS):
        found = fuzz("--first", attempt * ROUNDS_RACING, "--rounds", ROUNDS_RACING, "--racing")
        expect_often(found, calls, {"mapped ring succeeded": 60})
        counts.update(found)
        counts["met a close"] = sum(counts[f"{kind} met a close"] for kind in OFTEN)
        if not too_seldom(counts, calls, MEET):
            break
    expect_often(counts, calls, MEET)


@test("calls in which an allocation or a copy fails do what the header says")
def _():
    if not device_fuzz.has_faults():
        raise Skip("this kernel has no fault injection")
    counts = fuzz("--calls", CALLS, "--faults")
    assert counts["faults injected"] >= CALLS // 30 and counts["ENOMEM"], f"faults: {counts}"


run()
