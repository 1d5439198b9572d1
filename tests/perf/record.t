#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""buildid record around perf in all its disguises: run by other programs and scripts, by
other commands of perf, into several files, ended by signals."""

import contextlib
import glob
import os
import re
import signal
import subprocess

import lib
from lib import built, contains
from perf_scenarios import Story, diagnose, read_id
from tap import equal, run, test

stack = contextlib.ExitStack()
story = Story("6.12", stack.enter_context(lib.tmpfs()))
program = story.path("program")
lib.write_bytes(program, lib.read_bytes(built("spin-first")))
wanted = read_id(built("spin-first"))
options = ["-e", "cpu-clock:u", "-F", "499"]

# See perf.t.
MODULES = f"/lib/modules/{os.uname().release}"
os.makedirs(MODULES, exist_ok=True)
lib.run("mount", "-t", "tmpfs", "tmpfs", MODULES)
stack.callback(lib.run, "umount", MODULES)


def buildid(*command):
    """What it says. Its standard output is no pipe, as that would be perf's output."""
    environment = dict(story.environment,
                       PATH=os.path.dirname(story.perf) + ":" + os.environ["PATH"])
    done = subprocess.run(["buildid", *command], cwd=story.work, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode()
    diagnose(said)
    equal(done.returncode, 0, said)
    return said


def record(*command):
    return buildid("record", *command)


def check(data):
    """The program, which perf by itself is kept from looking for with -B."""
    listed = {line.split(" ", 1)[0] for line in
              lib.buildid("list", "-i", data).stdout.splitlines()}
    contains(listed, wanted)


def perf_command_line(data):
    header = story.run("report", "--header-only", "-i", data).stdout
    return re.search(r"^# cmdline : (.*)$", header, re.M)[1].split()


@test("perf is found behind the programs that run it, and gets -B")
def _():
    data = story.path("behind")
    record("nice", "-n", "5", "taskset", "1", "timeout", "-k", "5", "1000", "chrt", "-b", "0",
           "ionice", "-c", "3", "env", "A=b", "setsid", "-w", "nohup", "stdbuf", "-oL", story.perf,
           "--no-pager", "record", *options, "-o", data, "--", program, "work")
    check(data)
    line = perf_command_line(data)
    equal(line[line.index("record"):][:2], ["record", "-B"])
    assert not os.path.exists(data + ".buildid"), "a log is left"


@test("options of perf record run it, of a process and of the machine")
def _():
    data = story.path("options")
    record(*options, "-g", "-o", data, program, "work")
    check(data)
    line = perf_command_line(data)
    equal(line[line.index("record"):][1:3], ["-B", "-e"])
    record("-a", "-F", "99", "-o", data, program, "work")
    check(data)
    with lib.started("sleep", "1000") as process:
        record("-p", str(process.pid), "-e", "dummy:u", "-o", data, "sleep", "0.1")
        process.kill()
    contains(story.run("report", "--header-only", "-i", data).stdout, "-p")


@test("buildid perf records under the recorder, and else is perf")
def _():
    data = story.path("passed-on")
    contains(buildid("perf", "record", "-N", *options, "-o", data, "--", program, "work"),
             f"{data}: ")
    check(data)
    buildid("perf", "report", "--stdio", "-i", data)


@test("perf is found in a script, wherever that has gone")
def _():
    os.mkdir(story.path("inner"))
    script = f"cd inner && perf record -B {' '.join(options)} {program} work"
    said = record("sh", "-c", script)
    check(story.path("inner/perf.data"))
    contains(said, "buildid.log: ")
    assert os.path.exists(story.path("buildid.log")), "no log"
    # Whoever reads the pipe has it already.
    contains(record("sh", "-c", f"{script} | cat >/dev/null"), "perf: not annotated, as it wrote")


def add_subcommand(name, *command, output="perf.data"):
    @test(f"perf {name} is annotated")
    def _():
        data = story.path(output)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(data)
        record(story.perf, *command, program, "work")
        check(data)


add_subcommand("kvm record", "kvm", "--host", "record", *options, output="perf.data.kvm")
# The debug kernel has no tracepoints.
if not lib.DEBUG:
    lib.run("mount", "-t", "tracefs", "tracefs", "/sys/kernel/tracing", status=None)
    add_subcommand("sched record", "sched", "record")
    add_subcommand("trace record", "trace", "record")
    add_subcommand("timechart record", "timechart", "record", "-T")


@test("a file with a time behind its name is annotated")
def _():
    data = story.path("time")
    record("--", story.perf, "record", *options, "--timestamp-filename", "-o", data, "--", program,
           "work")
    (data,) = glob.glob(data + ".*")
    check(data)


@contextlib.contextmanager
def recorder(*command):
    errors = story.path("errors")
    with open(errors, "wb") as stderr, \
            lib.started("buildid", "record", "--", *command, stdout=subprocess.DEVNULL,
                        stderr=stderr, cwd=story.work, env=story.environment) as process:
        yield process
    diagnose(lib.read_bytes(errors).decode())


@test("signals go to perf, and all that it has written is annotated")
def _():
    data = story.path("switched")
    ready = story.path("ready")
    with recorder("nice", story.perf, "record", *options, "--switch-output",
                  "--switch-max-files", "2", "-o", data, "--", "sh", "-c",
                  f"{program} work; touch {ready}; {program} work; exec sleep 1000") as process:
        lib.until(lambda: os.path.exists(ready), "the program has worked")
        files = set()
        for _ in range(3):
            process.send_signal(signal.SIGUSR2)
            now = lib.until(lambda: set(glob.glob(data + ".20*")) - files, "another file")
            files |= now
        process.send_signal(signal.SIGINT)
        # As perf did, which ended its workload by that.
        equal(process.wait(lib.TIMEOUT), -signal.SIGTERM)
    files = glob.glob(data + ".20*")
    equal(len(files), 2, "files")
    for file in files:
        equal(": 0 mappings annotated" in lib.buildid("annotate", file).stderr, False)
    equal(glob.glob(story.path("*.buildid")), [], "logs")


@test("a hang-up ends perf, and a shell in between, and what it wrote is annotated")
def _():
    data, ready = story.path("hung"), story.path("ready-2")
    with recorder("sh", "-c", f"{story.perf} record -B {' '.join(options)} -o {data} sh -c "
                  f"'{program} work; touch {ready}; exec sleep 1000'; true") as process:
        lib.until(lambda: os.path.exists(ready), "the program has worked")
        process.send_signal(signal.SIGHUP)
        equal(process.wait(lib.TIMEOUT), -signal.SIGHUP)
    check(data)


@test("what makes perf begin another file does not end the shell that runs it")
def _():
    data, ready = story.path("shell"), story.path("ready-3")
    with recorder("sh", "-c", f"{story.perf} record -B {' '.join(options)} --switch-output "
                  f"-o {data} sh -c '{program} work; touch {ready}; exec sleep 1000'; "
                  "true") as process:
        lib.until(lambda: os.path.exists(ready), "the program has worked")
        process.send_signal(signal.SIGUSR2)
        lib.until(lambda: glob.glob(data + ".20*"), "another file")
        process.send_signal(signal.SIGHUP)
        equal(process.wait(lib.TIMEOUT), -signal.SIGHUP)


@test("nothing is left behind")
def _():
    stack.close()


run()
