#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The machinery of make coverage: it counts the lines of the module that a few tests run in a
guest, and finds those that did not run and that nobody has listed."""

import os
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TOP, "tests", name) for name in ("coverage", "lib")]

import coverage               # noqa: E402
from coverage import Line     # noqa: E402
from tap import equal, run, test   # noqa: E402

KERNEL = "debug"
TREE = os.path.join(TOP, "build", "coverage-short")

LISTED = """\
# a comment

module/a.c one(): return -ENOMEM;
module/a.c two(): goto out;
  No test can make this fail.

module/b.c one(): return 0;
module/b.c one(): return 0;
  Never.
"""


def written(text):
    with tempfile.NamedTemporaryFile("w", suffix=".uncovered", delete=False) as file:
        file.write(text)
    return file.name


def listed(text):
    path = written(text)
    try:
        return coverage.known(path)
    finally:
        os.unlink(path)


@test("a line is listed by file, function and text, with the reason below it")
def _():
    equal(listed(LISTED), {
        Line("module/a.c", "one", "return -ENOMEM;"): 1, Line("module/a.c", "two", "goto out;"): 1,
        Line("module/b.c", "one", "return 0;"): 2})
    for text in "module/a.c one(): return 0;\n", "module/a.c 17: return 0;\n  Never.\n":
        try:
            listed(text)
        except ValueError:
            continue
        raise AssertionError(f"{text!r} is taken")


@test("each line of tests/uncovered is in the module, and has a reason")
def _():
    for line, times in coverage.known().items():
        with open(os.path.join(TOP, line.file), encoding="utf-8") as file:
            there = [text.strip() for text in file].count(line.text)
            assert there >= times, f"{line} is there {there} times, not {times}"


@test("of lines with the same text as many may not run as are listed")
def _():
    twice, other = Line("module/b.c", "one", "return 0;"), Line("module/b.c", "two", "return 0;")
    missed = [(twice, 1), (twice, 2), (twice, 3), (other, 9)]
    equal(coverage.unknown(missed, listed(LISTED)), [(twice, 3), (other, 9)])


@test("objects that have a line in common add up")
def _():
    def one(count):
        return {"current_working_directory": "/tree/x", "files": [
            {"file": "/tree/module/a.h", "lines": [
                {"line_number": 3, "function_name": "f", "count": count}]},
            {"file": "/usr/include/b.h", "lines": [{"line_number": 1, "count": 1}]}]}
    equal(coverage.merge([one(2), one(0), one(5)], "/tree"), {"module/a.h": {3: ["f", 7]}})


def lines_of(lines, name, function):
    """[(text, count)] of a function."""
    with open(os.path.join(TREE, name), encoding="utf-8") as file:
        text = file.read().split("\n")
    return [(text[number - 1].strip(), count) for number, (of, count)
            in sorted(lines[name].items()) if of == function]


@test("what tests run in a guest is counted, and what they do not is found")
def _():
    coverage.build(KERNEL, TREE)
    equal(coverage.run_guest(KERNEL, TREE, ["tests/coverage/few"]), 0, "exit status")
    lines = coverage.merge(coverage.gcov(TREE), TREE)
    # insmod, and the test reloads it twice: counters of modules that are gone add up
    init = dict(lines_of(lines, "module/main.c", "buildid_init"))
    equal(init["err = check_parameters();"], 3, "loads")
    equal(init["goto err_cookie;"], 0, "loads that failed")
    stats = dict(lines_of(lines, "module/ioctl.c", "bid_ioctl_stats"))
    # five, and that of tests/run, which looks for cookies
    equal(set(stats.values()), {6}, "calls of STATS")
    missed = {line for line, _ in coverage.missed(lines, TREE)}
    assert Line("module/main.c", "buildid_init", "goto err_cookie;") in missed, "not found"
    assert Line("module/main.c", "buildid_init", "err = check_parameters();") not in missed
    ran, whole = coverage.covered(lines["module/set_cookie.c"])
    equal(ran, 0, f"of {whole} lines of module/set_cookie.c")


run()
