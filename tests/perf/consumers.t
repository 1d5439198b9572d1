#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What others than perf make of a recording in which a program is replaced twice: hotspot,
BOLT, AutoFDO and pprof, each of a recording as perf leaves it and of an annotated one; and readers
by the rules of those that are not packaged."""

import contextlib
import os
import re
import shutil
import signal
import subprocess

import lib
import readers
from lib import built, contains
from perf_scenarios import Story, diagnose, read_id
from recording import tool_test
from tap import Skip, equal, run, test

PROFILE = os.path.join(lib.TOP, "build/tool/examples/profile")
BOLT = lib.newest("/usr/lib/llvm-*/bin/perf2bolt")
# The functions of the first two are at the same offsets, that of the last is elsewhere.
CONTENTS = ("first", "second", "far")
SESSION = "set -e\ncd {work}\n" + "".join(
    f"cp {{program}}-{content} new; mv new program; ./program {content}\n"
    for content in CONTENTS)

stack = contextlib.ExitStack()
story = Story("6.12", stack.enter_context(lib.tmpfs()))
session, stock, named = (story.path(name) for name in ("session", "stock", "named"))
lib.write_bytes(session, SESSION.format(work=story.work, program=built("profiled")).encode())
program = story.path("program")
ids = {content: read_id(built(f"profiled-{content}")) for content in CONTENTS}
names = {content: f"program@{ids[content][:8]}" for content in CONTENTS} | {"first": "program"}

# See perf.t.
MODULES = f"/lib/modules/{os.uname().release}"
os.makedirs(MODULES, exist_ok=True)
lib.run("mount", "-t", "tmpfs", "tmpfs", MODULES)
stack.callback(lib.run, "umount", MODULES)


def record(data, *before):
    return lib.run(*before, story.perf, "record", "-e", "cpu-clock:u", "-F", "499", "-o", data,
                   "sh", session, env=story.environment)


def binary(content, name="program"):
    """A content, under a name that a reader looks at."""
    path = story.path(f"binaries-{content}/{name}")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    shutil.copy(built(f"profiled-{content}"), path)
    return path


@test("a program that is replaced twice is recorded, as perf does it and annotated")
def _():
    errors = story.path("errors")
    with open(errors, "wb") as stderr, \
            lib.started("buildid", "store", "--live", stdout=subprocess.DEVNULL, stderr=stderr,
                        env=story.environment) as live:
        lib.until(lambda: b"watching" in lib.read_bytes(errors), "it watches")
        diagnose(record(named, "buildid", "record", "--").stderr)
        live.send_signal(signal.SIGINT)
        live.wait(lib.TIMEOUT)
    done = lib.buildid("store", "-j", "-i", named, status=None, env=story.environment)
    stored = {line["build_id"] for line in lib.json_lines(done.stdout) if line["status"] == "ok"}
    equal(set(ids.values()) - stored, set(), "not stored")
    # What perf itself keeps at its end is of no help for contents that are gone.
    record(stock)


def add_rule(name, rule, wanted, stock_is_wrong=True):
    @test(f"contents are told apart by {name}")
    def _():
        right = {(content, wanted(content)) for content in CONTENTS}
        got = {key for key in readers.told_apart(named, rule) if key[1] and key[0] in CONTENTS and
               (key[1] in ids.values() or str(key[1]).startswith("program"))}
        equal(got, right)
        before = {key for key in readers.told_apart(stock, rule) if key[0] in CONTENTS}
        equal(bool(right - before), stock_is_wrong, "the stock recording is wrong")


# perf_to_profile: src/perf_data_handler.cc of google/perf_data_converter; Perfetto:
# src/trace_processor/importers/perf of google/perfetto; samply: samply/src/linux_shared of
# mstange/samply.
add_rule("the ids of mappings, else the table (perf_to_profile, Perfetto)",
         readers.by_event_or_table, lambda content: ids[content])
add_rule("the table alone (Propeller, hotspot)", readers.by_table, lambda content: ids[content])
add_rule("names alone (flame graphs, Parca)", readers.by_name, lambda content: names[content])


@test("samply has the ids of contents, but of the one whose path has another one now")
def _():
    got = {key for key in readers.told_apart(named, readers.by_samply) if key[0] in CONTENTS}
    for content in CONTENTS[1:]:
        assert (content, ids[content]) in got, got
    equal({key for key in got if key[1] in ids.values()},
          {(content, ids[content]) for content in CONTENTS[1:]}, "nothing wrong")
    os.rename(program, program + ".away")
    try:
        got = set(readers.told_apart(named, readers.by_samply))
        equal({(content, ids[content]) for content in CONTENTS} - got, set(), "on another machine")
    finally:
        os.rename(program + ".away", program)


@test("Perfetto finds each content in ~/.debug")
def _():
    for content in CONTENTS:
        found = readers.perfetto_binary(story.path("home/.debug"), program, ids[content])
        assert found, content
        equal(read_id(found), ids[content], content)
        equal(lib.read_bytes(found), lib.read_bytes(built(f"profiled-{content}")), content)


def functions(found):
    return {comm: {function for who, function, path in found
                   if who == comm and os.path.basename(path).startswith("program")}
            for comm in CONTENTS}


@tool_test("hotspot names the functions that ran, which it did not")
def _():
    if not os.path.exists(readers.PERFPARSER):
        raise Skip("no hotspot, which is not in each release of Debian")
    right = {content: f"spin_in_{content}" for content in CONTENTS}
    got = functions(readers.hotspot(named, story.path("home"), story.path("parsed")))
    equal({comm for comm in CONTENTS if right[comm] not in got[comm]}, set(), f"{got}")
    for comm in CONTENTS:
        equal(got[comm] & set(right.values()), {right[comm]}, comm)
    got = functions(readers.hotspot(stock, story.path("home"), story.path("parsed")))
    diagnose(f"without: {got}")
    for comm in ("first", "second"):
        assert right[comm] not in got[comm], got


def bolt(data, path, status=0):
    """(what it says, percentage out of range, {function: samples})"""
    output = story.path("fdata")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(output)
    environment = dict(story.environment,
                       PATH=os.path.dirname(story.perf) + ":" + os.environ["PATH"])
    done = lib.run(BOLT, path, "-p", data, "-o", output, "-nl", status=status, env=environment)
    said = done.stdout + done.stderr
    if status:
        return said, None, {}
    counts = {}
    for line in lib.read_bytes(output).decode().splitlines()[1:]:
        _, function, _, count = line.split()
        counts[function] = counts.get(function, 0) + int(count)
    return said, float(re.search(r"unknown regions: \d+ \(([\d.]+)%\)", said)[1]), counts


@tool_test("BOLT has the samples of each content, where by itself it mixes them")
def _():
    if not BOLT:
        raise Skip("no BOLT; Debian has it for amd64 only")
    said, mixed, _ = bolt(stock, binary("far"))
    contains(said, "matched build-id and file name")
    contains(said, "associated with 3 PID(s)")
    contains(bolt(stock, binary("first"), status=1)[0], "failed to match build-id")
    for content in CONTENTS:
        said, outside, counts = bolt(named, binary(content, names[content]))
        contains(said, "matched build-id and file name")
        contains(said, "associated with 1 PID(s)")
        spins = {function for function in counts if function.startswith("spin_in_")}
        equal(spins, {f"spin_in_{content}"}, content)
        mapped = readers.told_apart(named, readers.by_name)[content, names[content]]
        count = counts[f"spin_in_{content}"]
        assert mapped / 2 <= count <= mapped, f"{counts} of {mapped}: {said}"
    # Of those that are left some are in the vDSO.
    diagnose(f"without: {mixed} % of the samples are out of range, then {outside} %")


def autofdo(data, path):
    """{function: samples} in an LLVM profile."""
    output = story.path("profile")
    lib.run("create_llvm_prof", f"--binary={path}", f"--profile={data}", f"--out={output}",
            "--format=text", "--use_lbr=false")
    return {match[1]: int(match[2]) for match in
            re.finditer(r"^(\w+):(\d+):", lib.read_bytes(output).decode(), re.M)}


@tool_test("AutoFDO's profile of a content has its samples alone")
def _():
    for content in CONTENTS:
        counts = autofdo(named, binary(content, names[content]))
        spins = {function for function in counts if function.startswith("spin_in_")}
        equal(spins, {f"spin_in_{content}"}, content)
    of_second = autofdo(named, binary("second", names["second"]))["spin_in_second"]
    by_comm = {content: sum(count for (comm, path), count in
                            readers.told_apart(stock, readers.by_name).items()
                            if comm == content and path == "program") for content in CONTENTS}
    mixed = autofdo(stock, binary("second"))["spin_in_second"]
    diagnose(f"without: {mixed} with the samples of the first, {of_second} as named; "
             f"samples in the stock recording: {by_comm}")
    assert mixed > by_comm["second"], f"{mixed} of {by_comm}"


def range_of(content, function):
    """Offsets in the file: the text is in the first segment, or at its address less that
    of the file."""
    text = lib.run("nm", "-S", built(f"profiled-{content}")).stdout
    start, size = (int(word, 16) for word in
                   re.search(rf"^(\w+) (\w+) T {function}$", text, re.M).groups())
    return range(start - 0x400000, start - 0x400000 + size)


@tool_test("pprof finds each content in ~/.debug, and its function")
def _():
    profile = story.path("profile.pprof")
    printed = lib.run(PROFILE, "-o", profile, "sh", session).stdout
    wanted = {}
    for content in CONTENTS:
        function = f"spin_in_{content}"
        inside = range_of(content, function)
        found = re.findall(rf"^ *(\d+) {ids[content]} +(\w+) ", printed, re.M)
        wanted[function] = sum(int(count) for count, offset in found if int(offset, 16) in inside)
    # Where it looks for ID/*, which is where perf has a directory for each content.
    environment = dict(story.environment, PPROF_BINARY_PATH=story.path("home/.debug") + program)
    text = lib.run(built("pprof"), "-top", "-nodefraction=0", "-sample_index=samples",
                   "-symbolize=local", profile, env=environment).stdout
    got = {match[2]: int(match[1]) for match in
           re.finditer(r"^ *(\d+) .* (spin_in_\w+)", text, re.M)}
    equal(got, wanted, printed + text)
    assert min(got.values()) > 0 and len(got) == 3, got


@test("nothing is left behind")
def _():
    stack.close()


run()
