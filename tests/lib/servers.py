# SPDX-License-Identifier: GPL-2.0
"""Files and devices whose server does not answer."""

import contextlib
import os
import signal
import struct
import subprocess

import lib
from lib import PAGE, built
from tap import equal

MNT_DETACH = 2


@contextlib.contextmanager
def fuse(*mode, path=None):
    """A file on FUSE with the content of @path, not in memory, and its server. @mode:
    what the server does, see tests/src/fuse_file.c; nothing for one that answers."""
    with lib.directory() as directory:
        with lib.started(built("fuse_file"), directory, path or built("other"), *mode,
                         stdout=subprocess.PIPE) as server:
            equal(server.stdout.readline(), b"mounted\n", "what the server says")
            try:
                yield os.path.join(directory, "file"), server
            finally:
                lib.umount(directory, MNT_DETACH)


@contextlib.contextmanager
def stopped():
    """A file on FUSE whose server answers nothing, after it has answered once; a function
    that stops it."""
    with fuse() as (served, server):
        try:
            yield served, lambda: server.send_signal(signal.SIGSTOP)
        finally:
            server.send_signal(signal.SIGCONT)


def content(number):
    """Of a file without a build-id."""
    return b"#!" + struct.pack("=I", number).ljust(PAGE, b"x")


def make_image(files):
    """An ext4 with them; the directory it is in has to be removed."""
    directory, place = lib.tempfile.mkdtemp(dir="/tmp"), lib.tempfile.mkdtemp(dir="/tmp")
    image = os.path.join(place, "image")
    with open(image, "wb") as file:
        file.truncate(16 << 20)
    lib.run("mkfs.ext4", "-q", "-F", "-O", "^has_journal", image)
    lib.run("modprobe", "-a", "loop", "ext4", status=None)
    lib.run("mount", "-o", "loop", image, directory)
    for number in range(files):
        lib.write_bytes(os.path.join(directory, str(number)), content(number))
    lib.umount(directory)
    os.rmdir(directory)
    return image


@contextlib.contextmanager
def device(files):
    """Open files of an ext4, with content() in them; a function after which the device
    it is on answers no read any more; and what to kill for errors in their place."""
    with contextlib.ExitStack() as stack:
        image = make_image(files)
        stack.callback(lib.shutil.rmtree, os.path.dirname(image))
        path, server = stack.enter_context(fuse("stops", path=image))
        directory = stack.enter_context(lib.directory())
        lib.run("mount", "-o", "ro,loop", path, directory)
        stack.callback(lib.umount, directory, MNT_DETACH)
        stack.callback(server.kill)
        fds = [os.open(os.path.join(directory, str(number)), os.O_RDONLY)
               for number in range(files)]
        for fd in fds:
            stack.callback(os.close, fd)

        def stop():
            # what was read of the image is forgotten when that is opened
            os.close(os.open(path, os.O_RDONLY))
            server.send_signal(signal.SIGUSR1)
        yield fds, stop, server
