#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The ioctls and read(2), as a program sees them that knows buildid.h alone.
exec build/tests/abi
