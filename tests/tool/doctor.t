#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""buildid doctor: each thing that can be wrong here is made wrong, and is said, with what
to do; and what may not be looked at is never said to be well."""

import contextlib
import glob
import os
import re
import shutil

import arch
import lib
import rights
import servers
import stream
from lib import contains
from tap import Skip, equal, run, test

RELEASE = os.uname().release
MODULES = f"/lib/modules/{RELEASE}"
LOCKDOWN = "/sys/kernel/security/lockdown"
SIG_ENFORCE = "/sys/module/module/parameters/sig_enforce"
VERSION = lib.read_bytes("/sys/module/buildid/version").decode().strip()
CHECKS = ["headers", "module", "loaded", "signature", "lockdown", "kprobes", "hook", "visits",
          "device", "rights", "perf", "debuginfod", "debug-dir"]
SERVER = "http://127.0.0.1:1"
MS_BIND = 4096
# But buildid.
WITHOUT_PROGRAMS = {"PATH": os.path.dirname(shutil.which("buildid"))}

# Of systemd's or of this guest's making. The debug kernel has none.
if not lib.DEBUG and not os.path.ismount(os.path.dirname(LOCKDOWN)):
    lib.mount("securityfs", os.path.dirname(LOCKDOWN), "securityfs")


@contextlib.contextmanager
def bound(path, text=None, directory=None):
    """A file that says @text, or a directory, in place of the one at @path."""
    with lib.directory() as work:
        source = directory or os.path.join(work, "file")
        if not directory:
            lib.write_bytes(source, text.encode(), 0o644)
            os.chmod(work, 0o755)
        lib.mount(source, path, "", MS_BIND)
        try:
            yield
        finally:
            lib.umount(path)


@contextlib.contextmanager
def installed(module=True, headers=True, change=None, depmod=True, place="updates"):
    """The module installed for this kernel, in place of what is there."""
    with lib.directory() as work:
        os.chmod(work, 0o755)
        if headers:
            os.mkdir(os.path.join(work, "build"))
        path = os.path.join(work, place, "buildid.ko")
        os.makedirs(os.path.dirname(path))
        if module:
            data = lib.read_bytes(lib.MODULE)
            lib.write_bytes(path, change(data) if change else data)
        with bound(MODULES, directory=work):
            lib.run("depmod", RELEASE)
            if not depmod:
                os.unlink(f"{work}/modules.dep")
                lib.write_bytes(f"{work}/modules.dep", b"")
            yield f"{MODULES}/{place}/buildid.ko"


def findings(*before, status=None, environment=None):
    """{check: finding}, and that the exit status is that of what was found."""
    wanted = {**os.environ, "DEBUGINFOD_URLS": SERVER, **(environment or {})}
    wanted = {name: value for name, value in wanted.items() if value is not None}
    done = lib.run(*before, "buildid", "doctor", "-j", status=None, env=wanted)
    lines = lib.json_lines(done.stdout)
    equal([line["check"] for line in lines], CHECKS, "checks")
    equal(done.stderr, "", "stderr")
    failed = any(line["status"] == "failed" for line in lines)
    equal(done.returncode, 1 if failed else 0, f"exit status of {lines}")
    if status is not None:
        equal(done.returncode, status, f"exit status of {lines}")
    return {line["check"]: line for line in lines}


def says(found, check, status, message, remedy=None):
    finding = found[check]
    equal(finding["status"], status, f"{check}: {finding}")
    contains(finding["message"], message)
    if remedy is None:
        equal(finding["remedy"], None, f"remedy of {finding}")
    else:
        contains(finding["remedy"], remedy)


@test("where all is well every line says ok, in text and in JSON, and it exits with 0")
def _():
    with installed() as path:
        found = findings(status=0)
        equal({name: line["status"] for name, line in found.items()},
              dict.fromkeys(CHECKS, "ok"), str(found))
        equal({tuple(line) for line in found.values()},
              {("type", "status", "check", "message", "remedy")}, "keys")
        equal({line["type"] for line in found.values()}, {"check"}, "type")
        says(found, "module", "ok", f"{path}, version {VERSION}")
        says(found, "device", "ok", f"{lib.DEVICE} (root:root 0600), which you may open")
        assert re.match(r"armed on perf_event_mmap: [1-9][0-9]* mappings seen, \d+ missed$",
                        found["hook"]["message"]), found["hook"]
        text = lib.buildid("doctor", env={**os.environ, "DEBUGINFOD_URLS": SERVER}).stdout
        equal([line.split()[:2] for line in text.splitlines() if line[0] != " "], [["ok", name] for name in CHECKS])


@test("a thread that does not come back from the read of what it mapped is named")
def _():
    with servers.fuse("silent") as (served, server):
        child = lib.forked(lib.map_file, served)
        try:
            lib.until(lambda: stream.stats()["oldest_visit_ns"] > 10**9, "it reads for a second")
            says(findings(), "visits", "warning",
                 f"thread {child} has been reading a file that it mapped for ", "kill it")
        finally:
            server.kill()
            os.waitpid(child, 0)
    says(findings(), "visits", "ok", "no thread waits")


@test("without the module: it says how to load it, and does not load it")
def _():
    with installed(), lib.unloaded():
        found = findings(status=1)
        says(found, "loaded", "failed", "not loaded", "modprobe buildid")
        says(found, "hook", "unknown", "not loaded")
        says(found, "device", "unknown", "when the module is loaded")
        says(found, "module", "ok", VERSION)
        text = lib.buildid("doctor", status=1).stdout
        contains(text, "failed  loaded     the module is not loaded\n"
                       f"{' ' * 19}load it: modprobe buildid\n")
        assert not lib.is_loaded(), "it was loaded"


# ---------------------------------------------------------------------- module --

@contextlib.contextmanager
def dkms_source():
    """The sources are where DKMS finds them."""
    path = f"/usr/src/buildid-{VERSION}"
    os.makedirs(path)
    lib.write_bytes(f"{path}/dkms.conf", b"")
    try:
        yield
    finally:
        lib.shutil.rmtree(path)


def without(symbol):
    """What /proc/kallsyms says, but of this one."""
    symbols = lib.read_bytes("/proc/kallsyms").decode()
    return re.sub(rf"^.* {symbol}\n", "", symbols, flags=re.M)


@test("modules.dep does not have the module: depmod; there is none: how to build it")
def _():
    with installed(depmod=False):
        says(findings(status=0), "module", "warning", "modprobe does not know", "depmod")
    with installed(module=False):
        says(findings(status=0), "module", "ok", "gone with the next boot", "make install")
        with lib.unloaded():
            says(findings(status=1), "module", "failed", f"no module for {RELEASE}",
                 "make install")
            with dkms_source():
                says(findings(status=1), "module", "failed", f"no module for {RELEASE}",
                     f"dkms install --force buildid/{VERSION} -k {RELEASE}")
                with bound("/proc/kallsyms", without("register_kprobe")):
                    says(findings(status=1), "module", "failed", "CONFIG_KPROBES",
                         "another kernel")


@test("modules.dep has a module that is not there")
def _():
    with installed() as path:
        os.unlink(path)
        says(findings(), "module", "warning", f"{path}: No such file", "make install")


@test("kernel headers are missing")
def _():
    with installed(headers=False):
        says(findings(status=0), "headers", "warning", f"no kernel headers for {RELEASE}",
             f"apt install linux-headers-{RELEASE}")
    with installed(headers=False, module=False), lib.unloaded():
        says(findings(status=1), "headers", "failed", "cannot be built",
             f"apt install linux-headers-{RELEASE}")


OTHER = "9" + VERSION[1:]


def other_version(data):
    assert f"\0version={VERSION}\0".encode() in data
    return data.replace(f"\0version={VERSION}\0".encode(), f"\0version={OTHER}\0".encode())


def other_kernel(data):
    assert f"vermagic={RELEASE} ".encode() in data
    return data.replace(f"vermagic={RELEASE} ".encode(), f"vermagic=9{RELEASE[1:]} ".encode())


@test("the module is of another version, on the disk or in memory")
def _():
    with installed(change=other_version) as path:
        found = findings(status=0)
        says(found, "module", "warning", f"has version {OTHER}, the tool {VERSION}",
             "of the same version")
        says(found, "loaded", "ok", VERSION)
        with dkms_source():
            says(findings(status=0), "module", "warning", OTHER, "hides the one that DKMS builds")
        with lib.unloaded():
            lib.run("insmod", path)
            says(findings(), "loaded", "warning",
                 f"the loaded module has version {OTHER}, the tool {VERSION}",
                 "of the same version")
            with installed():
                found = findings()
                says(found, "loaded", "warning", OTHER, "rmmod buildid && modprobe buildid")
                says(found, "module", "ok", VERSION)


@test("the module is built for another kernel")
def _():
    with installed(change=other_kernel):
        said = f"built for 9{RELEASE[1:]}, not for {RELEASE}"
        says(findings(status=1), "module", "failed", said, "build it again: make install")
        with dkms_source():
            says(findings(status=1), "module", "failed", said,
                 f"dkms remove buildid/{VERSION} -k {RELEASE}; "
                 f"dkms install buildid/{VERSION} -k {RELEASE}")


@test("the module that is installed is of the same version, and of other sources")
def _():
    def change(data):
        at = data.index(b"srcversion=") + len(b"srcversion=")
        return data[:at] + b"0" * 23 + data[at + 23:]

    with installed(change=change) as path:
        says(findings(status=0), "loaded", "warning",
             f"version {VERSION}, as the tool, but of other sources than {path}",
             "rmmod buildid && modprobe buildid")


@test("a kernel before 6.1 is none to build the module for")
def _():
    found = findings("setarch", "--uname-2.6")
    says(found, "module", "warning", "no module for 2.6.", "use another kernel")
    with lib.unloaded():
        says(findings("setarch", "--uname-2.6", status=1), "module", "failed",
             "no module for 2.6.", "the module needs Linux 6.1")


@test("what is no module is not passed for one")
def _():
    with installed() as path:
        lib.write_bytes(path, b"not a module")
        says(findings(), "module", "unknown", path)


@test("without modinfo what the file says is unknown, for users as for root")
def _():
    os.rename("/usr/sbin/modinfo", "/usr/sbin/modinfo.away")
    try:
        with installed() as path:
            for who in [], rights.AS_NOBODY:
                says(findings(*who), "module", "unknown",
                     f"{path}: modinfo is not installed (package kmod)")
            with contextlib.ExitStack() as stack:
                if not lib.DEBUG:
                    stack.enter_context(ENFORCED["lockdown"]())
                    says(findings(), "signature", "unknown", "not known: modinfo is not installed")
    finally:
        os.rename("/usr/sbin/modinfo.away", "/usr/sbin/modinfo")


@test("modinfo is found where users do not have its directory in PATH")
def _():
    with installed() as path:
        says(findings(environment=WITHOUT_PROGRAMS), "module", "ok", path)


# ------------------------------------------------------------------- signature --

def signed(work, name, subject=None):
    """What signs a module, as kernels and DKMS do, with a new key of that subject, and the
    key's line of /proc/keys, and a mokutil that has enrolled it."""
    if arch.MACHINE != "x86_64":
        raise Skip("sign-file of the headers is a program for amd64")
    (tool,) = glob.glob(f"{os.environ['BUILDID_CACHE']}/linux/{os.environ['KERNEL_NAME']}"
                        "/usr/lib/linux-kbuild-*/scripts/sign-file")
    key, certificate = os.path.join(work, "key"), os.path.join(work, "mok.pub")
    lib.run("openssl", "req", "-new", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj",
            subject or f"/CN={name}", "-keyout", key, "-outform", "DER", "-out", certificate)
    text = lib.run("openssl", "x509", "-inform", "DER", "-in", certificate, "-noout",
                   "-text").stdout
    programs = os.path.join(work, "programs")
    os.mkdir(programs)
    lib.write_bytes(os.path.join(programs, "mokutil"),
                    f"#!/bin/sh\n[ $1 = --list-enrolled ] && cat <<.\n[key 1]\n{text}.\n".encode())
    os.chmod(os.path.join(programs, "mokutil"), 0o755)
    os.chmod(work, 0o755)

    def sign(data):
        path = os.path.join(work, "module")
        lib.write_bytes(path, data)
        lib.run(tool, "sha256", key, certificate, path)
        return lib.read_bytes(path)
    return sign, (f"1e0 I------ 1 perm 1f030000 0 0 asymmetri {name}: 0123456789abcdef: X509.rsa "
                  "9abcdef []\n"), {"PATH": f"{programs}:{os.environ['PATH']}"}


