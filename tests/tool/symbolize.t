#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""buildid symbolize: names for addresses of processes that are gone."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import lib
from lib import built, contains
from recording import build_id, server
from tap import equal, run, test

ONE, TWO = build_id(built("layer-one.so")), build_id(built("layer-two.so"))
SOURCE = os.path.join(lib.TOP, "tests", "src", "layer.c")


@contextlib.contextmanager
def place():
    """A directory with deep and the first library in it, and an empty home."""
    with lib.directory() as path:
        for name in "deep", "layer-one.so":
            shutil.copy(built(name), path)
        os.mkdir(f"{path}/home")
        yield path


def library(path):
    return f"{path}/layer-one.so"


def deep(path, *how):
    """What it prints: "PID ADDRESS ADDRESS", of reach() and behind the library's call."""
    return lib.run(f"{path}/deep", library(path), *how).stdout


def symbolize(*arguments, text="", home="/", status=0, **environment):
    return lib.buildid("symbolize", *arguments, input=text, stdin=None, status=status,
                       env=dict(os.environ, HOME=home, **environment))


def objects(text, *arguments, **options):
    return lib.json_lines(symbolize("-j", *arguments, text=text, **options).stdout)


def replace(path, name="layer-two.so"):
    shutil.copy(built(name), path + ".new")
    os.rename(path + ".new", path)


def check_library(line, path, symbols_from="path", known_from="history"):
    """That it is the first library's function, whatever is at the path."""
    equal([line[key] for key in ("build_id", "kind", "reason", "path", "function", "source",
                                 "known_from", "symbols_from")],
          [ONE, "gnu", None, path, "layer_of_one", SOURCE, known_from, symbols_from])
    assert line["line"] > 10 and line["problem"] is None, line
    assert 0 < line["function_offset"] < 64, line


@test("a process that has exited: file, function and line of each address, as text")
def _():
    with place() as path:
        text = deep(path)
        pid, program, address = text.split()
        done = symbolize(text=text, home=path)
        named = re.fullmatch(
            rf"{pid} {program} reach\+0x0 \({path}/deep\+0x[0-9a-f]+\) (\w+) "
            rf"{address} layer_of_one\+0x\w+ \({library(path)}\+0x\w+\) {ONE} {SOURCE}:\d+\n",
            done.stdout)
        assert named, done.stdout
        equal(named[1], build_id(built("deep")))
        equal(done.stderr, "")
        # As operands: with or without 0x, a line for each.
        lines = symbolize(pid, program, address[2:], home=path).stdout.splitlines()
        equal([line.split()[:3] for line in lines],
              [[pid, program[2:], "reach+0x0"], [pid, address[2:], lines[1].split()[2]]])
        contains(lines[1], " layer_of_one+")


@test("all else in the text is passed on as it is, and what cannot be named, too")
def _():
    text = b"caf\xe9 0x\x00\x01 \t 12 0xfff\r\nno newline @[1, 2]: 3\n@[\n 0x12\n"
    with lib.directory() as path:
        with open(f"{path}/text", "wb") as file:
            file.write(text)
        with open(f"{path}/text", "rb") as file:
            done = subprocess.run(["buildid", "symbolize"], stdin=file, check=True,
                                  capture_output=True)
    equal(done.stdout, text)
    contains(done.stderr.decode(), "left as")


@test("it is live: a line is named while the next is not there yet, and SIGINT is bpftrace's")
def _():
    with place() as path:
        text = deep(path)
        with lib.started("buildid", "symbolize", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         text=True) as process:
            for _ in range(2):
                process.stdin.write(text)
                process.stdin.flush()
                contains(process.stdout.readline(), " layer_of_one+")
                process.send_signal(2)
            process.stdin.close()
            equal(process.wait(lib.TIMEOUT), 0, "status")


@test("a child that never called exec has what its parent has, and nothing when that is gone")
def _():
    with place() as path:
        with lib.started(f"{path}/deep", library(path), "serve", stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True) as process:
            text = process.stdout.readline()
            pid = int(text.split()[0])
            lib.until(lambda: not os.path.exists(f"/proc/{pid}"), "it exits")
            check_library(objects(text, home=path)[1], library(path))
        line = objects(text, home=path)[1]
        equal((line["path"], line["problem"]),
              (None, "no file is mapped there, or it is not remembered"))


