#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""SET_COOKIE: loaders name what they load, mappings and files; COOKIE records."""

import contextlib
import ctypes
import errno
import mmap
import os
import signal
import struct
import threading

import lib
import rights
import stream
from device import KIND, SNAPSHOT, Cookie, Device, Mmap, ioc
from lib import built, fails_with, libc, map_fd, unmap
from tap import equal, run, test

PAGE = lib.PAGE
MAX = 1024      # BUILDID_COOKIES_MAX
ANONYMOUS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS

libc.mremap.restype = ctypes.c_void_p
libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int,
                        ctypes.c_void_p]
MREMAP_MAYMOVE, MREMAP_FIXED, MAP_FIXED = 1, 2, 0x10


def code(pages=1, at=None, flags=0):
    """Memory of a JIT: no file."""
    return lib.check(libc.mmap(at, pages * PAGE, lib.RX | mmap.PROT_WRITE,
                               ANONYMOUS | flags, -1, 0), "mmap")


def cookies_of(pid=None, room=1 << 16):
    with Device() as device:
        records = device.maps(pid or os.getpid(), room=room)
    found = [record for record in records if isinstance(record, Cookie)]
    equal(records[len(records) - len(found):], found, "cookies come after all mappings")
    return found


def name(address, length, identity, **options):
    with Device() as device:
        device.name_mapping(address, length, identity, **options)


def name_file(path, identity, **options):
    with open(path, "rb") as file, Device() as device:
        device.name_fd(file.fileno(), identity, **options)


def cookie_count():
    return stream.stats()["cookies"]


# --------------------------------------------------------------- mappings --

@test("a mapping without a file: delivered as it is named, and in MAPS")
def _():
    address = code(2)
    with stream.Watch() as watch:
        name(address, 2 * PAGE, b"jit:method", kind="cookie")
        watch.drain()
        record = watch.records[-1]
    equal((record.addr, record.len, record.kind, bytes.fromhex(record.id), record.pid,
           record.comm, record.header.flags),
          (address, 2 * PAGE, "cookie", b"jit:method", os.getpid(),
           lib.read_bytes("/proc/self/comm").decode().strip(), 0))
    in_maps, = cookies_of()
    equal(in_maps[1:], record[1:], "COOKIE in MAPS")
    equal((in_maps.header.flags, in_maps.header.seq), (SNAPSHOT, 0))
    unmap(address, 2 * PAGE)
    equal(cookies_of(), [], "cookies once it is unmapped")


@test("a mapping of a file, named with a build-id: MMAP first, then COOKIE")
def _():
    with open(built("none"), "rb") as file, stream.Watch() as watch:
        address = map_fd(file.fileno(), PAGE)
        name(address, 100, bytes(range(20)), kind="gnu")
        watch.settle()
        records = [r for r in watch.records if isinstance(r, (Mmap, Cookie))]
        unmap(address, PAGE)
    equal([type(r) for r in records], [Mmap, Cookie])
    equal((records[1].addr, records[1].len, records[1].kind, records[1].id),
          (address, 100, "gnu", bytes(range(20)).hex()))


@test("a request that cannot be replied to names nothing")
def _():
    address, request = code(), code()
    with Device() as device:
        identity = ctypes.create_string_buffer(b"code")
        ctypes.memmove(request, struct.pack("=IIiHHQQQ", 40, 0, 0, KIND.index("cookie"), 4,
                                            address, PAGE, ctypes.addressof(identity)), 40)
        lib.protect(request, PAGE, mmap.PROT_READ)
        fails_with(errno.EFAULT, lambda: lib.check(libc.ioctl(
            device.fd, ctypes.c_ulong(ioc(8, 40)), ctypes.c_void_p(request)), "ioctl"))
    equal(cookies_of(), [], "cookies")
    unmap(address, PAGE)
    unmap(request, PAGE)


@test("identities of 1 to 128 bytes")
def _():
    address = code()
    for size in (1, 7, 8, 9, 127, 128):
        name(address, PAGE, bytes(size))
        equal([c.id for c in cookies_of()], ["00" * size])
    unmap(address, PAGE)


