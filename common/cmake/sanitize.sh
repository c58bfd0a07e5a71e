#!/bin/sh
# sanitize.sh PROGRAM SIZE…: runs a chapter's GPU program under each tool of compute-sanitizer, at the sizes given. Exits
# with 77 where there is no GPU or no compute-sanitizer.
set -u
program=$1
shift
sizes=$(printf ' --size %s' "$@")
if ! command -v compute-sanitizer >/dev/null 2>&1; then
    echo "skipped: compute-sanitizer is not installed"
    exit 77
fi
"$program" --size "$1" --no-timing >/dev/null
status=$?
[ "$status" -eq 77 ] && exit 77
for tool in memcheck racecheck initcheck synccheck; do
    echo "== $tool"
    compute-sanitizer --tool "$tool" --error-exitcode 3 --print-limit 5 \
        "$program" --no-timing $sizes || exit 1
done