@test("a library that was replaced has its own names, from where it is kept")
def _():
    with place() as path:
        text = deep(path)
        other = f"{path}/elsewhere/layer-one.so"
        os.mkdir(f"{path}/elsewhere")
        shutil.copy(library(path), other)
        replace(library(path))
        line = objects(text, home=path)[1]
        equal((line["build_id"], line["function"], line["symbols_from"]), (ONE, None, None))
        contains(line["problem"], f"no file with this build-id found: has build-id {TWO}")
        # In text the other one's name is not used, either.
        contains(symbolize(text=text, home=path).stdout,
                 f" [unknown] ({library(path)}+0x{line['offset']:x}) {ONE}\n")
        with server(other) as urls:
            check_library(objects(text, home=path, **urls)[1], library(path), "debuginfod")
            equal(objects(text, "--no-debuginfod", home=path, **urls)[1]["function"], None)
        entry = f"{path}/home/.debug/{library(path)[1:]}/{ONE}"
        os.makedirs(entry)
        os.makedirs(f"{path}/home/.debug/.build-id/{ONE[:2]}")
        shutil.copy(other, f"{entry}/elf")
        os.symlink(f"../../{library(path)[1:]}/{ONE}",
                   f"{path}/home/.debug/.build-id/{ONE[:2]}/{ONE[2:]}")
        check_library(objects(text, home=f"{path}/home")[1], library(path), "kept")
        check_library(objects(text, "--dir", f"{path}/home/.debug", home="/")[1],
                      library(path), "kept")


@test("a living process whose library was deleted: by what it has mapped")
def _():
    with place() as path, \
            lib.started(f"{path}/deep", library(path), "wait", stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE, text=True) as process:
        text = process.stdout.readline()
        os.unlink(library(path))
        line = objects(text, home=path)[1]
        check_library(line, line["path"], "mapped", "process")
        replace(library(path))
        check_library(objects(text, home=path)[1], line["path"], "mapped", "process")
        # The vdso is no file, and code without one is nothing that has a name.
        for start, name in re.findall(r"^(\w+)-\w+ \S+ \S+ \S+ \S+ +(\[vdso\]|\[heap\])$",
                                      lib.read_bytes(f"/proc/{process.pid}/maps").decode(), re.M):
            line, = objects(f"{process.pid} 0x{int(start, 16) + 0x800:x}\n", home=path)
            if name == "[vdso]":
                equal((line["path"], line["kind"], line["offset"]), ("[vdso]", "gnu", 0x800))
            else:
                equal((line["path"], line["problem"]),
                      (None, "no file is mapped there, or it is not remembered"))


@test("an address in the kernel is a function's, or nobody's")
def _():
    with open("/proc/kallsyms", encoding="ascii") as file:
        symbols = {name: int(start, 16) for start, _, name in (line.split()[:3] for line in file)}
    # Without CONFIG_KALLSYMS_ALL the only data is where code ends.
    data = symbols.get("linux_banner", symbols["_etext"])
    found = objects("".join(f"1 0x{address:x}\n" for address in (
        symbols["vfs_read"] + 1, data, (1 << 64) - 1)))
    equal([(line["function"], line["path"]) for line in found],
          [("vfs_read", "[kernel.kallsyms]"), (None, None), (None, None)])
    equal({line["problem"] for line in found[1:]},
          {"no file is mapped there, or it is not remembered"})


@test("where the vdso was of a process that is gone no file is")
def _():
    with place() as path:
        log = f"{path}/log"
        with lib.started("buildid", "record", "-o", log, "--", f"{path}/deep", library(path),
                         "wait", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         text=True) as process:
            pid = process.stdout.readline().split()[0]
            start, = re.findall(r"^(\w+)-.* \[vdso\]$",
                                lib.read_bytes(f"/proc/{pid}/maps").decode(), re.M)
            process.stdin.close()
            equal(process.wait(lib.TIMEOUT), 0, "status")

        def check(*options):
            line, = objects(f"{pid} 0x{start}\n", *options, home=path)
            equal((line["path"], line["problem"]),
                  (None, "no file is mapped there, or it is not remembered"), options)
        check()
        with lib.unloaded():
            check("--log", log)


@test("the symbols of a stripped library are its debug file's")
def _():
    with place() as path:
        lib.run("objcopy", "--only-keep-debug", library(path), f"{path}/debug")
        lib.run("objcopy", "--strip-all", library(path))
        text = deep(path)
        equal(objects(text, home=path)[1]["function"], None)
        with server(f"{path}/debug") as urls:
            check_library(objects(text, home=path, **urls)[1], library(path))


