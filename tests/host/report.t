#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Reports of long runs, and how they are compared; and scripts/bench-report."""

import contextlib
import glob
import io
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))

import report                       # noqa: E402
from tap import equal, run, test    # noqa: E402

BENCH = os.path.join(TOP, "scripts", "bench-report")
FINDING = {"what": "it hangs", "where": "module/ring.c", "replay": "make soak SEED=5"}


@contextlib.contextmanager
def changed(module, name, value):
    kept = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, kept)


def finish(directory, counts=None, name="soak", **keys):
    """The table of a run that ends at once."""
    return report.Run(name, directory=directory).table(counts=counts or {"calls": 1000}, **keys)


def rows(table):
    """The cells of the table, by the first one."""
    lines = [line.split() for line in table.splitlines() if line[:1] not in ("", " ")]
    return {cells[0]: cells[1:] for cells in lines}


@test("a report has every key, and the rest is filled in")
def filled_in():
    with tempfile.TemporaryDirectory() as directory:
        finish(directory, seed=7, kernel="6.12")
        path = os.path.join(directory, "soak.json")
        with open(path, encoding="utf-8") as file:
            equal(tuple(json.load(file)), report.KEYS, "keys")
        found = report.read(path)
        equal((found["name"], found["seed"], found["kernel"], found["findings"]),
              ("soak", 7, "6.12", []), "what was given")
        equal(found["version"], subprocess.check_output(
            ("make", "-s", "--no-print-directory", "-C", TOP + "/tool", "version"),
            text=True).strip(), "version")
        head = subprocess.check_output(("git", "-C", TOP, "rev-parse", "HEAD"), text=True).strip()
        equal(found["commit"].removesuffix("-dirty"), head, "commit")
        assert found["began"] <= report.now(), found["began"]


@test("the commit is that where the run began")
def commit():
    with tempfile.TemporaryDirectory() as directory:
        one = report.Run("soak", directory=directory)
        with changed(report, "commit", lambda: "another"), \
                changed(report, "version", lambda: "0"):
            found = one.complete(counts={"calls": 1})
        equal((found["commit"], found["version"]), (report.commit(), report.version()), "commit")


@test("the table has what changed, came and went since the last run")
def compared():
    with tempfile.TemporaryDirectory() as directory:
        first = rows(finish(directory, {"calls": 1000, "ioctls": 5, "gone": 1}))
        equal(first["calls"], ["1,000", "-", "-"], "without a last run")
        finish(directory, {"calls": 1500, "ioctls": 5, "gone": 1})
        second = rows(finish(directory, {"calls": 1200, "ioctls": 5, "came": 0.5}))
        equal(second["calls"], ["1,200", "1,500", "-300"], "fewer")
        equal(second["ioctls"], ["5", "5", "="], "as many")
        equal(second["came"], ["0.50", "-", "-"], "came")
        equal(second["gone"], ["-", "1", "-"], "went")
        equal(report.read(directory + "/soak.last.json")["counts"]["calls"], 1500, "last")


@test("runs are compared whose parameters are the same")
def alike():
    with tempfile.TemporaryDirectory() as directory:
        for calls, seconds, last in ((100, 60, "-"), (900, 1800, "-"), (150, 60, "100")):
            one = report.Run("soak", 6.12, f"{seconds}s", "2/3 reloads", directory=directory)
            equal(one.name, f"soak-6.12-{seconds}s-2-3-reloads", "name")
            equal(rows(one.table(counts={"calls": calls}))["calls"][:2], [str(calls), last],
                  f"{seconds} s")


@test("a run that does not come to its end leaves no report, and the next has the one before")
def unfinished():
    with tempfile.TemporaryDirectory() as directory:
        finish(directory, {"calls": 100})
        for _ in range(2):
            report.Run("soak", directory=directory)
            equal(os.listdir(directory), ["soak.last.json"], "files")
        equal(rows(finish(directory, {"calls": 150}))["calls"], ["150", "100", "+50"], "row")


@test("the first run is compared with that of the release")
def released():
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as before, \
            changed(report, "RELEASED", before):
        finish(before, {"calls": 100})
        equal(rows(finish(directory, {"calls": 150}))["calls"], ["150", "100", "+50"], "first")
        equal(rows(finish(directory, {"calls": 120}))["calls"], ["120", "150", "-30"], "second")


@test("the release's are reports that name this file")
def whole():
    for path in glob.glob(os.path.join(report.RELEASED, "*")):
        equal(report.read(path)["name"] + ".json", os.path.basename(path), "name")


@test("with findings it fails, and says how to replay them")
def findings():
    with tempfile.TemporaryDirectory() as directory:
        table = finish(directory, findings=[FINDING])
        for part in FINDING.values():
            assert part in table, table
        equal(rows(table)["findings"], ["1", "-", "-"], "findings")
        equal(report.read(directory + "/soak.json")["findings"], [FINDING], "in the file")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            one = report.Run("soak", directory=directory)
            equal(one.finish(counts={"calls": 1}, findings=[FINDING]), 1, "exit status")
            equal(one.finish(counts={"calls": 1}), 0, "exit status without")
        assert FINDING["replay"] in said.getvalue(), said.getvalue()


