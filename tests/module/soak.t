#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Everything at once for a moment, beside stress-ng: make soak is the long form."""

import lib
import soak
import stressors
from tap import run, test

SECONDS, RELOADS = 6, 2
SEED = 1


def check(counts, findings):
    for name, number in sorted(counts.items()):
        print(f"# {name}: {number}")
    assert not findings, "\n".join(f"{found['where']}: {found['what']}" for found in findings)


@test("under load all records are right and accounted for, programs run as without the module, "
      "and nothing is left behind")
def _():
    check(*soak.soak(SECONDS, SEED, stressors.QUICK))


# On the debug kernel reload.t is what there is time for.
if not lib.DEBUG:
    @test(f"{RELOADS} times unloaded and loaded under load, and nothing is left behind")
    def _():
        check(*soak.reloads(RELOADS, SEED, ("exec", "dynlib"), first=0))


run()
