#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""scripts/words: what it refuses in comments, man pages and documents, and what it passes."""

import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))

from tap import equal, run, test    # noqa: E402

# A line of each is refused, by the words given.
REFUSED = {
    "Asked by the hook. Who maps the file reads it.": "Who maps",
    "It is read for who may read it.": "for who",
    "The task by whom it was mapped.": "by whom",
    "@minor: likewise": "likewise",
    "After a loss all are sent anew.": "anew",
    "A pid that is none": "is none",
    "for a name which is no path": "which is no path",
    "so that a user gets room in his quota": "his",
    "Known to nobody but root.": "nobody but",
    "Everything but for the header is checked.": "but for",
    "It fails for want of memory.": "for want of",
    "any file, be it in a container": ", be it",
    "The path, to be freed.": "to be freed",
    "Begins as all zeros.": "Begins as all zeros",
    "There is no process that has not exited.": "no process that has not",
    "the header and the length thereof": "thereof",
}

PASSED = [
    "Who reads the ring? One consumer at a time.",
    "A user who has cookies gets a struct of its own.",
    "Whoever takes it off the list ends it.",
    "Return: the entry, or NULL if there is none.",
    "None of these may sleep.",
    "A file that is no longer mapped.",
    "The set is about to be freed.",
    "This is the history of a heap.",
]


def words(suffix, text):
    """What is found in such a file: (line, words) for each."""
    with tempfile.NamedTemporaryFile("w", suffix=suffix) as file:
        file.write(text)
        file.flush()
        found = subprocess.run([os.path.join(TOP, "scripts", "words"), file.name],
                               stdout=subprocess.PIPE, text=True, check=False)
    lines = [line[len(file.name) + 1:] for line in found.stdout.splitlines()]
    equal(found.returncode, 1 if lines else 0, "exit status")
    return [(int(line.split(":")[0]), line.split('"')[1]) for line in lines]


@test("each of the words is refused in a comment, and named")
def _():
    for text, want in REFUSED.items():
        equal([found for _, found in words(".c", f"/* {text} */\n")], [want], text)


@test("questions, names and words of another meaning pass")
def _():
    for text in PASSED:
        equal(words(".c", f"/* {text} */\n"), [], text)


@test("code, strings and examples are no prose")
def _():
    equal(words(".c", 'int anew;\nconst char *text = "likewise /* anew */";\n'), [])
    equal(words(".md", "Run `anew`:\n\n    likewise\n\nDone.\n"), [])


@test("a phrase is found across lines, comments are apart")
def _():
    equal(words(".h", "/*\n * Set by the hook, which is\n * no task.\n */\n"), [(2, "which is no task")])
    equal(words(".h", "int a; /* set by */\nint b; /* who knows? */\n"), [])


@test("of a man page the text counts, and not its markup")
def _():
    equal(words(".1", '.\\" anew\n.TH X 1\n.B likewise\nread \\fBanew\\fR\n'),
          [(2, "likewise"), (2, "anew")])


run()