ENFORCED = {"lockdown": lambda: bound(LOCKDOWN, "none [integrity] confidentiality\n"),
            "module.sig_enforce": lambda: bound(SIG_ENFORCE, "Y\n")}


SIGNER = "Test: of doctor"


@contextlib.contextmanager
def dkms_key(work):
    """DKMS has made the key in that directory."""
    os.chmod(work, 0o755)
    # On this guest's own copy of the disk.
    os.makedirs("/var/lib/dkms", exist_ok=True)
    with bound("/var/lib/dkms", directory=work):
        yield


@contextlib.contextmanager
def efi(secure_boot):
    """A machine with EFI, which this guest is not."""
    with lib.directory() as work:
        os.chmod(work, 0o755)
        os.makedirs(f"{work}/efi/efivars")
        lib.write_bytes(f"{work}/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
                        bytes([6, 0, 0, 0, secure_boot]))
        with bound("/sys/firmware", directory=work):
            yield


def with_keys(text):
    return bound("/proc/keys", lib.read_bytes("/proc/keys").decode() + text)


@test("where the kernel takes signed modules only: not signed, by DKMS's key, by another one")
def _():
    if lib.DEBUG:
        raise Skip("this kernel has neither signatures nor lockdown")
    with lib.directory() as work, lib.directory() as other_work:
        sign, line, mokutil = signed(work, SIGNER)
        _, _, other_mokutil = signed(other_work, SIGNER)
        for word, enforced in ENFORCED.items():
            with enforced(), installed():
                unsigned = f"not signed, and {word} needs it"
                says(findings(status=1), "signature", "failed", unsigned,
                     "boot without module.sig_enforce and lockdown")
                for secure_boot, instead in (0, "boot without"), (1, "turn Secure Boot off"):
                    with efi(secure_boot):
                        found = findings(status=1)
                        says(found, "signature", "failed", unsigned, "mokutil --import")
                        says(found, "signature", "failed", unsigned, f"or {instead}")
            missing = f'"{SIGNER}"; the kernel has no key of that name, and {word}'
            with enforced(), installed(change=sign):
                for who in [], rights.AS_NOBODY:
                    with efi(1):
                        says(findings(*who, environment=mokutil), "signature", "ok",
                             f'"{SIGNER}", whose key is enrolled')
                with efi(1):
                    says(findings(environment=other_mokutil), "signature", "warning", missing,
                         "mokutil --import, reboot")
                    found = findings(environment=WITHOUT_PROGRAMS)
                    says(found, "signature", "warning", missing, "mokutil --import, reboot")
                    contains(found["signature"]["message"], "mokutil, which would know, is not "
                                                            "installed (package mokutil)")
                says(findings(status=0), "signature", "warning", missing, "boot without")
                with with_keys(line):
                    says(findings(status=0), "signature", "unknown", "may be another", "load")
                says(findings(*rights.AS_NOBODY), "signature", "unknown", SIGNER, "run as root")
            # DKMS's own key is where its modules are.
            with enforced(), installed(change=sign, place="updates/dkms"), efi(1):
                with dkms_key(work):
                    says(findings(environment=other_mokutil), "signature", "warning", missing,
                         "mokutil --import /var/lib/dkms/mok.pub, reboot")
            with enforced(), installed(module=False):
                says(findings(), "signature", "unknown", "no file of the module")
            # Without a name there is none that a key could have.
            with lib.directory() as nameless:
                sign_nameless, *_ = signed(nameless, "", "/")
                with enforced(), installed(change=sign_nameless):
                    says(findings(), "signature", "unknown", "by whom cannot be read", "load")


