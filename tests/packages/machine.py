# SPDX-License-Identifier: GPL-2.0
"""A Debian 12 machine in an emulator, with systemd and apt: scripts/machine makes its disk."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile

from kernel_log import fault_pattern

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Seconds, for anything; a DKMS build takes minutes here.
TIMEOUT = 3600

# As for scripts/vm, a slow machine is not a fault.
APPEND = ("root=/dev/vda rw console=ttyS0 loglevel=5 oops=panic panic=-1 no_timer_check "
          "watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120 mitigations=off "
          "cryptomgr.notests")
FAULT = fault_pattern()


class Failed(Exception):
    """A command in the machine has failed."""


class Machine:
    """Its disk is a copy, in a directory below build/ that stays when a test fails."""

    def __init__(self):
        made = subprocess.run([os.path.join(TOP, "scripts", "machine")], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()
        os.makedirs(os.path.join(TOP, "build", "machine"), exist_ok=True)
        self.dir = tempfile.mkdtemp(dir=os.path.join(TOP, "build", "machine"))
        self.disk = os.path.join(self.dir, "disk")
        self.log = os.path.join(self.dir, "kernel.log")
        subprocess.run(["cp", "--sparse=always", os.path.join(made, "disk"), self.disk],
                       check=True)
        self.qemu = None
        self.port = None

    def read_disk(self, request):
        return subprocess.run(["debugfs", "-R", request, self.disk], check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def boot(self, release):
        """Starts it with the kernel and the initramfs of this release, from its own /boot."""
        for name in ("vmlinuz", "initrd.img"):
            path = os.path.join(self.dir, name)
            self.read_disk(f"dump /boot/{name}-{release} {path}")
            if not os.path.getsize(path):
                raise Failed(f"no /boot/{name}-{release} on the disk")
        server = socket.socket(socket.AF_UNIX)
        path = os.path.join(self.dir, "agent")
        if os.path.exists(path):
            os.unlink(path)
        server.bind(path)
        server.listen()
        server.settimeout(TIMEOUT)
        self.qemu = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64", "-M", "q35",
             "-cpu", "max,la57=off", "-accel", "tcg,thread=multi", "-smp", "2", "-m", "2G",
             "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
             "-kernel", os.path.join(self.dir, "vmlinuz"),
             "-initrd", os.path.join(self.dir, "initrd.img"), "-append", APPEND,
             "-drive", f"file={self.disk},format=raw,if=virtio,cache=unsafe",
             "-virtfs", f"local,path={TOP}/build/deb,mount_tag=deb,security_model=none,"
             "readonly=on",
             "-chardev", f"file,id=log,path={self.log},append=on", "-serial", "chardev:log",
             "-device", "virtio-serial-pci", "-chardev", f"socket,id=agent,path={path}",
             "-device", "virtserialport,chardev=agent,name=agent"],
            stdin=subprocess.DEVNULL)
        self.port = server.accept()[0]
        self.port.settimeout(TIMEOUT)
        server.close()
        running = self.run("uname -r").strip()
        if running != release:
            raise Failed(f"runs {running}, not {release}")

    def receive(self):
        answer = b""
        while answer.count(b"\0") < 2:
            more = self.port.recv(65536)
            if not more:
                raise Failed(f"the machine has ended; its log is {self.log}")
            answer += more
        status, output, _ = answer.split(b"\0")
        return int(status), output.decode(errors="backslashreplace")

    def status(self, command):
        """The exit status of a command of bash, and what it prints."""
        self.port.sendall(command.encode() + b"\0")
        return self.receive()

    def run(self, command):
        status, output = self.status(command)
        if status:
            raise Failed(f"{command}: exit status {status}\n{output}")
        return output

    def shut_down(self):
        self.port.sendall(b"systemctl --no-block poweroff\0")
        self.qemu.wait(TIMEOUT)
        self.port.close()

    def reboot(self, release):
        self.shut_down()
        self.boot(release)

    def faults(self):
        with open(self.log, encoding="utf-8", errors="backslashreplace") as log:
            return [line for line in log if FAULT.search(line)]

    def end(self, good):
        if self.qemu and self.qemu.poll() is None:
            self.qemu.send_signal(signal.SIGKILL)
            self.qemu.wait()
        if good:
            shutil.rmtree(self.dir)