@test("by a log alone, without the module: a child that never called exec, and one that did")
def _():
    with place() as path:
        log = f"{path}/log"
        text = lib.buildid("record", "--tasks", "-o", log, "--", "sh", "-c",
                           f"{path}/deep {library(path)}; {path}/deep {library(path)} twice",
                           ).stdout
        lines = [line for line in text.splitlines() if re.fullmatch(r"\d+ 0x\w+ 0x\w+", line)]
        equal(len(lines), 2, text)
        replaced = f"{path}/elsewhere"
        os.rename(library(path), replaced)
        with lib.unloaded():
            found = objects("\n".join(lines) + "\n", "--log", log, home=path)
            equal([(line["build_id"], line["path"], line["known_from"]) for line in found],
                  [(build_id(built("deep")), f"{path}/deep", "log"),
                   (ONE, library(path), "log")] * 2)
            # A log of perf's time, or of monotonic time: before all that nothing was mapped.
            pid, _, address = lines[0].split()
            early, = objects(f"{pid} 1 0x{address[2:]}\n", "--log", log, "--pid-field", "1",
                             "--time-field", "2", home=path)
            equal(early["problem"], "no file is mapped there, or it is not remembered")
            os.rename(replaced, library(path))
            check_library(objects(lines[1], "--log", log, home=path)[1], library(path),
                          known_from="log")


@test("bpftrace's JSON, raw stacks and a build-id with an offset are named, and JSON stays JSON")
def _():
    with place() as path:
        log = f"{path}/log"
        pid, program, address = lib.buildid("record", "--tasks", "-o", log, "--", f"{path}/deep",
                                            library(path)).stdout.split()
        line = json.dumps({"type": "map", "data": {"@": {
            f"{pid},\n        {program}\n        {address}\n": 5}}}) + "\n"
        raw = f"{pid} \n{program[2:]}\n{address[2:]}\n"
        frames = f"==99==ERROR\n    #0 {program} in x\n    #1 {address}\n"

        def check(*options):
            named, = json.loads(symbolize(*options, text=line, home=path).stdout)["data"]["@"]
            contains(named, " layer_of_one+")
            equal(re.sub(r"^( +0x[0-9a-f]+) .*$", r"\1", named, flags=re.M),
                  f"{pid},\n        {program}\n        {address}\n")
            found = objects(raw + frames, *options, "--process", pid, home=path)
            for at in 1, 3:
                check_library(found[at], library(path), known_from=found[0]["known_from"])
        check()
        offset = objects(raw, home=path)[1]["offset"]
        with lib.unloaded():
            check("--log", log)
            os.makedirs(f"{path}/home/.debug/.build-id/{ONE[:2]}")
            entry = f"{path}/home/.debug/{library(path)[1:]}/{ONE}"
            os.makedirs(entry)
            shutil.copy(library(path), f"{entry}/elf")
            os.symlink(f"../../{library(path)[1:]}/{ONE}",
                       f"{path}/home/.debug/.build-id/{ONE[:2]}/{ONE[2:]}")
            text = f"@[bash, \n    {program}\n{ONE} 0x{offset:x}\n]: 5\n"
            done = symbolize(text=text, home=f"{path}/home")
            contains(done.stdout, f"\n{ONE} 0x{offset:x} layer_of_one+")
            contains(done.stderr, "1 address left as it is: no pid is there")
            # Where a process is named, the module is missed.
            done = symbolize(text=f"{pid} {program}\n", home=path, status=1)
            equal(done.stdout, f"{pid} {program}\n")
            contains(done.stderr, "the module is not loaded")