@test("lockdown: each of its states, and that it cannot be seen")
def _():
    if lib.DEBUG:
        raise Skip("this kernel has no lockdown")
    with installed():
        with ENFORCED["lockdown"]():
            says(findings(), "lockdown", "ok", "integrity")
        with bound(LOCKDOWN, "none integrity [confidentiality]\n"):
            says(findings(), "lockdown", "warning", "confidentiality", "lockdown=integrity")
        with lib.directory() as empty, bound("/sys/kernel/security", directory=empty):
            found = findings()
            says(found, "lockdown", "unknown", "not mounted", "mount -t securityfs")
            says(found, "signature", "unknown", "cannot be seen", "lockdown")


# --------------------------------------------------------------- kprobes, hook --

@test("kprobes or ftrace are turned off after the module was loaded")
def _():
    remedies = {lib.KPROBES: f"echo 1 > {lib.KPROBES}",
                lib.FTRACE: "sysctl kernel.ftrace_enabled=1"}
    for switch, remedy in remedies.items():
        with lib.turned_off(switch) as off:
            found = findings(status=1 if off else None)
            if off:
                says(found, "kprobes", "failed", "turned off", remedy)
                says(found, "hook", "failed", "no mapping is seen", remedy)
            else:
                says(found, "kprobes", "ok", "on")
                says(found, "hook", "ok", "armed")
    says(findings(), "hook", "ok", "armed")


