#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tests/syzkaller describes what include/uapi/buildid.h has, and all of it."""

import functools
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))

from tap import equal, run, test    # noqa: E402

DESCRIPTION = "tests/syzkaller/dev_buildid.txt"
# Where the numbers of system calls are.
UNISTD = {"amd64": "asm/unistd_64.h", "arm64": "asm-generic/unistd.h"}
RESOURCES = {"fd": 4, "pid": 4, "uid": 4, "fd_cgroup": 4}
# Of a flags field, by the list that the description has for it.
FLAGS = {"buildid_sub_flags": "BUILDID_SUB_", "buildid_maps_flags": "BUILDID_MAPS_",
         "buildid_key_flags": "BUILDID_KEY_", "buildid_cookie_flags": "BUILDID_COOKIE_"}


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


HEADER = read("include/uapi/buildid.h")
TEXT = read(DESCRIPTION)
CONSTS = read(DESCRIPTION + ".const")


@functools.cache
def compiled(lines, *includes):
    """What a C program prints that has these lines."""
    with tempfile.TemporaryDirectory() as directory:
        source = os.path.join(directory, "print.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("".join(f"#include <{name}>\n" for name in (
                "stddef.h", "stdio.h", "fcntl.h", "buildid.h", *includes)))
            file.write("int main(void)\n{\n" + "\n".join(lines) + "\nreturn 0;\n}\n")
        program = os.path.join(directory, "print")
        subprocess.run(("cc", "-std=gnu11", "-D_GNU_SOURCE", f"-I{TOP}/include/uapi", "-o",
                        program, source), check=True)
        return subprocess.run((program,), check=True, capture_output=True,
                              text=True).stdout.splitlines()


# ------------------------------------------------------------------ the header --

def ioctls_of_header():
    """{BUILDID_IOC_NAME: struct}"""
    return dict(re.findall(r"#define (BUILDID_IOC_\w+)\s+_IOWR\(\w+, \d+, struct (\w+)\)", HEADER))


def fields_of_header(struct):
    """[(name, offset, size)], as the compiler has it."""
    (body,) = re.findall(rf"^struct {struct} {{\n(.*?)^}};", HEADER, re.M | re.S)
    names = re.findall(r"^\t\S+\t(\w+)(?:\[\d+\])?;$", body, re.M)
    lines = compiled((*(f'printf("%zu %zu\\n", offsetof(struct {struct}, {name}), '
                        f'sizeof(((struct {struct} *)0)->{name}));' for name in names),
                      f'printf("end %zu\\n", sizeof(struct {struct}));'))
    found = [(name, *map(int, line.split())) for name, line in zip(names, lines)]
    return found, int(lines[-1].split()[1])


def zeros_of_header(struct):
    """Fields that are documented as 0."""
    (text,) = re.findall(rf"^ \* struct {struct} - (.*?)^ \*/", HEADER, re.M | re.S)
    return set(re.findall(r"^ \* @(\w+): 0$", text, re.M))


def flags_of_header(prefix):
    return re.findall(rf"^#define ({prefix}\w+)\s+\(1U << \d+\)", HEADER, re.M)


def attributes_of_header():
    """{BUILDID_A_NAME: bytes, 0 for binary}"""
    kinds = re.findall(r"^ \* @(BUILDID_A_\w+): (u32|u64|binary)", HEADER, re.M)
    return {name: {"u32": 4, "u64": 8, "binary": 0}[kind] for name, kind in kinds}


# ------------------------------------------------------------- the description --

def arguments(text):
    """Those of a type in brackets: split at the commas outside of others."""
    parts, depth = [""], 0
    for char in text:
        depth += {"[": 1, "]": -1}.get(char, 0)
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


def layout(kind):
    """(size, alignment) of a type; size 0 where it varies."""
    name, _, rest = kind.partition("[")
    inner = arguments(rest[:-1]) if rest else []
    if re.fullmatch(r"int(8|16|32|64)", name):
        size = int(name[3:]) // 8
        return size, size
    if name in ("const", "flags", "bytesize", "len"):
        return layout(inner[1])
    if name in ("ptr64", "vma64"):
        return 8, 8
    if name == "array":
        size, align = layout(inner[0])
        return (size * int(inner[1]) if len(inner) > 1 and inner[1].isdigit() else 0), align
    return RESOURCES[name], RESOURCES[name]


def block(text, name, ends="{}"):
    """[(field, type)] of a struct or, with ends [], of a union."""
    match = re.search(rf"^{name} \{ends[0]}\n(.*?)^\{ends[1]}", text, re.M | re.S)
    lines = match[1].splitlines() if match else []
    return [tuple(re.sub(r"\t\(out\)$", "", line).split(None, 1)) for line in lines]