@test("bad input is refused, and leaves the report that is there")
def refused():
    with tempfile.TemporaryDirectory() as directory:
        finish(directory)
        before = report.read(directory + "/soak.json")
        one = report.Run("other", directory=directory)
        one.name = "soak"
        for partial, reason in (
                ({}, "counts"), ({"surplus": 1}, "surplus"), ({"name": "a b"}, "name"),
                ({"seconds": -1}, "seconds"), ({"seconds": "1"}, "seconds"),
                ({"seconds": float("nan")}, "seconds"), ({"began": "yesterday"}, "began"),
                ({"commit": 5}, "commit"), ({"kernel": ""}, "kernel"), ({"seed": []}, "seed"),
                ({"version": ""}, "version"), ({"counts": {}}, "counts"),
                ({"counts": {"calls": True}}, "calls"), ({"counts": {"calls": "5"}}, "calls"),
                ({"findings": {}}, "findings"), ({"findings": ["bad"]}, "findings"),
                ({"findings": [{**FINDING, "replay": ""}]}, "replay"),
                ({"findings": [{"what": "it hangs"}]}, "replay")):
            try:
                one.table(**{"counts": {"calls": 1} if partial else None, **partial})
            except ValueError as error:
                assert reason in str(error), (partial, error)
                continue
            raise AssertionError(f"{partial} is taken")
        equal(report.read(directory + "/soak.json"), before, "the report")
        equal(os.listdir(directory), ["soak.json"], "files")


@test("a report from before that is none stops nothing")
def broken():
    with tempfile.TemporaryDirectory() as directory:
        for content in ("", "{}"):
            with open(directory + "/soak.json", "w", encoding="utf-8") as file:
                file.write(content)
            with contextlib.redirect_stderr(io.StringIO()) as said:
                table = finish(directory)
            assert "not compared" in said.getvalue(), said.getvalue()
            equal(rows(table)["calls"], ["1,000", "-", "-"], "alone")


@test("of what a guest says the last whole line of JSON counts")
def of_guest():
    for text, status, last in (
            ('# a\n{"counts": 1}\n# b\n{"counts": 2}\n# c\n', 0, {"counts": 2}),
            ('{"counts": 1}\n{"counts": ', 124, {"counts": 1}), ("", 1, None)):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            equal(report.of_guest(("sh", "-c", f"printf %s '{text}'; exit {status}")),
                  (status, last), repr(text))
        equal(said.getvalue(), "".join(line + "\n" for line in text.split("\n")
                                       if line.startswith("#")), "what else it says")


@test("whoever ends a long form ends its guest")
def ended():
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        os.dup2(writer, 2)
        report.of_guest(("sh", "-c", "echo runs >&2; exec sleep 1000"))
        os._exit(0)
    os.close(writer)
    with open(reader, encoding="ascii") as said:
        equal(said.readline(), "runs\n")
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)
        ends, *_ = select.select([said], [], [], 60)
        assert ends and not said.read(), "the guest has its end of the pipe still"


class Bench:
    """What tests/bench prints, of all that scripts/bench-report wants."""

    def __init__(self, directory):
        self.raw, self.record = os.path.join(directory, "raw"), os.path.join(directory, "record")
        with open(BENCH, encoding="utf-8") as file:
            text_ = file.read()
        # all quoted words with a colon, of which most are series
        self.names = set(re.findall(r"'([\w, -]+: [\w, -]+)'", text_))

    def report(self, *options, status=0, kernel="6.12", **changed):
        """@changed: by the name of a series without what is no letter."""
        with open(self.raw, "w", encoding="ascii") as file:
            for name in self.names:
                value = changed.get(re.sub(r"\W", "", name), 1000 if "empty" not in name else 100)
                if re.match("memory|hook", name) or "files" in name:
                    item = {"number": name, "value": value}
                else:
                    item = {"series": name, "of": 1, "values": [value] * 3}
                file.write(json.dumps(item) + "\n")
        done = subprocess.run((BENCH, *options, f"{kernel}=release={self.raw}"),
                              capture_output=True, text=True, check=False)
        equal(done.returncode, status, done.stdout[-2000:] + done.stderr)
        return [line for line in done.stdout.splitlines() if line.startswith("worse")]


@test("bench --strict fails for what is more than 3 % above what is recorded, and for nothing else")
def strict():
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(directory)
        bench.report("--record", bench.record)
        options = ("--strict", bench.record)
        equal(bench.report(*options), [], "the same again")
        # 900 over an empty one
        equal(bench.report(*options, onecached=1026, hooknew=1029), [], "a little more")
        equal(bench.report(*options, onecached=100, hooknew=1), [], "less")
        equal(bench.report(*options, status=1, onecached=1028, hooknew=1031),
              ["worse: 6.12 cached: 928.00, recorded 900.00",
               "worse: 6.12 hook_new: 1,031.00, recorded 1,000.00"], "too much more")
        equal(bench.report(*options, oneperf=2000, querymapping=2000), [], "not the module's")
        assert bench.report(*options, status=1, kernel="6.1"), "what was never recorded"
        bench.report("--record", bench.record, kernel="6.1")
        equal(bench.report(*options), [], "what is recorded of another kernel, still")
        bench.report("--strict", directory + "/none", status=1)


run()
