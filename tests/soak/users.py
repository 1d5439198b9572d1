# SPDX-License-Identifier: GPL-2.0
"""Those who use the module under the load of soak.py, a process each: some make mappings, of
files whose content they change, others watch, ask, set cookies, forget, are killed."""

import collections
import errno
import itertools
import json
import mmap
import os
import random
import signal
import socket
import sys
import time
import traceback

import genl
import lib
from device import SUB_KERNEL, SUB_PATH, SUB_TASKS, Cookie, Device, File, Mmap
from image import with_id
from lib import PAGE
from truth import MOUNTED, STEPS, Checked, Truth, cookie_of, identity, system_ids

SMALL = 16384
# What somebody gets who asks while others end, exec, evict and unmap, and never anything else.
EXPECTED = {errno.ESRCH, errno.ENOENT, errno.ESTALE, errno.ETIMEDOUT}
WORKS, DRAINS, ENDS = range(3)


class Shared:
    """What all processes see: the phase, and how often each did what it does."""

    def __init__(self, seed):
        self.seed = seed
        self.memory = mmap.mmap(-1, PAGE)
        self.ids = system_ids()
        self.makers = []            # processes that map files of which truth.py knows

    def phase(self):
        return self.memory[0]

    def enter(self, phase):
        self.memory[0] = phase

    def closed(self):
        """Whether nobody is to open the device."""
        return self.memory[1]

    def close(self, closed):
        self.memory[1] = closed

    def works(self):
        return self.phase() == WORKS


class Member:
    """A process that calls @function, and what that returns, as JSON."""

    def __init__(self, function, shared, *arguments):
        self.name = " ".join([function.__name__, *map(str, arguments)])
        self.ready, writer = os.pipe()
        self.results = os.memfd_create(function.__name__)
        self.pid = os.fork()
        if not self.pid:
            self.call(function, shared, writer, arguments)
        os.close(writer)

    def call(self, function, shared, ready, arguments):
        """Does not return."""
        status = 1
        try:
            random.seed(f"{shared.seed} {self.name}")
            with open("/proc/self/comm", "w", encoding="ascii") as comm:
                comm.write(function.__name__)
            result = function(shared, lambda: os.write(ready, b"x"), *arguments)
            os.write(self.results, json.dumps(result).encode())
            status = 0
        except BaseException:
            os.write(self.results, json.dumps(traceback.format_exc()[-3000:]).encode())
        os._exit(status)

    def wait_until_ready(self):
        return os.read(self.ready, 1) == b"x"

    def end(self):
        """Its result, and what went wrong."""
        status = lib.until(lambda: os.waitpid(self.pid, os.WNOHANG)[0] and "ended",
                           f"{self.name} ends")
        os.close(self.ready)
        with os.fdopen(self.results, "rb") as file:
            file.seek(0)
            result = json.loads(file.read() or b'"no result"')
        assert status
        return result


# ------------------------------------------------------------ who makes them --

def map_step(path, step):
    """For a moment, in which MAPS finds it."""
    fd = os.open(path, os.O_RDONLY)
    try:
        address = lib.map_fd(fd, PAGE, offset=step * PAGE)
    finally:
        os.close(fd)
    time.sleep(0.001)
    lib.unmap(address, PAGE)


def in_place(path, content):
    with open(path, "r+b", buffering=0) as file:
        file.write(content)


def truncated(path, content):
    with open(path, "wb", buffering=0) as file:
        file.write(content)


def by_store(path, content):
    with open(path, "r+b", buffering=0) as file, mmap.mmap(file.fileno(), PAGE) as memory:
        memory[:] = content


def replaced(path, content):
    lib.write_bytes(path + ".new", content)
    os.rename(path + ".new", path)


def in_turns(ways):
    """All of them, each time in another order."""
    while True:
        yield from random.sample(ways, len(ways))


