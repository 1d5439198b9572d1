# SPDX-License-Identifier: GPL-2.0
"""Tests as TAP: functions marked @test run in order by run()."""
import sys
import traceback

_tests = []


class Skip(Exception):
    """What a test raises that cannot run here; its text is the reason."""


def test(what):
    """A function, or the name of the one that follows."""
    if isinstance(what, str):
        def named(function):
            function.__doc__ = what
            return test(function)
        return named
    _tests.append(what)
    return what


def equal(got, want, what=""):
    assert got == want, f"{what}: got {got!r}, want {want!r}"[:4000]


def run():
    """Each test's name is its docstring's first line, or its own."""
    failed = False
    print(f"1..{len(_tests)}", flush=True)
    for n, function in enumerate(_tests, 1):
        name = (function.__doc__ or function.__name__.replace("_", " ")).splitlines()[0]
        try:
            function()
        except Skip as reason:
            print(f"ok {n} - {name} # SKIP {reason}", flush=True)
        except Exception:
            failed = True
            print(f"not ok {n} - {name}", flush=True)
            for line in traceback.format_exc().splitlines():
                print(f"# {line}", flush=True)
        else:
            print(f"ok {n} - {name}", flush=True)
    sys.exit(failed)
