#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# As abi.t, from a 32-bit program.
exec build/tests/abi32
