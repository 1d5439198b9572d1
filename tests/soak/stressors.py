# SPDX-License-Identifier: GPL-2.0
"""stress-ng: load by a program that nobody here wrote, as nobody, who can harm nobody.

All of a list run at a time, each in a stress-ng of its own, whose status is the stressor's.
What it takes is bounded: processes by RLIMIT_NPROC, files by the size of a tmpfs, memory by
its options. Debian 12's stress-ng has no stressor unlink: dentry, link and rename unlink what
they make. It has no result but the bogo operations and what it says; --verify makes it look
at what it reads."""

import os
import re
import resource
import signal
import subprocess

import lib
from rights import NOBODY

STRESSORS = {
    "exec": ("--exec-max", "4"),
    "fork": (),
    "vfork": (),
    "clone": ("--clone-max", "16"),
    "mmap": ("--mmap-bytes", "4M"),
    # half of the memory that is free, by 32 processes: seconds each time, minutes under KASAN
    "mmapfork": (),
    "memfd": ("--memfd-bytes", "4M", "--memfd-fds", "16"),
    "dynlib": (),
    "mremap": ("--mremap-bytes", "2M"),
    "munmap": (),
    "vm": ("--vm-bytes", "4M"),
    "dentry": ("--dentries", "256"),
    "link": (),
    "rename": (),
    "tmpfs": (),
    "pipe": (),
}
# What seconds are enough for, and what ends in time.
QUICK = ("exec", "vfork", "dynlib") + \
    (() if lib.DEBUG else ("memfd", "mremap", "rename", "clone", "munmap", "pipe"))
# Processes of nobody: a stressor that makes too many is refused, and goes on.
PROCESSES = 600
GRACE = 300


def all_of_them():
    return [name for name in STRESSORS if not (lib.DEBUG and name == "mmapfork")]


def limit():
    """This process, and what it will start."""
    resource.setrlimit(resource.RLIMIT_NPROC, (PROCESSES, PROCESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Stressors:
    """They run from here on for @seconds, in a directory below @place, which is a tmpfs."""

    def __init__(self, names, seconds, place):
        self.running = {name: self.start(name, seconds, place) for name in names}

    def start(self, name, seconds, place):
        directory = os.path.join(place, name)
        os.makedirs(directory, exist_ok=True)
        os.chmod(directory, 0o777)
        return subprocess.Popen(
            ["stress-ng", f"--{name}", "1", *STRESSORS[name], "--timeout", f"{seconds}s",
             "--verify", "--oomable", "--no-rand-seed", "--metrics-brief", "--temp-path",
             directory], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", cwd=directory,
            user=NOBODY, group=NOBODY, extra_groups=[], preexec_fn=limit, start_new_session=True)

    def stop(self):
        """Before their time, as end()."""
        for process in self.running.values():
            process.send_signal(signal.SIGINT)
        return self.end()

    def end(self):
        """Of each, when it has ended: (exit status, bogo operations, what it complained of)."""
        results = {}
        for name, process in self.running.items():
            try:
                text = process.communicate(timeout=GRACE)[0]
            except subprocess.TimeoutExpired:
                # Its children hold the pipe.
                os.killpg(process.pid, signal.SIGKILL)
                text = process.communicate()[0] + "\nfail: it did not end"
            done = re.search(rf"\] {name} +(\d+) ", text)
            complaints = re.findall(r"(?:fail|error|warn): +(?:\[\d+\] )?(.*)", text)
            results[name] = (process.returncode, int(done[1]) if done else 0,
                             sorted({re.sub(r"\d+", "N", line) for line in complaints}))
        return results


def alone(names, seconds, place):
    """What end() returns, with nothing beside them; once more, one at a time and for longer, for
    those that did nothing in these seconds."""
    results = Stressors(names, seconds, place).end()
    for name, (status, operations, _) in [*results.items()]:
        if not status and not operations:
            results |= Stressors((name,), seconds + 20, place).end()
    return results


def differences(without, beside):
    """Who did nothing or failed @without, so that nothing can be compared, and what a stressor
    met @beside that it did not meet without."""
    for name, (status, operations, complaints) in beside.items():
        status_before, operations_before, complaints_before = without[name]
        if status_before or not operations_before:
            yield f"{name}: without the module exit {status_before}, {operations_before} " \
                f"operations: {'; '.join(complaints_before)}"
        new = sorted(set(complaints) - set(complaints_before))
        if status not in (0, status_before) or new:
            yield f"{name}: exit {status}, not {status_before}: {'; '.join(new)}"
