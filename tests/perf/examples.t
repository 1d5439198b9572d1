#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The example recorders: what they say of programs whose content changes."""

import os
import re
import shutil
import subprocess

import lib
from lib import built, contains
from tap import equal, run, test

EXAMPLES = os.path.join(lib.TOP, "build", "tool", "examples")
PROTO = os.path.join(lib.TOP, "tests", "src")

# Samples, of which there are to be so many in each place.
ENOUGH = 20
# Processor time, in clock ticks of a hundredth of a second.
TICKS = 40

def symbol_in_file(path, name):
    """Where in the file the code of a function is: first and last offset."""
    text = lib.run("readelf", "-sW", path).stdout
    match = re.search(rf"\d+: (\w+) +(\d+) FUNC .* {name}$", text, re.M)
    value, size = int(match[1], 16), int(match[2])
    for line in lib.run("readelf", "-lW", path).stdout.splitlines():
        match = re.match(r" +LOAD +(\w+) (\w+) \w+ (\w+) ", line)
        if match:
            offset, vaddr, filesz = (int(field, 16) for field in match.groups())
            if vaddr <= value < vaddr + filesz:
                return range(offset + value - vaddr, offset + value - vaddr + size)
    raise AssertionError(f"{name} is in no segment of {path}")


# ------------------------------------------------------------------- pprof --

def parse_proto(text):
    """What protoc --decode prints, as {name: [value or message]}."""
    stack = [{}]
    for line in text.splitlines():
        line = line.strip()
        opened = re.fullmatch(r"(\w+) {", line)
        field = re.fullmatch(r'(\w+): (?:"(.*)"|(-?\d+))', line)
        if opened:
            message = {}
            stack[-1].setdefault(opened[1], []).append(message)
            stack.append(message)
        elif line == "}":
            stack.pop()
        else:
            value = field[2] if field[3] is None else int(field[3])
            stack[-1].setdefault(field[1], []).append(value)
    [profile] = stack
    return profile


def decode(path):
    with open(path, "rb") as file:
        done = subprocess.run(["protoc", f"-I{PROTO}", "--decode=Profile", "profile.proto"],
                              stdin=file, capture_output=True, text=True, check=False)
    equal(done.returncode, 0, done.stderr)
    return parse_proto(done.stdout)


def one(message, key):
    """Zeros and empty strings are not written."""
    return message.get(key, [0])[0]


class Profile:
    """{(build-id, path): {offset in the file: samples}}"""

    def __init__(self, path):
        profile = decode(path)
        self.profile = profile
        strings = profile["string_table"]
        equal(strings[0], "", "the first string")
        mappings = {one(mapping, "id"): mapping for mapping in profile["mapping"]}
        locations = {one(location, "id"): location for location in profile["location"]}
        assert 0 not in mappings and 0 not in locations
        self.types = [(strings[one(entry, "type")], strings[one(entry, "unit")])
                      for entry in profile["sample_type"]]
        self.counts = {}
        for sample in profile["sample"]:
            count, time = sample["value"]
            equal(time, count * one(profile, "period"), "time")
            [number] = sample["location_id"]
            location = locations[number]
            mapping = mappings[one(location, "mapping_id")]
            start, limit = one(mapping, "memory_start"), one(mapping, "memory_limit")
            address = one(location, "address")
            assert start <= address < limit, (start, address, limit)
            key = (strings[one(mapping, "build_id")], strings[one(mapping, "filename")])
            places = self.counts.setdefault(key, {})
            offset = address - start + one(mapping, "file_offset")
            places[offset] = places.get(offset, 0) + count

    def total(self):
        return sum(sum(places.values()) for places in self.counts.values())


def profile_of(work, *command, status=0):
    path = os.path.join(work, "profile")
    done = lib.run(os.path.join(EXAMPLES, "profile"), "-o", path, *command, status=status)
    summary = re.search(r"(\d+) samples, (\d+) unresolved, (\d+) lost, "
                        r"(\d+) mappings lost", done.stderr)
    assert summary, done.stderr
    profile = Profile(path)
    equal(profile.total(), int(summary[1]) - int(summary[2]), "samples in all")
    equal((summary[3], summary[4]), ("0", "0"), "what was lost")
    equal(sum(int(line.split()[0]) for line in done.stdout.splitlines()), profile.total(),
          "samples printed")
    return profile


