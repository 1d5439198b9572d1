# SPDX-License-Identifier: GPL-2.0
"""Recordings by the real perf, of programs that work in a library."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import urllib.request

import lib
from rights import NOBODY
from tap import equal, test

PERF = "perf"


def tool_test(name):
    """A test of the tool and of perf only, which is slow, and nothing new, where the
    kernel looks for faults."""
    return test(name) if not lib.DEBUG else lambda function: function


def build_id(path):
    return lib.readelf_ids([path])[path]


def work(version):
    return lib.built(f"work-{version}.so")


def copy(source, target):
    """Into another file, as an installation does it."""
    new = target + ".new"
    lib.write_bytes(new, lib.read_bytes(source))
    os.rename(new, target)


def perf(*arguments, **options):
    environment = dict(os.environ, PERF_PAGER="cat", PAGER="cat",
                       **options.pop("environment", {}))
    return lib.run(PERF, *arguments, env=environment, **options)


def record(data, *command, event="cpu-clock:u", options=()):
    """With the build-ids that the kernel knows, and no scan at the end. Without samples in
    the kernel by default: its symbols take each command seconds."""
    return perf("record", "--buildid-mmap", "-e", event, "-F", "500", "-o", data,
                *options, "--", *command)


def symbols(data, home, comm="busy"):
    """The functions that perf names in the samples of a program."""
    text = perf("script", "-i", data, "--comms", comm, "-F", "comm,ip,sym",
                environment={"HOME": home}).stdout
    return set(re.findall(r"^\s*\S+\s+[0-9a-f]+\s+(\S+)", text, re.M))


@contextlib.contextmanager
def busy(library, milliseconds, directory, *prefix, **options):
    """A process that worked in @library, and has it mapped until the end."""
    mark = os.path.join(directory, f"mark-{os.urandom(4).hex()}")
    with lib.started(*prefix, lib.built("busy"), library, str(milliseconds), mark,
                     **options) as process:
        lib.until(lambda: os.path.exists(mark) or process.poll() is not None,
                  "busy has worked")
        assert process.poll() is None, "busy has ended"
        yield process


WAITING = """
mark=$1 pid=$2; shift 2
"$@" >/dev/null 2>"$pid.err" & echo $! >"$pid"
until [ -e "$mark" ]; do kill -0 $! || exit; sleep 0.05; done
"""


@contextlib.contextmanager
def recorded(data, library, directory, prefix=(), options=()):
    """Records a process that has @library mapped still, until the end of the block."""
    mark, pid = (os.path.join(directory, f"{name}-{os.urandom(4).hex()}")
                 for name in ("mark", "pid"))
    record(data, "sh", "-c", WAITING, "sh", mark, pid, *prefix, lib.built("busy"),
           library, "300", mark, options=options)
    assert os.path.exists(mark), lib.read_bytes(pid + ".err")
    process = int(lib.read_bytes(pid))
    try:
        yield process
    finally:
        os.kill(process, 9)
        lib.until(lambda: not os.path.exists(f"/proc/{process}"), "busy is gone")


def tree(directory):
    """What is in a ~/.debug: types, links, content, but for what perf probe keeps."""
    found = {}
    for parent, directories, names in os.walk(directory):
        for name in directories + names:
            path = os.path.join(parent, name)
            key = os.path.relpath(path, directory)
            if os.path.islink(path):
                found[key] = "-> " + os.readlink(path)
            elif name == "probes":
                found[key] = "probes"
            elif os.path.isfile(path):
                found[key] = lib.hashlib.sha256(lib.read_bytes(path)).hexdigest()
    return found


def same_tree(directory, other, ignored=()):
    """The same in both ~/.debug, but for what is of a path in which any of @ignored is, and
    for the links for debuggers, which perf does not make."""
    one, two = (
        {(key, value) for key, value in tree(path).items()
         if not any(part in key + value for part in ignored) and not key.endswith(".debug")}
        for path in (directory, other))
    equal(sorted(one ^ two), [], "what only one has")


def entry(home, identity, part="elf"):
    """The file that perf would open for a build-id."""
    return os.path.join(home, ".debug/.build-id", identity[:2], identity[2:], part)


def store(*arguments, home, status=0, **options):
    """The lines of buildid store, by build-id. But for the module itself, which is skipped,
    as the guest loads it from a file of which the kernel does not know the path."""
    done = lib.buildid("store", "-j", *arguments, status=None,
                       env=dict(os.environ, HOME=home, **options.pop("environment", {})))
    lines = lib.json_lines(done.stdout)
    equal(done.returncode, int(any(line["status"] == "fail" for line in lines)), done.stdout)
    # perf's own table of build-ids may lack it.
    equal({line["status"] for line in lines
           if line["path"] == "[buildid]" and line["build_id"]} - {"skip"}, set(),
          "the module itself")
    lines = [line for line in lines if line["path"] != "[buildid]"]
    failed = any(line["status"] == "fail" for line in lines)
    assert status in (None, int(failed)), done.stdout
    return {line["build_id"]: line for line in lines}


ONE, TWO, THREE = (build_id(work(version)) for version in ("one", "two", "three"))


def forged(path):
    """A file with the build-id of one content and the functions of another, as nobody makes
    it to be stored in its place."""
    os.mkdir(path)
    library = os.path.join(path, "libwork.so")
    lib.write_bytes(library, lib.read_bytes(work("two")).replace(bytes.fromhex(TWO),
                                                                 bytes.fromhex(ONE)))
    for name in path, library:
        os.chown(name, NOBODY, NOBODY)
    equal(build_id(library), ONE, "its build-id")
    return library


class Place:
    """A directory with a HOME, a recording and a library of its own. The library is at the
    same path in each."""

    recording = None

    def __init__(self, path):
        self.path = path
        self.home = os.path.join(path, "home")
        self.data = os.path.join(path, "perf.data")
        self.library = "/tmp/buildid-work/libwork.so"
        os.mkdir(self.home)
        os.makedirs(os.path.dirname(self.library), exist_ok=True)
        copy(work("one"), self.library)

    def record(self):
        """Who worked in the library. One recording does for all, as it takes perf seconds to
        begin with one."""
        if not Place.recording:
            record(self.data, lib.built("busy"), self.library, "300")
            Place.recording = lib.read_bytes(self.data)
        lib.write_bytes(self.data, Place.recording)

    def entry(self, identity, part="elf"):
        return entry(self.home, identity, part)

    def has(self, identity):
        return os.path.exists(self.entry(identity))

    def store(self, *arguments, **options):
        return store("-i", self.data, *arguments, home=self.home, **options)


@contextlib.contextmanager
def place():
    with lib.directory() as path:
        yield Place(path)


def same(path, other):
    equal(lib.read_bytes(path) == lib.read_bytes(other), True, f"{path} is {other}")


class Live:
    """buildid store --live in the block, with a HOME of its own."""

    def __init__(self, *options):
        self.options = options

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        self.path = self.stack.enter_context(lib.directory())
        self.library = os.path.join(self.path, "libwork.so")
        copy(work("one"), self.library)
        return self

    def start(self):
        self.output, self.errors = (os.path.join(self.path, name) for name in ("out", "err"))
        with open(self.output, "wb") as out, open(self.errors, "wb") as err:
            self.process = self.stack.enter_context(
                lib.started("buildid", "store", "--live", "-j", *self.options, stdout=out,
                            stderr=err, env=dict(os.environ, HOME=self.path)))
        lib.until(lambda: b"watching" in lib.read_bytes(self.errors) or
                  self.process.poll() is not None, "it watches")

    def __exit__(self, *_):
        self.stack.close()

    def objects(self, kind):
        """Of the lines that are complete."""
        text = lib.read_bytes(self.output).decode()
        return [line for line in lib.json_lines(text[:text.rfind("\n") + 1])
                if line.get("type") == kind]

    def lines(self):
        return self.objects("store")

    def taken(self):
        """Bytes that what it stored takes of the disk, of the last summary."""
        return self.objects("summary")[-1]["bytes"]

    def line(self, identity):
        return next((line for line in self.lines() if line["build_id"] == identity), None)

    def wait_for(self, identity):
        return lib.until(lambda: self.line(identity), f"a line of {identity}")

    def check(self, identity, version):
        path = entry(self.path, identity)
        equal(lib.read_bytes(path) == lib.read_bytes(work(version)), True, f"{path} is {version}")

    def finish(self, *failed):
        """Only @failed is reported as not stored."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(lib.TIMEOUT)
        failures = [line for line in self.lines() if line["status"] == "fail"]
        equal(status, int(bool(failures)), "exit status")
        equal([line["build_id"] for line in failures], list(failed), f"failures: {failures}")
        (summary,) = self.objects("summary")[-1:]
        equal((summary["failed"], summary["lost"]), (len(failures), 0), "failed, lost")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def has_scanned(url, count):
    with contextlib.suppress(OSError):
        text = urllib.request.urlopen(url + "/metrics", timeout=10).read().decode()
        done = [float(line.split()[-1]) for line in text.splitlines()
                if line.startswith('scanned_files_total{source="file"}')]
        return done and done[0] >= count
    return False


@contextlib.contextmanager
def server_of(directory, upstream=None):
    """debuginfod over a directory, for its URL and a cache that is empty; what it does not
    have it asks that of @upstream for, of the same kind."""
    count = sum(not os.path.islink(os.path.join(parent, name))
                for parent, _, names in os.walk(directory) for name in names)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with lib.directory() as path:
        with lib.started("debuginfod", "-p", str(port), "-d", ":memory:", "-F", "-t", "5",
                         "--disable-source-scan", directory,
                         env=dict(os.environ, **(upstream or {})),
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            lib.until(lambda: has_scanned(url, count), "debuginfod has scanned")
            yield {"DEBUGINFOD_URLS": url, "DEBUGINFOD_CACHE_PATH": path + "/cache"}


@contextlib.contextmanager
def server(*files):
    """The same with these files."""
    with lib.directory() as path:
        for number, file in enumerate(files):
            copy(file, f"{path}/{number}")
        with server_of(path) as environment:
            yield environment