@test("a kernel without kprobes, or without the function")
def _():
    for name, word in ("register_kprobe", "CONFIG_KPROBES"), ("perf_event_mmap", "perf_event_mmap"):
        with lib.unloaded(), bound("/proc/kallsyms", without(name)):
            says(findings(status=1), "kprobes", "failed", word, "another kernel")
    with lib.unloaded(), bound("/proc/kallsyms", ""):
        says(findings(), "kprobes", "unknown", "/proc/kallsyms, which is empty")


@test("ftrace is off, and this kernel's kprobes do not use it")
def _():
    symbols = without("kprobe_ftrace_handler")
    equal(symbols != lib.read_bytes("/proc/kallsyms").decode(), arch.KPROBES_USE_FTRACE,
          "in this guest they do")
    with lib.unloaded():
        with bound(lib.FTRACE, "0\n"):
            if arch.KPROBES_USE_FTRACE:
                says(findings(), "kprobes", "failed", "ftrace is turned off", "ftrace_enabled=1")
            with bound("/proc/kallsyms", symbols):
                says(findings(), "kprobes", "ok", "on")
    # What the module tests counts for more than what a file says.
    with bound(lib.FTRACE, "0\n"):
        says(findings(), "kprobes", "ok", "on")


@test("root may not look whether kprobes are on, as under lockdown: it is not told to be root")
def _():
    powerless = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    with bound(lib.KPROBES, ""), lib.unloaded():
        os.chmod(lib.KPROBES, 0)
        says(findings(*powerless), "kprobes", "unknown", "looked at: Permission denied",
             "load the module")
        if not lib.DEBUG:
            with ENFORCED["lockdown"]():
                says(findings(*powerless), "kprobes", "unknown", "looked at: lockdown",
                     "load the module")


