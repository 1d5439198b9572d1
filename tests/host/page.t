#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The pages of report, mon and stale in a browser: hostile names are names, and they can be used."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "lib"))

from browser import Browser                # noqa: E402
from make_log import Log                   # noqa: E402
from make_perfdata import Recording        # noqa: E402
from tap import equal, run, test           # noqa: E402

SECOND = 1000000000
BASE = 0x7f0000000000
TAG = "</script></title></style><script>alert(1)</script><img src=//x.test/y onerror=alert(2)>"
HOSTILE = "]]></text><script>alert(3)</script>\"'&<b>"
WORK = {}


def buildid(*words, **more):
    return subprocess.run([os.path.join(WORK["out"], "buildid"), *words], check=True,
                          stdout=subprocess.PIPE, env=WORK["env"], **more).stdout


def build_id(path):
    notes = subprocess.run(["readelf", "-n", path], check=True, stdout=subprocess.PIPE,
                           text=True).stdout
    return re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)


def compile_library(path, body):
    """The build-id, and the offset of the function that calls nothing."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    plain = os.path.join(WORK["dir"], "plain.so")
    subprocess.run(["gcc", "-x", "c", "-O1", "-shared", "-fPIC", "-o", plain, "-"], check=True,
                   input=body, text=True)
    offset = re.search(r"^0*([0-9a-f]+) T inner$", subprocess.run(
        ["nm", plain], check=True, stdout=subprocess.PIPE, text=True).stdout, re.M).group(1)
    subprocess.run(["objcopy", "--redefine-sym", "inner=" + HOSTILE, plain, path], check=True)
    return bytes.fromhex(build_id(path)), int(offset, 16)


def record():
    recording = Recording()
    path = os.path.join(WORK["dir"], TAG, "lib.so")
    before, offset = compile_library(os.path.join(WORK["dir"], "before.so"),
                                     "int inner(int n) { return n * 3; }")
    after, _ = compile_library(path, "int inner(int n) { return n * 5; }")
    recording.program(10, SECOND, b"<i>\"'&\xff")
    recording.mapping(10, SECOND, path.encode(), before, BASE)
    recording.program(11, 3 * SECOND, b"later")
    recording.mapping(11, 3 * SECOND, path.encode(), after, BASE)
    recording.mapping(11, 3 * SECOND, b"/" + b"x" * 4000, b"\1" * 20, BASE + 0x100000)
    recording.mapping(11, 3 * SECOND, b"/\xff\xfe<b>\x01bytes", b"\2" * 20, BASE + 0x200000)
    for i in range(60):
        recording.sample(10, SECOND + i * SECOND // 15, (BASE + offset,))
    for i in range(40):
        recording.sample(11, 3 * SECOND + i * SECOND // 15,
                         (BASE + offset, BASE + 0x100010, BASE + 0x200010))
    recording.exit(10, 5 * SECOND)
    recording.write(os.path.join(WORK["dir"], "perf.data"))


def page(*more):
    record()
    buildid("report", "-i", "perf.data", "--html", "page.html", *more, cwd=WORK["dir"])
    return "file://" + os.path.join(WORK["dir"], "page.html")


@test
def names_of_any_bytes_are_text_and_nothing_is_loaded():
    browser = WORK["browser"]
    browser.open(page())
    equal(browser.complaints(), [])
    equal(browser.value("document.title"), "perf.data")
    equal(browser.value("document.querySelectorAll('script').length"), 1)
    equal(browser.value("document.querySelectorAll('img, b, i:not(td i)').length"), 0)
    equal(browser.value("document.querySelector('#timeline h3').textContent"),
          os.path.join(WORK["dir"], TAG, "lib.so"))
    titles = browser.value("Array.from(document.querySelectorAll('.f title'), t => t.textContent)")
    wanted = HOSTILE + " · lib.so@"
    assert any(title.startswith(wanted) for title in titles), titles
    # Cut where each frame repeats it, but not in the table.
    assert any(" · " + "x" * 256 + "…@01010101 · " in title for title in titles), titles
    cells = "Array.from(document.querySelectorAll('#contents td'), t => t.textContent)"
    assert "/" + "x" * 4000 in browser.value(cells), "the long path is cut"
    assert any("\ufffd\ufffd<b>\ufffdbytes" in title for title in titles), titles
    with open(os.path.join(WORK["dir"], "page.html"), encoding="utf-8") as file:
        text = file.read()
    equal(text.count("<script"), 1)
    browser.screenshot(os.path.join(WORK["dir"], "page.png"))


@test
def a_path_has_both_contents_in_order_of_time():
    browser = WORK["browser"]
    lanes = "Array.from(document.querySelector('.track').querySelectorAll('.lane'), %s)"
    equal(browser.value(lanes % "l => l.querySelector('span').textContent"),
          ["60 samples", "40 samples"])
    equal(browser.value(lanes % "l => l.querySelectorAll('td')[1].textContent"), ["10", "11"])
    equal(browser.value(lanes % "l => l.querySelectorAll('td')[3].textContent"), ["4.000", "end"])
    bars = browser.value(lanes % "l => Number(l.querySelector('.bar').getAttribute('x'))")
    assert bars[0] == 0 and 400 < bars[1] < 600, bars


@test
def a_click_zooms_a_key_goes_back_and_search_marks():
    browser = WORK["browser"]
    shown = "document.querySelectorAll('.f:not(.off)').length"
    every = browser.value(shown)
    width = "Number(document.querySelectorAll('.f.p rect')[1].getAttribute('width'))"
    assert 400 < browser.value(width) < 500, browser.value(width)
    browser.value("document.querySelectorAll('.f.p')[1].id = 'second'")
    browser.click("#second")
    equal(browser.value(width), 1200)
    assert browser.value(shown) < every
    browser.press("Escape")
    equal(browser.value(shown), every)
    browser.type("/")
    browser.type("later")
    equal(browser.value("document.getElementById('found').textContent"), "40.0% of samples")
    equal(browser.value("document.querySelectorAll('.f.m').length"), 1)
    equal(browser.value("document.querySelectorAll('.track:not(.off)').length"), 3)
    browser.press("Escape")
    equal(browser.value("document.querySelectorAll('.m').length"), 0)
    browser.value("document.querySelectorAll('.f.p')[1].focus()")
    browser.press("ArrowUp")
    browser.press("Enter")
    assert browser.value("document.activeElement.querySelector('title').textContent") \
        .startswith("[unknown] · "), "not the frame above"
    equal(browser.complaints(), [])


@test
def an_svg_by_itself_is_well_formed_and_works():
    browser = WORK["browser"]
    page("--flamegraph", "graph.svg")
    subprocess.run([sys.executable, "-c",
                    "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])",
                    os.path.join(WORK["dir"], "graph.svg")], check=True)
    browser.open("file://" + os.path.join(WORK["dir"], "graph.svg"))
    equal(browser.complaints(), [])
    browser.value("document.querySelectorAll('.f.p')[1].id = 'second'")
    browser.click("#second")
    equal(browser.value("Number(document.querySelectorAll('.f.p rect')[1].getAttribute('width'))"),
          1200)


@test
def a_pid_that_is_used_again_is_another_process():
    recording = Recording()
    for begin, comm in ((1, b"first"), (5, b"second")):
        recording.program(20, begin * SECOND, comm)
        recording.mapping(20, begin * SECOND, b"/srv/lib.so", b"\3" * 20, BASE)
        for i in range(5):
            recording.sample(20, begin * SECOND + i * SECOND // 10, (BASE + 8,))
        recording.exit(20, (begin + 2) * SECOND)
    recording.program(21, 9 * SECOND, b"end")
    recording.write(os.path.join(WORK["dir"], "again.data"))
    buildid("report", "--no-debuginfod", "-i", "again.data", "--html", "again.html",
            cwd=WORK["dir"], stderr=subprocess.DEVNULL)
    browser = WORK["browser"]
    browser.open("file://" + os.path.join(WORK["dir"], "again.html"))
    rows = browser.value("Array.from(document.querySelectorAll('.lane tr:not(:first-child)'), "
                         "r => Array.from(r.cells, c => c.textContent))")
    equal(sorted(rows), [["first", "20", "0.000", "2.000", "5"],
                         ["second", "20", "4.000", "6.000", "5"]])


@test
def tables_can_be_sorted():
    browser = WORK["browser"]
    browser.open(page())
    column = "Array.from(document.querySelectorAll('#contents td:first-child'), " \
        "c => c.textContent)"
    first = browser.value(column)
    equal(first, sorted(first, key=lambda text: -int(text)))
    header = "document.querySelector('#contents th:first-child')"
    browser.value(header + ".id = 'samples'")
    browser.click("#samples button")
    browser.click("#samples button")
    equal(browser.value(column), sorted(first, key=int))
    equal(browser.value(header + ".getAttribute('aria-sort')"), "ascending")
    equal(browser.complaints(), [])


def cells(selector):
    return WORK["browser"].value(
        "Array.from(document.querySelectorAll(%r), r => Array.from(r.cells, c => c.innerText))"
        % selector)


def upgraded(name, **more):
    """The page of a log: a library is replaced while a shell, its child and a server run."""
    log, path = Log(SECOND), b"/srv/" + TAG.encode() + b"/lib.so"
    old, new = b"\x0a" * 20, b"\x0b" * 20
    log.mapping(10, SECOND, path, old, b"server", before=True)
    log.mapping(11, SECOND, path, old, b"<i>sh\xff", before=True)
    log.fork(12, 2 * SECOND, b"child", 11)
    log.mapping(13, 3 * SECOND, path, new, b"later")
    log.execute(12, 5 * SECOND, b"other")
    log.mapping(12, 5 * SECOND, path, new, b"other")
    log.exit(11, 7 * SECOND, b"sh")
    # Another process has its pid, and the same path is on another filesystem.
    log.fork(11, 8 * SECOND, b"again", 13, start=77)
    log.mapping(14, 8 * SECOND, path, b"\x0c" * 20, b"elsewhere", device=2)
    log.mapping(14, 9 * SECOND, b"/\xff\xfe<b>\x01bytes", b"", b"end")
    log.write(os.path.join(WORK["dir"], name), **more)


@test
def who_ran_the_old_library_until_when():
    browser = WORK["browser"]
    upgraded("log")
    equal(buildid("mon", "--html", "mon.html", "log", cwd=WORK["dir"],
                  stderr=subprocess.DEVNULL), b"")
    browser.open("file://" + os.path.join(WORK["dir"], "mon.html"))
    equal(browser.complaints(), [])
    equal(browser.value("document.querySelectorAll('script').length"), 1)
    equal(browser.value("document.querySelectorAll('img, b, i').length"), 0)
    equal(browser.value("document.querySelectorAll('svg.flame, #reset:not([hidden])').length"), 0)
    rows = cells("#old tbody tr")
    equal([row[:4] for row in rows],
          [["server", "10", "2026-01-02T03:04:03Z", "end"],
           ["<i>sh\ufffd", "11", "2026-01-02T03:04:03Z", "2026-01-02T03:04:07Z"],
           ["child", "12", "2026-01-02T03:04:03Z", "2026-01-02T03:04:05Z"]])
    equal(rows[0][4], "/srv/%s/lib.so" % TAG)
    equal(rows[0][5], "0a" * 20 + "\nnow " + "0b" * 20)
    browser.value("document.querySelectorAll('.lane details').forEach(d => d.open = true)")
    equal(sorted(row[:4] for row in cells(".lane tr:not(:first-child)")), sorted([
        ["server", "10", "before", "end"],
        ["<i>sh\ufffd", "11", "before", "2026-01-02T03:04:07Z"],
        ["child", "12", "2026-01-02T03:04:02Z", "2026-01-02T03:04:05Z"],
        ["later", "13", "2026-01-02T03:04:03Z", "end"],
        ["other", "12", "2026-01-02T03:04:05Z", "end"],
        ["again", "11", "2026-01-02T03:04:08Z", "end"],
        ["elsewhere", "14", "2026-01-02T03:04:08Z", "end"],
        ["elsewhere", "14", "2026-01-02T03:04:09Z", "end"]]))
    assert "/\ufffd\ufffd<b>\ufffdbytes" in [row[1] for row in cells("#contents tbody tr")]
    equal(browser.value("document.querySelector('#missing li')"), None)
    browser.type("/")
    browser.type("server")
    equal(browser.value("document.getElementById('found').textContent"), "2 found")
    equal(browser.value("document.querySelectorAll('#old tbody tr:not(.off)').length"), 1)
    equal(browser.complaints(), [])
    upgraded("cut", whole=False)
    subprocess.run([os.path.join(WORK["out"], "buildid"), "mon", "--html", "cut.html", "cut"],
                   cwd=WORK["dir"], check=False, stderr=subprocess.DEVNULL)
    browser.open("file://" + os.path.join(WORK["dir"], "cut.html"))
    equal(len(cells("#old tbody tr")), 3)
    assert browser.value("document.querySelector('#missing li').textContent") \
        .startswith("what comes after this: "), "a cut log is not said to be one"


@contextlib.contextmanager
def running(name):
    """A copy of sleep that runs, and where it is."""
    path = os.path.join(WORK["dir"], "run", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    shutil.copy("/bin/sleep", path)
    with subprocess.Popen([path, "1000"]) as process:
        try:
            while os.readlink("/proc/%d/exe" % process.pid) != path:
                time.sleep(0.01)
            yield process.pid, path
        finally:
            process.kill()


@test
def what_runs_an_old_content_now():
    browser = WORK["browser"]
    with running("<b>\"'&") as (replaced, path), running("gone") as (deleted, gone):
        shutil.copy("/bin/cat", path + ".new")
        os.rename(path + ".new", path)
        os.unlink(gone)
        done = subprocess.run([os.path.join(WORK["out"], "buildid"), "stale", "--source=perf",
                               "--temporary", "--html", "stale.html", str(replaced),
                               str(deleted)], cwd=WORK["dir"], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    equal((done.returncode, done.stdout), (3, b""))
    browser.open("file://" + os.path.join(WORK["dir"], "stale.html"))
    equal(browser.complaints(), [])
    equal(browser.value("document.querySelectorAll('b').length"), 0)
    rows = sorted(cells("#processes tbody tr"))
    equal([row[:2] + row[4:] for row in rows],
          [["<b>\"'&", str(replaced), "1"], ["gone", str(deleted), "1"]])
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT[\d:]{8}Z", rows[0][3]), rows
    tracks = browser.value("Array.from(document.querySelectorAll('.track'), t => t.innerText)")
    equal(len(tracks), 2)
    for text in (path, build_id("/bin/sleep") + " runs", build_id("/bin/cat") + " is there now, "
                 "since 20", str(replaced)):
        assert text in tracks[0], (text, tracks[0])
    assert gone in tracks[1] and "deleted" in tracks[1], tracks[1]
    browser.type("/")
    browser.type("gone")
    equal(browser.value("document.getElementById('found').textContent"), "2 found")
    equal(browser.complaints(), [])


@test
def what_an_upgrade_changed_as_a_page():
    browser = WORK["browser"]
    record()
    names = ("before.so", os.path.join(TAG, "lib.so"))
    equal(buildid("report", "--diff", "-i", "perf.data", "--html", "diff.html", *names,
                  cwd=WORK["dir"]), b"")
    browser.open("file://" + os.path.join(WORK["dir"], "diff.html"))
    equal(browser.complaints(), [])
    equal(browser.value("document.querySelectorAll('img, b').length"), 0)
    equal([row[:2] + row[4:] for row in cells("#contents tbody tr")],
          [["before", names[0], "60", "60.0%"], ["after", names[1], "40", "40.0%"]])
    row, = cells("#functions tbody tr")
    equal((row[0], row[3:6], row[7]), ("code", ["100.0%", "100.0%", "+0.0"], HOSTILE))
    equal(browser.value("document.querySelectorAll('td.g1').length"), 1)
    buildid("report", "--diff", "--html", "diff.html", *names, cwd=WORK["dir"])
    browser.open("file://" + os.path.join(WORK["dir"], "diff.html"))
    equal(cells("#functions tbody tr"), [[row[0], row[1], row[2], HOSTILE]])
    equal(browser.complaints(), [])
    for words in (("--json", "--html=x"), ("--folded",)):
        done = subprocess.run([os.path.join(WORK["out"], "buildid"), "report", "--diff", *words,
                               *names], cwd=WORK["dir"], check=False, capture_output=True)
        equal(done.returncode, 2, done.stderr)


@test
def ten_thousand_processes_of_a_log_take_less_than_20_mb():
    log = Log(SECOND)
    for pid in range(100, 10100):
        when = pid * SECOND // 100
        log.fork(pid, when, b"sh", pid - 1 if pid > 100 else 1)
        log.execute(pid, when, b"worker-%d" % (pid % 50))
        for i in range(20):
            log.mapping(pid, when, b"/srv/lib%d.so" % i, bytes((i, pid // 300)) * 10, b"worker")
        if pid % 10:
            log.exit(pid, when + 30 * SECOND, b"worker")
    log.write(os.path.join(WORK["dir"], "many.log"))
    buildid("mon", "--html", "many.html", "many.log", cwd=WORK["dir"], stderr=subprocess.DEVNULL)
    size = os.stat(os.path.join(WORK["dir"], "many.html")).st_size
    print("# %.1f MB" % (size / 1e6))
    assert size < 20e6, size


@test
def ten_thousand_processes_take_less_than_20_mb():
    recording = Recording()
    for pid in range(100, 10100):
        when = pid * SECOND // 1000
        recording.program(pid, when, b"worker-%d" % (pid % 50))
        for i in range(4):
            recording.mapping(pid, when, b"/srv/lib%d.so" % i, bytes((i, pid % 2)) * 10,
                              BASE + i * 0x100000)
        for i in range(10):
            recording.sample(pid, when + i * 1000,
                             [BASE + (level % 4) * 0x100000 + (pid * level * i) % 0x10000
                              for level in range(12)])
        recording.exit(pid, when + SECOND // 2)
    recording.write(os.path.join(WORK["dir"], "many.data"))
    said = subprocess.run([os.path.join(WORK["out"], "buildid"), "report", "--no-debuginfod",
                           "-i", "many.data", "--html", "many.html", "--flamegraph", "many.svg"],
                          cwd=WORK["dir"], env=WORK["env"], check=True,
                          stderr=subprocess.PIPE).stderr
    assert re.search(rb"many.svg: \d+ frames too narrow, or deeper than 300, ", said), said
    size = os.stat(os.path.join(WORK["dir"], "many.html")).st_size
    print("# %.1f MB" % (size / 1e6))
    assert size < 20e6, size


def main():
    subprocess.run(["flock", os.path.join(TOP, "tests", "Makefile"), "make", "-s", "-C",
                    os.path.join(TOP, "tool"), "all"], check=True)
    WORK["out"] = os.path.join(TOP, "build", "tool")
    WORK["dir"] = tempfile.mkdtemp(prefix="buildid-page.")
    WORK["env"] = dict(os.environ, HOME=WORK["dir"], DEBUGINFOD_URLS="")
    WORK["browser"] = Browser(os.path.join(WORK["dir"], "browser"))
    try:
        return run()
    finally:
        WORK["browser"].end()
        if "KEEP" not in os.environ:
            shutil.rmtree(WORK["dir"])


if __name__ == "__main__":
    sys.exit(main())
