#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""buildid maps beside /proc and eu-unstrip; list -k -m beside /sys; cookie."""

import contextlib
import os
import re
import shutil
import subprocess
import sys

import arch
import lib
from lib import built, contains
from tap import equal, run, test

RELEASE = os.uname().release
EMPTY = os.path.join(lib.BUILT, f"kmod-{os.environ['KERNEL_NAME']}", "buildid_empty.ko")
MANY = "import ssl, sqlite3, decimal, ctypes; print(flush=True); input()"
NOBODY = 65534


@contextlib.contextmanager
def ready(*command):
    """A process that has said that it is there, and waits for the end of the block."""
    with lib.started(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process.pid


def cat(program="/bin/cat"):
    """It prints nothing but what it is given."""
    @contextlib.contextmanager
    def started():
        with lib.started(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdin.write(b"\n")
            process.stdin.flush()
            process.stdout.readline()
            yield process.pid
    return started()


def proc_lines(pid, executable):
    """What /proc/PID/maps has of files."""
    pattern = re.compile(r"(\S+ (\S+) \S+ (\S+) \d+) +(/.*)")
    text = lib.read_bytes(f"/proc/{pid}/maps").decode()
    found = [pattern.fullmatch(line) for line in text.splitlines()]
    return [(match[1], match[4]) for match in found
            if match and (not executable or "x" in match[2])]


def tool_lines(text):
    found = []
    for line in text.splitlines():
        match = re.fullmatch(r"(\S+ \S+ \S+ \S+ \d+) +(\S+) +(/.*)", line)
        assert match, line
        found.append((match[1], match[3], match[2]))
    return found


# --------------------------------------------------------------------- maps --

@test
def maps_are_those_in_proc_with_the_ids_that_readelf_reads():
    with ready("/usr/bin/python3", "-c", MANY) as pid:
        for option, executable in (["--format=maps"], True), (["--data"], False):
            lines = tool_lines(lib.buildid("maps", *option, str(pid)).stdout)
            equal([line[:2] for line in lines], proc_lines(pid, executable), "mappings")
            wanted = lib.readelf_ids({path for _, path, _ in lines})
            assert len(wanted) > 10, wanted
            for _, path, identity in lines:
                if path in wanted:
                    equal(identity, wanted[path], path)
                else:
                    assert identity.startswith("htlhash:"), (path, identity)


@test
def maps_in_json_have_the_keys_of_mon():
    with lib.Mon() as mon:
        with cat() as pid:
            lines = lib.json_lines(lib.buildid("maps", "-j", str(pid)).stdout)
            mon.catch_up()
    seen = [line for line in mon.lines if line.get("pid") == pid and line["comm"] == "cat"]
    equal(sorted(line["addr"] for line in lines), sorted(line["addr"] for line in seen))
    for line in lines:
        equal(line["flags"], ["snapshot"])
        [event] = [event for event in seen if event["addr"] == line["addr"]]
        equal(line.keys(), event.keys())
        # See library.t of ld.so on arm64.
        assert line["len"] <= event["len"], line
        for key in line.keys() - {"len", "seq", "time", "time_mono", "time_perf", "flags"}:
            equal(line[key], event[key], key)


@test
def all_processes_are_shown_under_their_names():
    with cat() as one, cat() as other:
        text = lib.buildid("maps", "-A").stdout
    parts = re.split(r"^(\d+): (.*)\n", text, flags=re.M)
    equal(parts[0], "", "what is before the first process")
    names = dict(zip(map(int, parts[1::3]), parts[2::3]))
    lines = dict(zip(map(int, parts[1::3]), map(tool_lines, parts[3::3])))
    equal((names[one], names[other]), ("cat", "cat"))
    assert 1 in names and len(names) == len(parts[1::3]), names
    for pid in one, other:
        equal({path for _, path, _ in lines[pid]},
              {os.path.realpath(path) for path in
               ("/bin/cat", f"{arch.LIBRARIES}/libc.so.6", arch.LOADER)})


@test
def a_process_that_cannot_be_shown_is_reported_and_the_others_are_shown():
    with cat() as pid:
        done = lib.buildid("maps", "2", str(2**22 - 1), str(pid), status=1)
        equal(done.stderr.splitlines(),
              ["buildid: pid 2: has no memory of its own: a kernel thread, or exiting",
               f"buildid: pid {2**22 - 1}: No such process"])
        contains(done.stdout, f"{pid}: cat\n")
        contains(done.stdout, "/usr/bin/cat\n")


def as_nobody(*command, **options):
    os.chmod(lib.DEVICE, 0o666)
    try:
        return lib.run("setpriv", "--reuid", str(NOBODY), "--clear-groups", *command, **options)
    finally:
        os.chmod(lib.DEVICE, 0o600)


@test
def others_need_a_capability():
    with cat() as pid:
        done = as_nobody("buildid", "maps", str(pid), status=1)
        equal(done.stderr, f"buildid: pid {pid}: not permitted; "
              "run as root, or with CAP_PERFMON\n")
    # One's own is one's own: the shell becomes the tool.
    done = as_nobody("sh", "-c", "exec buildid maps $$")
    contains(done.stdout, "/buildid\n")


# ------------------------------------------------------------------ unstrip --

def check_unstrip(pid):
    """Equal to eu-unstrip's; returned as lists of words, by module. On arm64 the vdso may be
    in the middle of ld.so: eu-unstrip takes what is behind it for the start of the file, and
    says that the build-id is there."""
    ours = lib.buildid("maps", "--format", "unstrip", str(pid)).stdout
    wanted, first = [], {}
    for line in lib.run("eu-unstrip", "-n", "-p", str(pid)).stdout.splitlines():
        where, identity, name = line.split(" ", 2)
        wanted.append(f"{where} {first.setdefault(name, identity)} {name}")
    equal(ours.splitlines(), wanted, "what eu-unstrip shows")
    return {line.split(" ", 4)[4]: line.split(" ", 4) for line in ours.splitlines()}


@test
def unstrip_equals_eu_unstrip_for_a_program_with_many_libraries():
    with ready("/usr/bin/python3", "-c", MANY) as pid:
        lines = check_unstrip(pid)
    contains(lines, f"[vdso: {pid}]")
    assert sum(".so" in name for name in lines) > 10, lines


@test
def unstrip_equals_eu_unstrip_for_odd_programs():
    with lib.directory() as work:
        spaced = os.path.join(work, "with debug info")
        shutil.copy(built("waits-debug"), spaced)
        shapes = ["static", "fixed", "md5", "none", "far"]
        for program in [spaced] + [built(f"waits-{shape}") for shape in shapes]:
            with ready(program) as pid:
                check_unstrip(pid)


@test
def unstrip_equals_eu_unstrip_where_the_file_is_gone():
    with lib.directory() as work:
        program = shutil.copy(built("waits-md5"), work)
        wanted = lib.readelf_ids([program])[program]
        with ready(program) as pid:
            os.unlink(program)
            line = check_unstrip(pid)[program + " (deleted)"]
        equal(line[1].split("@")[0], wanted)


# Of a container's program eu-unstrip opens what is at that path in its own root.
@test
def unstrip_is_right_where_eu_unstrip_opens_another_file():
    with lib.tmpfs() as root:
        inside, outside = os.path.join(root, "tmp"), "/tmp/buildid-program"
        os.mkdir(inside)
        program, other = built("waits-static"), built("waits-other")
        wanted, wrong = (lib.readelf_ids([path])[path] for path in (program, other))
        shutil.copy(program, os.path.join(root, outside[1:]))
        shutil.copy(other, outside)
        try:
            os.mkdir(os.path.join(root, "old"))
            with ready("unshare", "--mount", "sh", "-c",
                       f"cd {root} && pivot_root . old && exec {outside}") as pid:
                ours = lib.buildid("maps", "--format", "unstrip", str(pid)).stdout
                theirs = lib.run("eu-unstrip", "-n", "-p", str(pid)).stdout
        finally:
            os.unlink(outside)
    [line] = [line for line in ours.splitlines() if "vdso" not in line]
    contains(line, f" {wanted}@0x")
    assert wrong not in ours, ours
    contains(theirs, wrong)


# --------------------------------------------------------------------- list --

def note_id(path):
    """The build-id in a file of notes, in which it need not be the first."""
    data, at = lib.read_bytes(path), 0
    while at < len(data):
        owner, size, kind = (int.from_bytes(data[at + n:at + n + 4], sys.byteorder)
                             for n in (0, 4, 8))
        start = at + 12 + (owner + 3) // 4 * 4
        if kind == 3 and data[at + 12:at + 16] == b"GNU\0":
            return data[start:start + size].hex()
        at = start + (size + 3) // 4 * 4
    raise AssertionError(f"{path}: no build-id")


def listed(*options):
    text = lib.buildid("list", *options).stdout
    for line in text.splitlines():
        assert re.match(r"[0-9a-f]{40} \S", line), line
    return [line.split(" ", 1) for line in text.splitlines()]


def sys_modules():
    notes = "/sys/module/{}/notes/.note.gnu.build-id"
    return {name: note_id(notes.format(name)) for name in os.listdir("/sys/module")
            if os.path.exists(notes.format(name))}


@test
def the_kernel_is_listed_first_and_then_its_modules():
    lines = listed("-k", "-m")
    equal(lines[0], [note_id("/sys/kernel/notes"), "[kernel.kallsyms]"])
    modules = sys_modules()
    equal(sorted(identity for identity, _ in lines[1:]), sorted(modules.values()))
    equal(lines[:1], listed("-k"))
    equal(lines[1:], listed("-m"))
    contains(lines, [modules["buildid"], "[buildid]"])


@test
def modules_have_the_paths_of_their_files():
    top = f"/lib/modules/{RELEASE}"
    text = lib.read_bytes(f"{top}/modules.dep").decode()
    files = [os.path.join(top, line.split(":")[0]) for line in text.splitlines()]
    paths = {re.sub(r"\.ko.*", "", os.path.basename(path)).replace("-", "_"): path
             for path in files}
    modules = sys_modules()
    equal(sorted(listed("-m")), sorted([identity, paths.get(name, f"[{name}]")]
                                       for name, identity in modules.items()))
    # The debug kernel has in itself what the others have in modules.
    assert lib.DEBUG or "overlay" in paths.keys() & modules.keys(), paths


@test
def a_file_of_another_build_is_not_taken_for_a_module_s():
    dependencies = f"/lib/modules/{RELEASE}/modules.dep"
    with lib.directory() as work:
        path = os.path.join(work, "buildid-empty.ko")
        shutil.copy(EMPTY, path)
        before = lib.read_bytes(dependencies)
        lib.write_bytes(dependencies, before + f"{path}:\n".encode(), 0o644)
        lib.run("insmod", EMPTY)
        try:
            identity = sys_modules()["buildid_empty"]
            contains(listed("-m"), [identity, path])
            for name, packed in ("gz", ["gzip", "-f"]), ("xz", ["xz", "-f"]):
                lib.run(*packed, path)
                lib.write_bytes(dependencies, before + f"{path}.{name}:\n".encode(), 0o644)
                contains(listed("-m"), [identity, f"{path}.{name}"])
                lib.run(packed[0], "-d", f"{path}.{name}")
            lib.run("objcopy", "--remove-section", ".note.gnu.build-id", path)
            lib.write_bytes(dependencies, before + f"{path}:\n".encode(), 0o644)
            contains(listed("-m"), [identity, "[buildid_empty]"])
        finally:
            lib.run("rmmod", "buildid_empty")
            lib.write_bytes(dependencies, before, 0o644)


@test
def the_kernel_has_the_path_of_its_image():
    image = f"/boot/vmlinuz-{RELEASE}"
    with open("/proc/version", encoding="ascii") as file:
        builder = re.match(r"Linux version \S+ (\(\S+\)) ", file.read())[1]
    version = f"{RELEASE} {builder} {os.uname().version}"
    header = bytearray(0x1000)
    header[0x202:0x206] = b"HdrS"
    header[0x20e:0x210] = (0x600).to_bytes(2, "little")
    assert not os.path.exists(image), image
    try:
        for text, path in (version, f" {image}"), (version + "x", ""), (version[1:], ""):
            header[0x800:0x900] = text.encode().ljust(0x100, b"\0")
            lib.write_bytes(image, header)
            [(_, name)] = listed("-k")
            equal(name, "[kernel.kallsyms]" + path, text)
    finally:
        os.unlink(image)


# ------------------------------------------------------------------- cookie --

@test
def a_cookie_names_a_file_until_it_is_taken_back():
    with lib.directory() as work:
        path = os.path.join(work, "bytecode")
        lib.write_bytes(path, b"no program" * 100)
        plain = lib.buildid("id", path).stdout
        contains(plain, "htlhash:")
        equal(lib.buildid("cookie", path, "00ff10").stdout.split(), ["cookie:00ff10", path])
        equal(lib.buildid("id", path).stdout.split(), ["cookie:00ff10", path])
        with lib.Mon() as mon:
            lib.map_file(path)
        equal([(line["kind"], line["build_id"]) for line in mon.lines if line["path"] == path],
              [("cookie", "00ff10")])
        [line] = lib.json_lines(lib.buildid("cookie", "-j", path, "--text", "v2").stdout)
        equal((line["kind"], line["build_id"], line["path"]), ("cookie", b"v2".hex(), path))
        equal(lib.buildid("cookie", "--clear", path).stdout, plain)
        done = lib.buildid("cookie", "--clear", path, status=1)
        equal(done.stderr, f"buildid: {path}: has no cookie\n")


@test
def a_cookie_is_refused_to_others_and_where_there_is_a_build_id():
    with lib.directory() as work:
        program, data = os.path.join(work, "program"), os.path.join(work, "data")
        shutil.copy("/bin/true", program)
        done = lib.buildid("cookie", program, "00", status=1)
        equal(done.stderr, f"buildid: {program}: the content has an identity of its own\n")
        lib.write_bytes(data, b"data")
        os.chmod(work, 0o755)
        done = as_nobody("buildid", "cookie", data, "00", status=1)
        equal(done.stderr, f"buildid: {data}: not permitted; "
              "only the owner of a file may give it a cookie\n")
        os.chown(data, NOBODY, NOBODY)
        equal(as_nobody("buildid", "cookie", data, "00").stdout.split(), ["cookie:00", data])


run()