# ---------------------------------------------------------------------- device --

@contextlib.contextmanager
def device_mode(mode, gid=0):
    os.chown(lib.DEVICE, 0, gid)
    os.chmod(lib.DEVICE, mode)
    try:
        yield
    finally:
        os.chown(lib.DEVICE, 0, 0)
        os.chmod(lib.DEVICE, 0o600)


GAMES = 60


@test("the device: closed to this user, open to a group of his or of others, open to all")
def _():
    as_nobody = findings(*rights.AS_NOBODY, status=1)
    says(as_nobody, "device", "failed", "(root:root 0600): not permitted", "run as root")
    in_games = [word for word in rights.AS_NOBODY if word != "--clear-groups"] + \
        [f"--groups={GAMES}"]
    with device_mode(0o660, GAMES):
        says(findings(*rights.AS_NOBODY), "device", "failed", "root:games 0660",
             "sudo usermod -aG games nobody, and log in again")
        says(findings(*in_games), "device", "ok", "root:games 0660")
        groups = lib.read_bytes("/etc/group").decode()
        with bound("/etc/group", groups.replace(f"games:x:{GAMES}:", f"games:x:{GAMES}:nobody")):
            says(findings(*rights.AS_NOBODY), "device", "failed", "root:games 0660",
                 "in group games since your last login: log in again")
    with device_mode(0o666):
        says(findings(), "device", "warning", "open to every user", "chmod o-rw")


@test("the device is not there")
def _():
    os.unlink(lib.DEVICE)
    try:
        found = findings(status=1)
        says(found, "device", "failed", "not in this /dev", "container")
        says(found, "hook", "unknown", "without its device")
    finally:
        lib.reload()        # which makes it again


@test("an ordinary user is told what he may not look at, and nothing of it is ok")
def _():
    with installed():
        found = findings(*rights.AS_NOBODY, status=1, environment={"HOME": "/tmp"})
        says(found, "kprobes", "unknown", "may not be looked at", "run as root")
        says(found, "hook", "unknown", "cannot be asked: not permitted")
        says(found, "rights", "warning", "CAP_PERFMON", "run as root")
        for name in "headers", "module", "loaded", "signature", "perf", "debuginfod", "debug-dir":
            equal(found[name]["status"], "ok", str(found[name]))
        with rights.device_for_all():
            found = findings(*rights.AS_NOBODY)
            says(found, "hook", "ok", "armed")
            says(found, "kprobes", "ok", "on")
            says(findings(*rights.as_nobody("perfmon")), "rights", "ok", "all processes")


