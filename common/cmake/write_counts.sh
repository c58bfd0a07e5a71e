#!/bin/sh
# write_counts.sh FILE PROGRAM [ARGUMENT...]: runs a program that writes FILE, and keeps in FILE.log what it prints and its exit
# code. Exit code 1, a check or an expectation that does not hold, is no error as long as the file is written: the file says what
# did not hold.
# write_counts.sh --check FILE: prints what the program has printed, and ends with its exit code.
if [ "$1" = --check ]; then
    cat "$2.log" || exit 1
    exit "$(sed -n '$s/^exit code //p' "$2.log")"
fi
file=$1
shift
rm -f "$file" "$file.log"
"$@" > "$file.log" 2>&1
code=$?
echo "exit code $code" >> "$file.log"
if [ "$code" -eq 0 ] || { [ "$code" -eq 1 ] && [ -s "$file" ]; }; then
    exit 0
fi
cat "$file.log"
exit "$code"
