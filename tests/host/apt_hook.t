#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The hook for apt, with a stale that prints and exits as it likes."""

import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))

from tap import equal, run, test         # noqa: E402

HOOK = os.path.join(TOP, "debian", "50buildid-stale")


def said(script):
    """(what it prints, what it complains of); apt must never fail for it."""
    shown = subprocess.run(["apt-config", "-c", HOOK, "dump", "DPkg::Post-Invoke", "--format",
                            "%v%n"], check=True, text=True, stdout=subprocess.PIPE).stdout
    command, = (line for line in shown.splitlines() if "buildid" in line)
    with tempfile.TemporaryDirectory() as work:
        fake = os.path.join(work, "buildid")
        with open(fake, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(fake, 0o755)
        command = command.replace("/usr/bin/buildid", fake).replace("ischroot", "false")
        command = re.sub(r"timeout \d+", "timeout 1", command)
        done = subprocess.run(["sh", "-c", command], text=True, capture_output=True, check=False)
    equal(done.returncode, 0, "exit status")
    return done.stdout, done.stderr


@test("it says nothing when nothing is stale")
def _():
    equal(said("exit 0"), ("", ""))


@test("it prints the plan as it is, under a line that says what it is")
def _():
    equal(said("echo 'systemctl restart -- a.service'; echo '# user a  b*: log out'; exit 3"),
          ("buildid: to be restarted, as they run what was replaced:\n"
           "systemctl restart -- a.service\n# user a  b*: log out\n", ""))


@test("it says when that is not known: a failure, and a stale that does not end")
def _():
    unknown = "buildid: what has to be restarted is not known\n"
    equal(said("exit 1"), ("", unknown))
    equal(said("exec sleep 100"), ("", unknown))


run()
