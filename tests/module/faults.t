#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Faults on demand: each call of the device and of netlink, load and unload, with each kind of
fault. make faults does all of it, this a part of what takes long."""

import faults
from tap import equal, run, test

# More than the module has entries in reserve.
MANY = 300


def try_calls(calls):
    faults.need(*faults.KINDS)
    tally = faults.Tally()
    faults.run_calls(calls, tally, short=True)
    assert tally.faults, "nothing failed"
    equal(tally.findings, [], f"of {sum(tally.faults.values())} faults")


@test("each allocation and copy of each call of the device fails once, and nothing is left")
def _():
    try_calls(faults.device_calls())


@test("likewise of each call of netlink")
def _():
    try_calls(faults.netlink_calls())


@test("likewise of load and unload")
def _():
    try_calls(faults.module_calls())


@test("without memory for entries, mappings are UNRESOLVED and counted, and identified later")
def _():
    faults.need("failslab")
    faults.mappings_without_entries(MANY)


@test("without memory to read them, files have the reason IO and are counted, and read later")
def _():
    faults.need("failslab", "fail_page_alloc")
    for kind in ("failslab", "fail_page_alloc"):
        faults.mappings_without_memory(kind)


@test("likewise of a disk that fails, and of a page that finds no place")
def _():
    faults.need("fail_make_request", "fail_function")
    faults.mappings_of_a_bad_disk()
    faults.mappings_without_page_cache()


@test("without memory for a message, what a netlink listener is to get waits for it")
def _():
    faults.need("failslab")
    faults.messages_without_memory(5)


run()