def gone_after(what):
    """True when a cookie of four pages is gone once @what was done to them."""
    address = code(4)
    name(address, 4 * PAGE, b"code")
    equal(len(cookies_of()), 1, "cookies before")
    what(address)
    left = cookies_of()
    unmap(address, 4 * PAGE)
    equal(cookies_of(), [], "cookies after")
    return not left


@test("it goes with the first page that is unmapped, mapped over or moved away")
def _():
    elsewhere = code(4)
    assert gone_after(lambda at: unmap(at + PAGE, PAGE))
    assert gone_after(lambda at: code(1, at + 3 * PAGE, MAP_FIXED))
    assert gone_after(lambda at: lib.check(
        libc.mremap(at, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere), "mremap"))
    assert gone_after(lambda at: lib.check(
        libc.mremap(at, 4 * PAGE, PAGE, 0, None), "mremap"))
    unmap(elsewhere, 4 * PAGE)


@test("it stays through mprotect, madvise and what happens beside it")
def _():
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert not gone_after(lambda at: lib.protect(at, 4 * PAGE, mmap.PROT_READ))
    assert not gone_after(lambda at: lib.protect(at + PAGE, PAGE, lib.RX))
    assert not gone_after(lambda at: lib.check(libc.madvise(at, 4 * PAGE, 4), "madvise"))
    assert not gone_after(lambda at: unmap(code(3), 3 * PAGE))


@contextlib.contextmanager
def huge_file():
    """On hugetlbfs, of one page; the page's size."""
    pages, size = "/proc/sys/vm/nr_hugepages", 2 << 20
    with lib.directory() as work, lib.written(pages, "4"):
        lib.mount("none", work, "hugetlbfs", 0, f"pagesize={size}")
        try:
            with open(os.path.join(work, "file"), "w+b") as file:
                os.ftruncate(file.fileno(), size)
                yield file.fileno(), size
        finally:
            lib.umount(work)


@test("of a file on hugetlbfs it goes when a hole is punched in that, before Linux 6.2 only")
def _():
    PUNCH_HOLE, KEEP_SIZE = 2, 1
    with huge_file() as (fd, size):
        address = map_fd(fd, size, lib.RX | mmap.PROT_WRITE, mmap.MAP_SHARED)
        ctypes.memset(address, 1, 1)
        name(address, size, b"code")
        lib.check(libc.fallocate(fd, PUNCH_HOLE | KEEP_SIZE, ctypes.c_long(0),
                                 ctypes.c_long(size)), "fallocate")
        equal(len(cookies_of()), lib.KERNEL >= (6, 2), "cookies after it")
        unmap(address, size)
        equal(cookies_of(), [], "cookies when it is unmapped")


@test("the next one takes the place of all it shares an address with")
def _():
    address = code(8)
    for page in range(8):
        name(address + page * PAGE, PAGE, b"%d" % page)
    name(address + 2 * PAGE + 1, 3 * PAGE, b"new")
    equal([(c.addr - address, bytes.fromhex(c.id)) for c in cookies_of()],
          [(0, b"0"), (PAGE, b"1"), (2 * PAGE + 1, b"new"), (6 * PAGE, b"6"), (7 * PAGE, b"7")])
    unmap(address, 8 * PAGE)


@test("taken back: said so, and gone; once")
def _():
    address = code()
    name(address, PAGE, b"wrong")
    with stream.Watch() as watch:
        name(address + 5, 1, b"", kind="none")
        watch.drain()
        record = watch.records[-1]
    equal((record.addr, record.len, record.kind, record.id), (address + 5, 1, "none", ""))
    equal(cookies_of(), [])
    fails_with(errno.ENOENT, name, address, PAGE, b"", kind="none")
    unmap(address, PAGE)


@test("what is not mapped as a whole, or wraps, cannot be named")
def _():
    address = code(3)
    unmap(address + PAGE, PAGE)
    fails_with(errno.ENOENT, name, address, 3 * PAGE, b"x")
    fails_with(errno.ENOENT, name, address + PAGE, PAGE, b"x")
    fails_with(errno.EINVAL, name, address, 2**64 - address, b"x")
    fails_with(errno.EINVAL, name, address, 0, b"x")
    fails_with(errno.EINVAL, name, address, PAGE, b"x", kind="htlhash")
    fails_with(errno.EINVAL, name, address, PAGE, b"x", kind="none")
    fails_with(errno.EINVAL, name, address, PAGE, b"", kind="cookie")
    fails_with(errno.EINVAL, name, address, PAGE, bytes(129))
    equal(cookies_of(), [])
    unmap(address, PAGE)
    unmap(address + 2 * PAGE, PAGE)


