#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What perf 7.2 says of a session whose contents are replaced meanwhile."""

import perf_scenarios
from tap import run

perf_scenarios.add_tests("7.2", stock_is_wrong=False)
run()
