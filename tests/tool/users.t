#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""buildid users: who has mapped a content, or had."""

import contextlib
import os
import shutil
import subprocess
import time

import lib
import rights
from lib import built, contains
from tap import equal, run, test

NOBODY = 3


def map_it(path):
    with open(path, "rb") as file:
        return lib.map_fd(file.fileno(), lib.PAGE)


def content(name, directory):
    """A file with an identity that no other test has seen, and this."""
    path = os.path.join(directory, name)
    identity = os.urandom(20)
    lib.write_bytes(path, lib.read_bytes(built("id20")).replace(id20(), identity))
    return path, identity.hex()


def id20():
    (found,) = lib.readelf_ids({built("id20")}).values()
    return bytes.fromhex(found)


def users(*arguments, status=0):
    lines = lib.json_lines(lib.buildid("users", "-j", *arguments, status=status).stdout)
    equal({line["type"] for line in lines} - {"user"}, set(), "type")
    return lines


def said(lines, *keys):
    return sorted(tuple(line[key] for key in keys) for line in lines)


@test("who has it mapped, by its id or by a file that has it, under whatever path")
def _():
    with lib.directory() as directory:
        path, identity = content("lib.so", directory)
        other = shutil.copy(path, path + ".copy")
        moved = path + ".moved"
        with lib.child(map_it, path) as one, lib.child(map_it, other) as two:
            os.rename(other, moved)
            wanted = sorted([(one, path, "mapped"), (two, moved, "mapped")])
            for operand in identity, identity.upper(), path, moved:
                found = users(operand)
                equal(said(found, "pid", "path", "state"), wanted, operand)
                equal({line["build_id"] for line in found}, {identity})
                equal({line["time"] for line in found}, {None}, "since when, is not known")
            os.unlink(path)
            found = lib.buildid("users", identity).stdout
            for word in str(one), str(two), path, moved, identity, "mapped":
                contains(found, word)
            equal(len(found.splitlines()), 2, "lines")