@test("a child has none of its parent's; exec and exit end a process's own")
def _():
    address = code()
    name(address, PAGE, b"parent")
    equal(lib.in_child(lambda: len(cookies_of())), 0, "cookies of a child")
    before = cookie_count()

    def leave_one():
        name(address, PAGE, b"child")
        return cookie_count()
    equal(lib.in_child(leave_one), before + 1, "cookies while the child is there")
    lib.until(lambda: cookie_count() == before, "the child's cookie is gone")

    child = os.fork()
    if not child:
        name(address, PAGE, b"child")
        os.execvp("sleep", ["sleep", "1000"])
    lib.until(lambda: b"sleep" in lib.read_bytes(f"/proc/{child}/cmdline"), "it execs")
    equal(cookies_of(child), [], "cookies after exec")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    equal(cookie_count(), before)
    unmap(address, PAGE)


@test("only who watches the process hears of it")
def _():
    address = code()
    with stream.Watch(pids=[1]) as other, stream.Watch() as watch:
        name(address, PAGE, b"mine")
        watch.drain()
        other.drain()
    equal([type(r) for r in other.records], [])
    equal([type(r) for r in watch.records], [Cookie])
    unmap(address, PAGE)


@test("more than a user may have: EDQUOT; all of them come through MAPS in pieces")
def _():
    lib.reload()        # files that were named before would make room
    address = code(MAX + 1)
    with Device() as device:
        for page in range(MAX):
            device.name_mapping(address + page * PAGE, PAGE, b"%d" % page)
        fails_with(errno.EDQUOT, device.name_mapping, address + MAX * PAGE, PAGE, b"more")
        equal(rights.in_child_as([], lambda own: own.name_mapping(address, PAGE, b"x")), None,
              "another user's first")
    equal([bytes.fromhex(c.id) for c in cookies_of(room=1 << 14)],
          [b"%d" % page for page in range(MAX)])
    unmap(address, (MAX + 1) * PAGE)
    equal(cookie_count(), 0)


@test("the module goes while a process has cookies; the process lives on")
def _():
    address = code(4)
    name(address, 4 * PAGE, b"code")
    lib.unload()
    unmap(address, PAGE)
    lib.load()
    equal((cookie_count(), cookies_of()), (0, []))
    name(address + PAGE, PAGE, b"again")
    equal(len(cookies_of()), 1)
    unmap(address + PAGE, 3 * PAGE)


@test("threads that map, name, unmap and ask at the same time")
def _():
    before = cookie_count()
    problems = []
    address = code(17)

    def work(number):
        try:
            with Device() as device:
                for i in range(200):
                    at = address + (i * (number + 1) % 16) * PAGE
                    code(2, at, MAP_FIXED)
                    try:
                        device.name_mapping(at, PAGE, b"%d" % i)
                    except OSError as error:
                        equal(error.errno, errno.ENOENT)
                    if i % 20 == 0:
                        cookies_of()
        except Exception as error:
            problems.append(error)
    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(problems, [])
    unmap(address, 17 * PAGE)
    equal(cookie_count(), before)


# ------------------------------------------------------------------ files --

def seen(watch, path):
    _, file = watch.see(lib.map_file, path)
    return file


@test("a file that brings no identity: its owner's cookie is it, till it changes")
def _():
    with lib.tmpfs() as work, stream.Watch() as watch:
        path = os.path.join(work, "plugin.pe")
        lib.write_bytes(path, b"MZ of no ELF file")
        lib.settle_times(path)
        first = seen(watch, path)
        equal((first.kind, first.reason), ("htlhash", "not-elf"))
        for identity in (b"plugin 1.0", bytes(range(128)), bytes(33)):
            name_file(path, identity)
            file = seen(watch, path)
            equal((file.kind, file.id, file.reason, file.path),
                  ("cookie", identity.hex(), "not-elf", path))
            assert file.file_id > first.file_id
        os.chmod(path, 0o500)
        equal(seen(watch, path).kind, "cookie", "kind after chmod")
        stream.flush()
        lib.drop_pages(path)
        equal(seen(watch, path).kind, "cookie", "kind when the cache has forgotten")
        lib.write_bytes(path, b"MZ of another file")
        file = seen(watch, path)
        equal((file.kind, file.id), ("htlhash", lib.htlhash(b"MZ of another file")))
        name_file(path, b"plugin 2.0")
        equal(seen(watch, path).kind, "cookie")
        name_file(path, b"", kind="none")
        equal(seen(watch, path).kind, "htlhash", "kind after it was taken back")
        fails_with(errno.ENOENT, name_file, path, b"", kind="none")


