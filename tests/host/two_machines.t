#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Recorded in one guest, read in another with another kernel: tests/perf/two_machines.t.
set -euo pipefail
cd "$(dirname "$0")/../.."
flock tests/Makefile make -s -C tests >&2

carried=build/tests/two-machines
rm -rf "$carried"
mkdir -p "$carried"
scripts/vm --kernel 6.12 --mem 3G --smp 1 -- tests/src/two-machines /opt/two-machines > "$carried/tar"
tar -C "$carried" -xf "$carried/tar"
exec scripts/vm --kernel 6.1 --mem 3G --smp 1 -- tests/run tests/perf/two_machines.t
