# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The command line of scripts/grade, in the virtual environment."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from console import FAILED, USAGE, OneLineParser, Stop, run_main, say

from . import assignment, feedback, release, sandbox
from .assignment import Assignment, AssignmentError
from .building import GRADING_TOOLCHAIN, Toolchain
from .judging import grade
from .result import Result

SECRET = "CONFLICT_FREE_SECRET"


# --- arguments -----------------------------------------------------------------------------------


def _output(text: str) -> Path:
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text!r} given, a file in a folder that can be written is accepted")
    return path


def _folder(text: str) -> Path:
    if not (Path(text) / GRADING_TOOLCHAIN).is_file():
        raise argparse.ArgumentTypeError(f"{text!r} given, a build folder of this repository is accepted")
    return Path(text)


def _assignment(name: str) -> Assignment:
    try:
        return assignment.load(name)
    except AssignmentError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_grading_options(parser: argparse.ArgumentParser) -> None:
    """Add what every command that grades accepts."""
    add = parser.add_argument
    add("--secret", metavar="TEXT", default=os.environ.get(SECRET, ""),
        help=f"varies hidden sizes and data from course to course (default: the environment's {SECRET})")
    add("--gpu", action="store_true", help="also time it on this machine's GPU")
    add("--no-sandbox", dest="confined", action="store_false", help="run without a sandbox: for your own code only")
    add("--build-dir", metavar="DIR", type=_folder, help=argparse.SUPPRESS)


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="scripts/grade", description=__doc__, add_help=True)
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=OneLineParser)

    def command(name: str, run, words: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=words, description=words)
        made.set_defaults(command=run)
        return made

    command("list", _list, "Lists the assignments.")
    released = command("release", _release, "Writes what students get into a new folder.")
    released.add_argument("assignment", metavar="NAME", type=_assignment)
    released.add_argument("folder", metavar="DIR", type=Path)
    run = command("run", _run, "Grades one submission.")
    run.add_argument("assignment", metavar="NAME", type=_assignment)
    run.add_argument("submission", metavar="SUBMISSION.cu", type=Path)
    run.add_argument("--student", metavar="ID", help="varies hidden sizes and data from student to student")
    run.add_argument("--json", metavar="F", type=_output, help="also write the result to this file")
    run.add_argument("--picture", metavar="F.svg", type=_output, help="write the picture of the access in question to this file")
    add_grading_options(run)
    hint = command("hint", _hint, "Shows a hint; the second says more.")
    hint.add_argument("assignment", metavar="NAME", type=_assignment)
    hint.add_argument("number", nargs="?", type=int, choices=(1, 2), default=1)
    return parser


# --- commands ------------------------------------------------------------------------------------


def require_sandbox(confined: bool) -> None:
    """Raise Stop if a submission cannot be confined here; warn if it is not to be."""
    if not confined:
        print("warning: without a sandbox: the submission can do all that you can", file=sys.stderr, flush=True)
    elif reason := sandbox.available():
        raise Stop(f"no sandbox here: {reason}; for your own code, --no-sandbox is accepted", USAGE)


def _list(options: argparse.Namespace) -> int:
    for name in assignment.names():
        found = assignment.load(name)
        say(f"{name:<28} {found.max_points:>3} points, about {found.minutes} minutes  {found.title}")
    return 0


def _release(options: argparse.Namespace) -> int:
    for path in release.release(options.assignment, options.folder):
        say(str(path))
    return 0


def _run(options: argparse.Namespace) -> int:
    require_sandbox(options.confined)
    result = grade(options.assignment, options.submission, tools=Toolchain.of(options.build_dir), student=options.student,
                   secret=options.secret, confined=options.confined, gpu=options.gpu)
    feedback.show(result)
    _write(options, result)
    return 0 if result.passed else FAILED


def _write(options: argparse.Namespace, result: Result) -> None:
    if options.json:
        write_file(options.json, result.to_text(), "--json")


def write_file(path: Path, text: str, option: str) -> None:
    """Write a file whole or not at all. Raises Stop."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Stop(f"{option} {path}: cannot be written: {error.strerror}", USAGE) from error


def _hint(options: argparse.Namespace) -> int:
    say(options.assignment.hints[options.number - 1])
    return 0


def main() -> int:
    options = _parser().parse_args()
    try:
        return options.command(options)
    except AssignmentError as error:
        raise Stop(str(error), USAGE) from error


if __name__ == "__main__":
    run_main(main)
