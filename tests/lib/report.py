# SPDX-License-Identifier: GPL-2.0
"""What a long run did: a JSON file, and a table that compares it with the run before.

What says how much a run does is part of its NAME, so that runs are compared that did as much. A
seed is no part where it is that of the clock, as no two runs have the same. The last report is
set aside when a run begins: one that ends early leaves none. Where there is no last one, it is that
of tests/reports, made for the release.

build/reports/NAME.json, and NAME.last.json of the run before, have

    name      NAME: the kind of run, and its parameters
    version   of the module
    commit    where it began; "-dirty" is appended where the tree had changes; null outside a clone
    kernel    of the guest, or null
    seed      that repeats the run, or null
    began     in UTC, as 2026-11-22T07:00:00Z
    seconds   that it took
    counts    {what was done: how often}, in the order to print it in
    findings  [{"what": what is wrong, "where": the place, "replay": the command}]
"""

import contextlib
import datetime
import json
import os
import re
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIRECTORY = os.path.join(TOP, "build", "reports")
RELEASED = os.path.join(TOP, "tests", "reports")
TIME = "%Y-%m-%dT%H:%M:%SZ"

KEYS = ("name", "version", "commit", "kernel", "seed", "began", "seconds", "counts", "findings")
# Of a name, which is part of a file's.
LONGEST = 200
FINDING = {"what", "where", "replay"}


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime(TIME)


def version():
    with open(os.path.join(TOP, "module", "version.h"), encoding="utf-8") as file:
        return re.search('#define BID_VERSION "(.*)"', file.read())[1]


def commit():
    done = subprocess.run(("git", "-C", TOP, "describe", "--always", "--exclude=*", "--abbrev=40",
                           "--dirty"), capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def need(condition, what):
    if not condition:
        raise ValueError(what)


def is_text(value):
    return isinstance(value, str) and value.strip() != ""


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and \
        value == value and abs(value) != float("inf")


def is_time(value):
    try:
        return datetime.datetime.strptime(value, TIME) is not None
    except (TypeError, ValueError):
        return False


def check(report):
    """Raises ValueError where @report is not as described above."""
    need(isinstance(report, dict), "not an object")
    need(set(report) == set(KEYS), "keys: " + ", ".join(sorted(set(report) ^ set(KEYS))))
    need(re.fullmatch("[a-z0-9][a-z0-9._-]*", report["name"]), "name: not fit for a file")
    need(is_text(report["version"]), "version: no text")
    for key in ("commit", "kernel"):
        need(report[key] is None or is_text(report[key]), f"{key}: neither null nor text")
    need(report["seed"] is None or is_text(report["seed"]) or is_number(report["seed"]),
         "seed: neither null nor a number nor text")
    need(is_time(report["began"]), "began: not as 2026-11-22T07:00:00Z")
    need(is_number(report["seconds"]) and report["seconds"] >= 0, "seconds: no number")
    counts, findings = report["counts"], report["findings"]
    need(isinstance(counts, dict) and counts, "counts: nothing was done")
    for key, value in counts.items():
        need(is_text(key) and is_number(value), f"counts: {key}: no number")
    need(isinstance(findings, list), "findings: no list")
    for finding in findings:
        need(isinstance(finding, dict) and set(finding) == FINDING and
             all(map(is_text, finding.values())),
             "findings: not each has the texts what, where and replay")


def path_of(name, directory=DIRECTORY):
    return os.path.join(directory, name + ".json")


def read(path):
    """The report in @path; None where there is no such file."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except FileNotFoundError:
        return None
    check(report)
    return report


def set_aside(name, directory):
    """Returns the path of the last report."""
    path = path_of(name + ".last", directory)
    with contextlib.suppress(FileNotFoundError):
        os.replace(path_of(name, directory), path)
    return path


def write(report, directory=DIRECTORY):
    """Returns the report before it, or None."""
    os.makedirs(directory, exist_ok=True)
    path = set_aside(report["name"], directory)
    try:
        last = read(path) or read(path_of(report["name"], RELEASED))
    except ValueError as error:
        print(f"{path}: {error}; not compared with", file=sys.stderr)
        last = None
    path = path_of(report["name"], directory)
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(report, file, indent=2)
        file.write("\n")
    os.replace(path + ".new", path)
    return last


def number(value):
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def difference(value, last):
    if value is None or last is None:
        return "-"
    return "=" if value == last else f"{'+' if value > last else '-'}{number(abs(value - last))}"


def title(report):
    parts = [report["began"], f"version {report['version']}", f"commit {report['commit']}"]
    parts += [f"{key} {report[key]}" for key in ("kernel", "seed") if report[key] is not None]
    return ", ".join(parts)


def table(report, last=None):
    """@report beside @last, and its findings."""
    then = {**last["counts"], "findings": len(last["findings"]), "seconds": last["seconds"]} \
        if last else {}
    counts = {**report["counts"], "findings": len(report["findings"]),
              "seconds": report["seconds"]}
    rows = [(report["name"], "now", "last", "difference")]
    rows += [(key, number(counts.get(key)), number(then.get(key)),
              difference(counts.get(key), then.get(key))) for key in {**counts, **then}]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["now:  " + title(report), "last: " + (title(last) if last else "none"), ""]
    lines += ["  ".join([row[0].ljust(widths[0])] +
                        [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])])
              for row in rows]
    for finding in report["findings"]:
        lines += ["", f"finding: {finding['what']}", f"  where:  {finding['where']}",
                  f"  replay: {finding['replay']}"]
    return "\n".join(lines) + "\n"


# Before a command: it ends with the thread that waits for it.
ENDING_WITH_US = ("setpriv", "--pdeathsig", "TERM")


def of_guest(command):
    """Runs @command, a guest that prints what it did so far as a line of JSON, again and again;
    prints all else. Its exit status, and the last such line as an object, or None. It ends with
    who waits for it."""
    last = None
    command = (*ENDING_WITH_US, *command)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as guest:
        for line in guest.stdout:
            if not line.startswith("{"):
                print(line, end="", flush=True)
                continue
            # one that is cut off is of a guest that was ended
            with contextlib.suppress(ValueError):
                last = json.loads(line)
    return guest.returncode, last


class Run:
    """One that begins. Its name is made of its kind and its parameters."""

    def __init__(self, *parts, directory=DIRECTORY):
        self.name = re.sub("[^a-z0-9._]+", "-",
                           " ".join(map(str, parts)).lower()).strip("-")[:LONGEST]
        self.directory = directory
        self.version, self.commit, self.began = version(), commit(), now()
        self.start = time.monotonic()
        set_aside(self.name, directory)

    def complete(self, **partial):
        """A report: @partial, which has counts at least, with the rest filled in."""
        report = {"name": self.name, "version": self.version, "commit": self.commit,
                  "kernel": None, "seed": None, "began": self.began,
                  "seconds": round(time.monotonic() - self.start), "counts": None,
                  "findings": [], **partial}
        check(report)
        return report

    def table(self, **partial):
        """Writes the report, and returns what is to be printed of it."""
        report = self.complete(**partial)
        last = write(report, self.directory)
        return table(report, last) + \
            f"\nin {os.path.relpath(path_of(self.name, self.directory))}\n"

    def finish(self, **partial):
        """Writes and prints the report; returns the exit status."""
        print(self.table(**partial), end="", flush=True)
        return int(bool(partial.get("findings")))
