# SPDX-License-Identifier: GPL-2.0
"""One session for a perf: contents that are replaced while it records, and what
perf then says of each sample, annotated and as it is by itself."""

import collections
import contextlib
import os
import re
import shutil
import signal
import subprocess

import lib
from lib import built, contains
from tap import equal, test

# Replaced as a package is, then overwritten.
LIBRARY_SESSION = """
set -e
cd {work}
cp {spin}-first.so library.so;   {spin}-first library-first ./library.so
cp {spin}-second.so new;         mv new library.so
                                 {spin}-first library-second ./library.so
cat {spin}-third.so >library.so; {spin}-first library-third ./library.so
"""
SESSION = LIBRARY_SESSION + """\
cp {spin}-first program;         ./program program-first
cp {spin}-second new;            mv new program
                                 ./program program-second
unshare -m sh {work}/container
insmod {spin}-first-{kernel}/buildid_spin.ko
{spin}-first module-first /sys/module/buildid_spin/parameters/spin 150
rmmod buildid_spin
insmod {spin}-second-{kernel}/buildid_spin.ko
{spin}-first module-second /sys/module/buildid_spin/parameters/spin 150
rmmod buildid_spin
"""

# Another file of that path, which is gone, with all of its file system, with the
# program. Its root has nothing else in it.
CONTAINER = """
set -e
mount -t tmpfs tmpfs {work}/layers
cd {work}/layers
mkdir -p lower/{work} upper inner merged lower/old
cp {spin}-inside lower/{work}/program
mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=inner merged
cd merged
pivot_root . old
exec {work}/program program-inside
"""

# Who did the work, and in which function it was.
TRUTH = {
    "library-first": "spin_in_first", "library-second": "spin_in_second",
    "library-third": "spin_in_third", "program-first": "spin_in_first",
    "program-second": "spin_in_second", "program-inside": "spin_in_inside",
    "module-first": "spin_in_module_first", "module-second": "spin_in_module_second",
}
USER = [name for name in TRUTH if not name.startswith("module")]
CONTENTS = ["-first.so", "-second.so", "-third.so", "-first", "-second", "-inside"]

ID = r"[0-9a-f]{40}"


def read_id(path):
    return lib.readelf_ids([path])[path]


class Story:
    """The session, recorded by one perf."""

    def __init__(self, name, work):
        self.perf = built(f"perf-{name}/perf")
        self.work = work
        self.kernel = os.environ["KERNEL_NAME"]
        self.spin = built("spin")
        self.environment = dict(os.environ, PERF_PAGER="cat", HOME=self.path("home"))
        os.mkdir(self.path("home"))
        os.mkdir(self.path("layers"))
        for file, text in (("session", SESSION), ("container", CONTAINER)):
            lib.write_bytes(self.path(file), text.format(
                work=work, spin=self.spin, kernel=self.kernel).encode())
        # Without modules: perf is to have those from their files, as it would on
        # another machine, and not as they happen to be now.
        symbols = lib.read_bytes("/proc/kallsyms").splitlines(keepends=True)
        lib.write_bytes(self.path("kallsyms"),
                        b"".join(line for line in symbols if b"[" not in line))

    def path(self, name):
        return os.path.join(self.work, name)

    def name(self, path, ids, build_id):
        """What a path is called for one of the contents it had, in their order."""
        return self.path(path) + (f"@{build_id[:8]}" if build_id != ids[0] else "")

    def module(self, which):
        return f"{self.spin}-{which}-{self.kernel}/buildid_spin.ko"

    def run(self, *arguments, **options):
        options.setdefault("env", self.environment)
        return lib.run(self.perf, *arguments, **options)

    def record(self, output, *options, before=()):
        return lib.run(*before, self.perf, "record", "-F", "499", "-e", "cpu-clock", *options,
                       "-o", output, "sh", self.path("session"), env=self.environment)

    def keep(self):
        """Each content in ~/.debug, as whoever keeps them would."""
        files = [self.spin + suffix for suffix in CONTENTS]
        self.run("buildid-cache", "-a", ",".join(
            files + [self.module("first"), self.module("second")]))

    def symbols(self, data):
        """For each of those who worked: symbols of the samples, with their counts."""
        text = self.run("script", "-i", data, "-F", "comm,ip,sym,dso", "--kallsyms",
                        self.path("kallsyms")).stdout
        found = collections.defaultdict(collections.Counter)
        for line in text.splitlines():
            match = re.match(r"\s*(\S+)\s+[0-9a-f]+ (.*) \((.*)\)$", line)
            if match and match[1] in TRUTH:
                symbol = match[2].split("+")[0]
                found[match[1]][symbol, os.path.basename(match[3])] += 1
        return found

    def mappings(self, data):
        """(id or None, path) of each mapping that perf shows, in order."""
        text = self.run("script", "-i", data, "--show-mmap-events").stdout
        found = []
        for line in text.splitlines():
            match = re.search(rf"PERF_RECORD_MMAP2? .*\[.*?(?:<({ID})>)?\]: \S+ (.*)$", line)
            if match:
                found.append((match[1], match[2]))
        return found

    def ids(self, *arguments):
        """(id, path) as buildid-list prints them."""
        lines = self.run("buildid-list", *arguments).stdout.splitlines()
        # perf 6.1 makes a file of its own vDSO, of another name each time.
        return [tuple(re.sub(r"/tmp/perf-vdso.*", "[vdso]", line).split(" ", 1))
                for line in lines]


