#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A library rewritten in place, mapped after each time, faster than clocks tick."""
import functools
import mmap
import os
import subprocess

import lib
import stream
from image import with_id
from tap import equal, run, test

TIMES = 60 if lib.DEBUG else 300
BASE = "/tmp/rewrite"


def sh(command):
    subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)


@functools.cache
def directory(kind):
    """A directory on a new filesystem of that kind."""
    top = f"{BASE}/{kind}"
    os.makedirs(top)
    if kind == "tmpfs":
        sh(f"mount -t tmpfs none {top}")
    elif kind == "overlay":
        sh(f"mount -t tmpfs none {top} && cd {top} && mkdir lower upper work all && "
           "mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work none all")
        return f"{top}/all"
    else:
        image = f"{BASE}/{kind}.img"
        sh(f"truncate -s 400M {image} && mkfs.{kind} -q {image} && "
           f"(modprobe -q loop || test -e /dev/loop-control) && mount -o loop {image} {top}")
    return top


def ident(n):
    return n.to_bytes(20, "big")


def map_executable(path):
    with open(path, "rb") as f:
        with mmap.mmap(f.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC):
            pass


def rewrite_whole(path, n):
    with open(path, "r+b", buffering=0) as f:
        f.write(with_id(ident(n)))


def rewrite_by_store(path, n):
    with open(path, "r+b", buffering=0) as f:
        with mmap.mmap(f.fileno(), 4096) as m:
            m[:] = with_id(ident(n))


def rewrite_truncated(path, n):
    with open(path, "wb", buffering=0) as f:
        f.write(with_id(ident(n)))


def check(directory, rewrite):
    path = f"{directory}/lib-{rewrite.__name__}.so"
    with open(path, "wb") as f:
        f.write(with_id(ident(2**32)))
    with stream.Watch(ring_size=1 << 22) as watch:
        for n in range(TIMES):
            rewrite(path, n)
            map_executable(path)
        found = [watch.file_of(mapped) for mapped in watch.settle()]
    wrong = [(n, file.id, file.kind) for n, file in enumerate(found) if file.id != ident(n).hex()]
    equal(len(found), TIMES)
    assert not wrong, f"{len(wrong)} wrong of {TIMES}, first {wrong[:3]}"


def add(kind):
    for rewrite, how in ((rewrite_whole, "in place"),
                         (rewrite_by_store, "by stores to a mapping"),
                         (rewrite_truncated, "after truncation")):
        def case(rewrite=rewrite):
            check(directory(kind), rewrite)
        case.__doc__ = f"{kind}: {TIMES} contents written {how}, {TIMES} right ids"
        test(case)


for fs in ("tmpfs", "ext4", "xfs", "btrfs", "overlay"):
    add(fs)
run()