@test("in a container, by the path there")
def _():
    with lib.directory() as shared, lib.directory() as directory:
        path, identity = content("lib.so", directory)
        script = ("import sys, mmap; f = open(sys.argv[1], 'rb');"
                  "m = mmap.mmap(f.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | "
                  "mmap.PROT_EXEC); print(flush=True); input()")
        with lib.started(os.path.join(lib.TOP, "tests/src/container"), shared, path, "/opt/in.so",
                         "/usr/bin/python3", "-c", script, "/opt/in.so",
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            equal(said(users(identity), "pid", "path"), [(process.pid, "/opt/in.so")])


@test("who had it: processes that have exited, or have unmapped it")
def _():
    with lib.directory() as directory:
        path, identity = content("lib.so", directory)
        before = time.time()
        exited = lib.forked(map_it, path)
        equal(os.waitpid(exited, 0)[1], 0, "status")
        with lib.child(lambda: lib.unmap(map_it(path), lib.PAGE)) as unmapped, \
                lib.child(map_it, path) as mapped:
            found = users(identity)
            equal(said(found, "pid", "state"), sorted([
                (exited, "exited"), (unmapped, "unmapped"), (mapped, "mapped")]))
            for line in found:
                if line["state"] == "mapped":
                    continue
                when = time.mktime(time.strptime(line["time"] + "UTC", "%Y-%m-%dT%H:%M:%SZ%Z"))
                when -= time.timezone
                assert before - 2 <= when <= time.time() + 1, (before, line)
                equal(line["comm"], lib.read_bytes("/proc/self/comm").decode().strip(), "name")
                equal(line["path"], path)
    equal(said(users(identity), "state"), [("exited",)] * 3, "when all have exited")


@test("from a log, also without the module's memory")
def _():
    with lib.directory() as directory:
        path, identity = content("lib.so", directory)
        log = os.path.join(directory, "log")
        lib.buildid("record", "-o", log, "--", "/usr/bin/python3", "-c",
                    f"import mmap; f = open('{path}', 'rb'); mmap.mmap(f.fileno(), 4096, "
                    "mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)")
        lib.buildid("flush")
        equal(users(identity, status=NOBODY), [], "the module has forgotten it")
        (line,) = users("--log", log, identity)
        equal((line["state"], line["path"]), ("exited", path))
        # of another boot it cannot be said what became of its processes
        data = bytearray(lib.read_bytes(log))
        data[24] ^= 1
        lib.write_bytes(log, data)
        equal(said(users("--log", log, identity), "state"), [("logged",)])


# --------------------------------------------------------------- packages --

def packaged(path, version):
    """A library whose linker was told its package, which ld's build-id does not cover."""
    subprocess.run(["gcc", "-shared", "-nostdlib", "-x", "c", "-", "-o", path, "-Xlinker",
                    '--package-metadata={"type":"deb","os":"debian","name":"openssl",'
                    f'"version":"{version}","architecture":"amd64"}}'],
                   input=f'const char version[] = "{version}";', text=True, check=True)


@contextlib.contextmanager
def container(directory, file, target):
    script = ("import sys, mmap; f = open(sys.argv[1], 'rb');"
              "m = mmap.mmap(f.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | "
              "mmap.PROT_EXEC); print(flush=True); input()")
    with lib.started(os.path.join(lib.TOP, "tests/src/container"), directory, file, target,
                     "/usr/bin/python3", "-c", script, target,
                     stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process.pid


@test("who runs a package, in a container and though its file is gone")
def _():
    with lib.directory() as shared, lib.directory() as directory:
        path = os.path.join(directory, "libssl.so")
        packaged(path, "3.0.11-1")
        with lib.child(map_it, path) as one, container(shared, path, "/opt/in.so") as two:
            packaged(path + ".new", "3.0.13-1")
            os.rename(path + ".new", path)
            os.unlink(f"/proc/{two}/root/opt/in.so")
            with lib.child(map_it, path) as three:
                found = users("--package=openssl=3.0.11")
                equal(said(found, "pid", "path"), sorted([(one, path), (two, "/opt/in.so")]))
                equal(said(found, "package", "package_version", "package_from"),
                      [("openssl", "3.0.11-1", "note")] * 2)
                equal(said(users("--package=openssl=3.0.13-1"), "pid"), [(three,)])
                equal(said(users("--package=open*=3.0.1[13]"), "pid"),
                      sorted([(one,), (two,), (three,)]))
                users("--package=openssl=3.0.12", status=NOBODY)
            (line,) = lib.json_lines(lib.buildid("stale", "-j", "--temporary", str(one),
                                                 status=3).stdout)
            equal((line["package_version"], line["now_package_version"], line["purl"]),
                  ("3.0.11-1", "3.0.13-1", "pkg:deb/debian/openssl@3.0.11-1?arch=amd64"))
            contains(lib.buildid("maps", "--long", str(two)).stdout, "/opt/in.so (deleted) "
                     "(openssl 3.0.11-1)\n")
            metrics = lib.buildid("stats", "--openmetrics", "--contents=100000").stdout
            contains(metrics, ',package="openssl",package_version="3.0.11-1",package_from="note"}')


@test("what has no note is dpkg's, in a container that of its root")
def _():
    with lib.directory() as shared, lib.directory() as directory:
        path, identity = content("lib.so", directory)
        with container(shared, path, "/opt/in.so") as pid:
            database = f"/proc/{pid}/root/var/lib/dpkg"
            lib.write_bytes(f"{database}/status", b"Package: mine\nStatus: install ok installed\n"
                            b"Version: 1.2-3\nSource: ours\nArchitecture: amd64\n")
            lib.write_bytes(f"{database}/info/mine.list", b"/opt\n/opt/in.so\n")
            for name in os.listdir(f"{database}/updates"):
                os.unlink(f"{database}/updates/{name}")
            for wish in "mine", "mine=1.2", "ours=1.2-3":
                (line,) = users(f"--package={wish}")
                equal((line["pid"], line["path"], line["package_version"], line["package_from"]),
                      (pid, "/opt/in.so", "1.2-3", "dpkg"), wish)
            # the database is about what is there now
            inside = f"/proc/{pid}/root/opt/in.so"
            shutil.copy(built("other"), inside + ".new")
            os.rename(inside + ".new", inside)
            contains(lib.buildid("stale", str(pid), status=3).stdout, "(mine -> 1.2-3, by dpkg)\n")
            (line,) = users("--package=mine")
            equal((line["package_version"], line["package_from"]), (None, "dpkg"))
            found = lib.buildid("users", "--package=mine=1.2", status=NOBODY)
            contains(found.stderr, "their version is not known")
            equal(said(users(identity), "package"), [("mine",)])


@test("nobody, no file, no identity, no right")
def _():
    equal(users("ab" * 20, status=NOBODY), [], "nobody")
    with lib.directory() as directory:
        contains(lib.buildid("users", os.path.join(directory, "no"), status=1).stderr, "No such")
        path, identity = content("lib.so", directory)
        with rights.device_for_all(), lib.child(map_it, path):
            os.chmod(directory, 0o755)
            found = lib.run(*rights.AS_NOBODY, "buildid", "users", identity, status=1)
            contains(found.stderr, "not permitted")
            equal(found.stdout, "")
    lib.buildid("users", status=2)


run()
