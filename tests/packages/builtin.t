#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""scripts/copy-builtin: what it does to the source of a kernel; and in a guest the kernel that
scripts/kernel makes so, which has no modules."""

import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))

from tap import equal, run, test         # noqa: E402

KCONFIG = 'menu "Device Drivers"\n\nmenu "A"\nendmenu\n\nsource "drivers/z/Kconfig"\n\nendmenu\n'
MAKEFILE = "# SPDX-License-Identifier: GPL-2.0\nobj-y\t\t+= z/\n"
SOURCE = 'source "drivers/buildid/Kconfig"\n'
OBJECT = "obj-$(CONFIG_BUILDID)\t\t+= buildid/\n"
directory = tempfile.TemporaryDirectory()
linux = os.path.join(directory.name, "linux")
drivers = os.path.join(linux, "drivers")


def read(path):
    with open(path) as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def copy(*arguments, cwd=None):
    done = subprocess.run([os.path.join(TOP, "scripts/copy-builtin"), *arguments], text=True,
                          cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def in_guest(*command, append=""):
    done = subprocess.run([os.path.join(TOP, "scripts/vm"), "--kernel", "builtin", "--mem", "3G",
                           "--timeout", "1500", "--append", append, "--", *command], text=True,
                          cwd=TOP, stdout=subprocess.PIPE)
    assert not done.returncode, f"exit {done.returncode}: {done.stdout[-4000:]}"
    return done.stdout


@test
def what_is_no_kernel_is_refused_and_left():
    os.mkdir(linux)
    status, said = copy(linux)
    assert status == 1 and "not the source of a Linux kernel" in said, said
    equal(os.listdir(linux), [])
    status, said = copy("missing", cwd=directory.name)
    assert status == 1 and "missing: No such file" in said, said
    equal(copy()[0], 2)
    equal(copy(linux, linux)[0], 2)


@test
def a_directory_of_that_name_that_is_not_ours_is_left():
    write(f"{linux}/Kbuild", "")
    write(f"{drivers}/Kconfig", KCONFIG)
    write(f"{drivers}/Makefile", MAKEFILE)
    write(f"{drivers}/buildid/theirs.c", "")
    status, said = copy(linux)
    assert status == 1 and "not a copy of this module" in said, said
    equal(os.listdir(f"{drivers}/buildid"), ["theirs.c"])
    equal(read(f"{drivers}/Kconfig"), KCONFIG)
    os.remove(f"{drivers}/buildid/theirs.c")
    os.rmdir(f"{drivers}/buildid")


@test
def it_is_copied_and_named_once_whenever_it_is_called():
    expected = KCONFIG.removesuffix("endmenu\n") + SOURCE + "endmenu\n"
    for _ in range(2):
        status, said = copy("linux", cwd=directory.name)
        assert not status, said
        equal(read(f"{drivers}/Kconfig"), expected)
        equal(read(f"{drivers}/Makefile"), MAKEFILE + OBJECT)
        write(f"{drivers}/buildid/module/of_a_version_before.c", "")
    copy(linux)
    assert not os.path.exists(f"{drivers}/buildid/module/of_a_version_before.c")
    assert "\tdepends on 64BIT && KPROBES && " in read(f"{drivers}/buildid/Kconfig")
    for name in ("include/uapi/buildid.h", "module/main.c", "kunit/elf_kunit.c"):
        equal(read(f"{drivers}/buildid/{name}"), read(f"{TOP}/{name}"), name)


@test
def what_it_cannot_be_named_in_is_said():
    write(f"{drivers}/Kconfig", 'source "drivers/z/Kconfig"\n')
    status, said = copy(linux)
    assert status == 1 and f"add to it: {SOURCE}" in said, said


@test
def its_kunit_suites_pass_in_a_kernel_without_modules():
    said = in_guest("tests/kunit")
    assert said.count("\nok ") > 400 and "not ok" not in said, said[-4000:]


@test
def it_sees_mappings_and_the_tool_says_that_it_is_built_in():
    equal(in_guest("tests/packages/builtin_guest"), "")


@test
def that_it_did_not_start_is_said():
    said = in_guest("sh", "-c", "buildid doctor; buildid id /bin/true 2>&1; true",
                    append="buildid.max_entries=1")
    assert "is built into this kernel, and did not start" in said, said
    assert "not in this /dev" not in said, said


run()
