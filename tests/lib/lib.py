# SPDX-License-Identifier: GPL-2.0
"""What the tests have in common: processes, mappings, file systems, the module."""

import contextlib
import ctypes
import errno
import fcntl
import glob
import hashlib
import json
import mmap
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback

import arch
from tap import equal

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILT = os.path.join(TOP, "build", "tests")
MODULE = os.environ.get("BUILDID_MODULE") or \
    os.path.join(TOP, "build", os.uname().release, "buildid.ko")
DEVICE = "/dev/buildid"
KPROBES, FTRACE = "/sys/kernel/debug/kprobes/enabled", "/proc/sys/kernel/ftrace_enabled"
# On that kernel everything takes ten times as long: some tests do less there.
DEBUG = os.environ.get("KERNEL_NAME", "").startswith("debug")
KERNEL = tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])
PAGE = mmap.PAGESIZE

# Long enough for any event on a slow machine: only a broken test takes it.
TIMEOUT = int(os.environ.get("BUILDID_TEST_TIMEOUT", 120))

libc = ctypes.CDLL(None, use_errno=True)


def built(name):
    return os.path.join(BUILT, name)


def newest(pattern):
    """The program of the highest number, as releases of Debian have other ones; or None."""
    found = glob.glob(pattern)
    return max(found, key=lambda path: [int(n) for n in re.findall(r"\d+", path)], default=None)


def contains(text, part):
    assert part in text, f"{part!r} is not in {text!r}"


def fails_with(number, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except OSError as error:
        equal(errno.errorcode[error.errno], errno.errorcode[number], "error")
        return
    raise AssertionError(f"did not fail with {errno.errorcode[number]}")


def until(condition, what):
    """Waits until @condition is true, and returns what it is then."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.005)
    raise TimeoutError(what)


# ------------------------------------------------------------- processes --

def run(*command, status=0, **options):
    """Runs a command and returns it with its output, as text."""
    options.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="surrogateescape", **options)
    assert status is None or done.returncode == status, \
        f"{' '.join(command)}: exit {done.returncode}: {done.stderr}"
    return done


def buildid(*arguments, **options):
    return run("buildid", *arguments, **options)


def json_lines(text):
    return [json.loads(line) for line in text.splitlines()]


def fork_as(pid):
    """os.fork(), and the child gets that number: clone3(2) with set_tid."""
    number = ctypes.c_int32(pid)
    arguments = (ctypes.c_uint64 * 11)()
    arguments[4] = signal.SIGCHLD
    arguments[8] = ctypes.addressof(number)
    arguments[9] = 1
    return check(libc.syscall(435, arguments, ctypes.c_size_t(ctypes.sizeof(arguments))), "clone3")


def run_as(pid, function, *arguments):
    """A process with that pid calls @function and exits."""
    child = forked(function, *arguments, fork=lambda: fork_as(pid))
    equal(child, pid, "pid")
    equal(os.waitpid(child, 0)[1], 0, "its status")


def in_child(function, *arguments):
    """What @function returns, as JSON, when a new process calls it."""
    reader, writer = os.pipe()

    def call():
        os.close(reader)
        with os.fdopen(writer, "w") as pipe:
            json.dump(function(*arguments), pipe)
    child = forked(call)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the child of {function.__name__} failed: {status}"
    return json.loads(text)


def forked(function, *arguments, fork=os.fork):
    """The pid of a process that calls @function and exits with 0 if it returns."""
    pid = fork()
    if not pid:
        status = 1
        try:
            function(*arguments)
            status = 0
        except BaseException:
            sys.stderr.write(traceback.format_exc())
            sys.stderr.flush()
        os._exit(status)
    return pid


@contextlib.contextmanager
def child(function, *arguments):
    """The pid of a process that has called @function, and waits until it is killed."""
    reader, writer = os.pipe()

    def call():
        function(*arguments)
        os.write(writer, b"x")
        signal.pause()
    pid = forked(call)
    os.close(writer)
    try:
        equal(os.read(reader, 1), b"x", "the child is ready")
        yield pid
    finally:
        os.close(reader)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


@contextlib.contextmanager
def waiting_for(function, *arguments):
    """A process that calls @function, which may never return, and a pipe for the result."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            result = function(*arguments)
        except OSError as error:
            result = errno.errorcode[error.errno]
        # a pipe has room for that, and the caller may read nothing until it has ended
        os.write(writer, str(result).encode()[:select.PIPE_BUF])
        os._exit(0)
    os.close(writer)
    try:
        yield child, reader
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def result_of(reader, seconds):
    """Of waiting_for(), as text; None when there is none by then."""
    ready, _, _ = select.select([reader], [], [], seconds)
    return os.read(reader, select.PIPE_BUF).decode(errors="replace") if ready else None


def sleeps_in(pid, call):
    return read_bytes(f"/proc/{pid}/syscall").split()[0] == b"%d" % call


def sleeps_in_ioctl(pid):
    return sleeps_in(pid, arch.SYS_IOCTL)


def start_ticks(pid):
    """When the process started, in clock ticks since boot."""
    return int(read_bytes(f"/proc/{pid}/stat").rpartition(b")")[2].split()[19])


@contextlib.contextmanager
def started(*command, **options):
    """A command that runs until the end of the block, or is killed then."""
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()


def interrupt(process):
    """Ends a watching buildid, which is to take note and exit well."""
    process.send_signal(signal.SIGINT)
    equal(process.wait(TIMEOUT), 0, "exit status")


class Mon:
    """buildid mon -j, watching in the block; then lines holds what it printed."""

    def __init__(self, *options):
        self.options = options
        self.lines = []
        self.marks = 0

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.directory = self.stack.enter_context(directory())
        self.path = os.path.join(self.directory, "lines")
        output = self.stack.enter_context(open(self.path, "wb"))
        self.process = self.stack.enter_context(
            started("buildid", "mon", "-j", *self.options, stdout=output,
                    stderr=subprocess.DEVNULL))
        mark = self.make_mark()
        until(lambda: map_file(mark) or self.has_printed(mark), "mon watches")
        return self

    def make_mark(self):
        self.marks += 1
        path = os.path.join(self.directory, f"mark-{self.marks}")
        write_bytes(path, b"not a program")
        return path

    def is_mark(self, path):
        return path.startswith(self.directory)

    def has_printed(self, mark):
        assert self.process.poll() is None, "mon has ended"
        return f'"{mark}"'.encode() in read_bytes(self.path)

    def catch_up(self):
        """Waits until all that was mapped so far is printed."""
        mark = self.make_mark()
        map_file(mark)
        until(lambda: self.has_printed(mark), "mon prints a mapping")

    def __exit__(self, *_):
        try:
            self.catch_up()
            interrupt(self.process)
            text = read_bytes(self.path).decode(errors="surrogateescape")
            self.lines = [line for line in json_lines(text)
                          if not self.is_mark(line.get("path") or "")]
        finally:
            self.stack.close()


# --------------------------------------------------------------- mappings --

libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                      ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]
libc.umount2.argtypes = [ctypes.c_char_p, ctypes.c_int]