def rewriter(shared, ready, place):
    """A file changes its content in each of all ways, and is mapped."""
    step = 0
    ways = in_turns((in_place, truncated, by_store, replaced))
    path = os.path.join(place, "soak-rewritten.so")
    truncated(path, with_id(identity("truncated", 0), PAGE))
    ready()
    while shared.works():
        if not step % STEPS:
            way = next(ways)
            way(path, with_id(identity(way.__name__, step), PAGE))
        map_step(path, step)
        step += 1
    return {"files rewritten": step // STEPS, "mappings of them": step}


def unmount(directory, counts):
    """Who asks about the mapping holds the file for a moment."""
    def try_it():
        try:
            lib.umount(directory)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            counts["unmounted at a second try"] += 1
            return False
        return True
    lib.until(try_it, f"{directory} is unmounted")


def mounter(shared, ready, place):
    """A file system is mounted, a file of it is mapped, and it is unmounted."""
    counts = collections.Counter()
    layers = [os.path.join(place, name) for name in ("lower", "upper", "work")]
    options = ",".join(f"{os.path.basename(path)}dir={path}" for path in layers)
    for path in layers:
        os.mkdir(path)
    kinds = in_turns(MOUNTED)
    with lib.loop_device() as device, lib.directory() as directory:
        ready()
        step = 0
        while shared.works():
            kind = next(kinds)
            source = {"tmpfs": "none", "ext4": device, "overlay": "overlay"}[kind]
            lib.mount(source, directory, kind, 0, options if kind == "overlay" else "")
            step += STEPS
            path = os.path.join(directory, f"soak-mounted-{step}.so")
            lib.write_bytes(path, with_id(identity(kind, step), PAGE))
            if kind == "ext4" and random.random() < 0.5:
                lib.drop_pages(path)
            for again in range(STEPS):
                map_step(path, step + again)
            if kind != "tmpfs":
                os.unlink(path)
            unmount(directory, counts)
            counts["file systems mounted"] += 1
    return counts

def visit(function):
    """Opens the device and calls @function; False where the module is not there now."""
    try:
        device = Device()
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENXIO, errno.ENODEV):
            return False
        raise
    with device:
        function(device)
    return True


def pause(shared):
    """Between two visits, and as long as nobody is to open the device."""
    time.sleep(0.002)
    while shared.closed() and shared.works():
        time.sleep(0.01)


def name_mapping(device, counts):
    number = random.randrange(1, 64)
    address = lib.map_fd(-1, number * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    device.name_mapping(address, number * PAGE, cookie_of(number))
    if random.random() < 0.2:
        found = [record.id for record in device.maps(os.getpid())
                 if isinstance(record, Cookie) and record.addr == address]
        assert found == [cookie_of(number).hex()], f"cookies at {address:#x}: {found}"
    lib.unmap(address, number * PAGE)
    counts["mappings named"] += 1


def name_file(device, path, counts):
    number = random.randrange(1, 1 << 20)
    lib.write_bytes(path, b"#!" + bytes(random.randrange(1, 5000)))
    with open(path, "rb") as file:
        device.name_fd(file.fileno(), cookie_of(number))
        found = device.resolve_fd(file.fileno())
        assert (found.kind, found.id) == ("cookie", cookie_of(number).hex()), found
        device.name_fd(file.fileno(), b"", kind="none")
    os.unlink(path)
    counts["files named"] += 1


def namer(shared, ready, place):
    """Sets cookies of mappings and files, and looks at them."""
    counts = collections.Counter()
    path = os.path.join(place, "named")

    def name(device):
        for _ in range(random.randrange(1, 10)):
            name_mapping(device, counts)
            name_file(device, path, counts)
    ready()
    while shared.works():
        visit(name)
        pause(shared)
    return counts


# ------------------------------------------------------------------ who asks --

def pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def asked(counts, function, *arguments):
    """What it returns, or None where what was asked for is gone."""
    try:
        answer = function(*arguments)
    except OSError as error:
        if error.errno not in EXPECTED:
            raise
        counts["answers " + errno.errorcode[error.errno]] += 1
        return None
    counts["answers"] += 1
    return answer


def see_mappings(truth, records, source):
    """The FILE of each mapping is before it, if it is known. Returns them by file_id."""
    files = {}
    for record in records:
        if isinstance(record, File):
            files[record.file_id] = record
            truth.see_file(record)
        elif isinstance(record, Mmap) and (source != "history" or record.state != "unresolved"):
            truth.see_mapping(record, files.get(record.file_id), source)
    return files


def ask(device, truth, pid):
    counts = truth.counts
    records = asked(counts, device.maps, pid) or []
    files = see_mappings(truth, records, "maps")
    mapped = [record for record in records if isinstance(record, Mmap)]
    if not mapped:
        return
    one = random.choice(mapped)
    answer = asked(counts, device.resolve_addr, pid, one.addr, one.start_time)
    if answer:
        truth.see_file(answer.record)
    file = files[one.file_id]
    for record in (asked(counts, device.resolve_id, file.file_id),
                   asked(counts, device.resolve_key, file.dev, file.ino)):
        if record:
            truth.see_file(record)


def asker(shared, ready):
    """MAPS and RESOLVE of everybody, HISTORY, dumps."""
    truth = Truth(shared.ids)

    def round_of(device):
        for pid in shared.makers + random.sample(everybody := pids(), min(4, len(everybody))):
            ask(device, truth, pid)
        see_mappings(truth, device.history(), "history")
    ready()
    while shared.works():
        truth.forget()
        visit(round_of)
        truth.forget()
        for record in dumped():
            truth.see_file(record)
        pause(shared)
    return {**truth.summary(), "rounds": truth.counts["answers"]}


def dumped():
    """All that netlink has; nothing where the module is not there now."""
    try:
        with genl.Genl() as netlink:
            return netlink.dump()
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.EOPNOTSUPP, errno.EPROTONOSUPPORT):
            raise
        return ()


