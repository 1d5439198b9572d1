#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Completion by the real zsh and fish. (make -C tool check-man is for bash.)"""

import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(TOP, "tool")
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))

from tap import equal, run, test    # noqa: E402

TIMEOUT = 60
FILES = ("my.perf.data", "x.log", "y.tar.zst")

# After source, a TAB writes what it found to hits, then END.
ZSH = """
fpath=(%(tool)s/completion $fpath)
autoload -Uz compinit && compinit -D -u
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
    local -a hits
    builtin compadd -A hits "$@"
    print -rl -- $hits >> %(work)s/hits
    builtin compadd "$@"
}
complete-and-end() { zle complete-word; print END >> %(work)s/hits; zle kill-buffer }
zle -N complete-and-end
bindkey '^I' complete-and-end
LISTMAX=100000
print READY > %(work)s/hits
"""


def buildid(*words):
    return subprocess.run(["buildid", *words], stdout=subprocess.PIPE, check=True,
                          text=True).stdout


COMMANDS = []
SHELLS = {}


def options(command):
    return set(re.findall(r"^ {2,6}(?:-., )?(--[a-z][a-z-]*)", buildid("help", command), re.M))


class Zsh:
    """One interactive shell on a terminal; what completion adds goes to a file."""

    def __init__(self, work):
        self.hits = os.path.join(work, "hits")
        setup = os.path.join(work, "setup")
        with open(setup, "w", encoding="utf-8") as file:
            file.write(ZSH % {"tool": TOOL, "work": work})
        self.pid, self.terminal = pty.fork()
        if not self.pid:
            os.environ.update(TERM="dumb", PS1="")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        self.text = b""
        threading.Thread(target=self.read, daemon=True).start()
        self.type(f"source {setup}\n", "READY\n")

    def read(self):
        while True:
            try:
                self.text += os.read(self.terminal, 4096)
            except OSError:
                return

    def type(self, keys, until):
        with open(self.hits, "w", encoding="utf-8"):
            pass
        os.write(self.terminal, keys.encode())
        end = time.monotonic() + TIMEOUT
        while True:
            with open(self.hits, encoding="utf-8") as file:
                found = file.read()
            if found.endswith(until):
                return found.split()[:-1]
            if time.monotonic() > end:
                raise TimeoutError(f"{keys!r}: {found!r}; {self.text!r}")
            time.sleep(0.01)

    def complete(self, line):
        return set(self.type(line + "\t", "END\n"))

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


class Fish:
    def __init__(self, work):
        self.home = work

    def complete(self, line):
        script = f"source {TOOL}/completion/buildid.fish; complete -C '{line}'"
        done = subprocess.run(["fish", "--no-config", "-c", script], text=True, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, "HOME": self.home})
        equal(done.stderr, "", line)
        return {found.split("\t")[0].split("=")[0] for found in done.stdout.splitlines()}

    def end(self):
        pass


def add_tests(kind, work):
    complete = SHELLS.setdefault(kind, kind(work)).complete
    name = kind.__name__.lower()

    @test(f"{name}: commands")
    def _():
        equal(complete("buildid "), {*COMMANDS, "help", "version"}, "commands")
        equal(complete("buildid help s"), {c for c in COMMANDS if c.startswith("s")}, "of help")
        equal(complete("buildid --v"), {"--version"}, "options")

    @test(f"{name}: each option of each command")
    def _():
        for command in COMMANDS:
            missing = options(command) - complete(f"buildid {command} --")
            equal(missing, set(), f"{command}: options that are not completed")
        missing = options("mon") - complete("buildid-mon --")
        equal(missing, set(), "buildid-mon: options that are not completed")

    @test(f"{name}: values of options")
    def _():
        kinds = {"gnu", "go", "htlhash", "fsverity", "cookie", "none", "any"}
        equal(complete("buildid list --kind "), kinds, "kinds")
        equal(complete("buildid maps --format "), {"maps", "unstrip", "json"}, "formats")
        assert str(os.getpid()) in complete("buildid mon -p "), "no pids"
        assert "root" in complete("buildid record -u ro"), "no users"
        assert "x.log" in complete("buildid mon -l x"), "no log"
        assert "my.perf.data" in complete("buildid store -i m"), "no perf.data"
        directories = {found.rstrip("/") for found in complete("buildid store --dir ")}
        equal(directories, {"folder"}, "directories")

    @test(f"{name}: operands")
    def _():
        for command in "maps", "stale":
            assert str(os.getpid()) in complete(f"buildid {command} "), f"{command}: no pids"
        for command, file in (("annotate", "my.perf.data"), ("bundle", "my.perf.data"),
                              ("list", "my.perf.data"), ("store", "my.perf.data"),
                              ("mon", "x.log"),
                              ("unbundle", "y.tar.zst"), ("id", "x.log"), ("users", "x.log")):
            assert file in complete(f"buildid {command} {file[0]}"), f"{command}: no {file}"
        assert "env" in complete("buildid record -o x en"), "no programs"
        assert "x.log" in complete("buildid record cat x"), "no operands of a program"
        operands = {word for word in complete("buildid info ") if not word.startswith("-")}
        equal(operands, set(), "operands of info")


# Tests of guests, which run beside this one, build the same.
subprocess.run(["flock", "tests/Makefile", "make", "-s", "-C", TOOL], cwd=TOP, check=True,
               stdout=sys.stderr)
os.environ["PATH"] = os.path.join(TOP, "build", "tool") + ":" + os.environ["PATH"]
COMMANDS += re.findall(r"^  ([a-z]+) ", buildid("help"), re.M)

with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as work:
    os.chdir(here)
    os.mkdir("folder")
    for path in FILES:
        with open(path, "w", encoding="utf-8"):
            pass
    add_tests(Zsh, work)
    add_tests(Fish, work)
    try:
        run()
    finally:
        os.chdir("/")
        for shell in SHELLS.values():
            shell.end()