RX = mmap.PROT_READ | mmap.PROT_EXEC


def check(result, what):
    if result == -1 or result == ctypes.c_void_p(-1).value:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), what)
    return result


def map_fd(fd, size, prot=RX, flags=mmap.MAP_PRIVATE, offset=0):
    """Maps, and returns the address. Nothing is read, as nothing is touched."""
    return check(libc.mmap(None, size, prot, flags, fd, offset), "mmap")


def unmap(address, size):
    check(libc.munmap(address, size), "munmap")


def protect(address, size, prot):
    check(libc.mprotect(address, size, prot), "mprotect")


@contextlib.contextmanager
def mapped(path, **options):
    """The address of a file's first page, mapped in the block."""
    fd = os.open(path, os.O_RDONLY)
    address = map_fd(fd, PAGE, **options)
    os.close(fd)
    try:
        yield address
    finally:
        unmap(address, PAGE)


def map_file(path, **options):
    """Maps a whole file, executable unless @prot says otherwise, for a moment."""
    fd = os.open(path, os.O_RDONLY)
    try:
        size = max(os.fstat(fd).st_size, 1)
        unmap(map_fd(fd, size, **options), size)
    finally:
        os.close(fd)


def proc_maps(pid, executable=True):
    """(start, length, offset, path) of each mapping of a file."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
        for line in f:
            fields = line.rstrip("\n").split(None, 5)
            if len(fields) < 6 or not fields[5].startswith("/"):
                continue
            if executable and "x" not in fields[1]:
                continue
            start, end = (int(n, 16) for n in fields[0].split("-"))
            yield start, end - start, int(fields[2], 16), fields[5]


def sleeper():
    """A process that has mapped sleep and libc, and waits."""
    child = subprocess.Popen(["sleep", "1000"])
    until(lambda: is_asleep(child.pid), "sleep sleeps")
    return child


def is_asleep(pid):
    """Of a process that calls exec of sleep: what the loader maps for a moment is gone."""
    return sleeps_in(pid, arch.SYS_CLOCK_NANOSLEEP)


def maps_of(text):
    """The executable mappings of files in a /proc/PID/maps."""
    found = []
    for line in text.splitlines():
        match = re.match(r"(\w+)-(\w+) (r.x[ps]) (\w+) (\w+):(\w+) (\d+) +(/.*)", line)
        if match:
            start, end, prot, offset, major, minor, inode, path = match.groups()
            found.append({
                "addr": int(start, 16), "len": int(end, 16) - int(start, 16),
                "prot": prot, "pgoff": int(offset, 16),
                "dev": (int(major, 16), int(minor, 16)), "ino": int(inode),
                "path": path.removesuffix(" (deleted)"),
            })
    return found


# ------------------------------------------------------------- identities --

HASH_PART = 4096


def htlhash_of(head, tail, size):
    """OpenTelemetry's: of HASH_PART bytes or all of head and tail, and the length."""
    return hashlib.sha256(head + tail + struct.pack(">Q", size)).digest()[:16].hex()


