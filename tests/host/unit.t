#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The unit tests of tool/.
exec nice make -s -C "$(dirname "$0")/../../tool" check
