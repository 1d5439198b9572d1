# SPDX-License-Identifier: GPL-2.0
"""Tests as TAP: functions marked @test run in order by run()."""
import sys
import traceback

_tests = []


def test(function):
    _tests.append(function)
    return function


def equal(got, want, what=""):
    assert got == want, f"{what}: got {got!r}, want {want!r}"


def run():
    """Each test's name is its docstring's first line, or its own."""
    failed = False
    print(f"1..{len(_tests)}", flush=True)
    for n, function in enumerate(_tests, 1):
        name = (function.__doc__ or function.__name__.replace("_", " ")).splitlines()[0]
        try:
            function()
        except Exception:
            failed = True
            print(f"not ok {n} - {name}", flush=True)
            for line in traceback.format_exc().splitlines():
                print(f"# {line}", flush=True)
        else:
            print(f"ok {n} - {name}", flush=True)
    sys.exit(failed)