def wrong_structs(text):
    """What of the structs is not as in the header."""
    wrong = []
    for struct in ioctls_of_header().values():
        fields, end, at = [], 0, 0
        for name, kind in block(text, struct):
            size, align = layout(kind)
            at = -(-end // align) * align
            fields.append((name, at, size))
            end = at + size
            if name in zeros_of_header(struct) and not kind.startswith("const[0, "):
                wrong.append(f"{struct}.{name} is not 0")
        found = (fields, -(-end // 8) * 8)
        if found != fields_of_header(struct):
            wrong.append(f"{struct}: {found}, not {fields_of_header(struct)}")
    return wrong


def wrong_calls(text):
    calls = dict(re.findall(r"^ioctl\$(\w+)\(fd fd_buildid, cmd const\[\1\], "
                            r"arg ptr\[inout, (\w+)\]\)$", text, re.M))
    wrong = [] if calls == ioctls_of_header() else [f"ioctls: {calls}"]
    known = re.findall(r"^\tBUILDID_CMD_(\w+)\s+= \d", HEADER, re.M)
    commands = re.findall(r"^sendmsg\$BUILDID_CMD_(\w+)\(.*\[BUILDID_CMD_\1, \w+\]\]", text, re.M)
    # no request
    if sorted(commands) != sorted(set(known) - {"UNSPEC", "EVENT"}):
        wrong.append(f"commands: {commands}")
    for name in ("BUILDID_DEVICE", "BUILDID_GENL_NAME"):
        (value,) = re.findall(rf'#define {name}\s+"(.*)"', HEADER)
        if f'string["{value}"]' not in text:
            wrong.append(f"{name}: {value}")
    return wrong


def wrong_flags(text):
    lists = dict(re.findall(r"^(buildid_\w+) = (.*)$", text, re.M))
    wanted = {name: flags_of_header(prefix) for name, prefix in FLAGS.items()}
    for name, prefix in ("buildid_kinds", "KIND"), ("buildid_ways", "BY"):
        wanted[name] = re.findall(rf"^\t(BUILDID_{prefix}_\w+)\s*= \d", HEADER, re.M)
    return [f"{name}: {lists.get(name)}" for name, names in wanted.items()
            if lists.get(name) != ", ".join(names)]


def wrong_attributes(text):
    """Each that may be in a request has its width; RECORD is in answers only."""
    found = {}
    for policy in ("buildid_get_policy", "buildid_subscribe_policy"):
        for name, kind in block(text, policy, "[]"):
            number, inner = arguments(kind.removeprefix("nlattr[").removesuffix("]"))
            found[name] = layout(inner)[0] if number == name else None
    wanted = attributes_of_header()
    wanted.pop("BUILDID_A_RECORD")
    return [] if found == wanted else [f"attributes: {found}, not {wanted}"]


def wrong_consts(text, consts):
    """The values are those of the header, and each that is used is there."""
    lines = re.findall(r"^(\w+) = (.*)$", consts, re.M)
    values = dict(lines)
    calls = set(re.findall(r"^(?!syz_)(\w+)\$", text, re.M))
    used = set(re.findall(r"\b(?:BUILDID_(?!A_\w+\t)\w+|AT_FDCWD|O_[A-Z]+)\b",
                          re.sub(r"^#.*|\$\w+", "", text, flags=re.M)))
    used |= {f"__NR_{name}" for name in calls}
    if values.pop("arches", None) != ", ".join(UNISTD) or set(values) != used:
        return [f"names: {sorted(set(values) ^ used)}"]
    wrong = []
    names = sorted(used)
    for arch, unistd in UNISTD.items():
        right = compiled(tuple(f'printf("%llu\\n", (unsigned long long){name});'
                               for name in names), unistd)
        for name, value in zip(names, right):
            mine = re.sub(r"^(?:(?!\b{0}:).)*\b{0}:(\d+).*".format(arch), r"\1", values[name])
            if mine.split(",")[0] != value:
                wrong.append(f"{name}: {values[name]}, not {value} on {arch}")
    return wrong


CHECKS = (wrong_calls, wrong_structs, wrong_flags, wrong_attributes,
          lambda text: wrong_consts(text, CONSTS))


@test("every ioctl and command of the header is described, and no other")
def _():
    equal(wrong_calls(TEXT), [], "calls")


@test("every struct has the header's fields, offsets and size; what is 0 there is 0")
def _():
    equal(wrong_structs(TEXT), [], "structs")


@test("flags and kinds are the header's")
def _():
    equal(wrong_flags(TEXT), [], "flags")


@test("every attribute of a request has its width")
def _():
    equal(wrong_attributes(TEXT), [], "attributes")


@test("the constants have the header's values")
def _():
    equal(wrong_consts(TEXT, CONSTS), [], "constants")


@test("what is not as in the header is noticed")
def _():
    for line, other in (
            ("ioctl$BUILDID_IOC_FLUSH(", "ioctl$BUILDID_IOC_FLOOD("),
            ("inout, buildid_flush]", "inout, buildid_info]"),
            ("\tflushed\t\tint64\t(out)\n", ""),
            ("\tdev_minor\tint32", "\tdev_minor\tint64"),
            ("\treserved\tconst[0, int32]", "\treserved\tint32"),
            (", BUILDID_SUB_TASKS", ""),
            ("nlattr[BUILDID_A_INO, int64", "nlattr[BUILDID_A_INO, int32"),
            ("\tBUILDID_A_UID\t\tnlattr[BUILDID_A_UID, uid]\n", ""),
            ('"/dev/buildid"', '"/dev/build"')):
        assert line in TEXT, line
        changed = TEXT.replace(line, other)
        assert any(check(changed) for check in CHECKS), f"{line!r} became {other!r}"
    for line in re.findall(r"^BUILDID_\w+ = \d+$", CONSTS, re.M):
        assert wrong_consts(TEXT, CONSTS.replace(line, line + "1")), line


run()
