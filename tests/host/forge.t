#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The forges' jobs are the same on both, and run targets that there are. tests/forge/run runs them."""

import os
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path[:0] = [os.path.join(TOP, "tests", name) for name in ("lib", "forge")]

import jobs         # noqa: E402
import tap          # noqa: E402


def targets(forge):
    """{job: [targets of make]}"""
    return {job: [command.split()[1:] for command in steps
                  if command and command.split()[0] == "make"]
            for job, steps in jobs.FORGES[forge]().items()}


@tap.test("GitHub's and GitLab's jobs run the same targets of make")
def _():
    tap.equal(targets("github"), targets("gitlab"))
    tap.equal(sorted(targets("github")), ["guest", "night", "quick"])


@tap.test("the job of the night is what .ci/run runs")
def _():
    with open(os.path.join(TOP, ".ci/run"), encoding="utf-8") as file:
        last = file.read().splitlines()[-1]
    tap.equal(targets("github")["night"], [shlex.split(last)[1:]])


@tap.test("each target is one of the Makefile's")
def _():
    for words in sum(targets("github").values(), []):
        subprocess.run(["make", "-n", *words], cwd=TOP, check=True, capture_output=True)


tap.run()
