#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""buildid bundle, unbundle and resolve."""

import contextlib
import os
import stat

import lib
from image import note, with_id
from lib import contains
from recording import (ONE, build_id, busy, copy, place, same, same_tree, symbols, tool_test,
                       work)
from tap import equal, run, test


@tool_test("bundle takes all along, and unbundle takes it up")
def _():
    with place() as here:
        with busy(here.library, 0, here.path):
            here.record()
            os.unlink(here.library)
            done = lib.buildid("bundle", "-o", here.path + "/b.tar.zst", here.data, status=None,
                               env=dict(os.environ, HOME=here.home))
            equal([line for line in done.stdout.splitlines() if line.startswith("FAIL")],
                  [], "missing")
        other = os.path.join(here.path, "other")
        os.mkdir(other)
        done = lib.buildid("unbundle", "../b.tar.zst", cwd=other,
                           env=dict(os.environ, HOME=other))
        contains(done.stdout, f"OK {ONE} {here.library}\n")
        same_tree(other + "/.debug", here.home + "/.debug")
        same(other + "/perf.data", here.data)
        assert "work_of_one" in symbols(other + "/perf.data", other), "named"
        lib.run("tar", "--zstd", "-tf", here.path + "/b.tar.zst")


@contextlib.contextmanager
def fat():
    """A filesystem without links of any kind."""
    with lib.directory() as path:
        image, place_ = path + "/image", path + "/fat"
        os.mkdir(place_)
        with open(image, "wb") as file:
            file.truncate(16 << 20)
        lib.run("mkfs.vfat", image)
        lib.run("mount", "-t", "vfat", "-o", "loop", image, place_)
        try:
            yield place_
        finally:
            lib.umount(place_)


@tool_test("a bundle through a pipe, and a perf.data on a FAT filesystem")
def _():
    with place() as here, fat() as there:
        here.record()
        environment = dict(os.environ, HOME=here.home)
        done = lib.run("sh", "-c", 'buildid bundle --no-debuginfod -o - "$0" | cat >"$1"',
                       here.data, here.path + "/b", env=environment)
        contains(done.stderr, f"OK {ONE} {here.library}\n")
        equal(done.stdout, "", "standard output")
        lib.buildid("unbundle", here.path + "/b", cwd=there, env=environment)
        same(there + "/perf.data", here.data)
        done = lib.buildid("unbundle", here.path + "/b", cwd=there, env=environment, status=1)
        contains(done.stderr, "already exists")
        done = lib.run("script", "-qec", f"buildid bundle -o - {here.data}", "/dev/null",
                       env=environment, status=2)
        contains(done.stdout, "standard output is a terminal")


@tool_test("bundle reports what is missing, and packs the rest")
def _():
    with place() as here:
        here.record()
        os.unlink(here.library)
        done = lib.buildid("bundle", "--all", "--no-data", here.data, status=1,
                           env=dict(os.environ, HOME=here.home))
        contains(done.stdout, f"FAIL {ONE} {here.library}: ")
        names = lib.run("tar", "--zstd", "-tf", here.data + ".tar.zst").stdout
        contains(names, build_id(lib.built("busy")) + "/elf\n")
        assert "perf.data" not in names.split("\n"), "the recording is in it"
        os.mkfifo(here.path + "/fifo")
        done = lib.buildid("bundle", "--no-data", "-o", here.path + "/fifo", here.data, status=1,
                           env=dict(os.environ, HOME=here.home))
        contains(done.stderr, f"buildid: {here.path}/fifo: not a regular file\n")
        equal(stat.S_ISFIFO(os.stat(here.path + "/fifo").st_mode), True, "left alone")
        equal([name for name in os.listdir(here.path) if "new-" in name], [], "left behind")


@test("resolve prints a file with the content, wherever it is")
def _():
    def resolve(status=0):
        done = lib.buildid("resolve", ONE, status=status,
                           env=dict(os.environ, HOME=here.home))
        return done.stdout.rstrip("\n") if not status else done.stderr

    with place() as here:
        lib.buildid("flush")
        with busy(here.library, 0, here.path):
            equal(resolve(), here.library, "path")
            here.record()
            copy(work("two"), here.library)
            found = resolve()
            contains(found, "/map_files/")
            same(found, work("one"))
            equal(here.store()[ONE]["status"], "ok", "store")
        # The process is gone.
        found = resolve()
        equal(os.path.realpath(found), os.path.realpath(here.entry(ONE)), "path")
        same(found, work("one"))
        os.unlink(found)
        equal(resolve(status=1), f"buildid: {ONE}: no file with this build-id found; "
              "DEBUGINFOD_URLS is not set\n", "error")


@test("resolve prints the running kernel's file, if it is that kernel's")
def _():
    # it need not be the first
    head = note(b"GNU\0", 3, bytes(20))[:16]
    kernel = lib.read_bytes("/sys/kernel/notes").partition(head)[2][:20]
    place_ = "/usr/lib/debug/boot"
    path = f"{place_}/vmlinux-{os.uname().release}"
    os.makedirs(place_, exist_ok=True)
    lib.mount("none", place_, "tmpfs")
    try:
        for identity, found in ((kernel[::-1], False), (kernel, True)):
            lib.write_bytes(path, with_id(identity))
            # a kernel that was built here has another file, too
            done = lib.buildid("resolve", kernel.hex(), status=None)
            equal(done.stdout == path + "\n", found, f"{identity.hex()}: {done.stdout}")
    finally:
        lib.umount(place_)


run()
