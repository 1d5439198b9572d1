#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Files of filesystem images that were changed at random: the short form of make fuzz
FUZZ=images."""

import lib
import mangled
from tap import Skip, equal, run, test

SEED = 2
ROUNDS = 5 if lib.DEBUG else 12


def look_at(kind, rounds, changed):
    if not lib.has_filesystem(kind):
        raise Skip(f"this kernel has no {kind}")
    with mangled.Images(SEED, [kind]) as images:
        for number in range(rounds):
            images.round(number, changed)
    print("# " + ", ".join(f"{what} {times}" for what, times in images.counts.items() if times))
    equal(images.findings, [], "findings (round, what)")
    return images.counts


for name in mangled.KINDS:
    @test(f"{name}: the files of an image that is whole are identified")
    def _(kind=name):
        counts = look_at(kind, 1, changed=False)
        equal(counts["not mounted"] + counts["files not opened"] + counts["io-error"], 0,
              "failures")
        equal(counts["answers"], sum(counts[kind] for kind in ("gnu", "go", "htlhash")), "answers")

    @test(f"{name}: of what was changed at random the module says what read(2) gives")
    def _(kind=name):
        counts = look_at(kind, ROUNDS, changed=True)
        assert counts["gnu"] and counts["programs run"], counts


run()