@contextlib.contextmanager
def logged(log):
    """buildid record by itself in the block, which knows of no perf there."""
    with lib.started("buildid", "record", "-o", log, stderr=subprocess.DEVNULL) as recorder:
        lib.until(lambda: os.path.exists(log) and os.path.getsize(log) > 10000, "a snapshot")
        yield
        recorder.send_signal(signal.SIGINT)
        equal(recorder.wait(lib.TIMEOUT), 0)


def wrong_symbols(found, who):
    """Of those who worked: what perf says that they worked in, where that is wrong."""
    wrong = {}
    for name in who:
        spins = {symbol for symbol, _ in found[name] if symbol.startswith("spin_in_")}
        if spins != {TRUTH[name]}:
            wrong[name] = sorted(spins)
    return wrong


def modules_overlap():
    """Whether they do as /proc/modules has them: newer kernels put the text of several modules
    into one large page, and the sizes are of all their parts. perf takes all for text."""
    modules = sorted((int(base, 16), int(size)) for _, size, _, _, _, base, *_ in
                     map(str.split, lib.read_bytes("/proc/modules").decode().splitlines()))
    return any(base + size > after for (base, size), (after, _) in zip(modules, modules[1:]))


def knowable(who=tuple(TRUTH)):
    """Those of whom perf can know what they worked in."""
    if modules_overlap():
        diagnose("perf gives what one module does to another here")
        return [worker for worker in who if worker in USER]
    return who


def diagnose(text):
    for line in text.splitlines():
        print("#", line, flush=True)


