#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What is peculiar to a filesystem: subvolumes, digests, reused device numbers."""
import errno
import mmap
import os
import stat
import subprocess
import sys

import arch
import liar
import lib
from device import Device, File, Mmap
from image import with_id
from tap import Skip, equal, run, test

BASE = "/tmp/filesystems"
os.makedirs(BASE)


def sh(command):
    return subprocess.run(command, shell=True, check=True, capture_output=True,
                          text=True).stdout.strip()


def map_executable(path, flags=0):
    fd = os.open(path, os.O_RDONLY | flags)
    with mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC):
        os.close(fd)


def seen(*paths, flags=0):
    """The FILE records of the mappings of each path, in turn."""
    with Device() as device:
        device.subscribe(pids=[os.getpid()])
        for path in paths:
            map_executable(path, flags)
        files, maps = {}, []
        while len(maps) < len(paths) or any(m.file_id not in files for m in maps):
            records = device.read(30)
            assert records, "nothing for 30 seconds"
            for r in records:
                if isinstance(r, File):
                    files[r.file_id] = r
                elif isinstance(r, Mmap):
                    maps.append(r)
    return [files[m.file_id] for m in maps]


def seen_when_run(path):
    """The FILE record of a program that another user runs."""
    def of_program(record):
        return isinstance(record, File) and record.path == path

    with Device() as device:
        device.subscribe()
        sh(f"setpriv --reuid 65534 --clear-groups {path}")
        return next(filter(of_program, device.read_until(of_program)))


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def loop_mount(image, top, options="loop"):
    os.makedirs(top, exist_ok=True)
    sh("modprobe -q loop || test -e /dev/loop-control")
    sh(f"mount -o {options} {image} {top}")


@test
def files_with_one_number_in_two_btrfs_subvolumes_are_two_files():
    top = f"{BASE}/btrfs"
    sh(f"truncate -s 200M {top}.img && mkfs.btrfs -q {top}.img")
    loop_mount(f"{top}.img", top)
    ids = [bytes([n]) * 20 for n in (1, 2)]
    for n, ident in enumerate(ids):
        sh(f"btrfs subvolume create {top}/{n}")
        write(f"{top}/{n}/lib.so", with_id(ident))
    paths = [f"{top}/{n}/lib.so" for n in (0, 1)]
    equal(*[os.stat(p).st_ino for p in paths])
    for _ in range(2):
        equal([f.id for f in seen(*paths)], [i.hex() for i in ids])


@test
def a_key_names_the_subvolume_or_says_that_it_does_not():
    paths = [f"{BASE}/btrfs/{n}/lib.so" for n in (0, 1)]
    files = seen(*paths)
    with Device() as device:
        for path, file in zip(paths, files):
            tree = int(sh(f"btrfs inspect-internal rootid {path}"))
            equal(device.resolve_key(file.dev, file.ino, file.generation, tree).id, file.id)
            equal(device.resolve_key(file.dev, file.ino, tree=tree).id, file.id)
        lib.fails_with(errno.ENOTUNIQ, device.resolve_key, file.dev, file.ino)
        lib.fails_with(errno.ENOENT, device.resolve_key, file.dev, file.ino, tree=tree + 1000)
        device.flush()
        seen(paths[1])
        equal(device.resolve_key(file.dev, file.ino).id, files[1].id, "of the only one")


@test
def a_file_on_btrfs_has_the_device_that_stat_gives_and_the_one_that_proc_shows():
    paths = [f"{BASE}/btrfs/{n}/lib.so" for n in (0, 1)] + [f"{BASE}/btrfs/top.so"]
    write(paths[2], with_id(b"\3" * 20))
    files = seen(*paths)
    for path, file in zip(paths, files):
        status = os.stat(path)
        equal(file.user_dev, (os.major(status.st_dev), os.minor(status.st_dev)), "stat's device")
        equal((file.ino, file.user_ino), (status.st_ino,) * 2, "inode")
        equal(file.dev, proc_dev(path), "the device in /proc/PID/maps")
        with Device() as device, open(path, "rb") as opened:
            equal(device.resolve_fd(opened.fileno()).user_dev, file.user_dev, "of RESOLVE by FD")
    equal(len({file.user_dev for file in files}), 3, "devices")
    equal(len({file.dev for file in files}), 1, "superblocks")


def proc_dev(path):
    """As /proc/self/maps has it while the file is mapped."""
    with open(path, "rb") as f:
        with mmap.mmap(f.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC):
            with open("/proc/self/maps", encoding="utf-8") as maps:
                line = next(line for line in maps if line.rstrip("\n").endswith(path))
    return tuple(int(n, 16) for n in line.split()[3].split(":"))


@test
def a_snapshot_and_its_origin_part_when_one_is_written_to():
    top = f"{BASE}/btrfs"
    sh(f"btrfs subvolume snapshot {top}/0 {top}/snapshot")
    paths = [f"{top}/0/lib.so", f"{top}/snapshot/lib.so"]
    equal(len({f.id for f in seen(*paths)}), 1)
    with open(paths[1], "r+b", buffering=0) as f:
        f.write(with_id(b"\7" * 20))
    equal([f.id for f in seen(*paths)], ["01" * 20, "07" * 20])