def until_enough(take, *wanted):
    """The profile that take(times) returns. How many samples there are in some time is up to
    the machine, and to the kernel, which takes fewer when each takes long."""
    for times in 1, 4, 16, 64:
        profile = take(times)
        if all(sum(profile.counts.get(key, {}).values()) >= ENOUGH for key in wanted):
            break
    return profile


with lib.directory() as work:
    @test
    def samples_are_of_the_content_that_was_mapped_then():
        contents = [built(f"hot-{which}.so") for which in ("first", "second")]
        v1, v2 = (os.path.join(work, os.path.basename(path)) for path in contents)
        wanted = [(lib.readelf_ids([path])[path], symbol_in_file(path, "hot"))
                  for path in contents]
        assert wanted[0] != wanted[1], wanted

        def take(times):
            for path in contents:
                shutil.copy(path, work)
            return profile_of(work, built("swap"), v1, v2, str(times * TICKS), status=5)
        profile = until_enough(take, *((identity, v1) for identity, _ in wanted))
        equal(profile.types, [("samples", "count"), ("cpu", "nanoseconds")])
        for identity, hot in wanted:
            places = profile.counts[identity, v1]
            inside = sum(count for offset, count in places.items() if offset in hot)
            assert inside >= 0.9 * ENOUGH, (identity, places)
            assert inside >= 0.9 * sum(places.values()), (identity, hot, places)
        # The second was never mapped by its own name.
        equal([key for key in profile.counts if key[1] == v2], [])

    @test
    def the_kernel_s_samples_are_of_the_kernel():
        kernel = lib.buildid("list", "-k").stdout.split()[0], "[kernel.kallsyms]"
        profile = until_enough(lambda times: profile_of(
            work, "dd", "if=/dev/zero", "of=/dev/null", "bs=64k", f"count={times * 10000}"),
            kernel)
        assert sum(profile.counts[kernel].values()) >= ENOUGH, profile.counts

    @test
    def what_runs_already_is_known_from_the_snapshot():
        program = built("forever")
        wanted = lib.readelf_ids([program])[program]
        with lib.started(program):
            profile = until_enough(lambda times: profile_of(work, "-a", str(times)),
                                   (wanted, program))
        places = profile.counts[wanted, program]
        hot = symbol_in_file(program, "main")
        inside = sum(count for offset, count in places.items() if offset in hot)
        assert sum(places.values()) >= ENOUGH and inside >= 0.9 * sum(places.values()), \
            (hot, places)

    # None of them is left when it is named, and one has never called exec.
    @test
    def addresses_are_named_when_nobody_is_left():
        first, second = built("v1.so"), built("v2.so")
        ours, other = built("forks"), shutil.copy(built("forks"), os.path.join(work, "other"))
        wanted = {"itself": ours, "first": first, "second": second, "other": other}
        ids = lib.readelf_ids(wanted.values())
        code = {path: symbol_in_file(path, name)
                for path, name in ((ours, "ask"), (other, "main"))}
        done = lib.run(os.path.join(EXAMPLES, "addresses"), ours, first, second, other)
        cases, answers = done.stderr.splitlines(), done.stdout.splitlines()
        equal(len(cases), 9, "cases")
        equal(len(answers), len(cases), "answers")
        for case, answer in zip(cases, answers):
            path = wanted[case.split(": ")[1]]
            _, _, offset, identity, named = answer.split(maxsplit=4)
            equal((case, identity, named), (case, ids[path], path))
            contains(code.get(path, range(1)), int(offset, 16))

    # The child has what its parent had before anyone looked.
    @test
    def addresses_are_named_of_a_fork_of_what_ran_before():
        child = "import os, sys, time; print(flush=True); sys.stdin.readline()\n" \
            "pid = os.fork()\n" \
            "if not pid: print(os.getpid(), time.monotonic_ns(), flush=True); os._exit(0)\n" \
            "os.waitpid(pid, 0)"
        with lib.started("/usr/bin/python3", "-c", child, stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            [mapped, *_] = [m for m in lib.maps_of(lib.read_bytes(
                f"/proc/{process.pid}/maps").decode()) if m["path"].endswith("/libc.so.6")]
            fork = f"echo >/proc/{process.pid}/fd/0; head -n1 <&3 | " \
                f"while read pid time; do echo $pid {mapped['addr']:x} $time; done"
            done = lib.run(os.path.join(EXAMPLES, "addresses"), "-a", "sh", "-c",
                           f"exec 3</proc/{process.pid}/fd/1; {fork}")
        _, _, offset, identity, path = done.stdout.split()
        equal((int(offset, 16), identity, path),
              (mapped["pgoff"], lib.readelf_ids([path])[path], mapped["path"]))

    @test
    def what_names_addresses_says_what_is_wrong():
        program = os.path.join(EXAMPLES, "addresses")
        for arguments in [], ["-a"], ["-x", "true"]:
            contains(lib.run(program, *arguments, status=2).stderr, "usage: addresses")
        contains(lib.run(program, "/nonexistent", status=127).stderr,
                 "addresses: /nonexistent: No such file or directory\n")
        contains(lib.run(program, "echo", "more", status=1).stderr,
                 "addresses: more: not PID ADDRESS TIME\n")

    @test
    def the_profiler_says_what_is_wrong():
        program = os.path.join(EXAMPLES, "profile")
        for arguments in [], ["-a", "1", "true"], ["-F", "0", "true"], ["-x"]:
            contains(lib.run(program, *arguments, status=2).stderr, "usage: profile")
        contains(lib.run(program, "/nonexistent", status=127).stderr,
                 "profile: /nonexistent: No such file or directory\n")
        contains(lib.run(program, "-o", "/nonexistent/profile", "true", status=1).stderr,
                 "profile: /nonexistent/profile: No such file or directory\n")

    @test
    def sixty_lines_print_what_is_mapped_and_what_will_be():
        with lib.started("/bin/cat", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as cat:
            cat.stdin.write(b"\n")
            cat.stdin.flush()
            cat.stdout.readline()
            maps = lib.maps_of(lib.read_bytes(f"/proc/{cat.pid}/maps").decode())
            with open(os.path.join(work, "lines"), "w+b") as output, \
                    lib.started(os.path.join(EXAMPLES, "mappings"), stdout=output) as process:
                later = os.path.join(work, 'quoted " and \\')
                lib.write_bytes(later, lib.read_bytes("/bin/true"))

                def printed():
                    assert process.poll() is None, "it has ended"
                    lib.run(later)
                    text = lib.read_bytes(output.name).decode()
                    return lib.json_lines(text[:text.rindex("\n") + 1]) \
                        if '\\u0022' in text else None
                lines = lib.until(printed, "a mapping made later is printed")
        files = {line["file_id"]: line for line in lines if "pid" not in line}
        for mapping in maps:
            [line] = [line | files[line["file_id"]] for line in lines
                      if "pid" in line and (line["pid"], line["addr"]) ==
                      (cat.pid, mapping["addr"])]
            for key in ("len", "pgoff", "path"):
                equal(line[key], mapping[key], key)
            wanted = lib.readelf_ids([mapping["path"]])[mapping["path"]]
            equal((line["kind"], line["build_id"]), ("gnu", wanted))
        wanted = lib.readelf_ids(["/bin/true"])["/bin/true"]
        seen = {line["build_id"] for line in files.values() if line["path"] == later}
        equal(seen, {wanted})

    @test
    def an_example_that_has_no_module_says_so():
        lib.unload()
        try:
            for command in ["mappings"], ["profile", "true"], ["addresses", "true"]:
                done = lib.run(os.path.join(EXAMPLES, command[0]), *command[1:], status=1)
                contains(done.stderr, "the module is not loaded")
        finally:
            lib.load()

    run()
