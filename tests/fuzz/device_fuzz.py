# SPDX-License-Identifier: GPL-2.0
"""build/tests/fuzz_device in a guest: with failures that are confined to the module, where the
kernel can do that, and what it found."""

import contextlib
import os
import re
import subprocess

import lib

FAULTS = [f"/sys/kernel/debug/{name}" for name in ("failslab", "fail_page_alloc",
                                                   "fail_usercopy")]
# As in fuzz_device/fuzz.c.
CALLS_OF_ROUND = 500
# Waiting for grace periods would be most of the time.
EXPEDITED = "/sys/kernel/rcu_expedited"


def has_faults():
    return all(map(os.path.exists, FAULTS))


def text_of_module():
    """Where its code begins and, at most, ends."""
    start = int(lib.read_bytes("/sys/module/buildid/sections/.text"), 16)
    (size,) = re.findall(r"^buildid (\d+) ", lib.read_bytes("/proc/modules").decode(), re.M)
    return start, start + int(size)


@contextlib.contextmanager
def confined_faults():
    """What fail-nth asks for in the block fails only if the module called it."""
    start, end = text_of_module()
    settings = {"verbose": "0", "ignore-gfp-wait": "N", "ignore-gfp-highmem": "N",
                "min-order": "0", "stacktrace-depth": "32", "require-start": hex(start),
                "require-end": hex(end)}
    with contextlib.ExitStack() as stack:
        for directory in FAULTS:
            for name, value in settings.items():
                path = os.path.join(directory, name)
                if os.path.exists(path):
                    stack.enter_context(lib.written(path, value))
        yield


def parse(text):
    """({what: how often}, [(round, call, what)])"""
    counts = {what: int(n) for n, what in re.findall(r"^count (\d+) (.*)$", text, re.M)}
    findings = [(int(number), int(call), what) for number, call, what in
                re.findall(r"^finding (\d+) (\d+) (.*)$", text, re.M)]
    return counts, findings


def fuzz(*arguments):
    """As parse(); what it prints is printed, too."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(lib.written(EXPEDITED, "1"))
        if "--faults" in arguments:
            stack.enter_context(confined_faults())
        done = subprocess.run((lib.built("fuzz_device"), *map(str, arguments)), text=True,
                              stdout=subprocess.PIPE, check=False)
    print(re.sub("^", "# ", done.stdout.rstrip("\n"), flags=re.M), flush=True)
    counts, findings = parse(done.stdout)
    assert done.returncode == bool(findings) and counts, f"exit status {done.returncode}"
    return counts, findings
