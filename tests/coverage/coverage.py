# SPDX-License-Identifier: GPL-2.0
"""Which lines of module/ ran, as gcov has it, and which are known not to."""

import base64
import collections
import glob
import io
import json
import os
import re
import shutil
import subprocess
import tarfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
UNCOVERED = os.path.join(TOP, "tests", "uncovered")
# What counts how often each line ran; the kernel has it below this, by the object's path.
FLAGS = ("GCOV_PROFILE=y",)
COUNTERS = "/sys/kernel/debug/gcov"

# A line as it is known: by its text, as its number changes.
Line = collections.namedtuple("Line", "file function text")


def kernel_directory(kernel):
    return subprocess.run((os.path.join(TOP, "scripts", "kernel"), kernel), check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


def build(kernel, tree):
    """A copy of the module in @tree that counts, and its KUnit suites."""
    shutil.rmtree(tree, ignore_errors=True)
    for name in ("include", "module", "kunit"):
        shutil.copytree(os.path.join(TOP, name), os.path.join(tree, name))
    shutil.copy(os.path.join(TOP, "Kbuild"), tree)
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}
    subprocess.run(("make", "-s", f"-j{os.cpu_count()}", "-C",
                    os.path.join(kernel_directory(kernel), "build"), f"M={tree}", *FLAGS,
                    "modules"), check=True, env=environment, stdout=subprocess.DEVNULL)
    if not glob.glob(os.path.join(tree, "module", "*.gcno")):
        raise RuntimeError(f"{kernel}: a kernel without CONFIG_GCOV_KERNEL")


def run_guest(kernel, tree, tests):
    """Runs @tests with that module; the guest's exit status. The counters are in @tree then, those
    of before where the guest came to no good end."""
    done = subprocess.run((os.path.join(TOP, "scripts", "vm"), "--kernel", kernel, "--mem", "4G",
                           "--no-module", "--timeout", "10800", "--", "tests/coverage/guest",
                           tree, *tests), stdout=subprocess.PIPE, text=True, check=False)
    unpack(done.stdout, tree)
    return done.returncode


def unpack(text, tree):
    """The last counters that a guest has sent, to where their objects are."""
    lines = re.findall(r"(.*)\n", text)
    if not lines:
        raise RuntimeError("the guest has sent no counters")
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(lines[-1]))) as tar:
        for member in tar:
            path = os.path.join("/", member.name)
            if path.startswith(tree + "/") and ".." not in path:
                with open(path, "wb") as file:
                    file.write(tar.extractfile(member).read())


def gcov(tree):
    """What gcov says of the counters, an object for each of them."""
    paths = sorted(glob.glob(os.path.join(tree, "**", "*.gcda"), recursive=True))
    if not paths:
        raise RuntimeError(f"{tree}: no counters")
    done = subprocess.run(("gcov-12", "--json-format", "--stdout", *paths), cwd=tree, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def merge(objects, tree):
    """{file of module/: {number: [function, count]}}, over all objects."""
    lines = collections.defaultdict(dict)
    for one in objects:
        for file in one["files"]:
            path = os.path.normpath(os.path.join(one["current_working_directory"], file["file"]))
            name = os.path.relpath(path, tree)
            if not name.startswith("module/"):
                continue
            for line in file["lines"]:
                entry = lines[name].setdefault(line["line_number"],
                                               [line.get("function_name", ""), 0])
                entry[1] += line["count"]
    return lines


def missed(lines, tree):
    """[(Line, number)] of those that did not run."""
    found = []
    for name in sorted(lines):
        with open(os.path.join(tree, name), encoding="utf-8") as file:
            text = [line.strip() for line in file.read().split("\n")]
        found += [(Line(name, function, text[number - 1]), number)
                  for number, (function, count) in sorted(lines[name].items()) if not count]
    return found


def known(path=UNCOVERED):
    """The lines that are listed, and how often. A reason is indented, below those that it is of."""
    lines, waiting = collections.Counter(), []
    with open(path, encoding="utf-8") as file:
        for text in file.read().split("\n"):
            match = re.fullmatch(r"(module/\S+) (\w*)\(\): (.*)", text)
            if match:
                waiting.append(Line(*match.groups()))
            elif text.startswith("  ") and waiting:
                lines.update(waiting)
                waiting = []
            elif text.strip() and not text.startswith(("#", "  ")):
                raise ValueError(f"{path}: {text!r}: neither a line nor a reason")
    if waiting:
        raise ValueError(f"{path}: no reason for {waiting[0]}")
    return lines


def unknown(found, lines):
    """Those of missed() that known() lacks, or has less often."""
    left, rest = collections.Counter(lines), []
    for line, number in found:
        if left[line]:
            left[line] -= 1
        else:
            rest.append((line, number))
    return rest


def covered(lines):
    """(covered, all)"""
    counts = [count for _, count in lines.values()]
    return sum(map(bool, counts)), len(counts)


def percent(part, whole):
    return round(100 * part / whole, 1) if whole else 100.0
