# SPDX-License-Identifier: GPL-2.0
"""A filesystem of the kernel's own NFS server, mounted over loopback. nfs-utils is not needed: what
its programs tell the server are a few lines, in the caches below /proc/net/rpc."""

import contextlib
import os

import lib
from tap import Skip

SERVER = "/proc/fs/nfsd"
# Where it looks for who was a client before.
CLIENTS = "/var/lib/nfs/v4recovery"
NEVER = 0x7fffffff
# The root of what NFSv4 clients see has the id 0.
INSECURE_PORT, NO_SUBTREE_CHECK, FSID = 0x0002, 0x0400, 0x2000


def tell(path, line):
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{line}\n")


def export(directory):
    tell("/proc/net/rpc/auth.unix.ip/channel", f"nfsd 127.0.0.1 {NEVER} guest")
    tell("/proc/net/rpc/nfsd.export/channel",
         f"guest {directory} {NEVER} {INSECURE_PORT | NO_SUBTREE_CHECK | FSID} 65534 65534 0")
    tell("/proc/net/rpc/nfsd.fh/channel", f"guest 1 \\x00000000 {NEVER} {directory}")


@contextlib.contextmanager
def running_server():
    os.makedirs(CLIENTS, exist_ok=True)
    lib.mount("nfsd", SERVER, "nfsd")
    try:
        # what speaks version 3 would want other servers beside it
        tell(f"{SERVER}/versions", "-2 -3 +4.2")
        # the shortest
        tell(f"{SERVER}/nfsv4gracetime", 10)
        tell(f"{SERVER}/portlist", "tcp 2049")
        tell(f"{SERVER}/threads", 2)
        # nobody was, and is to be waited for; 7.3 refuses it without nfsdcld
        with contextlib.suppress(OSError):
            tell(f"{SERVER}/v4_end_grace", "Y")
        yield
    finally:
        tell(f"{SERVER}/threads", 0)
        for cache in "export", "fh":
            tell(f"/proc/net/rpc/nfsd.{cache}/flush", NEVER)
        lib.umount(SERVER)


@contextlib.contextmanager
def mounted_at(source, fstype, options=""):
    """Unmounted when nobody uses it any more: the server lets go of what it exported a moment
    after it says that it is done."""
    with lib.directory() as path:
        lib.mount(source, path, fstype, options=options)
        try:
            yield path
        finally:
            lib.until(lambda: not lib.libc.umount2(path.encode(), 0), f"{path} is not in use")


@contextlib.contextmanager
def mounted():
    """Two directories: as the server has it, and as the client does."""
    if not all(map(lib.has_filesystem, ("nfsd", "nfs4"))):
        raise Skip("no NFS")
    with mounted_at("tmpfs", "tmpfs") as there, running_server():
        export(there)
        with mounted_at("127.0.0.1:/", "nfs4", "vers=4.2,addr=127.0.0.1,clientaddr=127.0.0.1,"
                        "proto=tcp,sec=sys") as here:
            yield there, here