def htlhash(data):
    part = min(len(data), HASH_PART)
    return htlhash_of(data[:part], data[len(data) - part:], len(data))


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def write_bytes(path, data, mode=0o755):
    with open(path, "wb") as file:
        file.write(data)
        os.fchmod(file.fileno(), mode)


def settle_times(path, seconds=0.05):
    """Waits until a change of the file would move its time stamps for sure: on a filesystem that
    is not the kernel's own, and on exFAT, that is after two seconds."""
    changed = os.stat(path).st_ctime
    until(lambda: time.clock_gettime(5) > changed + seconds,    # CLOCK_REALTIME_COARSE
          f"{path} is older than a moment")


def readelf_ids(paths):
    """The build-ids of files that have one, as readelf reads them."""
    found, path = {}, None
    # It names files only when there are several.
    text = run("readelf", "-n", "/bin/sh", *paths, status=None).stdout
    for line in text.splitlines():
        if line.startswith("File: "):
            path = line.removeprefix("File: ")
        match = re.match(r"\s+Build ID: ([0-9a-f]+)$", line)
        if match and path in paths:
            found.setdefault(path, match[1])
    return found


# ------------------------------------------------------------ file systems --

def mount(source, target, fstype, flags=0, options=""):
    check(libc.mount(source.encode(), target.encode(), fstype.encode(), flags,
                     options.encode()), f"mount {target}")


def has_filesystem(kind):
    run("modprobe", "-q", kind, status=None)
    return kind in read_bytes("/proc/filesystems").decode().split()


def umount(target, flags=0):
    check(libc.umount2(target.encode(), flags), f"umount {target}")


@contextlib.contextmanager
def directory():
    path = tempfile.mkdtemp(prefix="buildid-", dir="/tmp")
    try:
        yield path
    finally:
        try:
            shutil.rmtree(path)
        except OSError as error:
            # An overlay, and /tmp is one, may number a directory anew while it is removed.
            if error.errno:
                raise
            shutil.rmtree(path)


@contextlib.contextmanager
def tmpfs():
    with directory() as path:
        mount("tmpfs", path, "tmpfs")
        try:
            yield path
        finally:
            umount(path)


MS_RDONLY = 1

# Megabytes, of which few are written to; and how to make it.
MKFS = {
    "ext4": (32, ["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0"]),
    "xfs": (400, ["mkfs.xfs", "-q"]),
    "btrfs": (200, ["mkfs.btrfs", "-q"]),
    "vfat": (32, ["mkfs.vfat"]),
    "exfat": (32, ["mkfs.exfat"]),
}


LOOP_SET_FD, LOOP_CLR_FD, LOOP_CTL_GET_FREE = 0x4c00, 0x4c01, 0x4c82


def attach(image):
    """The loop device over it, as losetup does, without a process for that."""
    with open("/dev/loop-control", "rb") as control:
        device = f"/dev/loop{fcntl.ioctl(control, LOOP_CTL_GET_FREE)}"
    with open(image, "r+b") as file, open(device, "r+b", buffering=0) as loop:
        fcntl.ioctl(loop, LOOP_SET_FD, file.fileno())
    return device


def detach(device):
    with open(device, "rb", buffering=0) as loop:
        fcntl.ioctl(loop, LOOP_CLR_FD)


@contextlib.contextmanager
def loop_device(kind="ext4"):
    """A block device with a file system of that kind on it."""
    size, command = MKFS[kind]
    with directory() as path:
        image = os.path.join(path, "image")
        with open(image, "wb") as file:
            file.truncate(size << 20)
        run(*command, image)
        device = attach(image)
        try:
            yield device
        finally:
            detach(device)


@contextlib.contextmanager
def on_loop(kind):
    with loop_device(kind) as device, directory() as path:
        mount(device, path, kind)
        try:
            yield path
        finally:
            umount(path)


def ext4():
    return on_loop("ext4")


def xfs():
    return on_loop("xfs")


def btrfs():
    return on_loop("btrfs")


