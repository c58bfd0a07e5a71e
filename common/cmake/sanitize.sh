#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
#
# sanitize.sh PROGRAM: runs a chapter's GPU program under each tool of compute-sanitizer, at sizes that are small, not
# square and not multiples of the tile. Exits with 77 where there is no GPU or no compute-sanitizer.
set -u
program=$1
if ! command -v compute-sanitizer >/dev/null 2>&1; then
    echo "skipped: compute-sanitizer is not installed"
    exit 77
fi
"$program" --size 1 --no-timing >/dev/null
status=$?
[ "$status" -eq 77 ] && exit 77
for tool in memcheck racecheck initcheck synccheck; do
    echo "== $tool"
    compute-sanitizer --tool "$tool" --error-exitcode 3 --print-limit 5 \
        "$program" --no-timing --size 96x64 --size 100x70 --size 33x31 --size 1x1 || exit 1
done
