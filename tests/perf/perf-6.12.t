#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What perf 6.12 says of a session whose contents are replaced meanwhile."""

import perf_scenarios
from tap import run

perf_scenarios.add_tests("6.12", stock_is_wrong=True)
run()
