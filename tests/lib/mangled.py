# SPDX-License-Identifier: GPL-2.0
"""Filesystem images with programs on them, changed at random, mounted. What the module says
of a file is to be what read(2) gives of it: the same identity, or that it cannot be read."""

import collections
import contextlib
import errno
import os
import random
import resource
import signal
import stat

import content
import kernel_log
import lib
import stream
from device import SUB_CHILDREN, SUB_PATH
from image import with_id
from lib import PAGE, built

MS_NOSUID, MS_NODEV, MNT_DETACH = 2, 4, 2
SECTOR = 512
NOBODY = 65534
# Of a file without an end.
READ_MAX = 1 << 20
# Above which the module may say that a file takes too many pages.
PAGES_MAX = 2304
FILES_PER_ROUND = 5
PROGRAMS = ("id8", "id16", "id83", "go", "none", "section", "other", "v1.so", "v2.so")

EXT4 = ["mkfs.ext4", "-q", "-F", "-b", "1024", "-N", "64", "-E", "lazy_itable_init=0,hash_seed="
        "00000000-0000-4000-8000-000000000001", "-U", "00000000-0000-4000-8000-000000000002"]
SQUASHFS = ["-noappend", "-no-progress", "-all-time", "0", "-mkfs-time", "0", "-processors", "1"]
# How to make it, in each way in which it looks different.
KINDS = {
    "ext4": (["-O", "^metadata_csum,^has_journal"], ["-O", "^metadata_csum,^64bit"],
             ["-O", "^metadata_csum,^64bit,^extent,^has_journal"],
             ["-O", "^metadata_csum,inline_data"], ["-O", "metadata_csum"]),
    "squashfs": ([], ["-noI", "-noId", "-noD", "-noF", "-noX"], ["-noI", "-noId", "-b", str(PAGE)]),
    "vfat": (["-F", "12"], ["-F", "16", "-s", "1"], ["-F", "32", "-s", "1"]),
}
MEGABYTES = {"ext4": 4, "vfat": 5}
# Else ext4 could choose to panic.
OPTIONS = {"ext4": "errors=continue", "squashfs": "", "vfat": "errors=continue"}

COUNTS = ("images", "changes", "mounted", "not mounted", "files", "files not opened",
          "not regular", "not mapped", "answers", "programs run", "gnu", "go", "htlhash",
          "io-error", "io-error at first only", "limit", "faults of the kernel alone")


# ----------------------------------------------------------------- changes --

def numbers(rng, width):
    """What a count or size may be changed to."""
    bits = 8 * width
    return rng.choice([0, 1, 1 << rng.randrange(bits), (1 << bits) - 1, (1 << (bits - 1)) - 1,
                       (1 << rng.randrange(1, bits + 1)) - 1, rng.randrange(1 << bits)])


def flip_bits(image, at, rng):
    for _ in range(rng.choice([1, 1, 3, 30])):
        image[min(at + rng.randrange(SECTOR), len(image) - 1)] ^= 1 << rng.randrange(8)


def change_bytes(image, at, rng):
    for _ in range(rng.choice([1, 2, 16, 200])):
        image[min(at + rng.randrange(SECTOR), len(image) - 1)] = rng.randrange(256)


