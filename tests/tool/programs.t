#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Real programs, recorded while they run: what is reported is what /proc shows of
them, no more and no less, each with the build-id that readelf reads."""

import functools
import glob
import os
import struct
import subprocess

import arch
import lib
import stream
from lib import contains
from tap import equal, run, test

SOURCE = b"#include <stdio.h>\nint main(void) { return puts(\"x\") < 0; }\n"
KEYS = ("addr", "len", "prot", "pgoff", "dev", "ino", "path")
PT_LOAD, PF_X = 1, 1


@functools.cache
def whole_length(path):
    """Of an ELF file that begins with code, as on arm64: in memory, from its first segment to
    the end of its last one."""
    data = lib.read_bytes(path)
    start, size, count = struct.unpack_from("<Q14xHH", data, 32)
    segments = [struct.unpack_from("<IIQQ16xQ", data, start + n * size) for n in range(count)]
    loaded = [rest for kind, *rest in segments if kind == PT_LOAD]
    flags, offset, begin, _ = loaded[0]
    *_, last, memory = loaded[-1]
    if offset or not flags & PF_X:
        return None
    return -(-(last + memory) // lib.PAGE) * lib.PAGE - begin


def as_made(shown):
    """What may be reported of a mapping that /proc shows. The kernel and ld.so make that of a
    file's first segment as long as the whole file needs, and then put the others over it and
    take away what is between them: of that there is no record."""
    made = [shown]
    if not shown["pgoff"]:
        made.append(dict(shown, len=whole_length(shown["path"])))
    return made


class Recording:
    """What buildid record writes about a command and all that it starts, and what
    /proc/PID/maps showed of each of them after exec, before any of it went, and
    before the end."""

    def __init__(self, work, *command):
        name = os.path.basename(command[0])
        self.log = os.path.join(work, name + ".log")
        maps = os.path.join(work, name)
        os.mkdir(maps)
        lib.buildid("record", "-o", self.log, "--",
                    lib.built("trace"), maps, *command)
        shown = lib.buildid("mon", "-j", "-l", self.log)
        self.mmaps = [line for line in lib.json_lines(shown.stdout)
                      if line["type"] == "mmap"]
        self.at_exec, self.at_exit, self.gone = ({
            int(os.path.basename(path).split(".")[0]):
            lib.maps_of(lib.read_bytes(path).decode())
            for path in glob.glob(f"{maps}/*.{when}")}
            for when in ("exec", "exit", "gone"))

    def reported(self, pid):
        """The mappings of a process, with the keys that /proc has, too."""
        found = []
        for line in self.mmaps:
            if line["pid"] == pid:
                dev = line.get("user_dev", line["dev"])
                line = dict(line, dev=tuple(map(int, dev.split(":"))),
                            ino=line.get("user_ino", line["ino"]))
                found.append({key: line[key] for key in KEYS})
        return found

    def check_shown_is_reported(self):
        """What a child has of its parent is only the parent's to report."""
        assert self.at_exec, "no program was seen"
        for pid in self.at_exec:
            reported = self.reported(pid)
            for shown in self.at_exec[pid] + self.at_exit[pid]:
                assert any(made in reported for made in as_made(shown)), \
                    f"pid {pid}: {shown} not in {reported}"

    def check_reported_is_shown(self):
        for pid in self.at_exec:
            shown = [made for shown in
                     self.at_exec[pid] + self.at_exit[pid] + self.gone.get(pid, [])
                     for made in as_made(shown)]
            for reported in self.reported(pid):
                assert reported in shown, f"pid {pid}: {reported} not in {shown}"

    def check_ids(self):
        paths = sorted({shown["path"] for pid in self.at_exit
                        for shown in self.at_exit[pid]})
        wanted = lib.readelf_ids(paths)
        seen = 0
        for line in self.mmaps:
            if line["pid"] in self.at_exec and line["path"] in wanted:
                equal((line["kind"], line["build_id"]),
                      ("gnu", wanted[line["path"]]), line["path"])
                seen += 1
        assert seen >= 3, f"{seen} mappings with an id"

    def check_log(self):
        checked = stream.Stream()
        checked.add(stream.read_log(self.log))
        equal(checked.lost, 0, "lost records")
        equal(checked.following(), [], "mappings without a file")

    def programs(self):
        return {os.path.basename(shown[0]["path"]) for shown in self.at_exec.values()}


def add_tests(name, work, *command, starts=()):
    recording = []

    @test(f"{name} is recorded, with all that it starts")
    def _():
        recording.append(Recording(work, *command))
        for program in starts:
            contains(recording[0].programs(), program)

    @test(f"{name}: each mapping in /proc/PID/maps is reported as it is there")
    def _():
        recording[0].check_shown_is_reported()

    @test(f"{name}: each mapping reported is in /proc/PID/maps")
    def _():
        recording[0].check_reported_is_shown()

    @test(f"{name}: each mapping has the build-id that readelf reads")
    def _():
        recording[0].check_ids()

    @test(f"{name}: the log keeps the promises of a stream, and lacks nothing")
    def _():
        recording[0].check_log()


with lib.directory() as work:
    source, program = os.path.join(work, "a.c"), os.path.join(work, "a.out")
    lib.write_bytes(source, SOURCE)
    add_tests("python3", work, "/usr/bin/python3", "-c",
              "import ctypes, json, sqlite3, ssl, decimal", starts=["python3.11"])
    add_tests("git", work, "git", "init", "-q", os.path.join(work, "repository"),
              starts=["git"])
    add_tests("gcc", work, "gcc", "-O1", "-o", program, source,
              starts=["cc1", f"{arch.MACHINE}-linux-gnu-as", f"{arch.MACHINE}-linux-gnu-ld.bfd"])
    add_tests("perf", work, "perf", "stat", "-e", "task-clock", "--", program,
              starts=["perf", "a.out"])

    @test("mon -j shows a process that lives as its /proc/PID/maps does")
    def _():
        with lib.Mon() as mon:
            with lib.started("/usr/bin/python3", "-c",
                             "import ssl; print(flush=True); input()",
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                process.stdout.readline()
                maps = lib.read_bytes(f"/proc/{process.pid}/maps").decode()
                mon.catch_up()
        reported = sorted((line["addr"], line["len"], line["pgoff"], line["path"])
                          for line in mon.lines if line.get("pid") == process.pid)
        shown = lib.maps_of(maps)
        assert len(shown) > 5, "a python that maps nothing"
        equal(len(reported), len(shown), "mappings")
        for one, line in zip(reported, shown):
            contains([(made["addr"], made["len"], made["pgoff"], made["path"])
                      for made in as_made(line)], one)

    run()