@test("a JIT's memfd, open for writing and mapped")
def _():
    fd = os.memfd_create("jit")
    os.write(fd, b"code")
    with Device() as device, stream.Watch() as watch:
        device.name_fd(fd, b"jit 7")
        address = map_fd(fd, PAGE)
        watch.settle()
        file = watch.file_of(watch.mmaps[-1])
        equal((file.kind, bytes.fromhex(file.id)), ("cookie", b"jit 7"))
        equal(device.resolve_fd(fd).kind, "cookie")
    unmap(address, PAGE)
    os.close(fd)


@test("a mapping or a file is named, and not both at once")
def _():
    address = code(1)
    fails_with(errno.EINVAL, name, address, PAGE, b"x", fd=1)
    fails_with(errno.EINVAL, name_file, built("none"), b"x", addr=address, length=PAGE)
    fails_with(errno.EINVAL, name_file, built("none"), b"x", addr=address)
    fails_with(errno.EINVAL, name_file, built("none"), b"x", length=PAGE)
    unmap(address, PAGE)


@test("content that has an identity of its own cannot be named")
def _():
    fails_with(errno.EEXIST, name_file, built("id20"), b"x")
    fails_with(errno.EEXIST, name_file, built("go"), b"x")
    fails_with(errno.EINVAL, name_file, built("none"), bytes(20), kind="gnu")
    fails_with(errno.EOPNOTSUPP, name_file, "/dev/null", b"x")
    with lib.tmpfs() as work, Device() as device:
        fails_with(errno.EBADF, device.name_fd, 999, b"x")
        path = os.path.join(work, "file")
        lib.write_bytes(path, b"text")
        fd = os.open(path, os.O_WRONLY)
        fails_with(errno.EBADF, device.name_fd, fd, b"x")
        os.close(fd)


@test("another user's file cannot be named, one's own can")
def _():
    with lib.tmpfs() as work:
        path = os.path.join(work, "file")
        lib.write_bytes(path, b"text")
        os.chmod(work, 0o755)

        def name_it(device):
            fd = os.open(path, os.O_RDONLY)
            device.name_fd(fd, b"x")
        equal(rights.in_child_as([], name_it), "EPERM", "another user's file")
        os.chown(path, rights.NOBODY, rights.NOBODY)
        equal(rights.in_child_as([], name_it), None, "one's own")
        name_file(path, b"", kind="none")       # CAP_FOWNER


OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442    # of all architectures
AT_FDCWD, AT_EMPTY_PATH, OPEN_TREE_CLONE, MOVE_MOUNT_F_EMPTY_PATH = -100, 0x1000, 1, 4
MOUNT_ATTR_IDMAP = 0x00100000
CLONE_NEWNS, PR_SET_DUMPABLE = 0x20000, 4


def mount_idmapped(source, target, mapping):
    """As mount --bind, with the uids of a user namespace that has this mapping."""
    tree = lib.check(libc.syscall(OPEN_TREE, AT_FDCWD, source.encode(), OPEN_TREE_CLONE),
                     "open_tree")
    with lib.child(lambda: lib.check(libc.unshare(rights.CLONE_NEWUSER), "unshare")) as namespace:
        for kind in "uid_map", "gid_map":
            with open(f"/proc/{namespace}/{kind}", "w", encoding="ascii") as file:
                file.write(mapping)
        with open(f"/proc/{namespace}/ns/user", "rb") as file:
            attributes = struct.pack("=4Q", MOUNT_ATTR_IDMAP, 0, 0, file.fileno())
            lib.check(libc.syscall(MOUNT_SETATTR, tree, b"", AT_EMPTY_PATH, attributes,
                                   len(attributes)), "mount_setattr")
    lib.check(libc.syscall(MOVE_MOUNT, tree, b"", AT_FDCWD, target.encode(),
                           MOVE_MOUNT_F_EMPTY_PATH), "move_mount")
    os.close(tree)


