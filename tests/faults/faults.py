# SPDX-License-Identifier: GPL-2.0
"""Calls that fail on demand: the n-th allocation, copy or request that one makes, n = 1, 2, 3 ..."""


import contextlib
import errno
import mmap
import os
import re
import select
import time
from dataclasses import dataclass, field
from typing import Callable

import genl
import lib
from device import (SUB_CHILDREN, SUB_KERNEL, SUB_PATH, SUB_TASKS, SUB_UID, Device, File,
                    parse_all)
from injection import (DEBUGFS, KINDS, Nth, code_of, code_of_module, judged_here, only, symbols,
                       tell_where)
from starved import OTHERS, SMALL
from tap import equal


def nothing(*_):
    return None


@dataclass
class Call:
    """@do is what fails: it gets what @prepare returned. @result makes of what it returned what
    is the same each time; @excused says whether another result is one that the header allows for
    a call that succeeds. @undone raises AssertionError where a call that failed has had an
    effect, or one that cannot be repeated."""
    name: str
    do: Callable
    prepare: Callable = contextlib.nullcontext
    result: Callable = nothing
    excused: Callable = lambda good, got: False
    undone: Callable = nothing
    errors: tuple = ("ENOMEM", "EFAULT")
    kinds: tuple = tuple(KINDS)
    where: tuple = ()       # a function, or the module's code
    # Where the kernel itself has no answer: a probe that cannot be removed stays, and it warns.
    but: tuple = ("disarm_kprobe", "__disarm_kprobe_ftrace", "__unregister_kprobe_top")
    leap: int = 0           # in the short form not each n, but then n + 1 + n // leap
    alone: bool = False     # a process has more to allocate the first time
    repeats: bool = False   # what comes behind makes the same call, without a fault


@dataclass
class Tally:
    """What was done, and what was wrong."""
    faults: dict = field(default_factory=dict)      # by call
    failed: dict = field(default_factory=dict)      # by call and kind: those it failed with
    kinds: dict = field(default_factory=dict)
    errors: dict = field(default_factory=dict)
    benign: int = 0         # the call succeeded all the same
    others: dict = field(default_factory=dict)
    findings: list = field(default_factory=list)

    def count(self, call, kind, error):
        for table, key in (self.faults, call.name), (self.kinds, kind):
            table[key] = table.get(key, 0) + 1
        if error:
            name = errno.errorcode[error.errno]
            self.errors[name] = self.errors.get(name, 0) + 1
            self.failed[call.name, kind] = self.failed.get((call.name, kind), 0) + 1
        else:
            self.benign += 1

    def find(self, where, what):
        self.findings.append({"what": what, "where": where,
                              "replay": f"make faults FAULTS='{where}'"})


def areas():
    return len(re.findall(r"\[buildid\]|bid_", lib.read_bytes("/proc/vmallocinfo").decode()))


def rest():
    """While a subscription ends, behind its close, who subscribes and finds no memory waits and tries
    again."""
    lib.until(lambda: not re.search(rb"\[buildid\].*\bvmap\b", lib.read_bytes("/proc/vmallocinfo")),
              "the rings of subscriptions that have ended are freed")


def once(call, kind, n):
    """(result, error, failed) of one call that is prepared for this."""
    if not call.repeats:
        rest()
    with Nth() as nth, call.prepare() as prepared:
        where = code_of(*call.where) if call.where else code_of_module()
        tell_where(kind, where, code_of(*call.but) if set(call.but) & set(symbols()) else (0, 0))
        got, error, failed = nth.call(n, lambda: call.do(prepared))
        result = None if error else call.result(got)
        if error:
            call.undone(prepared)
    return result, error, failed


def once_alone(call, kind, n):
    """Likewise, by a process of its own."""
    def answer():
        result, error, failed = once(call, kind, n)
        return result, error and error.errno, failed
    result, number, failed = lib.in_child(answer)
    return result, number and OSError(number, os.strerror(number)), failed


def wrong(call, good, result, error, again):
    """What does not hold of a call that met a fault."""
    if error and errno.errorcode[error.errno] not in call.errors:
        return f"{errno.errorcode[error.errno]}, which nobody documents"
    if not error and result != good and not call.excused(good, result):
        return f"succeeds with {result}, not {good}"[:600]
    if again[1]:
        return f"fails when it is made again: {again[1]}"
    return again[0] != good and f"when made again gives {again[0]}, not {good}"[:600]


