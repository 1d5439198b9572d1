#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Everything at once on the same files, rings, listener and cookies: for a kernel that looks at
each access (debug-kcsan), which fails the guest for a data race."""

import lib
import stream
from lib import built
from tap import run, test

KCSAN = lib.os.environ.get("KERNEL_NAME", "").endswith("kcsan")
TIMES = 150 if KCSAN else 5 if lib.DEBUG else 20


@test("users of one file, one ring and one device at the same time do no harm")
def _():
    before = stream.stats()
    lib.run(built("races"), str(TIMES))
    after = stream.stats()
    for name in ("hits", "misses", "read_mapper", "records", "netlink_records"):
        print(f"# {name}: {after[name] - before[name]}")
        assert after[name] > before[name], f"no {name}"


run()
