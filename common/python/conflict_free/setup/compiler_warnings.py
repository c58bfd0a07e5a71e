"""Warnings of the compilers about the files in the build folder. Standard library only.

A warning does not stop a build, because readers have compilers that we have not tried. It is shown, is kept until its file is
compiled again, and fails the test scripts.warnings.
"""

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path

from conflict_free.console import FAILED, run_main, say

from .folders import read

_FILE = "warnings.json"
_EDGE = re.compile(r"\[\d+/\d+\] (?:Building \w+ object|Linking .*) (\S+)$")
_WARNING = re.compile(r"\bwarning(?:: | #\d+)")


def _kept(build: Path) -> dict[str, list[str]]:
    """Return the kept warnings by object file. Warnings of deleted files are dropped."""
    there = json.loads(read(build / _FILE) or "{}")
    return {made: lines for made, lines in there.items() if (build / made).exists()}


def keep(build: Path, lines: Sequence[str]) -> None:
    """Show the warnings in the output of a build, and keep them in the build folder."""
    kept, made = _kept(build), ""
    for line in lines:
        if line.startswith("["):
            found = _EDGE.match(line)
            made = found[1] if found else ""
            kept.pop(made, None)
        elif made and _WARNING.search(line):
            kept.setdefault(made, []).append(line)
            say(f"  | {line}")
    (build / _FILE).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="Prints the kept warnings. Exit code 1 if there are any.")
    parser.add_argument("build", type=Path, help="the build folder")
    kept = _kept(parser.parse_args().build)
    for lines in kept.values():
        for line in lines:
            say(line)
    return FAILED if kept else 0


if __name__ == "__main__":
    run_main(main)