def forgetter(shared, ready):
    """Empties caches: the module's, the kernel's, which asks the module's shrinker."""
    counts = collections.Counter()

    def flush(device):
        counts["files flushed"] += device.flush()
    ready()
    while shared.works():
        time.sleep(0.2)
        if random.random() < 0.5:
            visit(flush)
        else:
            lib.drop_caches()
            counts["caches dropped"] += 1
    return counts


# ---------------------------------------------------------------- who watches --

def wait_for_loss(shared, device):
    """Until records were dropped as a ring was full, and a second longer."""
    before = device.stats()["ring_full"]
    while shared.works() and device.stats()["ring_full"] == before:
        time.sleep(0.1)
    time.sleep(1)


def subscriber(shared, ready, ring_size):
    """Every mapping and every process; reads at once, or with a small ring when that is full."""
    checked = Checked(Truth(shared.ids))
    with Device() as device:
        device.subscribe(SUB_PATH | SUB_TASKS | SUB_KERNEL, ring_size)
        ready()
        while shared.phase() != ENDS:
            if ring_size == SMALL:
                wait_for_loss(shared, device)
            checked.add(device.read(0.1))
        while records := device.read(1):
            checked.add(records)
    return checked.summary()


def listener(shared, ready):
    """The same over netlink."""
    checked = Checked(Truth(shared.ids))
    with genl.Genl() as netlink:
        netlink.subscribe(SUB_PATH, 1 << 20)
        ready()
        netlink.socket.settimeout(1)
        while True:
            try:
                checked.add(netlink.receive())
            except socket.timeout:
                if shared.phase() == ENDS:
                    break
    return checked.summary()


WAYS = ("read", "ring", "netlink")


def victim(way, flags, size):
    """Subscribes in one of all ways, and uses that until it is killed."""
    if way == "netlink":
        netlink = genl.Genl()
        netlink.subscribe(flags, size)
        yield
        while True:
            netlink.receive()
    device = Device()
    device.subscribe(flags, size)
    if way == "ring":
        consumer = mmap.mmap(device.fd, PAGE, mmap.MAP_SHARED)
        rest = mmap.mmap(device.fd, PAGE + 2 * size, mmap.MAP_SHARED, mmap.PROT_READ, offset=PAGE)
        yield
        while True:
            consumer[:8] = rest[:8]
            time.sleep(0.001)
    yield
    while True:
        device.read(0.1)


def become_victim(way, flags, ready):
    """Does not return."""
    status = 1
    try:
        life = victim(way, flags, random.choice((SMALL, 1 << 18)))
        next(life)
        os.write(ready, b"x")
        next(life)
    except OSError as error:
        # as the module was not there
        status = error.errno
    except BaseException:
        sys.stderr.write(traceback.format_exc())
    os._exit(status)


def killer(shared, ready, flags):
    """A subscriber or netlink listener, killed again and again."""
    counts = collections.Counter()
    ready()
    for way in itertools.cycle(WAYS):
        if not shared.works():
            break
        reader, writer = os.pipe()
        pid = os.fork()
        if not pid:
            become_victim(way, flags, writer)
        os.close(writer)
        if os.read(reader, 1):
            time.sleep(random.random() / 20)
            os.kill(pid, signal.SIGKILL)
            counts["killed: " + way] += 1
        os.close(reader)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert code in (-signal.SIGKILL, errno.ENOENT, errno.ENXIO, errno.ENODEV), \
            f"a victim of {way} ended with {code}"
        pause(shared)
    return counts


def visitor(shared, ready):
    """Subscribes for a moment, again and again."""
    truth = Truth(shared.ids)

    def watch(device):
        checked = Checked(truth)
        device.subscribe(SUB_PATH, SMALL)
        for _ in range(random.randrange(4)):
            checked.add(device.read(0.05))
        truth.forget()
        truth.counts["visits"] += 1
    ready()
    while shared.works():
        visit(watch)
        pause(shared)
    return truth.summary()
