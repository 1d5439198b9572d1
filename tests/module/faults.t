#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Faults on demand: each call of the device and of netlink, load and unload, with each kind of
fault. make faults does all of it, this a part of what takes long."""

import os

import faults
import injection
import starved
from tap import Skip, equal, run, test

MANY = 100


# Of each call, at least: how many faults have to meet it; and how many allocations and copies have
# to make it fail. Some do without what they did not get, some need nothing.
LEAST = {
    "open": (2, 1, 0), "close": (0, 0, 0), "INFO": (2, 0, 2), "STATS": (2, 0, 2),
    "RESOLVE by FD": (10, 1, 3), "RESOLVE by KEY": (5, 1, 3), "RESOLVE by ID": (5, 1, 3),
    "RESOLVE by ADDR": (10, 1, 3), "MAPS": (8, 1, 3), "HISTORY": (6, 1, 3),
    "SET_COOKIE": (8, 3, 3), "SET_COOKIE of a file": (12, 2, 3),
    "SUBSCRIBE": (12, 5, 2), "SUBSCRIBE to tasks": (9, 3, 1), "FLUSH": (2, 0, 2),
    "read": (4, 0, 1), "poll": (0, 0, 0), "mmap of the consumer page": (0, 0, 0),
    "mmap of the records": (0, 0, 0),
    "GET": (4, 1, 0), "dump": (0, 0, 0), "genl SUBSCRIBE": (10, 5, 0),
    "GET in netlink_sendmsg": (9, 3, 1), "dump in netlink_sendmsg": (9, 2, 1),
    "genl SUBSCRIBE in netlink_sendmsg": (12, 5, 1), "GET in netlink_dump": (0, 0, 0),
    "dump in netlink_dump": (5, 0, 0), "genl SUBSCRIBE in netlink_dump": (0, 0, 0),
    "close of a listener": (0, 0, 0),
    "finit_module": (25, 12, 0), "delete_module": (3, 0, 0),
}


def try_calls(calls):
    injection.need(*injection.KINDS)
    tally = faults.Tally()
    faults.run_calls(calls, tally, short=True)
    equal(tally.findings, [], f"of {sum(tally.faults.values())} faults")
    met = {}
    for call in calls:
        allocations, pages, copies = (tally.failed.get((call.name, kind), 0)
                                      for kind in injection.KINDS)
        met[call.name] = (tally.faults.get(call.name, 0), allocations + pages, copies)
    few = {name: got for name, got in met.items()
           if any(n < least for n, least in zip(got, LEAST[name]))}
    equal(few, {}, "too few faults, allocations and copies that made a call fail")


@test("each allocation and copy of each call of the device fails once, and nothing is left")
def _():
    try_calls(faults.device_calls())


@test("likewise of each call of netlink")
def _():
    try_calls(faults.netlink_calls())


@test("likewise of load and unload")
def _():
    try_calls(faults.module_calls())


@test("without memory for entries, mappings are identified all the same, and that is counted")
def _():
    injection.need("failslab")
    starved.mappings_without_entries(MANY)


@test("without memory to read them, files have the reason IO and are counted, and read later")
def _():
    injection.need("failslab", "fail_page_alloc")
    for kind in ("failslab", "fail_page_alloc"):
        starved.mappings_without_memory(kind)


@test("likewise of a disk that fails")
def _():
    injection.need("fail_make_request")
    starved.mappings_of_a_bad_disk()


@test("likewise of a page that finds no place")
def _():
    injection.need("fail_function")
    if "PREEMPT_RT" in os.uname().version:
        raise Skip("fail_function takes a lock that sleeps, in a probe")
    starved.mappings_without_page_cache()


@test("without memory for a message, what a netlink listener is to get waits for it")
def _():
    injection.need("failslab")
    starved.messages_without_memory(5)


run()
