# SPDX-License-Identifier: GPL-2.0
"""The jobs of public forges: what they run, in order."""

import os

import yaml

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
CHECKOUT = None


def load(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as file:
        return yaml.safe_load(file)


def github():
    """{job: [command, or CHECKOUT]}"""
    jobs = {}
    for name, job in load(".github/workflows/check.yml")["jobs"].items():
        steps = [step.get("run", CHECKOUT) for step in job["steps"]
                 if not step.get("uses", "").startswith("actions/cache")]
        jobs[name] = steps
    return jobs


def gitlab():
    """As github(). Its runner has checked out before anything is run."""
    file = load(".gitlab-ci.yml")
    before = file["default"]["before_script"]
    return {name: [CHECKOUT, *before, *job["script"]] for name, job in file.items()
            if isinstance(job, dict) and "script" in job}


FORGES = {"github": github, "gitlab": gitlab}
