#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The machinery of scripts/mutants, with a few mutants of the parser and of the tool that tests
are known to notice, and one that does what the original does. make mutants tries many."""

import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
sys.path.insert(0, os.path.join(TOP, "tests", "mutants"))

import mutations              # noqa: E402
from tap import equal, run, test   # noqa: E402

NOTICED = (
    "module/elf.c copy_id() bound: if (descsz > BUILDID_ID_MAX) {",
    "tool/common/content_name.c content_name_path() never: if (strcmp(at + 1, text) != 0 ",
    "tool/common/content_name.c content_name_path() always: if (!id->size || !at || at == name)",
)
EQUAL = "module/elf.c note_defect() bound: "

PROGRAM = """\
/* if (a && b) */
int first(struct lock *lock, int n)
{
	if (n < 1 || !lock)
		return -EINVAL;
	spin_lock(&lock->lock);
	lock->count = READ_ONCE(lock->next) + 1;
	spin_unlock(&lock->lock);
	return n;
}

int second(void)
{
	return 0;
}
"""


def mutants():
    return list(mutations.mutants_of("a.c", PROGRAM))


@test("faults are made of code, and each is one place and its counterpart")
def _():
    found = mutants()
    equal(sorted((m.line, m.kind, m.what.partition(" -> ")[2]) for m in found), sorted([
        (4, "never", "if (0 && (n < 1 || !lock))"),
        (4, "always", "if (1 || (n < 1 || !lock))"),
        (4, "turned", "if (n < 1 && !lock)"),
        (4, "dropped", "if ( !lock)"),
        (4, "dropped", "if (n < 1 )"),
        (4, "bound", "if (n <= 1 || !lock)"),
        (5, "returns 0", "return 0;"),
        (6, "gone", "{}"),
        (7, "gone", "{}"),
        (7, "sum", "lock->count = READ_ONCE(lock->next) - 1;"),
        (7, "plain", "lock->count = (lock->next) + 1;"),
        (9, "returns 0", "return 0;"),
    ]))
    equal({mutant.function for mutant in found}, {"first"})


@test("a lock goes with its unlock, and lines keep their numbers")
def _():
    gone = [m for m in mutants() if m.line == 6][0].apply(PROGRAM)
    equal(gone, PROGRAM.replace("spin_lock(&lock->lock);", "{}").replace(
        "spin_unlock(&lock->lock);", "{}"))
    for mutant in mutants():
        equal(mutant.apply(PROGRAM).count("\n"), PROGRAM.count("\n"), mutant.key)


@test("mutants are noticed, refused or equal as they should be")
def _():
    wanted = (*NOTICED, EQUAL)
    done = subprocess.run((os.path.join(TOP, "scripts", "mutants"), "--host", "--again", "--json",
                           *wanted), stdout=subprocess.PIPE, text=True, check=False)
    found = json.loads(done.stdout)
    got = {one["key"]: (one["tests"], one["verdict"]) for one in found}
    for text in NOTICED:
        equal([verdict for key, verdict in got.items() if text in key], [("noticed", "noticed")],
              text)
    equal([verdict for key, verdict in got.items() if EQUAL in key], [("survived", "equal")])
    equal(len(found), len(wanted), "mutants")
    equal(done.returncode, 0, "exit status")


run()