# uids on the disk, and whether nobody may name the file where it is seen as it is, and where
# they are exchanged
SWAPPED = f"1000 {rights.NOBODY} 1\n{rights.NOBODY} 1000 1\n"
OWNERS = ((1000, "EPERM", "named"), (rights.NOBODY, "named", "EPERM"))


def name_as_nobody(path):
    def name(device):
        with open(path, "rb") as file:
            device.name_fd(file.fileno(), b"a name")
        return "named"
    return rights.in_child_as([], name)


@contextlib.contextmanager
def idmapped():
    """A directory with a file of each of OWNERS, and where their uids are exchanged."""
    with lib.ext4() as work, lib.directory() as shown:
        os.chmod(shown, 0o755)
        for owner, _, _ in OWNERS:
            path = os.path.join(work, str(owner))
            lib.write_bytes(path, b"text", mode=0o644)
            os.chown(path, owner, owner)
        mount_idmapped(work, shown, SWAPPED)
        try:
            yield work, shown
        finally:
            lib.umount(shown)


@test("on an idmapped mount its owner is who is shown as that")
def _():
    with idmapped() as (work, shown):
        for owner, here, there in OWNERS:
            for directory, wanted in (work, here), (shown, there):
                path = os.path.join(directory, str(owner))
                equal(name_as_nobody(path), wanted, path)
            name_file(os.path.join(work, str(owner)), b"", kind="none")


@contextlib.contextmanager
def overlay_of(lower, options=""):
    """As a container has its root."""
    with lib.tmpfs() as upper, lib.directory() as merged:
        for name in "upper", "work":
            os.mkdir(os.path.join(upper, name))
        lib.mount("overlay", merged, "overlay", 0, f"lowerdir={lower},upperdir={upper}/upper,"
                  f"workdir={upper}/work{options}")
        try:
            yield merged
        finally:
            lib.umount(merged)


@test("on an overlay of an idmapped layer its owner is who is shown as that")
def _():
    with idmapped() as (work, shown), overlay_of(shown) as merged:
        for owner, _, wanted in OWNERS:
            path = os.path.join(merged, str(owner))
            may = os.stat(path).st_uid == rights.NOBODY
            equal(may, wanted == "named", f"stat of {path}")
            equal(name_as_nobody(path), wanted, path)
            if may:
                name_file(path, b"", kind="none")


@test("who owns an overlay's copy of the metadata may not name what is another's")
def _():
    with lib.tmpfs() as lower, overlay_of(lower, ",metacopy=on") as merged:
        os.chmod(lower, 0o755)
        lib.write_bytes(os.path.join(lower, "file"), b"root's")
        lib.settle_times(os.path.join(lower, "file"))
        path = os.path.join(merged, "file")
        os.chown(path, rights.NOBODY, rights.NOBODY)
        equal(name_as_nobody(path), "EPERM", path)
        # once it has been copied as a whole it is his
        with open(path, "r+b") as file:
            file.write(b"nobody")
        equal(name_as_nobody(path), "named", path)
        name_file(path, b"", kind="none")


def mount_own_overlay(lower, place):
    """In namespaces of one's own; with the mounter as the owner of root's files where the kernel
    has overlays idmapped, as from Linux 7.3 on."""
    lib.check(libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), "prctl")
    rights.enter_user_namespace()
    lib.check(libc.unshare(CLONE_NEWNS), "unshare")
    merged, shown = (os.path.join(place, name) for name in ("merged", "shown"))
    lib.mount("overlay", merged, "overlay", 0,
              f"lowerdir={lower},upperdir={place}/upper,workdir={place}/work,userxattr")
    try:
        mount_idmapped(merged, shown, "0 0 1\n")
    except OSError as error:
        equal(error.errno, errno.EINVAL, "idmap of an overlay")
        return [merged]
    return [merged, shown]


