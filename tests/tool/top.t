#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""buildid top: the tables it prints, and its screen, in tmux."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys

import lib
from tap import Skip, equal, run, test

V1, V2 = "11" * 20, "22" * 20
# Maps what it is given; forks for each line it reads, and ends its children for an empty one.
HOLDER = """
import ctypes, os, signal, sys
library = ctypes.CDLL(sys.argv[1])
print(flush=True)
children = []
for line in sys.stdin:
    if line.strip():
        children.append(os.fork())
        if not children[-1]:
            signal.pause()
    else:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    print(flush=True)
"""


def replace(path, content):
    shutil.copy(lib.built(content), path + ".new")
    os.rename(path + ".new", path)


class Holder:
    def __init__(self, path):
        self.process = subprocess.Popen([sys.executable, "-c", HOLDER, path], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


class Top:
    """Its tables, as they come."""

    def __init__(self, work, *options):
        self.path = os.path.join(work, "tables")
        with open(self.path, "wb") as out:
            self.process = subprocess.Popen(["buildid", "top", "-j", "--interval=1", *options],
                                            stdout=out)

    def tables(self):
        """[({(path, id): row}, totals)] of all that is whole."""
        found, rows = [], {}
        for line in lib.read_bytes(self.path).decode().split("\n")[:-1]:
            row = lib.json_lines(line)[0]
            if "contents" in row:
                found.append((rows, row))
                rows = {}
            else:
                rows[row["path"], row["id"]] = row
        return found

    def until(self, condition, what):
        """The row that @condition takes, of a table that comes after this call."""
        before = len(self.tables())
        return lib.until(lambda: next(filter(None, (condition(rows) for rows, _ in
                                                    self.tables()[before:])), None), what)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        equal(self.process.wait(), 0, "exit status")


@contextlib.contextmanager
def library():
    # not below /tmp, whose deleted files are nobody's library
    path = lib.tempfile.mkdtemp(dir="/opt")
    try:
        shutil.copy(lib.built("v1.so"), path + "/lib.so")
        yield path + "/lib.so"
    finally:
        shutil.rmtree(path)


@test("each content has a row, with how many processes have it, new and stale")
def _():
    with library() as path, lib.directory() as work, Holder(path) as holder, Top(work) as top:
        row = top.until(lambda rows: rows.get((path, V1)), "a row")
        equal((row["processes"], row["state"], row["mappings"]), (1, [], 0), "of the snapshot")
        holder.tell("fork")
        holder.tell("fork")
        top.until(lambda rows: rows[path, V1]["processes"] == 3, "two children have it, too")
        holder.tell("")
        top.until(lambda rows: rows[path, V1]["processes"] == 1, "they have ended")
        replace(path, "v2.so")
        with Holder(path):
            row = top.until(lambda rows: rows.get((path, V2)), "the new one has a row")
            equal((row["processes"], row["state"], row["mappings"]), (1, ["new"], 1), "mapped live")
            row = top.until(lambda rows: rows[path, V1]["state"] and rows[path, V1],
                            "the old one is stale by the next snapshot")
            equal(row["state"], ["stale"], "state")
        top.until(lambda rows: rows[path, V2]["processes"] == 0, "nobody has it")
        rows, totals = top.tables()[-1]
        equal(totals["contents"], len(rows), "contents")
        equal({name: totals[name] for name in ("lost", "missed_probe", "unidentified",
                                               "processes_not_read")},
              {"lost": 0, "missed_probe": 0, "unidentified": 0, "processes_not_read": 0}, "losses")


@test("what is unmapped is gone with the next snapshot")
def _():
    code = "import mmap, os, sys, time; fd = os.open(sys.argv[1], os.O_RDONLY); " \
        "at = mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC); " \
        "sys.stdin.readline(); at.close(); sys.stdin.readline()"
    with library() as path, lib.directory() as work, \
            subprocess.Popen([sys.executable, "-c", code, path], stdin=subprocess.PIPE) as process, \
            Top(work) as top:
        # a row stays where it was mapped after top began
        top.until(lambda rows: (path, V1) in rows, "it is mapped")
        process.stdin.write(b"\n")
        process.stdin.flush()
        top.until(lambda rows: not rows.get((path, V1), {}).get("processes"), "it is not any more")
        process.stdin.close()


@test("a table in text, and one of some processes only")
def _():
    with library() as path, Holder(path) as holder:
        text = lib.buildid("top", "--batch", "--count=1", "--interval=1",
                           f"--pid={holder.process.pid}").stdout.splitlines()
    assert re.fullmatch(r"buildid top  \d\d:\d\d:\d\d, for 0:0\d; \d+ contents in 1 processes, "
                        r"\d+\.\d mappings/s", text[0]), text
    equal(text[1], "nothing lost", "losses")
    equal(text[2].split(), ["PROCS", "MAPS/S", "AGE", "ID", "STATE", "PACKAGE", "PATH"], "header")
    (row,) = [line for line in text if line.endswith(" " + path)]
    assert re.match(rf" +1 +0\.0 +0:0\d {V1[:12]} +-", row), row


class Tmux:
    """A terminal of 80 columns and 24 rows, with top in it."""

    def __init__(self, work):
        self.socket = os.path.join(work, "tmux")
        self.tmux("new-session", "-d", "-x", "80", "-y", "24", "buildid top --interval=1")

    def tmux(self, *words):
        return subprocess.run(["tmux", "-f", "/dev/null", "-S", self.socket, *words],
                              stdout=subprocess.PIPE, text=True, check=True,
                              env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}).stdout

    def lines(self):
        return self.tmux("capture-pane", "-p").split("\n")[:24]

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def until(self, condition, what):
        try:
            return lib.until(lambda: (lambda lines: condition(lines) and lines)(self.lines()), what)
        except TimeoutError as error:
            raise AssertionError(f"{error}: {self.lines()}") from error


