# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""scripts/test: set-up, the preset `ci` with everything in it, every test. CTest speaks last."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from conflict_free.console import ROOT, USAGE, OneLineParser, Stop, say
from conflict_free.setup import cmake, setup

PRESET = "ci"

_EVERYTHING = ("all", "book")
#: What tests need that is built, by how their names begin. The first line that fits counts.
_NEEDS = (
    (r"chapter\.(\w+)\.", (r"chapters/\1/all", "conflict_free_cudart", "conflict_free_cuda")),
    (r"assignment\.(\w+)", (r"\1_graded",)),
    (r"assignments\.", ("cheats_graded",)),
    (r"python\.(grading|counting|installed|sandbox)", ("grading_toolchain", "common/model/all", "book_pages")),
    (r"python\.", ()),
    (r"book\.python", ("counts", "doxygen")),
    (r"book\.spelling", ("book_pages",)),
    (r"book\.", ("book",)),
    (r"scripts\.(check|counts)", ()),
    (r"scripts\.shown_code", ("all", "book")),
    (r"scripts\.", ("counts", "book")),
    (r"model\.program\.(\w+)", (r"model_program_\1", "conflict_free_cudart", "conflict_free_cuda")),
    (r"model\b", ("common/model/all",)),
    (r"harness\b", ("common/harness/all",)),
)


def parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Our options, and the arguments after `--`, which go to CTest unread."""
    ours, ctest = arguments, []
    if "--" in arguments:
        at = arguments.index("--")
        ours, ctest = arguments[:at], arguments[at + 1 :]
    parser = OneLineParser(
        prog="scripts/test",
        usage="scripts/test [--only PATTERN] [-- CTEST-ARGUMENT ...]",
        description="Does all the set-up, builds everything with warnings as errors, the book "
        "included, and runs every test. The exit code is CTest's; 2: wrong arguments, or system "
        "packages that may not be installed.",
        epilog="examples: scripts/test --only chapter.copy; scripts/test -- --rerun-failed",
    )
    parser.add_argument(
        "--only", metavar="PATTERN", help="run the tests whose names have this regular expression, and build what they need"
    )
    options = parser.parse_args(ours)
    if options.only is not None:
        try:
            re.compile(options.only)
        except re.error as error:
            raise Stop(f"argument --only: {options.only!r} is no regular expression: {error}", USAGE) from error
    return options, ctest


def targets_of(names: Iterable[str]) -> list[str]:
    """What is to be built for tests, in an order without repetitions; everything if one of them is of no known kind."""
    targets: dict[str, None] = {}
    for name in names:
        for pattern, needed in _NEEDS:
            found = re.match(pattern, name)
            if found:
                targets.update(dict.fromkeys(found.expand(target) for target in needed))
                break
        else:
            return list(_EVERYTHING)
    return list(targets)


def _wanted(tools: cmake.Tools, build: Path, pattern: str) -> list[str]:
    """The names of the tests that a pattern chooses; the pattern itself where the tests that it names are not built yet."""
    done = subprocess.run([tools.ctest, "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True)
    try:
        names = [test["name"] for test in json.loads(done.stdout)["tests"]]
    except (ValueError, KeyError) as error:
        raise Stop(f"CTest does not tell the tests of {build}: {done.stderr.strip() or error}") from error
    return [name for name in names if re.search(pattern, name)] or [pattern]


def _no_sandbox(tools: cmake.Tools) -> str:
    """Why commands cannot be confined here, or nothing. The virtual environment is asked: only there is what makes the filter."""
    command = [tools.python, ROOT / "common" / "python" / "conflict_free", "grading.sandbox"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def main() -> int:
    options, ctest_arguments = parse(sys.argv[1:])
    tools = setup.set_up(tests=True)
    if reason := _no_sandbox(tools):
        say(f"Sandbox: none ({reason}); the tests that need one are skipped")
    build = cmake.configure(tools, PRESET)
    if options.only is None:
        cmake.build(tools, PRESET, "everything")
        cmake.build(tools, PRESET, "the book", "book")
        cmake.build(tools, PRESET, "the graded answers", "graded")
    else:
        for target in targets_of(_wanted(tools, build, options.only)):
            cmake.build(tools, PRESET, target, target)
        ctest_arguments = ["-R", options.only, *ctest_arguments]
    return cmake.test(tools, PRESET, "-j", str(os.cpu_count() or 1), *ctest_arguments)
