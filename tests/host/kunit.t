#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
cd "$(dirname "$0")/../.." && exec scripts/vm --kernel debug -- tests/kunit
