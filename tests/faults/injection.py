# SPDX-License-Identifier: GPL-2.0
"""Fault injection: the kernel's debugfs attributes for each kind of fault.

/proc/thread-self/fail-nth says how many more of a thread's chances to fail are to pass. A chance
counts only where a range of addresses, such as the module's code, is on the stack: so it is always
the same ones that count, whatever else the thread does.
"""

import contextlib
import errno
import functools
import os
import re

import lib
from tap import Skip

DEBUGFS = "/sys/kernel/debug"
NTH = "/proc/thread-self/fail-nth"
# Those that have an effect in a call; what else they are to be told.
KINDS = {
    "failslab": {"ignore-gfp-wait": "N", "cache-filter": "N"},
    "fail_page_alloc": {"ignore-gfp-wait": "N", "ignore-gfp-highmem": "N", "min-order": "0"},
    "fail_usercopy": {},
}
EVERYWHERE, NOWHERE = (0, 2**64 - 1), (1, 1)


def need(*names):
    """Raises Skip where the kernel cannot do that."""
    for name in names:
        if not os.path.isdir(f"{DEBUGFS}/{name}"):
            raise Skip(f"the kernel has no {name}")
    if not os.path.exists(NTH):
        raise Skip(f"the kernel has no {NTH}")


# ---------------------------------------------------------------- the kernel --

@functools.lru_cache
def symbols():
    """The kernel's functions: {name: address}."""
    with open("/proc/kallsyms", encoding="ascii") as file:
        found = (line.split() for line in file if "[" not in line)
        return {name: int(address, 16) for address, kind, name in found if kind in "tTwW"}


@functools.lru_cache
def code_of(*names):
    """(start, end) of the first of these functions that the kernel has."""
    for name in names:
        if name in symbols():
            start = symbols()[name]
            return start, min(end for end in symbols().values() if end > start)
    raise LookupError(f"the kernel has no {names[0]}")


def code_in_module(name):
    """(start, end) of a function of the module."""
    with open("/proc/kallsyms", encoding="ascii") as file:
        found = {line.split()[2]: int(line.split()[0], 16) for line in file
                 if line.endswith("[buildid]\n") and line.split()[1] in "tT"}
    return found[name], min(end for end in found.values() if end > found[name])


def code_of_module():
    """(start, end) of what stays of it once it is loaded."""
    sections = "/sys/module/buildid/sections"
    start = min(int(lib.read_bytes(f"{sections}/{name}"), 16) for name in os.listdir(sections)
                if "text" in name and "init" not in name)
    size = re.search(r"^buildid (\d+)", lib.read_bytes("/proc/modules").decode(), re.M)[1]
    return start, start + int(size)


def put(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(text))


def tell(kind, **values):
    for name, value in values.items():
        put(f"{DEBUGFS}/{kind}/{name.replace('_', '-')}", value)


def tell_where(kind, require, reject=(0, 0)):
    tell(kind, require_start=hex(require[0]), require_end=hex(require[1]),
         reject_start=hex(reject[0]), reject_end=hex(reject[1]))


def set_up(kind):
    """Quiet, and nothing fails yet."""
    tell(kind, probability=0, interval=1, times=-1, space=0, verbose=0, task_filter="N",
         stacktrace_depth=32)
    tell(kind, **KINDS.get(kind, {}))


@contextlib.contextmanager
def only(kind):
    """Only chances of that kind count in the block, and where tell_where() says."""
    for each in KINDS:
        set_up(each)
        tell_where(each, NOWHERE)
    try:
        yield
    finally:
        for each in KINDS:
            tell_where(each, EVERYWHERE)


@contextlib.contextmanager
def always(kind, where):
    """All fail in the block, whoever's, with @where on the stack."""
    set_up(kind)
    tell_where(kind, where)
    tell(kind, probability=100)
    try:
        yield
    finally:
        tell(kind, probability=0)
        tell_where(kind, EVERYWHERE)


# ------------------------------------------------------------------- its log --

@functools.lru_cache
def fault_pattern():
    """What is wrong in any guest; but an allocation that fails may say where."""
    with open(os.path.join(lib.TOP, "scripts", "vm"), encoding="utf-8") as file:
        table = re.search(r"^readonly faults=\(\n(.*?)^\)", file.read(), re.S | re.M)[1]
    return re.compile("|".join(f for f in re.findall(r"'(.*)'", table) if f != "Call [Tt]race:"))


@contextlib.contextmanager
def judged_here(findings):
    """The kernel's log goes to nobody but @findings in the block: a warning about a failed
    allocation has a stack, which fails the guest."""
    with open("/proc/sys/kernel/printk", encoding="ascii") as file:
        level = file.read().split()[0]
    log = lib.KernelLog()
    put("/proc/sys/kernel/printk", 1)
    try:
        yield
    finally:
        put("/proc/sys/kernel/printk", level)
        lines = [line.partition(";")[2] for line in log.text().splitlines()]
        findings += [f"the kernel says: {line}" for line in lines if fault_pattern().search(line)]


# ----------------------------------------------- of a thread, disk, function --

class Nth:
    """The thread's fail-nth."""

    def __init__(self):
        self.fd = os.open(NTH, os.O_RDWR)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def call(self, n, function):
        """(what it returned, its OSError or None, whether something failed)"""
        result = error = None
        os.pwrite(self.fd, b"%d" % n, 0)
        try:
            result = function()
        except OSError as raised:
            error = raised
        finally:
            failed = os.pread(self.fd, 16, 0) == b"0\n"
            os.pwrite(self.fd, b"0", 0)
        return result, error, failed


@contextlib.contextmanager
def bad_disk(name):
    put(f"/sys/block/{name}/make-it-fail", 1)
    try:
        with always("fail_make_request", EVERYWHERE):
            yield
    finally:
        put(f"/sys/block/{name}/make-it-fail", 0)


@contextlib.contextmanager
def failing_function(name, where, value=-errno.ENOMEM):
    """The function returns that to whoever has @where on the stack."""
    tell("fail_function", inject=name)
    try:
        put(f"{DEBUGFS}/fail_function/{name}/retval", hex(value & 2**64 - 1))
        with always("fail_function", where):
            yield
    finally:
        tell("fail_function", inject="!" + name)