@test
def a_file_without_build_id_on_fs_verity_has_its_digest():
    top = f"{BASE}/verity"
    sh(f"truncate -s 100M {top}.img && mkfs.ext4 -q -b 4096 -O verity {top}.img")
    loop_mount(f"{top}.img", top)
    write(f"{top}/data", b"not an ELF file" * 1000)
    sh(f"fsverity enable {top}/data")
    digest = sh(f"fsverity measure {top}/data").split()[0].partition(":")[2]
    record = seen(f"{top}/data")[0]
    equal(record.reason, "not-elf")
    if lib.KERNEL < (6, 2):
        # that kernel lets no module read the digest
        equal(record.kind, "htlhash")
    else:
        equal((record.kind, record.id), ("fsverity", digest))


def need_persistent_memory(filesystem):
    if subprocess.run(f"modprobe -aq nd_e820 nd_pmem {filesystem} && test -b /dev/pmem0",
                      shell=True, check=False).returncode:
        raise Skip(f"neither persistent memory nor {filesystem}")


@test
def a_writer_of_a_dax_file_is_waited_for_by_who_maps_it():
    # only read_iter reads it, which waits for one
    need_persistent_memory("ext4")
    top = f"{BASE}/ext4-dax"
    os.makedirs(top)
    sh(f"mkfs.ext4 -q -b 4096 /dev/pmem0 && mount -o dax=always /dev/pmem0 {top}")
    path = f"{top}/lib.so"
    write(path, with_id(b"\6" * 20))
    lib.settle_times(path)
    with liar.waiting_writer(path):
        mapper = lib.forked(map_executable, path)
        lib.until(lambda: lib.sleeps_in(mapper, arch.SYS_MMAP), "it waits")
        equal(len(seen(f"{BASE}/btrfs/top.so")[0].id), 40, "another file is identified")
    equal(os.waitpid(mapper, 0)[1], 0, "status")
    equal(seen(path)[0].id, "06" * 20)
    sh(f"umount {top}")


@test
def a_reader_of_a_file_on_9p_is_waited_for_by_nobody():
    # one that is open with O_DIRECT is read past the page cache, and nobody reads through that then
    with lib.build_on_9p("loose") as top:
        path = f"{top}/tests/none"
        with liar.waiting_reader(path):
            equal(seen(path, flags=os.O_DIRECT)[0].kind, "htlhash")


@test
def a_dax_file_that_has_been_read_is_mapped_as_before():
    # erofs reads pages of any file, also where one in the cache is in the way of a fault.
    need_persistent_memory("erofs")
    top = f"{BASE}/dax"
    os.makedirs(f"{top}/tree")
    write(f"{top}/tree/lib.so", with_id(b"\5" * 20))
    sh(f"mkfs.erofs -E noinline_data {top}/image {top}/tree && cat {top}/image > /dev/pmem0")
    sh(f"mount -t erofs -o dax=always /dev/pmem0 {top}/tree")
    path = f"{top}/tree/lib.so"
    equal(seen(path)[0].id, "05" * 20)
    # A program of its own: what fails is SIGBUS.
    code = ("import mmap, sys; file = open(sys.argv[1]); "
            "print(mmap.mmap(file.fileno(), 0, prot=1)[:4])")
    equal(sh(f"{sys.executable} -c '{code}' {path}"), r"b'\x7fELF'")
    sh(f"umount {top}/tree")


@test
def an_image_mounted_in_the_place_of_another_is_not_taken_for_it():
    """A reproducible image in the place of another is not taken for it"""
    found = []
    for n in (1, 2):
        tree = f"{BASE}/tree{n}"
        os.makedirs(tree)
        write(f"{tree}/lib.so", with_id(bytes([n]) * 20))
        sh(f"mksquashfs {tree} {BASE}/{n}.sqfs -all-time 0 -mkfs-time 0 -noappend -no-progress")
    top = f"{BASE}/squashfs"
    for n in (1, 2, 1):
        loop_mount(f"{BASE}/{n}.sqfs", top)
        found.append((seen(f"{top}/lib.so")[0], os.stat(f"{top}/lib.so").st_dev))
        sh(f"umount {top}")
    files = [f for f, _ in found]
    equal([f.id for f in files], ["01" * 20, "02" * 20, "01" * 20])
    # or else this test shows nothing
    equal(len({(dev, f.dev, f.ino, f.ctime, f.mtime, f.file_size) for f, dev in found}), 1)


@test
def a_program_that_nobody_may_read_is_identified():
    path = f"{BASE}/secret-program"
    sh(f"cp /bin/true {path} && chmod 0111 {path} && chmod 755 {BASE}")
    program = seen_when_run(path)
    equal((program.kind, program.id), ("gnu", lib.readelf_ids([path])[path]), "kind and id")


@test
def a_setuid_program_is_identified():
    path = f"{BASE}/setuid-program"
    sh(f"cp /bin/true {path}")
    os.chmod(path, 0o4755 | stat.S_ISUID)
    equal(seen_when_run(path).kind, "gnu")


run()
