#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What reads files that anybody can have made, fuzzed for a minute each.
exec nice "$(dirname "$0")/../fuzz/run" --short
