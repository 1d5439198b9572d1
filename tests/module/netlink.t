#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Generic netlink: what is remembered, of processes and files long gone, too, and
the same events as those of the device."""

import contextlib
import errno
import mmap
import os
import resource
import socket
import subprocess

import lib
import rights
import stream
from device import (SUB_CGROUP, SUB_CHILDREN, SUB_DATA, SUB_KERNEL, SUB_PATH, SUB_UID, File,
                    Image, Lost, Mmap)
from genl import (A_DEV_MAJOR, A_DEV_MINOR, A_FLAGS, A_GENERATION, A_INO, A_KIND, A_PIDS,
                  CMD_GET, CMD_SUBSCRIBE, NLM_F_DUMP, Genl, attribute, u32)
from image import with_id
from lib import built, contains, fails_with
from tap import equal, run, test

OTHER_ID = "fedcba98765432100123456789abcdef01234567"


def run_and_delete(directory, name):
    """A program that has exited, and its file as it was."""
    path = os.path.join(directory, name)
    lib.write_bytes(path, lib.read_bytes(built("other")))
    lib.run(path)
    stat = os.stat(path)
    os.unlink(path)
    return path, (os.major(stat.st_dev), os.minor(stat.st_dev)), stat.st_ino


@test("list has a program that has exited and a file that is deleted")
def _():
    with lib.tmpfs() as directory:
        path, dev, ino = run_and_delete(directory, "listed")
        lines = lib.json_lines(lib.buildid("list", "-j").stdout)
        (line,) = [line for line in lines if line["path"] == path]
        equal((line["build_id"], line["kind"], line["dev"], line["ino"]),
              (OTHER_ID, "gnu", "%d:%d" % dev, ino), "identity, device and inode")
        contains(lib.buildid("list").stdout, f"{OTHER_ID} {path}\n")


@test("of files with one number in two subvolumes GET has the one of the tree that is named")
def _():
    with lib.btrfs() as top, Genl() as genl:
        trees, ids = [], [bytes([number]) * 20 for number in (0xb1, 0xb2)]
        for ident in ids:
            path = os.path.join(top, ident.hex()[:2])
            lib.run("btrfs", "subvolume", "create", path)
            trees.append(int(lib.run("btrfs", "inspect-internal", "rootid", path).stdout))
            lib.write_bytes(os.path.join(path, "lib.so"), with_id(ident))
        for ident in ids:
            lib.map_file(os.path.join(top, ident.hex()[:2], "lib.so"))
        files = [file for file in genl.dump() if file.id in [ident.hex() for ident in ids]]
        equal(len({(file.dev, file.ino) for file in files}), 1, f"devices and inodes of {files}")
        key = files[0].dev, files[0].ino
        fails_with(errno.ENOTUNIQ, genl.get, *key)
        equal([genl.get(*key, tree=tree).id for tree in trees], [ident.hex() for ident in ids],
              "files by tree")
        fails_with(errno.ENOENT, genl.get, *key, tree=trees[1] + 1)


@test("list is sorted by path, older versions first")
def _():
    with lib.tmpfs() as directory:
        path = os.path.join(directory, "sorted")
        for _ in range(3):
            lib.write_bytes(path + ".new", lib.read_bytes(built("other")))
            os.rename(path + ".new", path)
            lib.map_file(path)
        lines = lib.json_lines(lib.buildid("list", "--kind", "any", "-j").stdout)
        shown = [((line["path"] or "").encode(), line["file_id"]) for line in lines]
        equal(shown, sorted(shown), "paths and file_ids")
        versions = [line["file_id"] for line in lines if line["path"] == path]
        equal(len(versions), 3, "versions")


@test("GET answers for a program that has exited and a file that is deleted")
def _():
    with lib.tmpfs() as directory, Genl() as genl:
        path, dev, ino = run_and_delete(directory, "gone")
        file = genl.get(dev, ino)
        equal((file.id, file.path, file.dev, file.ino), (OTHER_ID, path, dev, ino), "FILE")
        equal(genl.get(dev, ino, file.generation).file_id, file.file_id, "by generation")
        fails_with(errno.ENOENT, genl.get, dev, ino, file.generation + 1)
        # no device has that number
        fails_with(errno.ENOENT, genl.get, (dev[0] + (1 << 12), dev[1]), ino)


@test("GET answers for the newest version of a file")
def _():
    with lib.tmpfs() as directory, Genl() as genl:
        path = os.path.join(directory, "lib.so")
        lib.write_bytes(path, lib.read_bytes(built("v1.so")))
        stat = os.stat(path)
        lib.map_file(path)
        lib.write_bytes(path, lib.read_bytes(built("v2.so")))
        lib.map_file(path)
        device = (os.major(stat.st_dev), os.minor(stat.st_dev))
        lib.until(lambda: genl.get(device, stat.st_ino).id == "22" * 20, "the newest build-id")


@test("GET of what was never seen is ENOENT, without all keys or with others EINVAL")
def _():
    with Genl() as genl:
        fails_with(errno.ENOENT, genl.get, (0, 0), 1)
        number = u32(A_DEV_MAJOR, 0) + u32(A_DEV_MINOR, 0)
        inode = attribute(A_INO, bytes(8))
        for body in (u32(A_DEV_MAJOR, 0), number, number + inode + u32(A_KIND, 1),
                     number + inode + u32(A_FLAGS, 0), number + inode + u32(99, 0)):
            fails_with(errno.EINVAL, answers, genl, CMD_GET, body)


def answers(genl, command, body, flags=0):
    return list(genl.request(genl.family, command, flags, body))


@test("a dump has each file that is remembered once, while nothing is mapped")
def _():
    with Genl() as genl:
        lib.map_file(built("id8"))
        files = genl.dump()
        ids = [file.file_id for file in files]
        equal(len(ids), len(set(ids)), "file_ids")
        equal(len(ids), stream.stats()["entries"], "files")
        contains([file.path for file in files], built("id8"))


@test("a dump has the files of one device or kind when it is asked to")
def _():
    with lib.tmpfs() as directory, Genl() as genl:
        paths = [os.path.join(directory, name) for name in ("note", "none")]
        for path in paths:
            lib.write_bytes(path, lib.read_bytes(built("other" if path == paths[0] else "none")))
            lib.map_file(path)
        stat = os.stat(directory)
        dev = (os.major(stat.st_dev), os.minor(stat.st_dev))
        files = genl.dump()
        # other file systems had that number before
        equal({file.file_id for file in genl.dump(dev)},
              {file.file_id for file in files if file.dev == dev}, "of a device")
        for path in paths:
            contains([file.path for file in genl.dump(dev)], path)
        for kind in ("gnu", "htlhash"):
            equal({file.file_id for file in genl.dump(kind=kind)},
                  {file.file_id for file in files if file.kind == kind}, kind)
        both = [file.path for file in genl.dump(dev, "gnu")]
        assert paths[0] in both and paths[1] not in both, both
        equal(genl.dump((dev[0], dev[1] + (1 << 19))), [], "of no device")


@test("a dump refuses what it does not filter by")
def _():
    with Genl() as genl:
        both = u32(A_DEV_MAJOR, 0) + u32(A_DEV_MINOR, 0)
        for body in (u32(A_DEV_MAJOR, 0), u32(A_DEV_MINOR, 0), both + attribute(A_INO, bytes(8)),
                     both + u32(A_GENERATION, 0), u32(A_FLAGS, 0), u32(99, 0)):
            fails_with(errno.EINVAL, answers, genl, CMD_GET, body, NLM_F_DUMP)


@test("a dump says so when a file came meanwhile")
def _():
    with lib.tmpfs() as directory, Genl() as genl:
        for number in range(500):
            path = os.path.join(directory, f"{number}.so")
            lib.write_bytes(path, with_id(number.to_bytes(20, "big")))
            lib.map_file(path)
        genl.dump()
        equal(genl.interrupted, False, "interrupted, when nothing happened")
        dump = genl.request(genl.family, CMD_GET, NLM_F_DUMP)
        next(dump)
        path = os.path.join(directory, "another.so")
        lib.write_bytes(path, with_id(bytes(range(20))))
        lib.map_file(path)
        list(dump)
        equal(genl.interrupted, True, "interrupted")


@test("mon --netlink and mon of the device show the same mappings")
def _():
    with lib.Mon("--netlink") as netlink, lib.Mon() as device:
        for path in (built("id8"), built("none"), built("id83"), "/usr/bin/true"):
            lib.map_file(path)
        lib.run("sh", "-c", "/usr/bin/true; /usr/bin/false; /usr/bin/env true")
        lib.run("python3", "-c", "import ssl")
        device.catch_up()

    def mappings(lines):
        clocks = ("seq", "time", "time_mono", "time_perf")
        return [{key: line[key] for key in line if key not in clocks}
                for line in lines if line["type"] == "mmap" and
                not netlink.is_mark(line["path"]) and not device.is_mark(line["path"])]
    ours, theirs = mappings(device.lines), mappings(netlink.lines)
    assert len(ours) > 20, f"{len(ours)} mappings"
    # netlink's listener was there before the device's
    equal(theirs[-len(ours):], ours, "mappings")


class Listener(stream.Stream):
    """A subscription by netlink, to this process by default; held to
    what the uapi header promises of a stream."""

    def __init__(self, pids=None, buffer=0, **options):
        options.setdefault("flags", SUB_PATH)
        super().__init__(bool(options["flags"] & SUB_PATH))
        self.genl = Genl()
        self.socket = self.genl.socket
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.genl.subscribe(pids=[os.getpid()] if pids is None else pids, **options)
        self.socket.settimeout(lib.TIMEOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def until(self, done):
        """Up to the first record that done() holds for."""
        start = len(self.records)
        while not any(done(record) for record in self.records[start:]):
            self.add(self.genl.receive())

    def catch_up(self):
        """All there is: up to a mapping that is made now."""
        with lib.directory() as directory:
            mark = os.path.join(directory, "mark")
            lib.write_bytes(mark, b"not a program")
            lib.map_file(mark)
            self.until(lambda record: isinstance(record, File) and record.path == mark)
        self.mmaps.pop()


@test("each listener gets the FILE of each mapping, with its path")
def _():
    lib.map_file(built("id8"))
    with Listener() as first, Listener() as second:
        for listener in (first, second):
            lib.map_file(built("id8"))
            listener.catch_up()
            mapped = listener.mmaps[-1]
            equal((mapped.path, listener.file_of(mapped).id), (built("id8"), lib.readelf_ids(
                [built("id8")])[built("id8")]), "path and build-id")


@test("a listener gets what passes its filters, and no more")
def _():
    with Listener(pids=[1]) as init, Listener(
                pids=[], uid=65534, flags=SUB_PATH | SUB_UID) as nobody, \
            Listener(flags=SUB_PATH | SUB_DATA) as data, Listener(flags=SUB_KERNEL) as kernel:
        lib.run(*rights.AS_NOBODY, "/bin/true")
        lib.map_file(built("id8"))
        lib.map_file(built("id8"), prot=mmap.PROT_READ)
        data.catch_up()
        equal([(mapped.path, mapped.prot) for mapped in data.mmaps],
              [(built("id8"), lib.RX), (built("id8"), mmap.PROT_READ)], "with data")
        kernel.until(lambda record: isinstance(record, Mmap))
        contains([record.name for record in kernel.records if isinstance(record, Image)],
                 "buildid")
        nobody.until(lambda record: isinstance(record, Mmap))
        nobody.socket.setblocking(False)
        receive_all(nobody)
        assert os.getpid() not in [mapped.pid for mapped in nobody.mmaps], nobody.mmaps
        contains([mapped.path for mapped in nobody.mmaps], os.path.realpath("/bin/true"))
        init.socket.setblocking(False)
        receive_all(init)
        equal(init.mmaps, [], "of another process")


def receive_all(listener):
    try:
        while True:
            listener.add(listener.genl.receive())
    except BlockingIOError:
        pass


@test("SUBSCRIBE answers with the size of the ring")
def _():
    with Genl() as genl, Genl() as other:
        equal(genl.subscribe(), 1 << 20, "by default")
        equal(other.subscribe(ring_size=1 << 16), 1 << 16, "as asked for")


@test("SUBSCRIBE refuses what the ioctl refuses")
def _():
    with Genl() as genl:
        for options in ({"flags": 1 << 31}, {"ring_size": 4096}, {"ring_size": 24 << 10},
                        {"ring_size": 128 << 20}, {"watermark": 1 << 20},
                        {"flags": SUB_CHILDREN}, {"uid": 1}, {"cgroup_fd": 1}):
            fails_with(errno.EINVAL, genl.subscribe, **options)
        fails_with(errno.ESRCH, genl.subscribe, pids=[1 << 22])
        fails_with(errno.EBADF, genl.subscribe, flags=SUB_CGROUP, cgroup_fd=999)
        for body in (attribute(A_PIDS, bytes(5)), attribute(A_PIDS, bytes(4 * 65)),
                     u32(A_DEV_MAJOR, 0), u32(99, 0)):
            fails_with(errno.EINVAL, answers, genl, CMD_SUBSCRIBE, body)
        # none of these has left anything
        genl.subscribe()
        fails_with(errno.EBUSY, genl.subscribe)


@test("a subscription ends with its socket, and not before")
def _():
    before = stream.stats()["subscribers"]
    for _ in range(70):
        with Listener() as listener:
            equal(stream.stats()["subscribers"], before + 1, "subscribers")
            # whoever has asked for it may have gone
            copy = socket.socket(fileno=os.dup(listener.socket.fileno()))
        with copy:
            equal(stream.stats()["subscribers"], before + 1, "subscribers, of a copy")
        equal(stream.stats()["subscribers"], before, "subscribers at the end")


@test("a socket that is full loses nothing as long as the ring has room")
def _():
    with Listener(buffer=4096, ring_size=1 << 20) as listener:
        for _ in range(300):
            lib.map_file(built("id8"))
        listener.catch_up()
        equal((len(listener.mmaps), listener.lost), (300, 0), "mappings, and lost records")


@test("a listener that is too slow learns exactly what it lost")
def _():
    with Listener(buffer=4096, ring_size=16384, flags=0) as listener:
        for _ in range(600):
            lib.map_file(built("id8"))
        lost = []
        while len(listener.mmaps) + sum(lost) < 600:
            start = len(listener.records)
            listener.add(listener.genl.receive())
            lost += [record.ring_full_mmaps for record in listener.records[start:]
                     if isinstance(record, Lost)]
        assert sum(lost) > 200, f"lost {lost}"
        equal(len(listener.mmaps) + sum(lost), 600, "mappings")
        # and what comes after it is whole again
        lib.map_file(built("id83"))
        listener.until(lambda record: isinstance(record, Mmap))
        while listener.mmaps[-1].file_id not in listener.files:
            listener.add(listener.genl.receive())   # its FILE may be in a message of its own
        equal(listener.file_of(listener.mmaps[-1]).path, built("id83"), "path")


@test("one that does not read at all delays no other")
def _():
    with contextlib.ExitStack() as stack:
        for _ in range(10):
            stack.enter_context(Listener(buffer=4096, ring_size=16384))
        with Listener() as listener:
            before = stream.stats()["ring_full"]
            for _ in range(300):
                lib.map_file(built("id8"))
                listener.until(lambda record: isinstance(record, Mmap))
            assert stream.stats()["ring_full"] > before, "the others' rings are not full"


@test("without a capability neither the cache nor the events can be read")
def _():
    for command in (["list"], ["mon", "--netlink", "--count", "1"]):
        failed = lib.run(*rights.AS_NOBODY, "buildid", *command, status=1)
        equal(failed.stderr.count("\n"), 1, f"lines of {failed.stderr}")
        contains(failed.stderr, "not permitted")


@test("CAP_PERFMON or CAP_SYS_ADMIN alone reads the cache and the events")
def _():
    for name in ("perfmon", "sys_admin"):
        contains(lib.run(*rights.as_nobody(name), "buildid", "list").stdout, "/")
        with lib.started(*rights.as_nobody(name), "buildid", "mon", "--netlink",
                         stdout=subprocess.PIPE, text=True) as mon:
            os.set_blocking(mon.stdout.fileno(), False)

            def shown():
                lib.map_file(built("id8"))
                return mon.stdout.readline()
            contains(lib.until(shown, "a mapping is shown"), "/")


def opened_by_nobody(*capabilities):
    """A socket to the family."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if not child:
        rights.become_nobody(*capabilities)
        socket.send_fds(theirs, [b"-"], [Genl().socket.detach()])
        os._exit(0)
    _, fds, _, _ = socket.recv_fds(ours, 1, 1)
    os.waitpid(child, 0)
    ours.close()
    theirs.close()
    return socket.socket(fileno=fds[0])


