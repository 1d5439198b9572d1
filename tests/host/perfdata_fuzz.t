#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
exec make -s -C "$(dirname "$0")/../fuzz" check-perfdata
