#!/bin/sh
# check_figures.sh PROGRAM FIGURE<FIGURE|NUMBER…: runs a specimen on the GPU and compares the figures that it prints.
# Exits with 77 where there is no GPU, and with 1 if a comparison is false or its figure is missing.
set -u
program=$1
shift
if ! nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
    echo "skipped: there is no GPU"
    exit 77
fi
said=$(timeout 60 "$program")
status=$?
echo "$said"
# 1 says that the output is wrong, as it is in some specimens.
[ "$status" -le 1 ] || { echo "$program ended with $status"; exit 1; }
for comparison in "$@"; do
    echo "$said" | awk -v less="${comparison%%<*}" -v more="${comparison#*<}" '
        $1 == "figure" { figure[$2] = $3 + 0; known[$2] = 1 }
        END {
            if (!(less in known)) { print "no figure " less; exit 1 }
            if (more ~ /^[0-9.]+$/) figure[more] = more + 0
            else if (!(more in known)) { print "no figure " more; exit 1 }
            if (!(figure[less] < figure[more])) { print "not so: " less " < " more; exit 1 }
        }' || exit 1
done
