"""scripts/test: does the set-up, builds everything and runs the tests. The last lines are CTest's, and one on the tests left out."""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from conflict_free.console import ROOT, USAGE, OneLineParser, Stop, say
from conflict_free.setup import cmake, setup

_LONG = "long"
_EVERYTHING = ("all", "book")
#: The targets that tests need, by the beginning of a test's name. The first pattern that matches counts.
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
    """Return the script's options, and the arguments after `--`, which are for CTest."""
    ours, ctest = arguments, []
    if "--" in arguments:
        at = arguments.index("--")
        ours, ctest = arguments[:at], arguments[at + 1 :]
    parser = OneLineParser(
        prog="scripts/test",
        usage="scripts/test [--all | --only PATTERN] [-- CTEST-ARGUMENT ...]",
        description="Does all the set-up, builds everything, the book included, and runs the tests. Without --all it runs a sample of "
        "the long series, such as all answers of all assignments. The exit code is CTest's; 2: wrong arguments, or system "
        "packages that may not be installed.",
        epilog="examples: scripts/test --only chapter.copy; scripts/test -- --rerun-failed",
    )
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--all", action="store_true", help="run all tests of the long series")
    chosen.add_argument("--only", metavar="PATTERN", help="build and run only the tests whose names match this regular expression")
    options = parser.parse_args(ours)
    if options.only is not None:
        try:
            re.compile(options.only)
        except re.error as error:
            raise Stop(f"argument --only: {options.only!r} is not a regular expression: {error}", USAGE) from error
    return options, ctest


def targets_of(names: Iterable[str]) -> list[str]:
    """Return the targets that tests need, each once; all targets if a test is of no known kind."""
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


def _names(tools: cmake.Tools, build: Path, *selection: str) -> list[str]:
    """Return the names of a build folder's tests that options of CTest select."""
    done = subprocess.run([tools.ctest, "--test-dir", build, "--show-only=json-v1", *selection], capture_output=True, text=True)
    try:
        return [test["name"] for test in json.loads(done.stdout)["tests"]]
    except (ValueError, KeyError) as error:
        raise Stop(f"CTest cannot list the tests of {build}: {done.stderr.strip() or error}") from error


def _wanted(tools: cmake.Tools, build: Path, pattern: str) -> list[str]:
    """Return the names of the tests that match a pattern; the pattern itself if no test does, for CTest may not know the test yet."""
    return [name for name in _names(tools, build) if re.search(pattern, name)] or [pattern]


def left_out(names: Sequence[str]) -> str:
    """Return one line on the long tests that were not run: the name of each series, and the number of its tests."""
    series = collections.Counter(re.sub(r"(?<=model\.program\.)\w+|(?<=assignment\.)\w+|(?<=long\.)\d+", "*", name) for name in names)
    listed = ", ".join(f"{name} ({number})" if number > 1 else name for name, number in series.items())
    return f"Left out of the long series: {listed}. scripts/test --all runs them."


def _no_sandbox(tools: cmake.Tools) -> str:
    """Return why commands cannot be confined here; an empty text if they can. Only the virtual environment has the filter's package."""
    command = [tools.python, ROOT / "common" / "python" / "conflict_free", "grading.sandbox"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def main() -> int:
    options, ctest_arguments = parse(sys.argv[1:])
    tools = setup.set_up(tests=True, mpi=options.all, beside=cmake.begin_build)
    if reason := _no_sandbox(tools):
        say(f"Sandbox: none ({reason}); the tests that need one are skipped")
    build = cmake.configure(tools)
    if options.only is None:
        # One call, so that no core waits for the end of one part before the next begins.
        cmake.build(tools, "everything", *_EVERYTHING, *(["graded"] if options.all else []))
        ctest_arguments = ["-LE", "^sample$" if options.all else f"^{_LONG}$", *ctest_arguments]
    else:
        for target in targets_of(_wanted(tools, build, options.only)):
            cmake.build(tools, target, target)
        if not _names(tools, build, "-R", options.only):
            raise Stop(f"argument --only: no test's name matches {options.only!r}; ctest -N --test-dir {build} lists them", USAGE)
        ctest_arguments = ["-R", options.only, *ctest_arguments]
    # Two more than cores: some tests mostly wait, for example for a limit that ends a program.
    code = cmake.test(tools, "-j", str((os.cpu_count() or 1) + 2), *ctest_arguments)
    if options.only is None and not options.all:
        say(left_out(_names(tools, build, "-L", f"^{_LONG}$")))
    return code
