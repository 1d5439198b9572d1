#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The mapped ring, consumers that lie, and waiting for records.
exec build/tests/ring
