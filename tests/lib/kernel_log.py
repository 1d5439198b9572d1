# SPDX-License-Identifier: GPL-2.0
"""What the kernel's log says is wrong, while the guest runs."""

import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Code of the module in a stack.
FRAME = re.compile(r"\[buildid( [0-9a-f]+)?\]")


def fault_pattern():
    """What fails any guest."""
    with open(os.path.join(TOP, "scripts", "vm"), encoding="utf-8") as file:
        table = re.search(r"^readonly faults=\(\n(.*?)^\)", file.read(), re.S | re.M)[1]
    return re.compile("|".join(re.findall(r"'(.*)'", table)))


class Faults:
    """The kernel's log, from now on."""

    def __init__(self):
        self.faults = fault_pattern()
        self.log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self.log, 0, os.SEEK_END)

    def lines(self):
        """Those since the last call."""
        while True:
            try:
                line = os.read(self.log, 8192).decode(errors="replace")
            except BlockingIOError:
                return
            except BrokenPipeError:     # overwritten meanwhile
                continue
            yield line.partition(";")[2].partition("\n")[0]

    def is_fault(self, line):
        """Of data races scripts/vm says whose they are."""
        return self.faults.search(line) and "BUG: KCSAN:" not in line

    def first(self, wanted):
        """Of the lines since the last call, or None."""
        return next(iter([line for line in self.lines() if wanted(line)]), None)

    def fault(self):
        """The first one since the last call, or None."""
        return self.first(self.is_fault)

    def faults_and_frames(self):
        """Those since the last call, and the lines with code of the module, which may be of a
        report that began before it."""
        lines = list(self.lines())
        return ([line for line in lines if self.is_fault(line)],
                [line for line in lines if FRAME.search(line)])
