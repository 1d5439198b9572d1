#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: tests/lib/umounts.py TIMES [KIND...]

umount(2) at once after use, and what is below removed at once: so many rounds on each kind of
filesystem, in a guest. scripts/umounts runs it so, and tests/module/umount.t takes the rounds
from here. The last line is what was counted, as JSON."""

import collections
import contextlib
import errno
import fcntl
import json
import os
import shutil
import struct
import sys
import time

import lib
import stream
from tap import equal

KINDS = ("ext4", "xfs", "btrfs", "vfat", "exfat", "overlay", "tmpfs")
# What else happens in a round, in turn. Often nothing, as umount(2) is soonest then.
VARIANTS = ("plain", "unlinked", "bound", "plain", "read-only")

MS_REMOUNT, MS_BIND = 32, 4096
MNT_DETACH = 2


# ------------------------------------------------------------ what is below --

class Linear:
    """A device of the device mapper that is another one as a whole. By ioctl, as dmsetup takes
    longer."""

    kind = "dm"
    CREATE, REMOVE, RESUME, LOAD = 0xc138fd03, 0xc138fd04, 0xc138fd06, 0xc138fd09

    def __init__(self, below):
        if not os.path.exists("/sys/module/dm_mod"):
            lib.run("modprobe", "-q", "dm-mod", status=None)
        with open(f"/sys/block/{os.path.basename(below)}/size", encoding="ascii") as file:
            target = struct.pack("=QQiI16s64s", 0, int(file.read()), 0, 0, b"linear",
                                 f"{below} 0".encode())
        self.path = f"/dev/dm-{os.minor(self.ioctl(self.CREATE))}"
        self.ioctl(self.LOAD, target)
        self.ioctl(self.RESUME)

    @staticmethod
    def ioctl(number, target=b""):
        head = struct.pack("=10IQ128s129s7x", 4, 0, 0, 312 + len(target), 312, bool(target),
                           0, 0, 0, 0, 0, b"buildid", b"")
        buffer = bytearray(head + target)
        with open("/dev/mapper/control", "rb") as control:
            fcntl.ioctl(control, number, buffer)
        return struct.unpack_from("=Q", buffer, 40)[0]

    def remove(self):
        self.ioctl(self.REMOVE)


class Loop:
    kind = "loop"

    def __init__(self, image):
        self.path = lib.attach(image)

    def is_attached(self):
        return os.path.exists(f"/sys/block/{os.path.basename(self.path)}/loop")

    def remove(self):
        """LOOP_CLR_FD succeeds where the device is in use, too, and waits for its last user."""
        try:
            lib.detach(self.path)
        except OSError as error:
            # when its last user has gone after an earlier try
            equal(errno.errorcode[error.errno], "ENXIO", "error")
        if self.is_attached():
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), self.path)


def open_exclusively(device):
    os.close(os.open(device, os.O_RDONLY | os.O_EXCL))


def succeeds(function, *arguments):
    try:
        function(*arguments)
    except OSError as error:
        equal(errno.errorcode[error.errno], "EBUSY", "error")
        return False
    return True


# -------------------------------------------------------------- filesystems --

class Filesystem:
    """One that is mounted anew in each round, with programs on it."""

    def __init__(self, kind, stack):
        self.kind, self.devices = kind, []
        self.block = {"overlay": "ext4", "tmpfs": None}.get(kind, kind)
        self.top, self.below, self.second = (stack.enter_context(lib.directory())
                                             for _ in range(3))
        self.image = None
        if self.block:
            size, command = lib.MKFS[self.block]
            self.image = os.path.join(stack.enter_context(lib.directory()), "image")
            with open(self.image, "wb") as file:
                file.truncate(size << 20)
            lib.run(*command, self.image)
        stack.callback(self.forget)
        self.fill()

    def fill(self):
        if not self.block:
            return
        self.attach(False)
        if self.kind == "overlay":
            lib.mount(self.devices[-1].path, self.below, self.block)
            for name in "lower", "upper", "work":
                os.mkdir(os.path.join(self.below, name))
            self.put(os.path.join(self.below, "lower"), "none")
            self.put(os.path.join(self.below, "upper"), "other")
        else:
            self.mount()
            self.put(self.top, "none", "other")
        self.forget()

    @staticmethod
    def put(directory, *names):
        for name in names:
            shutil.copy(lib.built(name), directory)

    def attach(self, mapper):
        """What is below, from the bottom up."""
        if self.block:
            self.devices = [Loop(self.image)]
        if self.block and mapper:
            self.devices.append(Linear(self.devices[0].path))

    def mount(self):
        if self.kind == "tmpfs":
            lib.mount("tmpfs", self.top, "tmpfs")
            self.put(self.top, "none", "other")
            return
        device = self.devices[-1].path
        if self.kind != "overlay":
            lib.mount(device, self.top, self.block)
            return
        lib.mount(device, self.below, self.block)
        lib.mount("overlay", self.top, "overlay", 0, ",".join(
            f"{layer}dir={os.path.join(self.below, layer)}"
            for layer in ("lower", "upper", "work")))

    def places(self):
        """Where it is mounted, from the top down."""
        return [self.top, self.below] if self.kind == "overlay" else [self.top]

    def put_gone(self):
        """A file to unlink, which is no longer in memory, where it can go from there."""
        shutil.copy(lib.built("id20"), os.path.join(self.top, "gone"))
        if self.block:
            for place in self.places():
                lib.umount(place)
            self.mount()

    def forget(self):
        """Whatever became of the round."""
        for place in self.second, self.top, self.below:
            if os.path.ismount(place):
                lib.umount(place, MNT_DETACH)
        for device in reversed(self.devices):
            lib.until(lambda device=device: succeeds(device.remove), "the device is free")
        self.devices = []


# ------------------------------------------------------------------- rounds --

class Tally:
    """What was counted for each kind, variant, and device below: rounds; those in which umount(2)
    or a remount was EBUSY (busy); those in which a device below was, after it (below)."""

    def __init__(self):
        self.counts = {}
        self.failed = collections.defaultdict(list)

    def begin(self, number, kind, *names):
        self.number, self.kind, self.names = number, kind, names
        self.seen = set()
        self.count("rounds")

    def count(self, what):
        if what not in self.seen:
            for name in self.kind, *self.names:
                for key in "rounds", "busy", "below":
                    self.counts.setdefault(f"{name}.{key}", 0)
                self.counts[f"{name}.{what}"] += 1
        self.seen.add(what)

    def at_once(self, count, what, function, *arguments):
        """Calls @function, which is to succeed at the first try, and does so in the end."""
        if not succeeds(function, *arguments):
            self.count(count)
            self.failed[what, self.kind].append((self.number, *self.names))
            lib.until(lambda: succeeds(function, *arguments), what)

    def findings(self):
        return [{"what": f"{what}: EBUSY in {len(failed)} rounds",
                 "where": kind + ": round " + "; ".join(
                     " ".join(map(str, one)) for one in failed[:4]) + "; ..." * (len(failed) > 4),
                 "replay": f"make umounts UMOUNTS={kind} TIMES={failed[0][0] + 1}"}
                for (what, kind), failed in self.failed.items()]


def execute(path):
    _, status = os.waitpid(os.posix_spawn(path, [path], {}), 0)
    equal(status, 0, f"status of {path}")


def use(directory, number):
    """As the module sees these files for the first time; which is the last one differs."""
    actions = [(execute, "none"), (lib.map_file, "other")]
    turn = number % len(actions)
    stream.flush()
    for action, name in actions[turn:] + actions[:turn]:
        action(os.path.join(directory, name))


def unlink_while_mapped(path):
    fd = os.open(path, os.O_RDONLY)
    size = os.fstat(fd).st_size
    address = lib.map_fd(fd, size)
    os.close(fd)
    os.unlink(path)
    lib.unmap(address, size)


def use_as(variant, filesystem, number, tally):
    """All of a round between mount(2) and umount(2)."""
    if variant in ("unlinked", "read-only"):
        filesystem.put_gone()
    if variant == "bound":
        lib.mount(filesystem.top, filesystem.second, "", MS_BIND)
        use(filesystem.second, number)
        tally.at_once("busy", "umount(2) of one of two mounts", lib.umount, filesystem.second)
    use(filesystem.top, number)
    if variant in ("unlinked", "read-only"):
        unlink_while_mapped(os.path.join(filesystem.top, "gone"))
    if variant == "read-only":
        tally.at_once("busy", "remount read-only", lib.mount, "none", filesystem.top, "",
                      MS_REMOUNT | lib.MS_RDONLY)


def one_round(filesystem, number, tally):
    mapper = filesystem.block and number % 2
    variant = VARIANTS[number % len(VARIANTS)]
    filesystem.attach(mapper)
    tally.begin(number, filesystem.kind, variant, *(
        device.kind for device in filesystem.devices[-1:]))
    filesystem.mount()
    use_as(variant, filesystem, number, tally)
    for place in filesystem.places():
        tally.at_once("busy", "umount(2)", lib.umount, place)
    while filesystem.devices:
        device = filesystem.devices[-1]
        if number % 3 == 0:
            tally.at_once("below", f"open of {device.kind} with O_EXCL", open_exclusively,
                          device.path)
        tally.at_once("below", f"removal of {device.kind}", device.remove)
        filesystem.devices.pop()


def rounds(kind, numbers, tally):
    """The rounds of these numbers on that kind of filesystem."""
    before = stream.stats()["read_mapper"]
    with contextlib.ExitStack() as stack:
        filesystem = Filesystem(kind, stack)
        for number in numbers:
            one_round(filesystem, number, tally)
    tally.counts[f"{kind}.read"] = stream.stats()["read_mapper"] - before


def main(times, *kinds):
    tally, findings = Tally(), []
    for kind in kinds or KINDS:
        assert lib.has_filesystem(kind), f"no {kind} here"
        began = time.monotonic()
        rounds(kind, range(int(times)), tally)
        print(f"# {kind}: {time.monotonic() - began:.0f} s", flush=True)
        if tally.counts[f"{kind}.read"] < int(times):
            findings.append({"what": "no file was read in each round", "where": kind,
                             "replay": f"make umounts UMOUNTS={kind} TIMES={times}"})
        print(json.dumps({"counts": tally.counts, "findings": tally.findings() + findings}),
              flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
