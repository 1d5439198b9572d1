# SPDX-License-Identifier: GPL-2.0
"""FUSE servers that lie about sizes, times, numbers, generations and content, or do not answer.
What the module says of a file is to be what its server has given of that file, and nobody else
waits.

A server is a process that speaks to the kernel itself, so that it may say anything."""

import contextlib
import dataclasses
import errno
import fcntl
import mmap
import os
import random
import signal
import stat
import struct
import time

import arch
import content
import kernel_log
import lib
import stream
from image import with_id
from lib import PAGE

MNT_DETACH = 2
ROOT = 1
LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH, INIT = 1, 2, 3, 14, 15, 17, 18, 25, 26
INTERRUPT, BATCH_FORGET = 36, 42
NO_REPLY = (FORGET, BATCH_FORGET, INTERRUPT)
ASYNC_READ, AUTO_INVAL_DATA, INIT_EXT, PASSTHROUGH = 1 << 0, 1 << 12, 1 << 30, 1 << 37
DIRECT_IO, KEEP_CACHE, PASSED_THROUGH = 1, 2, 1 << 7
BACKING_OPEN = 0x4010e501
REQUEST_MAX = 1 << 18
LONG_AGO = 1700000000


@dataclasses.dataclass
class File:
    """What a server has, and how it lies about it."""
    node: int
    # of which a read gives the first, unless read says otherwise
    contents: tuple = dataclasses.field(repr=False)
    ino: int = 0            # node, where it is 0
    generation: str = "none"    # changing wild
    size: str = "true"      # larger smaller none huge changing
    times: str = "fixed"    # forward back future now wild
    read: str = "true"      # short nothing long other by-generation failing silent
    errors: tuple = ()      # of the first reads
    mode: str = "file"      # directory changing
    open: int = 0
    open_again: int = 0     # from the second time on; 0: as before
    valid: int = 3600       # seconds that the kernel may keep what it was told
    below: str = ""         # the file that is read and mapped in its place
    told: int = 0           # how often attributes were
    lookups: int = 0
    reads: int = 0
    opens: int = 0

    def is_honest(self):
        """Whether all that it gives is of one content, at any time."""
        return self.size == "true" and self.read in ("true", "failing") and self.mode == "file"

    def told_generation(self):
        """It is another one for each lookup. Of what is wild the kernel takes 32 bits."""
        self.lookups += 1
        return {"none": 0, "changing": self.lookups,
                "wild": (1 << 32, (1 << 64) - 1, 1 << 31)[self.lookups % 3]}[self.generation]

    def told_size(self):
        size = len(self.contents[0])
        return {"true": size, "larger": size + 3 * PAGE + 5, "smaller": size // 2 + 1, "none": 0,
                "huge": 1 << 62, "changing": size - self.told % 2 * 100}[self.size]

    def told_time(self):
        """Seconds and nanoseconds."""
        return {"fixed": (LONG_AGO, 0), "forward": (LONG_AGO + self.told, 0),
                "back": (LONG_AGO - self.told, 0), "now": (int(time.time()), 0),
                "future": (1 << 33, 5),
                "wild": (0x8000000000000000 | self.told * 0x123456789, 0xffffffff)}[self.times]

    def told_mode(self):
        is_directory = {"file": False, "directory": True,
                        "changing": self.told % 2 == 1}[self.mode]
        return stat.S_IFDIR | 0o755 if is_directory else stat.S_IFREG | 0o755

    def attributes(self):
        """struct fuse_attr"""
        self.told += 1
        seconds, nanoseconds = self.told_time()
        return struct.pack("=6Q10I", self.ino or self.node, self.told_size(), 8, seconds, seconds,
                           seconds, nanoseconds, nanoseconds, nanoseconds, self.told_mode(), 1,
                           0, 0, 0, PAGE, 0)

    def how_opened(self):
        self.opens += 1
        return self.open_again if self.opens > 1 and self.open_again else self.open

    def backing_id(self, device):
        with open(self.below, "rb") as file:
            backing = bytearray(struct.pack("=iIQ", file.fileno(), 0, 0))
            return fcntl.ioctl(device, BACKING_OPEN, backing)

    def given(self, offset, size):
        """Of a read: bytes, a positive errno, or None for no answer."""
        self.reads += 1
        if self.read == "silent":
            return None
        if self.reads <= len(self.errors):
            return self.errors[self.reads - 1]
        of = self.contents[{"other": self.reads, "by-generation": self.lookups}.get(self.read, 0) %
                           len(self.contents)]
        data = of[offset:offset + size]
        return {"short": data[:len(data) // 2], "nothing": b"",
                "long": data + bytes(size + 1 - len(data))}.get(self.read, data)


class Server:
    """A filesystem with files by name, in the block: a directory, and the server's pid."""

    def __init__(self, files, flags=ASYNC_READ, readahead=1 << 17):
        self.files = files
        self.nodes = {file.node: file for file in files.values()}
        self.flags, self.readahead = flags, readahead

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.directory = self.stack.enter_context(lib.directory())
        self.device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        lib.mount("liar", self.directory, "fuse", 0, f"fd={self.device},rootmode=40000,user_id=0,"
                  "group_id=0,allow_other")
        self.stack.callback(lib.umount, self.directory, MNT_DETACH)
        self.pid = lib.forked(self.serve)
        self.stack.callback(self.end)
        os.close(self.device)
        return self

    def __exit__(self, *_):
        self.stack.close()

    def path(self, name):
        return os.path.join(self.directory, name)

    def end(self):
        """Reads that wait for it fail from now on."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.pid = None

    # ------------------------------------------------- in the server's process --

    def serve(self):
        while True:
            try:
                request = os.read(self.device, REQUEST_MAX)
            except OSError as error:
                if error.errno == errno.ENODEV:
                    return          # unmounted
                if error.errno not in (errno.EINTR, errno.ENOENT, errno.EAGAIN):
                    raise
                continue
            _, opcode, unique, node = struct.unpack_from("=IIQQ", request)
            self.answer(opcode, unique, node, request[40:])

    def reply(self, unique, data=b"", error=0):
        try:
            os.writev(self.device, [struct.pack("=IiQ", 16 + len(data), -error, unique), data])
        except OSError as refused:
            # the kernel refuses what no server may say, and still waits
            if refused.errno == errno.EINVAL and error != errno.EIO:
                self.reply(unique, error=errno.EIO)
            elif refused.errno not in (errno.EINVAL, errno.ENOENT):
                raise

    def attributes(self, node):
        if node in self.nodes:
            return self.nodes[node].attributes()
        return struct.pack("=6Q10I", ROOT, *[0] * 8, stat.S_IFDIR | 0o755, 2, *[0] * 5)

    def look_up(self, unique, name):
        file = self.files.get(os.fsdecode(name.rstrip(b"\0")))
        if not file:
            self.reply(unique, error=errno.ENOENT)
            return
        self.reply(unique, struct.pack("=4Q2I", file.node, file.told_generation(), file.valid,
                                       file.valid, 0, 0) + file.attributes())

    def give(self, unique, node, body):
        offset, size = struct.unpack_from("=8xQI", body)
        given = self.nodes[node].given(offset, size)
        if isinstance(given, int):
            self.reply(unique, error=given)
        elif given is not None:
            self.reply(unique, given)

    def answer(self, opcode, unique, node, body):
        file = self.nodes.get(node)
        if opcode == INIT:
            self.reply(unique, struct.pack("=4IHHIIHHII24x", 7, 31, self.readahead,
                                           self.flags & 0xffffffff, 0, 0, 4096, 1, 0, 0,
                                           self.flags >> 32, 1))
        elif opcode == LOOKUP:
            self.look_up(unique, body)
        elif opcode == GETATTR:
            self.reply(unique, struct.pack("=QII", file.valid if file else 3600, 0, 0) +
                       self.attributes(node))
        elif opcode == OPEN:
            backing = file.backing_id(self.device) if file.below else 0
            self.reply(unique, struct.pack("=QII", 0, file.how_opened(), backing))
        elif opcode == READ:
            self.give(unique, node, body)
        elif opcode == STATFS:
            self.reply(unique, bytes(80))
        elif opcode in (FLUSH, RELEASE):
            self.reply(unique)
        elif opcode not in NO_REPLY:
            self.reply(unique, error=errno.ENOSYS)


def close(fd):
    """It is closed, although the kernel says EIO of one whose generation is another by now."""
    with contextlib.suppress(OSError):
        os.close(fd)


# ------------------------------------------------------------------ locked --

def read_one(path):
    with open(path, "rb", buffering=0) as file:
        return file.read(PAGE)


def map_page(fd):
    return lib.map_fd(fd, PAGE)


def map_one(path):
    with open(path, "rb", buffering=0) as file:
        return map_page(file.fileno())


@contextlib.contextmanager
def locked():
    """The pid of a process that keeps its address space locked: mmap(2) of a file that is to
    be read directly drops what is in memory, and that is being read by another one."""
    file = File(2, (with_id(bytes(20)),), read="silent", open=KEEP_CACHE,
                open_again=KEEP_CACHE | DIRECT_IO)
    with Server({"file": file}) as server, contextlib.ExitStack() as stack:
        # they end when it has ended
        reader, _ = stack.enter_context(lib.waiting_for(read_one, server.path("file")))
        stack.callback(server.end)
        lib.until(lambda: lib.sleeps_in(reader, arch.SYS_READ), "it is being read")
        mapper, _ = stack.enter_context(lib.waiting_for(map_one, server.path("file")))
        stack.callback(server.end)
        lib.until(lambda: lib.sleeps_in(mapper, arch.SYS_MMAP), "its mapping waits")
        yield mapper


# ----------------------------------------------------------- unread memory --

def write_from(memory, path):
    with open(path, "r+b", buffering=0) as file:
        file.write(memory)


def read_to(memory, path, flags=0):
    os.readv(os.open(path, os.O_RDONLY | flags), [memory])


def read_directly_to(memory, path):
    read_to(memory, path, os.O_DIRECT)


@contextlib.contextmanager
def waiting(function, number, path):
    """A process in the middle of @function, one of these, and its system call @number, with memory
    that a server does not give."""
    def call(server):
        with open(server.path("file"), "rb") as file:
            memory = mmap.mmap(file.fileno(), PAGE, flags=mmap.MAP_PRIVATE,
                               prot=mmap.PROT_READ | mmap.PROT_WRITE)
        function(memory, path)

    with Server({"file": File(2, (bytes(PAGE),), read="silent")}) as server, \
            contextlib.ExitStack() as stack:
        caller, _ = stack.enter_context(lib.waiting_for(call, server))
        # it ends when that has ended
        stack.callback(server.end)
        lib.until(lambda: lib.sleeps_in(caller, number), "it waits")
        yield


def waiting_writer(path):
    return waiting(write_from, arch.SYS_WRITE, path)


def waiting_reader(path):
    return waiting(read_to, arch.SYS_READV, path)


def waiting_direct_reader(path):
    return waiting(read_directly_to, arch.SYS_READV, path)


# ------------------------------------------------------------------ rounds --

FILES_PER_ROUND = 3
# What no number of a server's may be taken for.
ERRORS = sorted(errno.errorcode) + [511, 512, 513, 514, 516, 530]
ALWAYS = 1000

COUNTS = ("servers", "files", "files not opened", "not mapped", "answers", "honest answers",
          "interrupted", "gnu", "htlhash", "io-error", "changing", "other reasons", "killed",
          "faults of the kernel alone")


def random_content(rng, size):
    if rng.random() < 0.3:
        return rng.randbytes(size)
    return with_id(rng.randbytes(20), size)


def random_file(rng, node, size):
    """Honest but for one or two things."""
    file = File(node, tuple(random_content(rng, size) for _ in range(2)))
    file.open = rng.choice([0, 0, KEEP_CACHE, DIRECT_IO])
    file.valid = rng.choice([0, 3600])
    if rng.random() < 0.4:
        file.errors = tuple([rng.choice(ERRORS)] * rng.choice([1, 3, ALWAYS]))
        file.read = "failing"
    for lie in rng.sample(("size", "times", "read", "mode", "generation", None, None,
                            None), 2):
        if lie == "size":
            file.size = rng.choice(["larger", "smaller", "none", "huge", "changing"])
        elif lie == "times":
            file.times = rng.choice(["forward", "back", "future", "now", "wild"])
        elif lie == "read":
            file.read = rng.choice(["short", "nothing", "long", "other", "silent"])
        elif lie == "mode":
            file.mode = rng.choice(["directory", "changing"])
        elif lie == "generation":
            file.generation = rng.choice(["changing", "wild"])
            file.valid = 0
    return file


def contents_of(file):
    """What may be said of each content that a file was given."""
    for data in file.contents:
        with lib.tempfile.TemporaryFile() as copy:
            copy.write(data)
            copy.flush()
            yield content.identify(copy.fileno(), len(data))


class Servers:
    """Rounds, each with a server, and what came of them. A seed and the number of a round
    repeat it."""

    def __init__(self, seed):
        self.seed = seed
        self.counts = dict.fromkeys(COUNTS, 0)
        self.findings = []
        self.faults = kernel_log.Faults()
        lib.run("modprobe", "fuse", status=None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def find(self, what):
        self.findings.append((self.number, what))

    def round(self, number):
        rng = self.rng = random.Random(f"{self.seed} {number}")
        self.number = number
        size = rng.choice([PAGE, 3 * PAGE + 7, 300])
        files = {str(node): random_file(rng, node, size)
                 for node in range(2, 2 + FILES_PER_ROUND)}
        if rng.random() < 0.5:
            for file in files.values():
                file.ino = 42
        self.counts["servers"] += 1
        before = stream.stats()
        self.errors = 0
        with Server(files, ASYNC_READ | rng.choice([0, AUTO_INVAL_DATA]),
                    rng.choice([0, 1 << 17])) as server, stream.Watch() as watch:
            for name, file in files.items():
                self.look_at(server, name, file, watch)
        after = stream.stats()
        if after["visits"]:
            self.find(f"{after['visits']} visits are left")
        # a file that has changed meanwhile is said to, whatever became of the read
        if after["io_errors"] - before["io_errors"] < self.errors:
            self.find(f"io_errors has grown by {after['io_errors'] - before['io_errors']}, "
                      f"not {self.errors}")
        self.look_at_log()

    def open(self, server, name, stack):
        """None where that is no regular file."""
        self.counts["files"] += 1
        try:
            fd = os.open(server.path(name), os.O_RDONLY)
        except OSError:
            self.counts["files not opened"] += 1
            return None
        stack.callback(close, fd)
        return fd if stat.S_ISREG(os.fstat(fd).st_mode) else None

    def look_at(self, server, name, file, watch):
        fds = []
        with contextlib.ExitStack() as stack:
            try:
                # nothing is read of the first one any more once its generation was another
                for _ in range(1 if file.generation == "none" else 2):
                    fd = self.open(server, name, stack)
                    if fd is None:
                        return
                    if file.read == "silent":
                        self.kill_who_waits(fd, file)
                    fds.insert(0, fd)
                    for each in fds:
                        self.compare(each, file, watch)
            except OSError as error:
                # the server says that it is a directory by now
                if file.mode == "file":
                    self.find(f"{file}: {error}")

    def compare(self, fd, file, watch):
        truths = list(contents_of(file))
        for _ in range(3):
            for action in self.rng.sample([self.map, self.read, self.ask], 3):
                for how, answer in action(fd, file, watch):
                    self.judge(how, answer, file, truths)

    def map(self, fd, file, watch):
        if file.read == "silent":
            return []
        try:
            mapping, of = watch.see(lambda: lib.unmap(map_page(fd), PAGE))
        except OSError:
            self.counts["not mapped"] += 1
            return []
        return [("map", of or mapping)]

    def read(self, fd, file, watch):
        del watch
        if file.read != "silent":
            with contextlib.suppress(OSError):
                os.pread(fd, 16 * PAGE, 0)
        return []

    def ask(self, fd, file, watch):
        del watch
        if file.read == "silent":
            return []
        return [("ask", stream.resolve_fd(fd))]

    def kill_who_waits(self, fd, file):
        if file.told_size() == 0:
            return
        for function, call in (stream.resolve_fd, arch.SYS_IOCTL), (map_page, arch.SYS_MMAP):
            pid = lib.forked(function, fd)
            try:
                lib.until(lambda: lib.sleeps_in(pid, call), "it waits")
                os.kill(pid, signal.SIGKILL)
                lib.until(lambda: os.waitpid(pid, os.WNOHANG)[0], "who is killed ends")
                self.counts["killed"] += 1
            except TimeoutError as error:
                self.find(f"{file}: {function.__name__}: {error}")

    def judge(self, how, answer, file, truths):
        self.counts["answers"] += 1
        if not hasattr(answer, "kind"):
            self.find(f"{file}: {how}: {answer}")
            return
        said = content.answer_of(answer)
        self.counts[said.kind if said.kind != "none" else said.reason
                    if said.reason in self.counts else "other reasons"] += 1
        self.errors += said == content.IO_ERROR
        if not self.fits(how, said, file, truths):
            self.find(f"{file}: {how}: {said}, not {truths[0]}")

    def fits(self, how, said, file, truths):
        if not file.is_honest():
            return said.kind != "gnu" or said in truths
        self.counts["honest answers"] += 1
        if said == truths[0]:
            return True
        if said == content.IO_ERROR:
            return bool(file.errors or file.generation != "none")
        return said.reason == "changing" and (file.times != "fixed" or file.valid == 0)

    def look_at_log(self):
        found, frames = self.faults.faults_and_frames()
        if frames:
            self.find(f"the kernel reports: {(found + frames)[0]}")
        elif found:
            self.counts["faults of the kernel alone"] += 1
            print(f"# round {self.number}: the kernel alone: {found[0]}", flush=True)