@test("what nobody has opened is of no use to root, nor by root to nobody")
def _():
    with Genl() as genl:
        genl.socket = opened_by_nobody()
        fails_with(errno.EPERM, genl.subscribe)
        fails_with(errno.EPERM, genl.dump)
        fails_with(errno.EPERM, genl.get, (0, 0), 1)

    def as_nobody():
        with Genl() as genl:
            os.setresuid(65534, 65534, 65534)
            fails_with(errno.EPERM, genl.subscribe)
            fails_with(errno.EPERM, genl.dump)
            fails_with(errno.EPERM, genl.get, (0, 0), 1)
    lib.in_child(as_nobody)


@test("a listener's ring counts against RLIMIT_MEMLOCK")
def _():
    large, small, limit = (pages * lib.PAGE for pages in (32, 8, 16))
    script = "from genl import Genl\n" \
        "with Genl() as genl:\n" \
        f"    try: genl.subscribe(ring_size={large})\n" \
        "    except OSError as error: print(error.errno)\n" \
        f"    print(genl.subscribe(ring_size={small}))\n"
    out = lib.run("prlimit", f"--memlock={limit}", *rights.as_nobody("perfmon"), "python3", "-c",
                  script).stdout
    equal(out.split(), [str(errno.ENOMEM), str(small)], "too large, and not")


