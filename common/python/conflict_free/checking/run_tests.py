# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""scripts/test: set-up, the preset `ci` with everything in it, every test. CTest speaks last."""

from __future__ import annotations

import os
import sys

from conflict_free.console import OneLineParser, say
from conflict_free.grading import sandbox
from conflict_free.setup import setup

PRESET = "ci"


def parse(arguments: list[str]) -> list[str]:
    """The arguments after `--`, which go to CTest unread. We have no options of our own but --help."""
    ours, ctest = arguments, []
    if "--" in arguments:
        at = arguments.index("--")
        ours, ctest = arguments[:at], arguments[at + 1:]
    parser = OneLineParser(
        prog="scripts/test",
        usage="scripts/test [-- CTEST-ARGUMENT ...]",
        description="Does all the set-up, builds everything with warnings as errors, the book "
        "included, and runs every test. The exit code is CTest's; 2: wrong arguments, or system "
        "packages that may not be installed.",
        epilog="example: scripts/test -- -R chapter.copy",
    )
    parser.parse_args(ours)
    return ctest


def main() -> int:
    ctest_arguments = parse(sys.argv[1:])
    tools = setup.set_up(tests=True)
    if reason := sandbox.available():
        say(f"Sandbox: none ({reason}); the tests that need one are skipped")
    setup.configure(tools, PRESET)
    setup.build(tools, PRESET, "everything")
    setup.build(tools, PRESET, "the book", "book")
    return setup.test(tools, PRESET, "-j", str(os.cpu_count() or 1), *ctest_arguments)