@test("on an overlay of his own a user names nothing, neither root's files nor his")
def _():
    def name_all(device, lower, place):
        answers = []
        for directory in mount_own_overlay(lower, place):
            for owner in "0", str(rights.NOBODY):
                with open(os.path.join(directory, owner), "rb") as file:
                    try:
                        device.name_fd(file.fileno(), b"FORGED")
                        answers.append(f"named {owner}'s")
                    except OSError as error:
                        answers.append(errno.errorcode[error.errno])
        return answers

    with lib.tmpfs() as work:
        os.chmod(work, 0o755)
        lower, place = (os.path.join(work, name) for name in ("lower", "place"))
        os.mkdir(lower)
        for directory in "", "upper", "work", "merged", "shown":
            os.mkdir(os.path.join(place, directory))
            os.chown(os.path.join(place, directory), rights.NOBODY, rights.NOBODY)
        for owner in 0, rights.NOBODY:
            lib.write_bytes(os.path.join(lower, str(owner)), b"text")
            os.chown(os.path.join(lower, str(owner)), owner, owner)
        answers = rights.in_child_as([], name_all, lower, place)
        equal(set(answers), {"EPERM"}, f"{answers}")
        with stream.Watch() as watch:
            for owner in 0, rights.NOBODY:
                equal(seen(watch, os.path.join(lower, str(owner))).kind, "htlhash", "kind")


@test("too many of a user's files: its oldest goes, nobody else's")
def _():
    with lib.tmpfs() as work, Device() as device:
        paths = [os.path.join(work, str(n)) for n in range(MAX + 1)]
        before = cookie_count()
        os.chmod(work, 0o777)
        lib.write_bytes(paths[0], b"root's")

        def name_all(own):
            for path in paths[1:]:
                lib.write_bytes(path, path.encode())
                fd = os.open(path, os.O_RDONLY)
                own.name_fd(fd, path.encode())
                os.close(fd)
            again = os.path.join(work, "again")
            lib.write_bytes(again, b"one more")
            fd = os.open(again, os.O_RDONLY)
            own.name_fd(fd, b"again")
        name_file(paths[0], b"root's")
        equal(rights.in_child_as([], name_all), None)
        equal(cookie_count(), before + 1 + MAX)

        def kind_of(path):
            with open(path, "rb") as file:
                return device.resolve_fd(file.fileno()).kind
        equal([kind_of(path) for path in (paths[0], paths[1], paths[2],
                                          os.path.join(work, "again"))],
              ["cookie", "htlhash", "cookie", "cookie"])
        with stream.Watch() as watch:
            equal(seen(watch, paths[1]).kind, "htlhash", "kind when it is mapped")
    lib.reload()
    equal(cookie_count(), 0)


def name_pages(device, writer, pages):
    """Writes how many it could, and stays."""
    address = lib.check(libc.mmap(None, pages * PAGE, lib.RX,
                                  mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0), "mmap")
    count = 0
    try:
        for page in range(pages):
            device.name_mapping(address + page * PAGE, PAGE, b"x")
            count += 1
    except OSError as error:
        equal(error.errno, errno.EDQUOT)
    os.write(writer, struct.pack("=I", count))
    signal.pause()


@test("the uids of a user namespace have one share of cookies, that of who made it")
def _():
    counts, writer = os.pipe()

    def name_as(uid, device, namespace):
        rights.enter_namespace_as(uid, namespace)
        name_pages(device, writer, 600)

    with Device() as device:
        before = device.stats()["cookies"]
        with rights.namespace_of_nobody() as namespace:
            pids = [lib.forked(lambda uid=uid: name_as(uid, device, namespace)) for uid in range(3)]
            named = [struct.unpack("=I", os.read(counts, 4))[0] for _ in pids]
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        equal(sum(named), 1024, f"cookies of three uids: {named}")
        lib.until(lambda: device.stats()["cookies"] == before, "all are gone")


@test("a file's cookie goes with its owner")
def _():
    with lib.tmpfs() as work, Device() as device:
        path = os.path.join(work, "file")
        lib.write_bytes(path, b"text")
        lib.settle_times(path)
        with open(path, "rb") as file:
            device.name_fd(file.fileno(), b"root's")
            equal(device.resolve_fd(file.fileno()).kind, "cookie")
            os.chown(path, rights.NOBODY, rights.NOBODY)
            equal(device.resolve_fd(file.fileno()).kind, "htlhash")
            os.chown(path, 0, 0)
            equal(device.resolve_fd(file.fileno()).kind, "cookie")


run()