# ------------------------------------------------------------------- container --

@test("a container that has the device, and neither /sys nor kallsyms, is well")
def _():
    with lib.directory() as empty, bound("/proc/kallsyms", ""), bound("/sys", directory=empty):
        os.chmod(empty, 0o755)
        found = findings()
        says(found, "loaded", "ok", f"version {VERSION}, as the tool")
        says(found, "hook", "ok", "armed")
        says(found, "kprobes", "ok", "on")
        as_nobody = findings(*rights.AS_NOBODY)
        says(as_nobody, "loaded", "unknown", "neither /sys/module nor", lib.DEVICE)
        says(as_nobody, "kprobes", "unknown", "is empty")


@contextlib.contextmanager
def whole_user_namespace():
    """A pid in one where each id is what it is outside."""
    def unshare():
        lib.check(lib.libc.unshare(rights.CLONE_NEWUSER), "unshare")
    with lib.child(unshare) as pid:
        for name in "uid_map", "gid_map":
            with open(f"/proc/{pid}/{name}", "w", encoding="ascii") as file:
                file.write("0 0 4294967295")
        yield pid


@test("in another namespace of pids or of users not all processes are watched")
def _():
    says(findings(), "rights", "ok", "all processes")
    says(findings("unshare", "--pid", "--fork", "--mount-proc"), "rights", "warning",
         "this pid namespace only", "outside of the container")
    with whole_user_namespace() as pid:
        says(findings("nsenter", f"--user=/proc/{pid}/ns/user"), "rights", "warning",
             "outside of this user namespace", "run as root")


# ------------------------------------------------------------------------ user --

@test("perf: none in PATH, one that does not run, one that is too old, one that is new")
def _():
    with lib.directory() as work:
        os.symlink(shutil.which("buildid"), os.path.join(work, "buildid"))
        here = {"PATH": work}
        says(findings(environment=here), "perf", "warning", "no perf in PATH",
             "apt install linux-perf")
        for text, status, word, remedy in (
                ("echo E: linux-perf-9 is not installed.; exit 1", "warning", "prints no version",
                 "apt install linux-perf"),
                ("echo perf version 4.19.1", "warning", "4.19", "5.12 or later"),
                ("echo perf version 6.1.187", "ok", "6.1.187: ", None),
                ("echo perf version 7.2.g012345", "ok", "records those in memory", None)):
            lib.write_bytes(os.path.join(work, "perf"), f"#!/bin/sh\n{text}\n".encode())
            says(findings(environment=here), "perf", status, word, remedy)


@test("DEBUGINFOD_URLS: set, blank, not set")
def _():
    says(findings(), "debuginfod", "ok", SERVER)
    for value in None, "", "  ":
        says(findings(environment={"DEBUGINFOD_URLS": value}), "debuginfod", "ok",
             "not set", "export DEBUGINFOD_URLS=")


@contextlib.contextmanager
def small_home(options):
    with lib.directory() as path:
        os.chmod(path, 0o755)
        lib.mount("tmpfs", path, "tmpfs", 0, options)
        try:
            yield path
        finally:
            lib.umount(path)


@test("~/.debug: a disk that is full, or nearly, or out of inodes; no HOME; another user's")
def _():
    with small_home("size=64k") as home:
        says(findings(environment={"HOME": home}), "debug-dir", "warning", "MiB left", "make room")
        os.mkdir(os.path.join(home, ".debug"))
        with contextlib.suppress(OSError):
            lib.write_bytes(os.path.join(home, "fill"), bytes(128 << 10))
        says(findings(status=1, environment={"HOME": home}), "debug-dir", "failed",
             f"{home}/.debug: no space left", "make room")
        os.chmod(home, 0o755)
        says(findings(*rights.AS_NOBODY, environment={"HOME": home}), "debug-dir", "failed",
             "Permission denied", "--dir")
    with small_home("nr_inodes=1") as home:
        says(findings(status=1, environment={"HOME": home}), "debug-dir", "failed",
             "no inodes left", "make room")
    says(findings(status=1, environment={"HOME": "/nowhere/at/all"}), "debug-dir", "failed",
         "No such file", "--dir")
    says(findings(environment={"HOME": None}), "debug-dir", "warning", "HOME is not set", "--dir")


@test("the module is as good as before after all this")
def _():
    with installed():
        findings(status=0)


run()