def change_number(image, at, rng):
    width = rng.choice([2, 4, 8])
    at += width * rng.randrange(SECTOR // width)
    image[at:at + width] = numbers(rng, width).to_bytes(width, "little")[:len(image) - at]


def fill(image, at, rng):
    size = min(rng.choice([16, 128, SECTOR, 4096]), len(image) - at)
    image[at:at + size] = bytes([rng.choice([0, 0, 0xff])]) * size


def copy(image, at, rng):
    """So that blocks overlap, or are those of somebody else."""
    width = rng.choice([4, 8, 64, SECTOR])
    source = rng.randrange(0, len(image) - width, width)
    at = min(at + width * rng.randrange(SECTOR // width), len(image) - width)
    image[at:at + width] = image[source:source + width]


def copy_near(image, at, rng):
    width = rng.choice([4, 8, 12, 32, 64])
    source, to = (at + width * rng.randrange(SECTOR // width) for _ in range(2))
    if max(source, to) + width <= len(image):
        image[to:to + width] = image[source:source + width]


CHANGES = (flip_bits, flip_bits, change_bytes, change_number, change_number, fill, copy, copy_near)


# Of squashfs a few sectors hold what a mount reads.
WEIGHTS = {"ext4": (1, 20, 6, 2), "squashfs": (1, 5, 20, 2), "vfat": (1, 20, 6, 2)}


def change(kind, image, base, rng):
    """Returns how many changes were made."""
    many = rng.choice([1, 2, 4, 8, 16, 32])
    for _ in range(many):
        sectors = rng.choices((base.head, base.metadata, base.data, range(len(image) // SECTOR)),
                              WEIGHTS[kind])[0]
        rng.choice(CHANGES)(image, SECTOR * rng.choice(sectors), rng)
    if rng.random() < 0.05:
        del image[rng.randrange(len(image) // 2, len(image)):]
        many += 1
    return many


# ------------------------------------------------------------------ images --

# An image, and its sectors: without which nothing is mounted, of what its files hold, and
# others that hold something.
Base = collections.namedtuple("Base", "image head data metadata")
HEAD = {"ext4": 8, "squashfs": 1, "vfat": 4}


def write_tree(top):
    """What is on each image: programs and libraries, holes in them, and some in directories."""
    noise = random.Random(0)
    os.makedirs(os.path.join(top, "lib/further/down"))
    for name in PROGRAMS:
        place = "lib/further/down" if name == "v2.so" else "lib" if name == "v1.so" else ""
        lib.write_bytes(os.path.join(top, place, name),
                        lib.read_bytes(built(name)) + noise.randbytes(noise.randrange(9000)))
    lib.write_bytes(os.path.join(top, "script"), b"#!/bin/true\n")
    lib.write_bytes(os.path.join(top, "noise"), noise.randbytes(20000))
    # in more extents than an inode has room for
    lib.write_bytes(os.path.join(top, "scattered"),
                    with_id(noise.randbytes(20)) + (noise.randbytes(1024) + bytes(1024)) * 20)
    for place, directories, names in os.walk(top):
        for name in directories + names:
            os.utime(os.path.join(place, name), (1700000000, 1700000000))


def walk(top):
    return [os.path.relpath(os.path.join(place, name), top)
            for place, _, names in os.walk(top) for name in names]


def make_image(kind, variant, tree, path):
    if kind == "squashfs":
        lib.run("mksquashfs", tree, path, *SQUASHFS, *KINDS[kind][variant])
        return
    with open(path, "wb") as file:
        file.truncate(MEGABYTES[kind] << 20)
    if kind == "ext4":
        lib.run(*EXT4, *KINDS[kind][variant], "-d", tree, path)
        return
    lib.run("mkfs.vfat", "-i", "1", *KINDS[kind][variant], path)
    with mounted(path, kind) as directory:
        lib.run("cp", "-r", "--preserve=timestamps", tree + "/.", directory)


def make_base(kind, variant, tree):
    with lib.directory() as place:
        path = os.path.join(place, "image")
        make_image(kind, variant, tree, path)
        image = lib.read_bytes(path)
    known = set()
    for name in walk(tree):
        data = lib.read_bytes(os.path.join(tree, name))
        known.update(data[at:at + SECTOR] for at in range(0, len(data), SECTOR))
    # of squashfs data come first, and may be compressed
    inodes = int.from_bytes(image[64:72], "little") // SECTOR if kind == "squashfs" else 0
    base = Base(image, [], [], [])
    for sector in range(len(image) // SECTOR):
        text = image[sector * SECTOR:(sector + 1) * SECTOR]
        if sector < HEAD[kind]:
            base.head.append(sector)
        elif any(text):
            (base.data if sector < inodes or text in known else base.metadata).append(sector)
    return base


@contextlib.contextmanager
def mounted(path, kind, flags=0):
    device = lib.attach(path)
    try:
        with lib.directory() as directory:
            lib.mount(device, directory, kind, flags | MS_NODEV | MS_NOSUID, OPTIONS[kind])
            try:
                yield directory
            finally:
                if os.path.ismount(directory):
                    lib.umount(directory, MNT_DETACH)
    finally:
        lib.detach(device)


# ---------------------------------------------------------------- programs --

def run_program(path):
    """Runs what may be anything, as nobody, for a moment; returns its pid."""
    pid = os.fork()
    if not pid:
        try:
            for limit, value in ((resource.RLIMIT_CPU, 1), (resource.RLIMIT_CORE, 0),
                                 (resource.RLIMIT_NPROC, 0), (resource.RLIMIT_AS, 1 << 28)):
                resource.setrlimit(limit, (value, value))
            null = os.open(os.devnull, os.O_RDWR)
            for fd in range(3):
                os.dup2(null, fd)
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            signal.alarm(5)
            os.execv(path, [path])
        finally:
            os._exit(1)
    os.waitpid(pid, 0)
    return pid


# ------------------------------------------------------------------ rounds --

class Images:
    """Rounds on images, and what came of them. A seed and the number of a round repeat it."""

    def __init__(self, seed, kinds=tuple(KINDS)):
        self.seed = seed
        self.kinds = [kind for kind in kinds if lib.has_filesystem(kind)]
        self.counts = dict.fromkeys(COUNTS, 0)
        self.findings = []
        self.faults = kernel_log.Faults()
        self.bases = {}
        self.tree = None
        lib.run("modprobe", "-a", "loop", status=None)

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.tree = self.stack.enter_context(lib.directory())
        write_tree(self.tree)
        return self

    def __exit__(self, *_):
        self.stack.close()

    def base(self, kind, rng):
        variant = rng.randrange(len(KINDS[kind]))
        if (kind, variant) not in self.bases:
            self.bases[kind, variant] = make_base(kind, variant, self.tree)
        return self.bases[kind, variant]

    def find(self, what):
        self.findings.append((self.number, f"{self.kind}: {what}"))

    def round(self, number, changed=True):
        """Looks at one image; each kind in turn."""
        self.number, self.kind = number, self.kinds[number % len(self.kinds)]
        rng = self.rng = random.Random(f"{self.seed} {number}")
        base = self.base(self.kind, rng)
        image = bytearray(base.image)
        self.counts["images"] += 1
        if changed:
            self.counts["changes"] += change(self.kind, image, base, rng)
        with lib.directory() as place:
            path = os.path.join(place, "image")
            lib.write_bytes(path, image)
            self.mount(path)
        self.look_at_log()

    def mount(self, path):
        flags = self.rng.choice([0, lib.MS_RDONLY])
        with contextlib.ExitStack() as stack:
            try:
                directory = stack.enter_context(mounted(path, self.kind, flags))
            except OSError:
                self.counts["not mounted"] += 1
                return
            self.counts["mounted"] += 1
            watch = stack.enter_context(stream.Watch(flags=SUB_PATH | SUB_CHILDREN))
            names = self.names(directory)
            for name in names:
                self.look_at(os.path.join(directory, name), watch)
            try:
                lib.umount(directory)
            except OSError as error:
                self.find(f"umount fails: {errno.errorcode[error.errno]}")
            watch.settle()

    def names(self, directory):
        """Of some files: those that ought to be there, and those that the image says are."""
        names = sorted(walk(self.tree))
        with contextlib.suppress(OSError):
            names += sorted(set(os.listdir(directory)[:20]) - set(names))
        return self.rng.sample(names, min(FILES_PER_ROUND, len(names)))

    def look_at(self, path, watch):
        self.counts["files"] += 1
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            self.counts["files not opened"] += 1
            return
        try:
            status = os.fstat(fd)
            if stat.S_ISREG(status.st_mode):
                self.compare(path, fd, status, watch)
            else:
                self.counts["not regular"] += 1
        finally:
            os.close(fd)

    # each of these returns what the module says, if it is asked at all

    def map(self, path, fd, watch):
        del path
        try:
            mapping, file = watch.see(lambda: lib.unmap(lib.map_fd(fd, PAGE), PAGE))
        except OSError:
            self.counts["not mapped"] += 1
            return []
        return [file or mapping]

    def read(self, path, fd, watch):
        del path, watch
        with contextlib.suppress(OSError):
            for at in range(0, READ_MAX, PAGE):
                if not os.pread(fd, PAGE, at):
                    break
        return []

    def ask(self, path, fd, watch):
        del path, watch
        return [stream.resolve_fd(fd)]

    def run(self, path, fd, watch):
        status = os.fstat(fd)
        if not status.st_mode & 0o111:
            return []
        watch.drain()
        pid = run_program(path)
        self.counts["programs run"] += 1
        files = {watch.files.get(mapping.file_id) or mapping
                 for mapping in watch.settle() if mapping.pid == pid}
        return [file for file in files
                if getattr(file, "user_ino", None) in (status.st_ino, None)]

    def compare(self, path, fd, status, watch):
        actions = self.rng.sample([self.map, self.read, self.ask, self.run], 4)
        answers = [(action.__name__, answer) for action in actions
                   for answer in action(path, fd, watch)]
        truth = content.identify(fd, status.st_size)
        for how, answer in answers:
            self.counts["answers"] += 1
            if not hasattr(answer, "kind"):
                self.find(f"{path}: {how}: {answer}")
            elif not self.fits(answer, truth, status) and \
                    not self.comes_right(how, answer, truth, path, fd, watch):
                self.find(f"{path}: {how}: the module says {answer}, read(2) gives {truth}")

    def fits(self, answer, truth, status):
        said = content.answer_of(answer)
        if said.reason == "limit" and status.st_size > PAGES_MAX * PAGE:
            self.counts["limit"] += 1
            return True
        if said != truth or answer.file_size != status.st_size:
            return False
        self.counts[truth.reason if truth == content.IO_ERROR else truth.kind] += 1
        return True

    def comes_right(self, how, answer, truth, path, fd, watch):
        """ext4 may fail a read once, and then give the file."""
        if how == "run" or content.answer_of(answer) != content.IO_ERROR:
            return False
        self.counts["io-error at first only"] += 1
        return all(content.answer_of(again) == truth for again in self.map(path, fd, watch))

    def look_at_log(self):
        """What is wrong in the kernel's own code is not for this to find."""
        found, frames = self.faults.faults_and_frames()
        if frames:
            self.find(f"the kernel reports: {(found + frames)[0]}")
        elif found:
            self.counts["faults of the kernel alone"] += 1
            print(f"# round {self.number}, {self.kind}: the kernel alone: {found[0]}", flush=True)
