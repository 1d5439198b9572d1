# SPDX-License-Identifier: GPL-2.0
"""A copy of the project with at most one mutant in it, and what is built there."""

import functools
import hashlib
import os
import re
import shutil
import signal
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.path.join(TOP, "build", "mutants")
TREE = os.path.join(WORK, "tree")

# Seconds after which a build, or a mutant in a guest, hangs: none takes a quarter of that with
# the original.
LIMIT = 600
# Likewise the tests of one mutant on this machine, or so many times what the original takes.
HOST_LIMIT = 60
TIMES = 5
# && for || is a fault, and no matter of style.
ALLOWED = "-Wno-parentheses"
WARNINGS = f"KCFLAGS='-Werror {ALLOWED}'"
# Images for elf_fuzz, the same each time: what they miss is tried by KUnit.
FUZZ = ("-seed=1", "-runs=20000", "-max_len=16384", "found", "elf")


class Broken(Exception):
    """The original does not build, or does not pass."""


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def run(*command, limit=LIMIT, **options):
    """The exit status, or None when it took too long, and what was printed."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace",
                          start_new_session=True, env=environment, **options) as process:
        try:
            output = process.communicate(timeout=limit)[0]
            return process.returncode, output
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def make(directory, *arguments):
    return run("make", "-s", f"-j{os.cpu_count()}", "-C", os.path.join(TREE, directory),
               *arguments)


# -------------------------------------------------------------- the tree --

_mutated = None


def tracked():
    return subprocess.run(("git", "-C", TOP, "ls-files", "-z"), check=True, capture_output=True,
                          text=True).stdout.split("\0")[:-1]


def sync():
    """Files that are the same keep their times, so that little is built again."""
    files = {name for name in tracked() if os.path.isfile(os.path.join(TOP, name))}
    for name in files:
        source, copy = os.path.join(TOP, name), os.path.join(TREE, name)
        content = read(source)
        if not os.path.exists(copy) or read(copy) != content:
            write(copy, content)
        os.chmod(copy, os.stat(source).st_mode)
    for folder, folders, names in os.walk(TREE):
        if folder == TREE and "build" in folders:
            folders.remove("build")
        for name in names:
            path = os.path.join(folder, name)
            if os.path.relpath(path, TREE) not in files:
                os.unlink(path)


def original(file):
    return read(os.path.join(TOP, file)).decode()


def put(mutant):
    """None puts the original back."""
    global _mutated
    if _mutated and not (mutant and mutant.file == _mutated):
        write(os.path.join(TREE, _mutated), read(os.path.join(TOP, _mutated)))
    if mutant:
        write(os.path.join(TREE, mutant.file), mutant.apply(original(mutant.file)).encode())
    _mutated = mutant.file if mutant else None


# ---------------------------------------------------------- tests of host --

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


@functools.cache
def needed_objects(tests):
    """What unit tests most likely link, going by what they include."""
    sources, seen = set(), set()
    queue = [os.path.join("tests/unit", test + ".c") for test in tests]
    queue += ["tests/unit/streams.c", "tests/unit/make_perfdata.c"]
    while queue:
        file = queue.pop()
        path = os.path.join(TREE, file)
        if file in seen or not os.path.isfile(path):
            continue
        seen.add(file)
        if file.startswith("tool/") and file.endswith(".c"):
            sources.add(file.removeprefix("tool/"))
        for name in INCLUDE.findall(read(path).decode()):
            for root in ("tool", "tests/unit", os.path.dirname(file)):
                header = os.path.join(root, name)
                if not os.path.isfile(os.path.join(TREE, header)):
                    continue
                source = re.sub(r"\.h$", ".c", header)
                queue += [header, source]
                # a header for a room
                if not os.path.isfile(os.path.join(TREE, source)):
                    room = os.path.dirname(header)
                    queue += [os.path.join(room, other)
                              for other in os.listdir(os.path.join(TREE, room))
                              if other.endswith(".c") and room != "tests/unit"]
    return tuple(sorted(sources))


_all_objects = set()


def build_units(tests):
    check = os.path.join(TREE, "build", "tool", "check")
    archive = os.path.join(check, "check.a")
    if os.path.exists(archive):
        os.unlink(archive)
    objects = []
    if tests not in _all_objects:
        objects.append("check_objects=" + " ".join(
            os.path.join(check, re.sub(r"c$", "o", source)) for source in needed_objects(tests)))
    return make("tool", f"CPPFLAGS={ALLOWED}", *(os.path.join(check, test) for test in tests),
                *objects)


def try_units(tests, limit):
    check = os.path.join(TREE, "build", "tool", "check")
    return run(os.path.join(TREE, "tests/unit/run"), *(os.path.join(check, t) for t in tests),
               limit=limit)


def failure(status, output):
    """The first test that failed, or how all ended; None when all is well."""
    if status is None:
        return "no end"
    for line in output.splitlines():
        if line.startswith("not ok"):
            return re.sub(r"^not ok \d+ - ", "", line)
    return f"exit status {status}" if status else None


def try_host(tests, limit=LIMIT):
    """(builds, what failed) of the tests of one mutant, or of the original."""
    units = tuple(test.removeprefix("unit/") for test in tests if test.startswith("unit/"))
    if "fuzz/elf" in tests:
        out = os.path.abspath(os.path.join(TREE, "build/fuzz"))
        status, output = make("tests/fuzz", f"{out}/elf_fuzz", f"{out}/write_seeds")
        if status:
            return False, output
        # what it finds, and the image should it crash
        images = os.path.join(out, "mutants")
        shutil.rmtree(images, ignore_errors=True)
        os.makedirs(os.path.join(images, "found"))
        run("../write_seeds", cwd=images)
        failed = failure(*run("../elf_fuzz", *FUZZ, limit=limit, cwd=images))
        if failed:
            return True, f"elf_fuzz: {failed}"
    if units:
        status, output = build_units(units)
        if status and units not in _all_objects and "undefined reference" in output:
            _all_objects.add(units)
            status, output = build_units(units)
        if status:
            return False, output
        return True, failure(*try_units(units, limit))
    return True, None


@functools.cache
def compiler_flags():
    packages = ("json-c", "libnl-genl-3.0", "libelf", "libzstd", "libarchive")
    found = subprocess.run(("pkg-config", "--cflags", *packages), check=True,
                           capture_output=True, text=True).stdout.split()
    return ["-std=gnu11", "-O2", "-w", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", *found,
            *(f"-I{os.path.join(TREE, name)}" for name in ("include/uapi", "tool", "module"))]


def host_code(file):
    """What the compiler makes of the file as it is in the tree, or None."""
    target = os.path.join(WORK, "code.o")
    status, _ = run("gcc", *compiler_flags(), "-c", "-o", target, os.path.join(TREE, file))
    return None if status else hashlib.sha256(read(target)).hexdigest()


# ------------------------------------------------ modules and tool for guests --

@functools.cache
def kernel(name):
    """Its directory, and its release."""
    found = subprocess.run((os.path.join(TOP, "scripts/kernel"), name), check=True,
                           stdout=subprocess.PIPE, text=True).stdout.strip()
    return found, read(os.path.join(found, "release")).decode().strip()


@functools.cache
def prepare_module(name):
    """All of it, as make module does; from then on what a mutant changes is enough."""
    directory, release = kernel(name)
    status, output = make(".", "module", f"KDIR={directory}/build", f"KFLAGS={WARNINGS}")
    if status:
        raise Broken(f"the module for {name} does not build: {output}")
    return directory, os.path.join(TREE, "build", release)


def build_module(name, stem, target):
    """Copies what was built to @target; returns the code, to compare, or None, and errors."""
    directory, out = prepare_module(name)
    status, output = run("make", "-s", f"-j{os.cpu_count()}", "-C", f"{directory}/build",
                         f"M={out}", WARNINGS.replace("'", ""), f"{stem}.ko")
    if status != 0:
        return None, output
    os.makedirs(os.path.dirname(target), exist_ok=True)
    subprocess.run(("objcopy", "--strip-debug", f"{out}/{stem}.ko", target), check=True)
    code = os.path.join(WORK, "code.o")
    subprocess.run(("objcopy", "--strip-debug", f"{out}/{stem}.o", code), check=True)
    return hashlib.sha256(read(code)).hexdigest(), output


# What tests run and link, as build/tool has it.
TOOL = ("buildid", "libbuildid.so.1")


def build_tool(target):
    """Copies what was built into the directory @target; returns as build_module() does."""
    out = os.path.join(TREE, "build", "tool")
    status, output = make("tool", f"CPPFLAGS={ALLOWED}", *(os.path.join(out, name)
                                                           for name in TOOL))
    if status != 0:
        return None, output
    os.makedirs(target, exist_ok=True)
    code = hashlib.sha256()
    for name in TOOL:
        made = os.path.join(target, name)
        # the id is also one of what the debugger is told
        subprocess.run(("objcopy", "--strip-debug", "--remove-section", ".note.gnu.build-id",
                        os.path.join(out, name), made), check=True)
        code.update(read(made))
    return code.hexdigest(), output