def add_tests(name, stock_is_wrong):
    # There perf is ten times as slow, and what it makes of a perf.data is the same.
    if lib.DEBUG and name != "6.12":
        return
    stack = contextlib.ExitStack()
    story = Story(name, stack.enter_context(lib.tmpfs()))
    data, stock = story.path("perf.data"), story.path("stock.data")

    @test(f"perf {name}: a session is recorded, with an id for each mapping of a file")
    def _():
        done = story.record(data, before=("buildid", "record", "--"))
        diagnose(done.stderr)
        contains(done.stderr, " 0 not annotated")
        assert not os.path.exists(data + ".buildid"), "a log is left"
        plain = [path for build_id, path in story.mappings(data)
                 if not build_id and re.match(r"/(?!/)|\[kernel|\[vdso", path)]
        equal(plain, [], "mappings without an id")

    @test(f"perf {name}: one path has the ids of all contents it had, in order")
    def _():
        mappings = story.mappings(data)
        for path, suffixes in (("library.so", ["-first.so", "-second.so", "-third.so"]),
                               ("program", ["-first", "-second", "-inside"])):
            got = list(dict.fromkeys((mapped, build_id) for build_id, mapped in mappings
                                     if mapped.split("@")[0] == story.path(path)))
            ids = [read_id(story.spin + suffix) for suffix in suffixes]
            equal(got, [(story.name(path, ids, build_id), build_id) for build_id in ids], path)

    @test(f"perf {name}: the modules that were loaded have their mappings and ids")
    def _():
        got = [build_id for build_id, path in story.mappings(data)
               if "buildid_spin" in path and build_id]
        equal(got, [read_id(story.module("first")), read_id(story.module("second"))])

    if not lib.DEBUG:
        add_tests_of_symbols(story, name, data, stock, stock_is_wrong)

    @test(f"perf {name}: nothing is left behind")
    def _():
        stack.close()
        equal(subprocess.run(["grep", "-c", "buildid_spin", "/proc/modules"],
                             capture_output=True, check=False).stdout, b"0\n")


def add_tests_of_symbols(story, name, data, stock, stock_is_wrong):
    @test(f"perf {name}: perf script names the right function for each sample")
    def _():
        story.keep()
        found = story.symbols(data)
        diagnose("\n".join(f"{who}: {dict(found[who].most_common(3))}" for who in TRUTH))
        equal(wrong_symbols(found, knowable()), {}, "wrong symbols")

    @test(f"perf {name}: buildid-list -H and list -H say the same, and the table has all of it")
    def _():
        wanted = set()
        for path, suffixes in (("library.so", ["-first.so", "-second.so", "-third.so"]),
                               ("program", ["-first", "-second", "-inside"])):
            ids = [read_id(story.spin + suffix) for suffix in suffixes]
            wanted |= {(build_id, story.name(path, ids, build_id)) for build_id in ids}
        hits, table = story.ids("-H", "-i", data), story.ids("-i", data)
        ours = [tuple(line.split(" ", 1)) for line in
                lib.buildid("list", "-H", "-i", data).stdout.splitlines()]
        for said in (hits, ours, table):
            equal({pair for pair in said if pair[1].startswith(story.work)}, wanted)
        # Without -H perf lists the table, if there is one.
        contains({build_id for build_id, _ in table}, read_id(story.module("first")))
        equal({build_id for build_id, _ in hits} - {build_id for build_id, _ in table}, set(),
              "hits that are not in the table")
        equal(ours[0][1], "[kernel.kallsyms]")
        # By whatever name perf has found it here, and wherever that is in its order.
        for said in (hits, table):
            equal([pair[0] for pair in said].count(ours[0][0]), 1, "the kernel")
        files = {pair for pair in hits if pair[1].startswith("/usr/")}
        equal({pair for pair in ours if pair[1].startswith("/usr/")}, files, "files hit")

    @test(f"perf {name}: perf report names each function")
    def _():
        text = story.run("report", "-i", data, "--stdio", "--sort", "comm,sym", "--kallsyms",
                         story.path("kallsyms")).stdout
        for who in USER:
            assert re.search(rf"{who} +\[\.\] {TRUTH[who]}\b", text), f"{who} in {text}"

    if not stock_is_wrong:
        return

    @test(f"perf {name}: perf by itself, of the same session, has it wrong")
    def _():
        shutil.rmtree(story.path("home"))
        os.mkdir(story.path("home"))
        story.record(stock)
        wrong = wrong_symbols(story.symbols(stock), USER)
        diagnose("\n".join(f"{who} worked in {TRUTH[who]}, perf says {wrong[who]}"
                           for who in wrong))
        contains(wrong, "library-first")
        contains(wrong, "program-first")