@contextlib.contextmanager
def python(code, *arguments):
    """A process that runs @code and waits then; its first line of output."""
    imports = "import ctypes, mmap, os, sys\n"
    wait = "\nsys.stdout.flush()\nsys.stdin.read()\n"
    with lib.started(sys.executable, "-c", imports + code + wait, *arguments,
                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process, process.stdout.readline()
        process.stdin.close()
        equal(process.wait(lib.TIMEOUT), 0, "status")


MAP = """
mapped = mmap.mmap({file}, 1 << 16, mmap.MAP_PRIVATE, offset={offset},
                   prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
here = ctypes.addressof(ctypes.c_char.from_buffer(mapped))
"""


@test("a library mapped out of a zip has its own names and its own build-id")
def _():
    with place() as path:
        archive = f"{path}/base.apk"
        with zipfile.ZipFile(archive, "w") as file:
            info = zipfile.ZipInfo("lib/x86_64/liblayer.so")
            info.extra = b"\0" * (4096 - 30 - len(info.filename))
            with open(library(path), "rb") as content:
                # Behind the last page, so that all of it can be mapped.
                file.writestr(info, content.read().ljust(1 << 17, b"\0"))
        offset = int(lib.run("sh", "-c",
                             f"nm {library(path)} | sed -n 's/ t layer_of_one$//p'").stdout, 16)
        code = MAP.format(file="os.open(sys.argv[1], os.O_RDONLY)", offset=4096)
        with python(f"{code}print(os.getpid(), hex(here + {offset} + 1))",
                    archive) as (process, text):
            line, = objects(text, home=path)
            equal([line[key] for key in ("function", "function_offset", "path", "offset", "member",
                                         "member_offset", "build_id", "source", "known_from")],
                  ["layer_of_one", 1, archive, 4096 + offset + 1, "lib/x86_64/liblayer.so",
                   offset + 1, ONE, SOURCE, "process"])
            contains(symbolize(text=text, home=path).stdout,
                     f" layer_of_one+0x1 ({archive}!lib/x86_64/liblayer.so+0x{offset + 1:x}) {ONE}")
        # When the process is gone, from the archive.
        line, = objects(text, home=path)
        equal([line[key] for key in ("function", "build_id", "known_from", "symbols_from")],
              ["layer_of_one", ONE, "history", "path"])


@test("what a compiler at run time has made has the names of its perf map")
def _():
    code = MAP.format(file=-1, offset=0) + """
with open(f"/tmp/perf-{os.getpid()}.map", "w") as file:
    print(f"{here:x} 40 LazyCompile:*busy /srv/app.js:12", file=file)
    print(f"{here + 0x40:x} 20 next", file=file)
print(os.getpid(), hex(here + 4), hex(here + 0x40), hex(here + 0x60))
"""
    with python(code) as (process, text):
        try:
            found = objects(text)
            path = f"/tmp/perf-{process.pid}.map"
            equal([(line["function"], line["function_offset"], line["path"],
                    line["symbols_from"]) for line in found],
                  [("LazyCompile:*busy /srv/app.js:12", 4, path, "perf-map"),
                   ("next", 0, path, "perf-map"), (None, None, None, None)])
            contains(symbolize(text=text).stdout, f" LazyCompile:*busy /srv/app.js:12+0x4 ({path}+")
        finally:
            os.unlink(f"/tmp/perf-{process.pid}.map")


INLINED = """
#include <stdlib.h>
#define IN static inline __attribute__((always_inline)) int
IN inner(int n) { return abs(n * rand()) / 7; }
IN middle(int n)
{
        n += rand();
        return n < 5 ? inner(n) * inner(n + 3) : 1;
}
int outer(int n);
int outer(int n)
{
        for (; n; n--)
                if (middle(n) > 6)
                        return middle(2);
        return n + rand();
}
"""


def frames(named):
    """As addr2line -i -f prints them, of all that is named."""
    for line in named:
        for frame in [line, *line["inlined_by"]]:
            yield frame["function"]
            yield f"{frame['source']}:{frame['line']}"


@test("each address of a function has the frames that addr2line -i has")
def _():
    with place() as path:
        with open(f"{path}/s.c", "w", encoding="ascii") as file:
            file.write(INLINED)
        program = f"{path}/inlined.so"
        lib.run("cc", "-O2", "-g", "-shared", "-fPIC", "-o", program, f"{path}/s.c")
        start, size = (int(number, 16) for number in lib.run(
            "sh", "-c", f"nm -S {program} | grep ' T outer$'").stdout.split()[:2])
        offsets = [f"0x{offset:x}" for offset in range(start, start + size)]
        expected = lib.run("addr2line", "-i", "-f", "-e", program, *offsets).stdout
        code = f"""
outer = ctypes.cast(ctypes.CDLL(sys.argv[1]).outer, ctypes.c_void_p).value
print(os.getpid(), *(hex(outer + at) for at in range({size})))
"""
        with python(code, program) as (process, text):
            found = objects(text, home=path)
        equal(len(found), size)
        equal("".join(f"{line}\n" for line in frames(found)),
              re.sub(r" \(discriminator \d+\)", "", expected))
        assert sum(len(line["inlined_by"]) for line in found) > 20, expected


@test("what is wrong with a command line is said")
def _():
    for arguments, problem in (
            (["x", "1"], "buildid: x: not a process id"),
            (["1"], "buildid: ADDR: missing operand"),
            (["1", "0xg"], "buildid: 0xg: not an address in hex"),
            (["--pid-field", "0"], "buildid: --pid-field 0: not the number of a word, from 1"),
            (["--clock", "x"], "buildid: --clock x: not one of perf and mono")):
        contains(symbolize(*arguments, status=2).stderr, problem)
    done = symbolize(str(2**22 - 1), "401000", status=1)
    equal(done.stdout, f"{2**22 - 1} 401000 the process is not known\n")


run()
