#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The kernel's and its modules' identities."""
import os
import subprocess

from device import (Device, Image, KERNEL, MODULE, SNAPSHOT, SUB_KERNEL, IMAGE_UNLOAD)
from tap import equal, run, test


def notes_id(path):
    """The GNU build-id among raw notes."""
    with open(path, "rb") as f:
        raw = f.read()
    off = 0
    while off + 12 <= len(raw):
        namesz, descsz, kind = (int.from_bytes(raw[off + n:off + n + 4], "little")
                                for n in (0, 4, 8))
        name_end = off + 12 + (namesz + 3 & ~3)
        if kind == 3 and raw[off + 12:off + 12 + namesz] == b"GNU\0":
            return raw[name_end:name_end + descsz].hex()
        off = name_end + (descsz + 3 & ~3)
    return None


def kallsyms():
    with open("/proc/kallsyms", encoding="ascii") as f:
        return {name: int(addr, 16) for addr, _, name in (line.split()[:3] for line in f)}


def images(records):
    return [r for r in records if isinstance(r, Image)]


def subscribe(device):
    """The snapshot."""
    device.subscribe(flags=SUB_KERNEL)
    return images(device.read())


@test
def the_kernel_comes_first_with_its_id_and_the_address_of_text():
    with Device() as device:
        kernel = subscribe(device)[0]
    equal(kernel.header.type, KERNEL)
    equal(kernel.header.flags, SNAPSHOT)
    equal((kernel.kind, kernel.id), ("gnu", notes_id("/sys/kernel/notes")))
    equal(kernel.name, os.uname().release)
    symbols = kallsyms()
    # Without CONFIG_KALLSYMS_ALL the head, of 64 KiB, is not there.
    text = symbols["_text"] if "_text" in symbols else symbols["_stext"] - 0x10000
    # Nor is the end.
    size = symbols["_etext"] - text if "_etext" in symbols else 0
    equal((kernel.addr, kernel.len), (text, size))


@test
def every_loaded_module_is_in_the_snapshot_with_its_id():
    with Device() as device:
        modules = {r.name: r for r in subscribe(device)[1:]}
    with open("/proc/modules", encoding="ascii") as f:
        loaded = {line.split()[0] for line in f}
    equal(set(modules), loaded)
    for name, module in modules.items():
        equal(module.header.type, MODULE)
        equal(module.id, notes_id(f"/sys/module/{name}/notes/.note.gnu.build-id"), name)
        with open(f"/sys/module/{name}/sections/.text", encoding="ascii") as f:
            text = int(f.read(), 16)
        assert module.addr <= text < module.addr + module.len, name


EMPTY = f"build/tests/kmod-{os.environ['KERNEL_NAME']}/buildid_empty.ko"


def load_and_unload(path, insmod=("insmod",)):
    """The records of a module's load and unload."""
    with Device() as device:
        known = {r.name for r in subscribe(device)}
        assert "buildid_empty" not in known, known
        subprocess.run([*insmod, path], check=True)
        subprocess.run(["rmmod", "buildid_empty"], check=True)
        load, unload = [r for r in images(device.read_until(
            lambda r: isinstance(r, Image) and r.flags & IMAGE_UNLOAD))]
    equal([r.header.type for r in (load, unload)], [MODULE, MODULE])
    equal([r.name for r in (load, unload)], ["buildid_empty"] * 2)
    equal((load.header.flags, load.flags), (0, 0))
    equal((unload.header.flags, unload.flags), (0, IMAGE_UNLOAD))
    equal((unload.addr, unload.id, unload.kind), (load.addr, load.id, load.kind))
    return load


def id_by_readelf(path):
    out = subprocess.run(["eu-readelf", "-n", path], check=True, capture_output=True,
                         text=True).stdout
    return out.partition("Build ID: ")[2].split()[0]


@test
def loading_and_unloading_a_module_is_reported_as_it_happens():
    load = load_and_unload(EMPTY)
    equal((load.kind, load.id), ("gnu", id_by_readelf(EMPTY)))


@test
def a_module_is_known_by_its_content_wherever_its_file_is():
    os.makedirs("/tmp/odd place", exist_ok=True)
    odd = "/tmp/odd place/not a module.bin"
    subprocess.run(["cp", EMPTY, odd], check=True)
    equal(load_and_unload(odd).id, id_by_readelf(EMPTY))


@test
def a_module_in_a_compressed_file_has_the_id_of_its_content():
    packed = "/tmp/buildid_empty.ko.xz"
    with open(packed, "wb") as f:
        subprocess.run(["xz", "--check=crc32", "-c", EMPTY], check=True, stdout=f)
    equal(load_and_unload(packed).id, id_by_readelf(EMPTY))


@test
def a_module_in_a_gzip_file_has_the_id_of_its_content():
    packed = "/tmp/buildid_empty.ko.gz"
    with open(packed, "wb") as f:
        subprocess.run(["gzip", "-c", EMPTY], check=True, stdout=f)
    # Debian's kmod is built without zlib
    equal(load_and_unload(packed, insmod=["busybox", "insmod"]).id, id_by_readelf(EMPTY))


@test
def a_module_without_notes_has_a_reason():
    bare = "/tmp/bare.ko"
    subprocess.run(["objcopy", "--remove-section=.note.gnu.build-id", EMPTY, bare], check=True)
    load = load_and_unload(bare)
    equal((load.kind, load.reason, load.id), ("none", "no-note", ""))


@test
def addresses_are_for_who_may_see_them():
    script = """
from device import Device, SUB_KERNEL, Image
with Device() as device:
    device.subscribe(flags=SUB_KERNEL)
    print(any(r.addr for r in device.read() if isinstance(r, Image)))
"""
    for drop, want in (([], "True"), (["setpriv", "--bounding-set", "-syslog",
                                       "--inh-caps", "-syslog"], "False")):
        out = subprocess.run([*drop, "python3", "-c", script], check=True, text=True,
                             capture_output=True).stdout
        equal(out.strip(), want, drop)


run()