@contextlib.contextmanager
def build_on_9p(cache="none"):
    """What is in build/, read-only, as the machine around this guest serves it."""
    with directory() as path:
        mount("build", path, "9p", MS_RDONLY,
              f"trans=virtio,version=9p2000.L,msize=65536,cache={cache}")
        try:
            yield path
        finally:
            umount(path)


@contextlib.contextmanager
def overlay():
    """An overlay of tmpfs on tmpfs: its mount point, lower, upper."""
    with tmpfs() as layers, directory() as merged:
        lower, upper, work = (os.path.join(layers, name)
                              for name in ("lower", "upper", "work"))
        for path in (lower, upper, work):
            os.mkdir(path)
        mount("overlay", merged, "overlay", 0,
              f"lowerdir={lower},upperdir={upper},workdir={work}")
        try:
            yield merged, lower, upper
        finally:
            umount(merged)


@contextlib.contextmanager
def cgroups():
    """A cgroup with one below it, both without processes."""
    with directory() as top:
        mount("none", top, "cgroup2")
        group = os.path.join(top, "watched")
        os.makedirs(os.path.join(group, "below"))
        try:
            yield group
        finally:
            for path in os.path.join(group, "below"), group:
                for pid in read_bytes(f"{path}/cgroup.procs").split():
                    write_bytes(f"{top}/cgroup.procs", pid)
                os.rmdir(path)
            umount(top)


def drop_caches():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")


def resident(fd):
    """Whether any page of a file is in memory."""
    size = os.fstat(fd).st_size
    pages = (ctypes.c_ubyte * (size // PAGE + 1))()
    address = map_fd(fd, size, mmap.PROT_READ)
    try:
        check(libc.mincore(address, size, pages), "mincore")
    finally:
        unmap(address, size)
    return any(page & 1 for page in pages)


def drop_pages(path):
    """Of one file. Unlike drop_caches() it leaves what the module remembers. What a journal
    or a processor's list holds goes a moment later, what is mapped does not."""
    fd = os.open(path, os.O_RDONLY)
    try:
        for _ in range(20):
            os.fsync(fd)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            if not resident(fd):
                break
            time.sleep(0.05)
    finally:
        os.close(fd)


# ----------------------------------------------------------------- module --


def is_loaded():
    return os.path.exists("/sys/module/buildid")


def load(parameters=""):
    """As insmod does, without a process for that."""
    with open(MODULE, "rb") as file:
        check(libc.syscall(arch.SYS_FINIT_MODULE, file.fileno(), parameters.encode(), 0),
              "finit_module")


def unload_once():
    """As rmmod does, likewise."""
    check(libc.syscall(arch.SYS_DELETE_MODULE, b"buildid", os.O_NONBLOCK), "delete_module")


def unload():
    """As soon as that can be: a task that has mapped a file holds the module until it is back in
    user space."""
    def unloads():
        try:
            unload_once()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EBUSY):
                raise
            return False
        return True
    until(unloads, "the module is unloaded")


def reload():
    unload()
    load()


def hook_is_kprobe():
    """Where ftrace does not hand over arguments, or in a module built with BID_FALLBACKS=y."""
    return b"perf_event_mmap" in read_bytes("/sys/kernel/debug/kprobes/list")


@contextlib.contextmanager
def unloaded():
    """Without the module in the block, with it afterwards."""
    unload()
    try:
        yield
    finally:
        if is_loaded():
            unload()
        load()


@contextlib.contextmanager
def written(path, text):
    """A file in /proc or /sys that has another text in the block."""
    before = read_bytes(path)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    try:
        yield
    finally:
        with open(path, "wb") as file:
            file.write(before)


@contextlib.contextmanager
def turned_off(switch):
    """KPROBES or FTRACE, in the block. Yields whether the module's hook stops, or cannot begin:
    with ftrace it needs no kprobes, and nobody can turn that off; kprobes of arm64 are breakpoints,
    which need no ftrace; and Linux 7.3 keeps it on."""
    stops = (switch == KPROBES or arch.KPROBES_USE_FTRACE) and \
        (not is_loaded() or hook_is_kprobe())
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(written(switch, "0"))
        except OSError as error:
            if switch != FTRACE or error.errno not in (errno.EOPNOTSUPP, errno.EBUSY):
                raise
            equal(read_bytes(switch), b"1\n", switch)
            stops = False
        if not stops:
            print(f"# 0 in {switch} does not stop probes here")
        yield stops


class KernelLog:
    """The kernel's messages from now on."""

    def __init__(self):
        self.fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self.fd, 0, os.SEEK_END)

    def text(self):
        """Once, all of them."""
        lines = []
        while True:
            try:
                lines.append(os.read(self.fd, 8192).decode(errors="replace"))
            except BlockingIOError:
                os.close(self.fd)
                return "".join(lines)
            except BrokenPipeError:     # overwritten meanwhile
                continue