@test("it does not, if opener and sender have CAP_IPC_LOCK, both of them")
def _():
    def limited(function):
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536))
        function()

    def as_root():
        with Genl() as genl:
            equal(genl.subscribe(ring_size=1 << 17), 1 << 17, "both")
        with Genl() as genl:
            genl.socket = opened_by_nobody(rights.CAP_PERFMON)
            fails_with(errno.ENOMEM, genl.subscribe, ring_size=1 << 17)

    def as_another():
        with Genl() as genl:
            rights.become_nobody(rights.CAP_PERFMON)
            fails_with(errno.ENOMEM, genl.subscribe, ring_size=1 << 17)
    lib.in_child(limited, as_root)
    lib.in_child(limited, as_another)


@test("the module can go while sockets have subscribed, and what they have stays")
def _():
    with Listener() as listener, Listener(pids=[], buffer=4096):
        for _ in range(100):
            lib.map_file(built("id8"))
        listener.until(lambda record: isinstance(record, Mmap))
        lib.unload()
        listener.socket.setblocking(False)
        fails_with(errno.ENODEV, listener.genl.receive)
        receive_all(listener)
        lib.load()
        # they are nobody's now: of the new module they hear nothing
        equal(stream.stats()["subscribers"], 0, "subscribers")
        lib.map_file(built("id8"))
        receive_all(listener)
    with Listener() as listener:
        lib.map_file(built("id8"))
        listener.until(lambda record: isinstance(record, Mmap))


run()
