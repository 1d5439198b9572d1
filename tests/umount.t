#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The module holds on to no file: right after a program has run, the file system it
was on can be unmounted, at the first try, while its file may still be being read."""

import os

import lib
import stream
from lib import built
from tap import equal, run, test

TIMES = 50


def put(directory, name):
    path = os.path.join(directory, name)
    lib.write_bytes(path, lib.read_bytes(built(name)))
    return path


def execute(path):
    """As the module sees it for the first time, whatever it saw before."""
    stream.flush()
    pid = os.posix_spawn(path, [path], {})
    _, status = os.waitpid(pid, 0)
    equal(status, 0, f"status of {path}")


def times_on_ext4(name):
    with lib.loop_device() as device, lib.directory() as directory:
        lib.mount(device, directory, "ext4")
        path = put(directory, name)
        lib.umount(directory)
        for _ in range(TIMES):
            lib.mount(device, directory, "ext4")
            execute(path)
            lib.umount(directory)


def times_on_tmpfs(name):
    with lib.directory() as directory:
        for _ in range(TIMES):
            lib.mount("tmpfs", directory, "tmpfs")
            execute(put(directory, name))
            lib.umount(directory)


def times_on_overlay(name):
    """What is below it, too."""
    with lib.directory() as below, lib.directory() as merged:
        for number in range(TIMES):
            lib.mount("tmpfs", below, "tmpfs")
            layers = {layer: os.path.join(below, layer)
                      for layer in ("lower", "upper", "work")}
            for path in layers.values():
                os.mkdir(path)
            put(layers["lower" if number % 2 else "upper"], name)
            lib.mount("overlay", merged, "overlay", 0, ",".join(
                f"{layer}dir={path}" for layer, path in layers.items()))
            execute(os.path.join(merged, name))
            lib.umount(merged)
            lib.umount(below)


for place, repeat in (("ext4 on a loop device", times_on_ext4),
                      ("tmpfs", times_on_tmpfs), ("overlayfs", times_on_overlay)):
    for kind, program in (("with a build-id", "other"), ("that has to be read", "none")):
        @test(f"{place} is unmounted right after a program {kind} ran, {TIMES} times")
        def _(repeat=repeat, program=program):
            before = stream.stats()
            repeat(program)
            after = stream.stats()
            seen = after["mappings"] - before["mappings"]
            assert seen >= TIMES, f"the module saw {seen} mappings"
            # a file that is still being read is not read again
            if program == "none":
                read = after["parsed_worker"] - before["parsed_worker"]
                assert read >= TIMES // 2, f"the worker read {read} files"


run()
