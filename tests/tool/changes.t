#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""mon --changes: what is known at the start is no news, an upgrade is news once,
whoever runs it, and so are contents and files that are odd."""

import contextlib
import ctypes
import os
import subprocess

import lib
from tap import equal, run, test

IDS = {"v1": "11" * 20, "v2": "22" * 20}
CONTENT = {name: lib.read_bytes(lib.built(name + ".so")) for name in IDS}


def install(path, name):
    """As a package manager does."""
    lib.write_bytes(path + ".new", CONTENT[name])
    lib.settle_times(path + ".new")
    os.rename(path + ".new", path)


def load_library(path):
    lib.in_child(lambda: bool(ctypes.CDLL(path)))


def map_for_good(path):
    with open(path, "rb") as file:
        lib.map_fd(file.fileno(), lib.PAGE)


class News(lib.Mon):
    """As a mark is no news twice, each time another one."""

    contents = 0

    def has_printed(self, mark):
        if super().has_printed(mark):
            return True
        News.contents += 1
        lib.write_bytes(mark, b"not a program %d" % News.contents)
        lib.map_file(mark)
        return False

    def __init__(self, *options):
        super().__init__("--changes", *options)


def news_of(mon, path):
    return [(line["news"], line["build_id"], line.get("former_build_id"))
            for line in mon.lines if line.get("path") == path]


@test("what runs, or has run since the module was loaded, is no news")
def _():
    with lib.directory() as work:
        path = os.path.join(work, "lib.so")
        install(path, "v1")
        load_library(path)
        lib.run("/bin/true")
        with News() as mon:
            load_library(path)
            lib.run("/bin/true")
        equal(mon.lines, [], "news")


@test("an upgrade is one line, whoever maps it; the same content again is none")
def _():
    # Other tests have mapped both contents.
    lib.buildid("flush")
    with lib.directory() as work:
        path = os.path.join(work, "lib.so")
        install(path, "v1")
        load_library(path)
        with News() as mon:
            install(path, "v2")
            for _ in range(3):
                load_library(path)
            install(path, "v2")
            load_library(path)
            install(path, "v1")
            load_library(path)
        equal(news_of(mon, path), [(["changed", "new"], IDS["v2"], IDS["v1"]),
                                   (["changed"], IDS["v1"], IDS["v2"])], "news")


@test("an equal build-id is no proof of an equal content")
def _():
    with lib.directory() as work:
        path = os.path.join(work, "lib.so")
        content = CONTENT["v1"]
        others = (content + b"payload", content + b"Payload")
        install(path, "v1")
        with contextlib.ExitStack() as stack, News() as mon:
            stack.enter_context(lib.child(map_for_good, path))
            for other in others:
                lib.write_bytes(path + ".new", other)
                lib.settle_times(path + ".new")
                os.rename(path + ".new", path)
                stack.enter_context(lib.child(map_for_good, path))
        last = [line for line in mon.lines if line.get("path") == path][-2:]
        equal([(line["news"], line["build_id"], line["former_build_id"], line["note"])
               for line in last],
              [(["changed", "new"], IDS["v1"], IDS["v1"], "same id, other content"),
               (["changed"], IDS["v1"], IDS["v1"], "same id, other content")], "news")


@test("a deleted file, a memfd and one that is open for writing are news")
def _():
    with lib.directory() as work:
        deleted, written = (os.path.join(work, name) for name in ("deleted", "written"))
        for path in deleted, written:
            lib.write_bytes(path, CONTENT["v1"])
            lib.settle_times(path)
        memfd = os.memfd_create("odd")
        os.write(memfd, CONTENT["v1"])
        size = len(CONTENT["v1"])
        with News() as mon:
            with open(deleted, "rb") as file:
                os.unlink(deleted)
                lib.unmap(lib.map_fd(file.fileno(), size), size)
            with open(written, "r+b"):
                lib.map_file(written)
            lib.unmap(lib.map_fd(memfd, size), size)
        os.close(memfd)
        words = {os.path.basename(line["path"]): line["news"] for line in mon.lines}
        for name, word in (("deleted", "deleted"), ("written", "writable"),
                           ("memfd:odd", "memfd")):
            assert word in words.get(name, []), f"{name}: not {word}, but {words}"


@test("a program never seen is new once; text has the former identity")
def _():
    with lib.directory() as work:
        path, output = os.path.join(work, "lib.so"), os.path.join(work, "output")
        # What the tests before have mapped.
        lib.buildid("flush")
        install(path, "v1")
        load_library(path)
        with open(output, "wb") as file, \
                lib.started("buildid", "mon", "--changes", "--path", work + "/*", stdout=file,
                            stderr=subprocess.PIPE) as mon:
            # A path of its own each time: none is known.
            for number in range(10000):
                mark = os.path.join(work, f"mark-{number}")
                lib.write_bytes(mark, b"not a program %d" % number)
                lib.map_file(mark)
                if lib.read_bytes(output):
                    break
            lib.map_file(mark)
            install(path, "v2")
            load_library(path)
            load_library(path)
            lib.until(lambda: path.encode() in lib.read_bytes(output), "the upgrade is shown")
            lib.interrupt(mon)
            summary = mon.stderr.read().decode()
        lines = [line for line in lib.read_bytes(output).decode().splitlines() if path in line]
        equal(len(lines), 1, "lines")
        equal(lines[0].split()[-5:], ["changed,new", IDS["v2"], path, "(was", IDS["v1"] + ")"],
              "line")
        marks = [line for line in lib.read_bytes(output).decode().splitlines() if mark in line]
        equal([line.split()[-3] for line in marks], ["new"], "news of what is no program")
        assert "; nothing lost" in summary, summary


run()
