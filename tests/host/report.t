#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""scripts/report: reports of long runs, and how they are compared; and scripts/bench-report."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))

import report                       # noqa: E402
from tap import equal, run, test    # noqa: E402

BENCH = os.path.join(TOP, "scripts", "bench-report")
SCRIPT = os.path.join(TOP, "scripts", "report")
FINDING = {"what": "it hangs", "where": "module/ring.c", "replay": "make soak SEED=5"}


def text(counts=None, **keys):
    return json.dumps({"seconds": 61, "counts": counts or {"calls": 1000}, **keys})


def script(directory, stdin, status=0, name="soak"):
    done = subprocess.run((SCRIPT, "--directory", directory, name), input=stdin,
                          capture_output=True, text=True, check=False)
    equal(done.returncode, status, done.stdout + done.stderr)
    return done


def begin(directory, *words):
    return subprocess.check_output((SCRIPT, "--directory", directory, "--begin", *words),
                                   text=True).strip()


def rows(done):
    """The cells of the table, by the first one."""
    lines = [line.split() for line in done.stdout.splitlines() if line[:1] not in ("", " ")]
    return {cells[0]: cells[1:] for cells in lines}


@test("a report has every key, and the rest is filled in")
def filled_in():
    with tempfile.TemporaryDirectory() as directory:
        script(directory, text(seed=7, kernel="6.12"))
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
        assert found["began"] < report.now(), found["began"]


@test("the table has what changed, came and went since the last run")
def compared():
    with tempfile.TemporaryDirectory() as directory:
        first = rows(script(directory, text({"calls": 1000, "ioctls": 5, "gone": 1})))
        equal(first["calls"], ["1,000", "-", "-"], "without a last run")
        script(directory, text({"calls": 1500, "ioctls": 5, "gone": 1}))
        second = rows(script(directory, text({"calls": 1200, "ioctls": 5, "came": 0.5})))
        equal(second["calls"], ["1,200", "1,500", "-300"], "fewer")
        equal(second["ioctls"], ["5", "5", "="], "as many")
        equal(second["came"], ["0.50", "-", "-"], "came")
        equal(second["gone"], ["-", "1", "-"], "went")
        equal(report.read(directory + "/soak.last.json")["counts"]["calls"], 1500, "last")


@test("runs are compared whose parameters are the same")
def alike():
    with tempfile.TemporaryDirectory() as directory:
        for calls, seconds, last in ((100, 60, "-"), (900, 1800, "-"), (150, 60, "100")):
            name = begin(directory, "soak", "6.12", f"{seconds}s", "2/3 reloads")
            equal(name, f"soak-6.12-{seconds}s-2-3-reloads", "name")
            row = rows(script(directory, text({"calls": calls}), name=name))["calls"]
            equal(row[:2], [str(calls), last], f"{seconds} s")


@test("a run that does not come to its end leaves no report, and the next has the one before")
def unfinished():
    with tempfile.TemporaryDirectory() as directory:
        begin(directory, "soak")
        script(directory, text({"calls": 100}))
        for _ in range(2):
            begin(directory, "soak")
            equal(os.listdir(directory), ["soak.last.json"], "files")
        equal(rows(script(directory, text({"calls": 150})))["calls"], ["150", "100", "+50"], "row")


@test("the first run is compared with that of the release")
def released():
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as before:
        last, now = (report.complete("soak", json.loads(text({"calls": calls})))
                     for calls in (100, 150))
        report.write(last, before)
        report.RELEASED, kept = before, report.RELEASED
        try:
            equal(report.write(now, directory), last, "the first")
            equal(report.write(last, directory), now, "the second")
        finally:
            report.RELEASED = kept


@test("the release's are reports that name this file")
def whole():
    for path in glob.glob(os.path.join(report.RELEASED, "*")):
        equal(report.read(path)["name"] + ".json", os.path.basename(path), "name")


@test("with findings it fails, and says how to replay them")
def findings():
    with tempfile.TemporaryDirectory() as directory:
        done = script(directory, text(findings=[FINDING]), 1)
        for part in FINDING.values():
            assert part in done.stdout, done.stdout
        equal(rows(done)["findings"], ["1", "-", "-"], "findings")
        equal(report.read(directory + "/soak.json")["findings"], [FINDING], "in the file")


@test("bad input is refused, and leaves the report that is there")
def refused():
    with tempfile.TemporaryDirectory() as directory:
        script(directory, text())
        before = report.read(directory + "/soak.json")
        for stdin, reason in (
                ("", "Expecting value"), ("[]", "not an object"), ("{}", "began"),
                (text(surplus=1), "surplus"), (text(name="other"), "name"),
                (text(seconds=-1), "seconds"), (text(seconds="1", began=report.now()), "seconds"),
                (text(seconds=float("nan")), "began"), (text(began="yesterday"), "began"),
                (text(commit=5), "commit"), (text(kernel=""), "kernel"), (text(seed=[]), "seed"),
                (text(version=""), "version"), ('{"seconds": 1, "counts": {}}', "counts"),
                (text({"calls": True}), "calls"), (text({"calls": "5"}), "calls"),
                (text(findings={}), "findings"), (text(findings=["bad"]), "findings"),
                (text(findings=[{**FINDING, "replay": ""}]), "replay"),
                (text(findings=[{"what": "it hangs"}]), "replay")):
            done = script(directory, stdin, 2)
            assert reason in done.stderr, (stdin, done.stderr)
            equal(done.stdout, "", stdin)
        equal(report.read(directory + "/soak.json"), before, "the report")
        equal(os.listdir(directory), ["soak.json"], "files")


@test("a report from before that is none stops nothing")
def broken():
    with tempfile.TemporaryDirectory() as directory:
        for content in ("", "{}"):
            with open(directory + "/soak.json", "w", encoding="utf-8") as file:
                file.write(content)
            done = script(directory, text())
            assert "not compared" in done.stderr, done.stderr
            equal(rows(done)["calls"], ["1,000", "-", "-"], "alone")


@test("a name that is no file name is refused")
def names():
    with tempfile.TemporaryDirectory() as directory:
        for name in ("../soak", "", "a b", ".soak", "-soak"):
            script(directory, text(), 2, name)
        equal(os.listdir(directory), [], "files")


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
                if re.match("memory|worst|flood", name):
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
        equal(bench.report(*options, onecached=1026, worstnotes=1029), [], "a little more")
        equal(bench.report(*options, onecached=100, worstnotes=1), [], "less")
        equal(bench.report(*options, status=1, onecached=1028, worstnotes=1031),
              ["worse: 6.12 cached: 928.00, recorded 900.00",
               "worse: 6.12 worst: 1,031.00, recorded 1,000.00",
               "worse: 6.12 worst_notes: 1,031.00, recorded 1,000.00"], "too much more")
        equal(bench.report(*options, oneperf=2000, querymapping=2000), [], "not the module's")
        assert bench.report(*options, status=1, kernel="6.1"), "what was never recorded"
        bench.report("--record", bench.record, kernel="6.1")
        equal(bench.report(*options), [], "what is recorded of another kernel, still")
        bench.report("--strict", directory + "/none", status=1)


run()
