"""The arguments of scripts/grade. Standard library only: they are parsed before the set-up and again after it."""

import argparse
import os
import re
from dataclasses import dataclass
from pathlib import Path

from conflict_free.arguments import can_be_written, existing_folder, output_file, whole_number
from conflict_free.console import ROOT, OneLineParser

SECRET = "CONFLICT_FREE_SECRET"
#: CMake writes this file into a build folder that has the grader's tools.
TOOLCHAIN = "grading_toolchain.json"
#: More processes than any of the intended machines has cores.
MOST_JOBS = 1024
#: More machines than any course has.
MOST_SHARDS = 10_000
#: The places of assignments, from the repository's root.
TASKS = "chapters/*/assignment/task.toml"


@dataclass(frozen=True)
class Shard:
    """One share of a class: share ``number`` (from 1) of ``of`` shares."""

    number: int
    of: int


def assignment_names() -> list[str]:
    """The names of all assignments, sorted."""
    return sorted(path.parents[1].name for path in ROOT.glob(TASKS))


def _assignment(name: str) -> str:
    known = assignment_names()
    if name not in known:
        raise argparse.ArgumentTypeError(f"{name!r} given, one of {', '.join(known) or 'none yet'} is accepted")
    return name


def output_folder(text: str) -> Path:
    """The type of a folder that can be written to or created."""
    path = Path(text)
    there = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    if not can_be_written(there):
        raise argparse.ArgumentTypeError(f"{text!r} given, a folder that can be written to is accepted")
    return path


def _build_folder(text: str) -> Path:
    if not (Path(text) / TOOLCHAIN).is_file():
        raise argparse.ArgumentTypeError(f"{text!r} given, a build folder of this repository is accepted")
    return Path(text)


def _compiler(text: str) -> Path:
    if not os.access(text, os.X_OK) or not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"{text!r} given, a program is accepted")
    return Path(text)


def _add_grading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that grades."""
    add = parser.add_argument
    add(
        "--secret",
        metavar="TEXT",
        default=os.environ.get(SECRET, ""),
        help=f"varies hidden sizes and data from course to course (default: what the environment has as {SECRET})",
    )
    add("--gpu", action="store_true", help="also time it on this machine's GPU")
    add("--no-sandbox", dest="confined", action="store_false", help="run it without a sandbox: for your own code only")
    add("--build-dir", metavar="DIR", type=_build_folder, help="take the tools from this build folder of the repository, and build nothing")
    add("--nvcc", metavar="FILE", type=_compiler, help="the CUDA compiler for --gpu (default: the one that is installed)")


def _add_run(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("assignment", metavar="NAME", type=_assignment)
    add("submission", metavar="SUBMISSION.cu", type=Path)
    add("--student", metavar="ID", help="varies hidden sizes and data from student to student")
    add("--json", metavar="F", type=output_file, help="write the result to this file")
    add("--gradescope", metavar="F", type=output_file, help="write the result as Gradescope reads it")
    add("--classroom50", metavar="F", type=output_file, help="write the result as Classroom 50 reads it")
    add("--junit", metavar="F", type=output_file, help="write the result as JUnit XML")
    add("--picture", metavar="F.svg", type=output_file, help="write the map of the access that a check is about")
    _add_grading_options(parser)


def _shard(text: str) -> Shard:
    found = re.fullmatch(r"([0-9]{1,5})/([0-9]{1,5})", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]) <= MOST_SHARDS:
        raise argparse.ArgumentTypeError(f"{text!r} given, K/N with K from 1 to N and N up to {MOST_SHARDS} is accepted")
    return Shard(int(found[1]), int(found[2]))


def _add_run_all(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("assignment", metavar="NAME", type=_assignment)
    add("folder", metavar="DIR", type=existing_folder, help="has STUDENT.cu or STUDENT/….cu of each student")
    add("--csv", metavar="F", type=output_file, required=True, help="write a row for each student to this file")
    add("--json-dir", metavar="D", type=output_folder, help="write each result to D/STUDENT.json")
    add("--gradescope-dir", metavar="D", type=output_folder, help="write each result as Gradescope reads it to D/STUDENT/results.json")
    add("--junit", metavar="F", type=output_file, help="write all results as JUnit XML")
    add("--shard", metavar="K/N", type=_shard, help="grade the K-th of N shares of the class alone; `merge` joins their CSV files")
    add("--kept", metavar="D", type=output_folder, help="keep results in this folder (default: build/grades)")
    add(
        "--jobs",
        metavar="N",
        type=whole_number(MOST_JOBS),
        help="how many are graded at a time (default: as many as there are cores; 1 with --gpu)",
    )
    _add_grading_options(parser)


def _add_merge(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--csv", metavar="F", type=output_file, required=True, help="write the CSV of the whole class to this file")
    add("parts", metavar="PART", type=Path, nargs="+", help="the CSV files of all shares")


def _add_watch(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("assignment", metavar="NAME", type=_assignment)
    add("submission", metavar="FILE", type=Path)
    add("--student", metavar="ID", help="varies hidden sizes and data from student to student")
    add("--once", action="store_true", help="grade and show once, and do not wait for a change")
    _add_grading_options(parser)


def parser() -> argparse.ArgumentParser:
    """Return the parser. It sets `command` to the name of the command, and `builds` to whether the command needs the built tools."""
    made = OneLineParser(
        prog="scripts/grade",
        description="Hands out assignments and grades what comes back, without a GPU. "
        "Exit code: 0 if all checks passed, 1 if some failed, 2 for wrong arguments.",
    )
    commands = made.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=OneLineParser)

    def command(name: str, words: str, *, builds: bool = False) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=words, description=words)
        added.set_defaults(builds=builds)
        return added

    command("list", "List the assignments.")
    added = command("release", "Write what students get into a new folder.")
    added.add_argument("assignment", metavar="NAME", type=_assignment)
    added.add_argument("folder", metavar="DIR", type=Path)
    _add_run(command("run", "Grade one submission.", builds=True))
    _add_run_all(
        command(
            "run-all",
            "Grade a folder of submissions. An interrupted run keeps its results and goes on where it was. "
            "Exit code: 0 if each was graded, whatever its points, 1 if the grader failed on one.",
            builds=True,
        )
    )
    _add_merge(
        command(
            "merge",
            "Join the CSV files of a class's shares to the one that a single machine would have written. "
            "Exit code: as run-all's; 2 for parts that do not belong together.",
        )
    )
    _add_watch(command("watch", "Grade a file each time it is saved, and show what is left to do.", builds=True))
    added = command("answer", "Print an answer whose outcome is known, whole; without ANSWER, the names of all and what each scores.")
    added.add_argument("assignment", metavar="NAME", type=_assignment)
    added.add_argument("answer", metavar="ANSWER", nargs="?")
    added = command("hint", "Show a hint; the second says more.")
    added.add_argument("assignment", metavar="NAME", type=_assignment)
    added.add_argument("number", metavar="1|2", nargs="?", type=int, choices=(1, 2), default=1)
    return made
