#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
exec nice "$(dirname "$0")/../../scripts/lint"
