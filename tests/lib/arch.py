# SPDX-License-Identifier: GPL-2.0
"""What differs between architectures."""
import os

MACHINE = os.uname().machine
LIBRARIES = f"/usr/lib/{MACHINE}-linux-gnu"

if MACHINE == "x86_64":
    LOADER = "/lib64/ld-linux-x86-64.so.2"
    SYS_READ, SYS_WRITE, SYS_MMAP, SYS_IOCTL, SYS_READV, SYS_EXIT = 0, 1, 9, 16, 19, 60
    SYS_CAPSET, SYS_PIVOT_ROOT, SYS_CLOCK_NANOSLEEP = 126, 155, 230
    SYS_DELETE_MODULE, SYS_FINIT_MODULE = 176, 313
    KPROBES_USE_FTRACE = True
    # In the stack of a function that has not made its frame yet.
    ENTRY_MISSES_CALLER = False
    # mov eax, 42; ret
    RETURN_42 = bytes.fromhex("b82a000000c3")
else:
    assert MACHINE == "aarch64", MACHINE
    LOADER = "/lib/ld-linux-aarch64.so.1"
    SYS_READ, SYS_WRITE, SYS_MMAP, SYS_IOCTL, SYS_READV, SYS_EXIT = 63, 64, 222, 29, 65, 93
    SYS_CAPSET, SYS_PIVOT_ROOT, SYS_CLOCK_NANOSLEEP = 91, 41, 115
    SYS_DELETE_MODULE, SYS_FINIT_MODULE = 106, 273
    # They are breakpoints.
    KPROBES_USE_FTRACE = False
    ENTRY_MISSES_CALLER = True
    # mov w0, 42; ret
    RETURN_42 = bytes.fromhex("40058052c0035fd6")
