#!/bin/sh
# sanitize_specimen.sh TOOL PROGRAM: a specimen must be found by a tool of compute-sanitizer. Exits with 77 where there is
# no GPU or no compute-sanitizer, and with 1 if the tool finds nothing.
set -u
if ! command -v compute-sanitizer >/dev/null 2>&1; then
    echo "skipped: compute-sanitizer is not installed"
    exit 77
fi
if ! nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
    echo "skipped: there is no GPU"
    exit 77
fi
out=$(timeout 60 compute-sanitizer --tool "$1" --print-limit 3 "$2" 2>&1)
echo "$out"
summary=$(echo "$out" | grep -E 'ERROR SUMMARY|RACECHECK SUMMARY')
case $summary in
    "") echo "$1 gave no summary"; exit 1 ;;
    *"SUMMARY: 0 "*) echo "$1 found nothing in $2"; exit 1 ;;
esac