def steps(call, short):
    """Each n, or in the short form of a slow call ever fewer."""
    n = 1
    while True:
        yield n
        n += 1 + (n // call.leap if short and call.leap else 0)


def exhaust(call, kind, tally, short=False, chosen=None):
    """Fails each chance of a call once, or the @chosen one."""
    place = f"{call.name}, {kind}"
    attempt = once_alone if call.alone else once
    with only(kind):
        good, error, _ = attempt(call, kind, 0)
        if error:
            tally.find(place, f"fails without a fault: {error}")
            return
        for n in [chosen] if chosen else steps(call, short):
            where = f"{place}, {n}"
            seen = []
            try:
                with judged_here(seen):
                    result, error, failed = attempt(call, kind, n)
                    # in the short form, only behind the last fault: by the call that meets none
                    again = (good, None) if call.repeats or short else attempt(call, kind, 0)
                what = wrong(call, good, result, error, again)
            except (AssertionError, OSError) as raised:
                tally.find(where, f"{type(raised).__name__}: {raised}"[:600])
                return
            for text in [what] * bool(what) + seen:
                tally.find(where, text)
            if not failed:
                if chosen:
                    tally.find(where, "no such fault: the call makes fewer of these")
                return
            tally.count(call, kind, error)


# ---------------------------------------------------------------- the device --

def plain(record):
    """Without what differs each time."""
    return record._replace(header=None, file_id=None)


def is_degraded(good, got):
    """A file that could not be read."""
    return isinstance(got, File) and (got.kind, got.reason) == ("none", "io-error") and \
        got._replace(kind=good.kind, reason=good.reason, id=good.id) == good


@contextlib.contextmanager
def forgotten(path):
    """The device and a file that the module has to read, as nothing is in its cache."""
    with Device() as device, open(path, "rb") as file:
        device.flush()
        yield device, file.fileno()


@contextlib.contextmanager
def remembered(path):
    """The device, and the file's record, which is in the cache."""
    with Device() as device, open(path, "rb") as file:
        yield device, device.resolve_fd(file.fileno())


@contextlib.contextmanager
def mapped_here(path):
    with Device() as device, lib.mapped(path) as address:
        device.flush()
        yield device, address


@contextlib.contextmanager
def sleeping():
    """The device, and a process with a few mappings."""
    process = lib.sleeper()
    try:
        with Device() as device:
            yield device, process.pid
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def subscribed(flags=SUB_PATH | SUB_KERNEL, ring_size=SMALL):
    """The device with a few records in its ring; the owner closes it."""
    device = Device()
    try:
        device.subscribe(flags, ring_size, pids=[os.getpid()])
        for name in ("id20", "id83", "none"):
            lib.map_file(lib.built(name))
        yield device
    finally:
        with contextlib.suppress(OSError):
            device.close()


@contextlib.contextmanager
def memory():
    """The device, and memory to name, whose names end with it."""
    address = lib.map_fd(-1, lib.PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with Device() as device:
        try:
            yield device, address
        finally:
            lib.unmap(address, lib.PAGE)


def no_cookies(prepared):
    count = prepared[0].stats()["cookies"]
    assert not count, f"failed, and {count} cookies are there"


@contextlib.contextmanager
def own_file():
    """The device, and a file without an identity; what it is named is removed."""
    with lib.tmpfs() as directory, Device() as device:
        path = os.path.join(directory, "file")
        lib.write_bytes(path, b"no program" * 1000)
        with open(path, "rb") as file:
            try:
                yield device, file.fileno()
            finally:
                with contextlib.suppress(FileNotFoundError):
                    device.name_fd(file.fileno(), b"", kind="none")


def name_memory(prepared):
    device, address = prepared
    device.name_mapping(address, lib.PAGE, b"name")
    return device


def name_file(prepared):
    device, fd = prepared
    device.name_fd(fd, b"name")
    return prepared


def identity_of(prepared):
    device, fd = prepared
    record = device.resolve_fd(fd)
    return record.kind, record.id


def subscribe(device, **options):
    device.subscribe(SUB_PATH | SUB_KERNEL | SUB_CHILDREN | SUB_UID | options.get("flags", 0),
                     SMALL, pids=[os.getpid()], uid=os.getuid())
    return True


def no_subscription(device):
    count = device.stats()["subscribers"]
    assert not count, f"failed, and {count} subscribers are there"


def read_once(device):
    return device, os.read(device.fd, 1 << 16)


def whole_stream(device, before=b""):
    """How many records there are; with what was read before, nothing is missing."""
    seqs = [record.header.seq for record in parse_all(before + os.read(device.fd, 1 << 16))]
    equal(seqs, list(range(1, len(seqs) + 1)), "seq")
    return len(seqs)


def in_two_reads(got):
    """A read that a fault cut short has a rest; else it is for another time."""
    device, data = got
    lib.map_file(lib.built("id20"))
    return whole_stream(device, data) > 0


def map_ring(device, offset, size, prot):
    lib.unmap(lib.map_fd(device.fd, size, prot, mmap.MAP_SHARED, offset), size)


def poll(device):
    waiting = select.poll()
    waiting.register(device.fd, select.POLLIN)
    return waiting.poll(0)


def device_calls():
    none, known = lib.built("none"), lib.built("id20")
    return [
        Call("open", lambda _: Device(), result=lambda device: device.close()),
        Call("close", lambda device: device.close(), subscribed, errors=()),
        Call("INFO", lambda device: device.info(), Device, result=lambda info: info),
        Call("STATS", lambda device: device.stats(), Device, result=lambda stats: set(stats)),
        Call("RESOLVE by FD", lambda p: p[0].resolve_fd(p[1]), lambda: forgotten(none), plain,
             is_degraded),
        Call("RESOLVE by KEY", lambda p: p[0].resolve_key(p[1].dev, p[1].ino),
             lambda: remembered(known), plain),
        Call("RESOLVE by ID", lambda p: p[0].resolve_id(p[1].file_id), lambda: remembered(known),
             plain),
        Call("RESOLVE by ADDR", lambda p: p[0].resolve_addr(os.getpid(), p[1]).record,
             lambda: mapped_here(none), plain, is_degraded),
        Call("MAPS", lambda p: p[0].maps(p[1]), sleeping, kinds_of, leap=4),
        Call("HISTORY", lambda p: p[0].history(p[1]), sleeping, kinds_of, leap=4),
        Call("SET_COOKIE", name_memory, memory, lambda device: device.stats()["cookies"],
             undone=no_cookies, alone=True),
        Call("SET_COOKIE of a file", name_file, own_file, identity_of, undone=no_cookies,
             errors=("ENOMEM", "EFAULT", "EIO")),
        Call("SUBSCRIBE", subscribe, Device, bool, undone=no_subscription, leap=4),
        Call("SUBSCRIBE to tasks", lambda device: subscribe(device, flags=SUB_TASKS), Device, bool,
             undone=no_subscription, leap=2),
        Call("FLUSH", lambda device: device.flush(), Device),
        Call("read", read_once, subscribed, in_two_reads, undone=whole_stream),
        Call("poll", poll, subscribed, lambda found: [event for _, event in found]),
        Call("mmap of the consumer page",
             lambda device: map_ring(device, 0, lib.PAGE, mmap.PROT_READ | mmap.PROT_WRITE),
             subscribed, undone=whole_stream, errors=("ENOMEM", "EAGAIN")),
        Call("mmap of the records",
             lambda device: map_ring(device, lib.PAGE, lib.PAGE + 2 * SMALL, mmap.PROT_READ),
             subscribed, undone=whole_stream, errors=("ENOMEM", "EAGAIN")),
    ]


def kinds_of(records):
    """How many there are of each type: what more is known of a file differs with time."""
    count = {}
    for record in records:
        count[type(record).__name__] = count.get(type(record).__name__, 0) + 1
    return count


# ----------------------------------------------------------------- netlink --

@contextlib.contextmanager
def socket_and_file():
    """A socket of the family, and a record that is in the cache."""
    with remembered(lib.built("id20")) as (_, record), genl.Genl() as link:
        # whoever waits longer has lost the answer
        link.socket.settimeout(lib.TIMEOUT)
        yield link, record


def listen(link):
    return link.subscribe(SUB_PATH | SUB_KERNEL | SUB_CHILDREN, SMALL, pids=[os.getpid()])


@contextlib.contextmanager
def listening():
    with socket_and_file() as (link, record):
        listen(link)
        yield link, record


def netlink_calls():
    # ENOBUFS is the core kernel's, where it has no message to answer in
    errors = ("ENOMEM", "EFAULT", "ENOBUFS")
    calls = []
    for where in ((), ("netlink_sendmsg",), ("netlink_dump",)):
        place = f" in {where[0]}" if where else ""
        calls += [
            Call("GET" + place, lambda p: p[0].get(p[1].dev, p[1].ino), socket_and_file, plain,
                 where=where, errors=errors),
            Call("dump" + place, lambda p: len(p[0].dump()) > 0, socket_and_file,
                 lambda some: some, where=where, errors=errors),
            Call("genl SUBSCRIBE" + place, lambda p: listen(p[0]), socket_and_file,
                 lambda size: size, where=where, errors=errors, leap=4,
                 undone=lambda p: no_listener()),
        ]
    calls.append(Call("close of a listener", lambda p: p[0].socket.close(), listening, errors=()))
    return calls


def no_listener():
    with Device() as device:
        no_subscription(device)


# --------------------------------------------------------- load and unload --

@contextlib.contextmanager
def not_loaded():
    """The kernel's log. Who comes next loads it: that takes seconds."""
    if lib.is_loaded():
        lib.unload()
    log = lib.KernelLog()
    try:
        yield log
    finally:
        with contextlib.suppress(OSError):
            os.close(log.fd)


def load_again():
    if lib.is_loaded():
        lib.unload()
    lib.load()


@contextlib.contextmanager
def loaded():
    if not lib.is_loaded():
        lib.load()
    yield


def module_left():
    return {
        "the module": lib.is_loaded(), lib.DEVICE: os.path.exists(lib.DEVICE),
        "probes": re.findall(r"perf_event_mmap|generic_shutdown_super|perf_event_comm",
                             (lib.read_bytes(f"{DEBUGFS}/kprobes/list") +
                              lib.read_bytes(f"{DEBUGFS}/tracing/enabled_functions")).decode()),
    }


def gone_and_says_why(log):
    """Of an insmod that failed."""
    left = {name: value for name, value in module_left().items() if value}
    equal(left, {}, "left behind by a load that failed")
    assert "buildid: not loaded: -" in log.text(), "a load that failed says nothing"


def unload(_):
    lib.unload()
    equal({name: value for name, value in module_left().items() if value}, {}, "left behind")


def load(_):
    lib.load("max_entries=16")


def module_calls():
    # that of what failed first, whatever that may be; the core kernel has some of its own
    errors = ("ENOMEM", "EFAULT", "ENODEV", "ENXIO", "EINVAL", "ENOENT", "ENOSPC")
    kinds = ("failslab", "fail_page_alloc")
    return [
        Call("finit_module", load, not_loaded, undone=gone_and_says_why,
             errors=errors, where=("do_one_initcall",),
             kinds=kinds, leap=6, repeats=True),
        Call("delete_module", unload, loaded, errors=(), kinds=kinds, leap=2, repeats=True),
    ]


# ---------------------------------------------------------------- one by one --

def left_over():
    """What would grow if something were left."""
    with Device() as device:
        device.flush()
        lib.until(lambda: not device.stats()["visits"], "no file is being read")
        stats = device.stats()
    rest()
    return {name: stats[name] for name in ("subscribers", "cookies", "visits", "entries")} | \
        {"vmalloc areas": areas(), "users": int(lib.read_bytes("/sys/module/buildid/refcnt")),
         "descriptors": len(os.listdir("/proc/self/fd"))}


def run_calls(calls, tally, short=False, kind=None, n=None):
    """@kind, @n: those faults alone."""
    for call in calls:
        begin = time.monotonic()
        try:
            before = left_over()
            try:
                for each in call.kinds:
                    if not kind or each == kind:
                        exhaust(call, each, tally, short, n)
            finally:
                if call.repeats:
                    load_again()
            after = left_over()
            equal(after, before, "left behind")
        except (AssertionError, LookupError, OSError) as raised:
            # the others' findings count all the same
            tally.find(call.name, f"{type(raised).__name__}: {raised}"[:600])
        print(f"# {call.name}: {tally.faults.get(call.name, 0)} faults, "
              f"{time.monotonic() - begin:.1f} s", flush=True)


def run_others(names, tally):
    for name in names:
        try:
            tally.others |= {name + what: n for what, n in OTHERS[name]().items()}
        except (AssertionError, LookupError, OSError) as raised:
            tally.find(name, f"{type(raised).__name__}: {raised}"[:600])


# ------------------------------------------------------------- all of these --

def all_calls():
    return device_calls() + netlink_calls() + module_calls()


def choose(text):
    """(name, kind, n) of what a finding says: "CALL, KIND, N", where N or both may be left out.
    Raises ValueError where there is no such fault."""
    name, kind, n = (*text.split(", ", 2), None, None)[:3]
    kinds = {call.name: call.kinds for call in all_calls()} | dict.fromkeys(OTHERS, ())
    if name not in kinds:
        raise ValueError(f"{name}: no such call; there are {', '.join(kinds)}")
    if kind and kind not in kinds[name]:
        raise ValueError(f"{kind}: no such kind of fault of {name}; "
                         f"there are {', '.join(kinds[name]) or 'none'}")
    if n and not re.fullmatch("[1-9][0-9]*", n):
        raise ValueError(f"{n}: not the number of a fault")
    return name, kind, n and int(n)


def run_all(tally, chosen=""):
    name, kind, n = choose(chosen) if chosen else (None, None, None)
    run_calls([call for call in all_calls() if name in (None, call.name)], tally, kind=kind, n=n)
    run_others([other for other in OTHERS if name in (None, other)], tally)
