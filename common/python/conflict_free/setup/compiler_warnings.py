# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What compilers warned of as they made what lies in the build folder. Standard library only.

Everybody's build has the same options, so that nothing is compiled twice, and a compiler that nobody here has tried stops no
reader: a warning is no error of the build. It is shown, kept until its file is compiled anew, and fails the test scripts.warnings.
"""

from __future__ import annotations

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
    """Return the warnings by the file that was made; those of files that are gone are forgotten."""
    there = json.loads(read(build / _FILE) or "{}")
    return {made: lines for made, lines in there.items() if (build / made).exists()}


def keep(build: Path, lines: Sequence[str]) -> None:
    """Take the warnings from the output of a build, show them, and keep them in the build folder."""
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
    parser = argparse.ArgumentParser(description="Exit code 1 if a compiler has warned of something; the warnings are printed.")
    parser.add_argument("build", type=Path, help="the build folder")
    kept = _kept(parser.parse_args().build)
    for lines in kept.values():
        for line in lines:
            say(line)
    return FAILED if kept else 0


if __name__ == "__main__":
    run_main(main)
