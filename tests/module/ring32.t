#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# As ring.t, from a 32-bit program.
exec build/tests/ring32