@test("a screen of 80 columns and 24 rows: sort, filter, processes")
def _():
    if not shutil.which("tmux"):
        raise Skip("no tmux")
    with library() as path, lib.directory() as work, Holder(path) as holder:
        screen = Tmux(work)
        lines = screen.until(lambda lines: lines[0].startswith("buildid top ") and
                             lines[3].split()[:1] != [], "a screen")
        assert lines[1].startswith("nothing lost"), lines
        equal(lines[2].split(), ["PROCS", "MAPS/S", "AGE", "ID", "STATE", "PACKAGE", "PATH"],
              "header")
        assert lines[23].startswith("q: quit  s: sort (processes)  /: filter"), lines
        screen.keys("s")
        screen.until(lambda lines: "s: sort (mappings)" in lines[23], "sorted otherwise")
        screen.keys("/")
        screen.keys("-l", os.path.dirname(path)[-6:])
        screen.keys("Enter")
        lines = screen.until(lambda lines: lines[3].endswith("/lib.so") and not lines[4], "filter")
        assert V1[:12] in lines[3], lines
        screen.keys("Enter")
        pid = str(holder.process.pid)
        screen.until(lambda lines: lines[4].split()[:2] == ["PID", "COMM"] and
                     lines[5].split()[:1] == [pid], "processes")
        for _ in range(30):
            holder.tell("fork")
        screen.until(lambda lines: "1 to 18 of 31" in lines[4], "more than there is room for")
        screen.keys("End")
        screen.until(lambda lines: "14 to 31 of 31" in lines[4] and
                     lines[5].split()[:1] != [pid] and lines[22].strip(), "the last ones")
        screen.keys("Up", "PageUp")
        screen.until(lambda lines: "1 to 18 of 31" in lines[4], "the first ones")
        screen.keys("q")
        lib.until(lambda: not subprocess.run(["tmux", "-S", screen.socket, "has-session"],
                                             stderr=subprocess.DEVNULL, check=False).returncode == 0,
                  "it ends")


@test("the package of what a package has installed")
def _():
    with lib.directory() as work, Top(work) as top:
        row = top.until(lambda rows: next((row for (path, _), row in rows.items()
                                           if os.path.basename(path) == "libc.so.6"), None), "libc")
        assert (row["package"] or "").startswith("libc6 "), row


run()
