#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What buildid says when it cannot do what it was asked for: one line that names the
object, the reason and, where there is one, the way out; all else is done."""

import functools
import os
import socket
import subprocess

import lib
import rights
import stream
from lib import built, contains
from tap import equal, run, test

NO_PID = str(4194304 - 1)
OTHER_ID = "fedcba98765432100123456789abcdef01234567"


def fails(*command, lines=1, status=1, output=""):
    """What a command that fails says; for each failure one line."""
    done = lib.run(*command, status=status)
    equal(done.stderr.count("\n"), lines, f"lines on stderr: {done.stderr!r}")
    for line in done.stderr.splitlines():
        assert line.startswith("buildid: "), line
    if output is not None:
        equal(done.stdout, output, "stdout")
    return done.stderr


@test("without the module each command says so, and how to load it")
def _():
    with lib.unloaded(), lib.directory() as work:
        log = os.path.join(work, "log")
        for command in (["info"], ["stats"], ["flush"], ["list"], ["mon", "--source=module"],
                        ["mon", "--netlink"], ["id", "/bin/true"],
                        ["maps", "--source=module", "1"], ["list", "-k", "-m"],
                        ["cookie", "/bin/true", "00"],
                        ["record", "--source=module", "-o", log, "true"]):
            said = fails("buildid", *command)
            contains(said, "the module is not loaded")
            contains(said, "modprobe buildid")
        assert not os.path.exists(log), "a log of nothing"


@test("help, --version and logs need no module")
def _():
    with lib.directory() as work:
        log = os.path.join(work, "log")
        lib.buildid("record", "-o", log, "true")
        with lib.unloaded():
            contains(lib.buildid("--version").stdout, "buildid ")
            contains(lib.buildid("help").stdout, "Usage: buildid")
            for command in ("mon", "maps", "record", "id", "list", "cookie", "info", "stats",
                            "flush"):
                contains(lib.buildid(command, "--help").stdout, f"Usage: buildid {command}")
            contains(lib.buildid("mon", "-l", log).stdout, "/true")


@test("no permission to open the device: it says so")
def _():
    for command in (["info"], ["stats"], ["id", "/bin/true"], ["mon", "--source=module"],
                    ["maps", "--source=module", "1"], ["cookie", "/bin/true", "00"],
                    ["list", "-k"]):
        contains(fails(*rights.AS_NOBODY, "buildid", *command),
                 f"{lib.DEVICE}: not permitted; run as root")


@test("permission to open the device, but not to watch or flush: it says so")
def _():
    with rights.device_for_all():
        contains(fails(*rights.AS_NOBODY, "buildid", "mon"), "not permitted; ")
        contains(fails(*rights.AS_NOBODY, "buildid", "flush"), "not permitted; ")


@test("resolve says that the module was not asked, and looks elsewhere")
def _():
    said = fails(*rights.AS_NOBODY, "buildid", "resolve", OTHER_ID)
    contains(said, f"buildid: {OTHER_ID}: no file with this build-id found; ")
    contains(said, "; the module was not asked: not permitted; run as root")


@test("a process that does not exist is named by its pid")
def _():
    with lib.directory() as work:
        log = os.path.join(work, "log")
        wanted = f"buildid: pid {NO_PID}: No such process"
        contains(fails("buildid", "mon", "-p", NO_PID), wanted)
        contains(fails("buildid", "record", "--no-annotate", "-p", NO_PID, "-o",
                       log), wanted)
        assert not os.path.exists(log), "a log of nothing"


@test("a signal ends record well as soon as there is a log")
def _():
    with lib.directory() as work:
        for n in range(3 if lib.DEBUG else 10):
            log = os.path.join(work, f"log-{n}")
            with lib.started("buildid", "record", "-o", log, stderr=subprocess.DEVNULL) as recorder:
                while not os.path.exists(log):
                    assert recorder.poll() is None, "record has ended"
                lib.interrupt(recorder)
            lib.buildid("mon", "-l", log)


@test("files that cannot be identified are reported one by one, the others are done")
def _():
    with lib.directory() as work:
        fifo, link, name = (os.path.join(work, each) for each in ("fifo", "link", "socket"))
        os.mkfifo(fifo)
        os.symlink("nowhere", link)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(name)
            bad = {fifo: "not a regular file", work: "Is a directory", link: "No such file",
                   "/dev/zero": "not a regular file", name: "not a regular file",
                   os.path.join(work, "missing"): "No such file"}
            good = [built("other"), built("id8")]
            command = ["buildid", "id", good[0], *bad, good[1]]
            said = fails(*command, lines=len(bad), output=None)
        for path, reason in bad.items():
            contains(said, f"buildid: {path}: {reason}")
        equal(lib.run(*command, status=1).stdout.split(),
              [OTHER_ID, good[0], "0123456789abcdef", good[1]], "the others")


@test("with -j a file that cannot be identified is an object with the error, too")
def _():
    done = lib.buildid("id", "-j", "/nowhere", built("other"), status=1)
    bad, good = lib.json_lines(done.stdout)
    equal(bad["object"], "/nowhere", "object")
    contains(bad["error"], "No such file")
    equal(good["build_id"], OTHER_ID, "the other")


@test("a file that may not be read is reported, the others are done")
def _():
    with lib.tmpfs() as directory, rights.device_for_all():
        os.chmod(directory, 0o755)
        secret = os.path.join(directory, "secret")
        lib.write_bytes(secret, lib.read_bytes(built("other")), mode=0o600)
        said = fails(*rights.AS_NOBODY, "buildid", "id", secret, "/bin/true", output=None)
        contains(said, f"buildid: {secret}: Permission denied")
        contains(lib.run(*rights.AS_NOBODY, "buildid", "id", secret, "/bin/true", status=1).stdout,
                 " /bin/true")


@test("a list of files that does not exist is reported")
def _():
    contains(fails("buildid", "id", "--files-from", "/nowhere"), "buildid: /nowhere: No such file")


def damaged(name, data, said, shown):
    @test(f"a log that {name} is reported, what is whole of it is shown")
    def _():
        with lib.directory() as work:
            path = os.path.join(work, "log")
            lib.write_bytes(path, data(whole_log()))
            done = lib.buildid("mon", "-l", path, status=1)
            errors = done.stderr.splitlines()
            contains(errors[0], f"buildid: {path}: {said}")
            equal(len([line for line in errors if path in line]), 1, "lines about it")
            equal("/" in done.stdout, shown, f"something shown: {done.stdout!r}")


@functools.cache
def whole_log():
    with lib.directory() as work:
        path = os.path.join(work, "log")
        lib.buildid("record", "-o", path, "--", built("maps"), "5", built("id8"))
        return lib.read_bytes(path)


damaged("is cut short in a record", lambda log: log[:-60], "cut short", True)
damaged("is cut short between two records", lambda log: log[:-40], "cut short", True)
damaged("is cut short in its header", lambda log: log[:20], "cut short", False)
damaged("is empty", lambda log: b"", "not a log of buildid record", False)
damaged("is none", lambda log: b"#!/bin/sh\n" * 100, "not a log of buildid record", False)
damaged("goes on behind its end", lambda log: log + b"x", "damaged", True)
damaged("has a record of an impossible size",
        lambda log: log[:60] + b"\xff\xff\xff\xff" + log[64:], "damaged", False)


@test("a log that does not exist is reported")
def _():
    contains(fails("buildid", "mon", "-l", "/nowhere"), "buildid: /nowhere: No such file")


@test("a log that cannot be written is reported before the command runs")
def _():
    with lib.directory() as work:
        mark = os.path.join(work, "mark")
        said = fails("buildid", "record", "-o", "/nowhere/log", "touch", mark)
        contains(said, "buildid: /nowhere/log: No such file")
        assert not os.path.exists(mark), "the command ran"


@test("record ends as its command does")
def _():
    with lib.directory() as work:
        record = ["record", "-o", os.path.join(work, "log"), "--"]
        lib.buildid(*record, "sh", "-c", "exit 42", status=42)
        lib.buildid(*record, "sh", "-c", "kill -9 $$", status=-9)
        contains(lib.buildid(*record, "no-such-command", status=127).stderr,
                 "buildid: no-such-command: ")
        contains(lib.buildid(*record, "/etc/passwd", status=126).stderr,
                 "buildid: /etc/passwd: ")


@test("output that cannot be written is an error")
def _():
    for command in (["info"], ["stats", "-j"], ["id", "/bin/true"], ["list"],
                    ["list", "-k", "-m"], ["maps", "--all-processes"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run(["buildid", *command], stdout=full,
                                      stderr=subprocess.PIPE, text=True)
        equal((done.returncode, done.stderr.count("\n")), (1, 1), f"{command}: {done.stderr}")
        contains(done.stderr, "No space left")


@test("wrong usage is reported, with exit status 2, and nothing is done")
def _():
    for command in ([], ["no-such-command"], ["info", "--no-such-option"], ["info", "more"],
                    ["id"], ["id", "--files-from", "-", "more"], ["mon", "more", "most"],
                    ["mon", "-p", "one"], ["mon", "-p", "0"], ["mon", "--count", "0"],
                    ["mon", "--netlink", "-l", "log"], ["mon", "--children"],
                    ["mon", "--tasks", "-l", "log"], ["mon", "--uid", "no such user"],
                    ["maps"], ["maps", "0"], ["maps", "--all-processes", "1"],
                    ["maps", "--format", "xml", "1"], ["cookie", "/bin/true"],
                    ["cookie", "/bin/true", "0"], ["cookie", "/bin/true", "00", "--clear"], ["record", "--ring-size", "5000", "true"],
                    ["record", "--ring-size", "1T", "true"], ["list", "more", "most"],
                    ["list", "--kind", "none", "-k"], ["list", "--dev", "0"],
                    ["stats", "-j", "--openmetrics"], ["flush", "more"]):
        done = lib.buildid(*command, status=2)
        equal(done.stdout, "", f"stdout of {command}")
        assert done.stderr, f"nothing said about {command}"


@test("the module is as good as before after all this")
def _():
    with stream.Watch() as watch:
        _, file = watch.see(lib.map_file, built("other"))
        equal(file.id, OTHER_ID, "build-id")


run()
