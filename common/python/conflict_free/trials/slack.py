"""Measures how much room the limits of a task.toml leave.

    python common/python/conflict_free trials.slack NAME --build-dir DIR [--draws N]

A threshold may be at most a tenth above the dearest right answer. A limit of `[kernels]` may be at most a tenth above the dearest answer
that it must let pass: a right answer, or one that a threshold stops with its lesson. Defaults of `KernelWork` for atomic operations,
launches and instructions are not measured: they are far above what most tasks need.

The limit of time must leave room, because a busy or slow machine takes longer: every answer has to score the same with a third of it.
"""

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conflict_free.console import FAILED, OneLineParser, run_main, say
from conflict_free.grading.assignment import Assignment
from conflict_free.grading.building import Toolchain
from conflict_free.grading.cases import seed_of
from conflict_free.grading.counting_checks import names_of, values_of
from conflict_free.grading.data_checks import few_lanes
from conflict_free.grading.parts import KernelWork
from conflict_free.grading.result import COUNTS
from conflict_free.grading.running import Run

from . import answers, templates
from .confinement import confined
from .draws import outcomes

#: The most that a limit may be above the dearest answer.
MOST = 1.1
#: The least that the limit of time may be above the time of the slowest answer, on a machine that does nothing else.
LEAST_TIMES = 3


def used(task: Assignment, run: Run) -> Iterator[tuple[str, float]]:
    """Yield the name of each limit, and how much of it a run uses. Upper limits of 0 and lower limits of at most 1 are left out: they leave
    no room, or every run meets them.
    """
    names = names_of(run)
    for threshold in task.thresholds:
        _, limit, part = values_of(threshold, names)
        if limit > (0 if threshold.is_upper else 1):
            yield f"thresholds.{threshold.name}", part
    for name, made, most in few_lanes(names, task):
        if most and getattr(task.kernels, name) != getattr(KernelWork, name):
            yield f"kernels.{name}", made / most


def dearest(task: Assignment, runs: Mapping[str, Sequence[Run]]) -> dict[str, tuple[float, str]]:
    """Return the largest part of each limit that an answer uses, and that answer. ``runs`` are those of the answers by name."""
    outcomes_by_name = task.outcomes()
    found: dict[str, tuple[float, str]] = {}
    for answer, each in runs.items():
        for run in each:
            for name, part in used(task, run):
                if not outcomes_by_name[answer].fails or name.startswith("kernels."):
                    found[name] = max(found.get(name, (0.0, "")), (part, f"{answer}, {run.case.name}: {run.case.sizes}"))
    return found


def complaints(found: Mapping[str, tuple[float, Any]]) -> Iterator[str]:
    """Yield a line for each limit that leaves too much room."""
    for name, (part, _) in found.items():
        if part * MOST < 1 - 1e-9:
            yield f"{name}: the dearest answer uses {part:.3f} of it, at least {1 / MOST:.3f} is accepted"


def hurried(task: Assignment) -> Assignment:
    """Return an assignment whose answers get as little time as they may need."""
    return replace(task, limits=replace(task.limits, seconds=task.limits.seconds / LEAST_TIMES))


def measured(task: Assignment) -> list[str]:
    """Return the names of the answers that must pass all limits of `[kernels]`."""
    expected = ((name, outcome.fails) for name, outcome in task.outcomes().items() if name not in templates.EXPECTED)
    return [name for name, fails in expected if not fails or fails.startswith(COUNTS)]


def main() -> int:
    parser = OneLineParser(prog="python common/python/conflict_free trials.slack", description=__doc__.splitlines()[0])
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--build-dir", metavar="DIR", type=Path, required=True)
    parser.add_argument("--draws", metavar="N", type=int, default=40)
    options: argparse.Namespace = parser.parse_args()
    task, tools, is_confined = templates.load(options.name), Toolchain.of(options.build_dir), confined()
    seeds = [seed_of(task.name, None, f"draw {number}") for number in range(options.draws)]
    with tempfile.TemporaryDirectory() as scratch:
        files = answers.submissions(task, Path(scratch))
        found = dearest(task, {name: outcomes(task, files[name], tools, seeds, confined=is_confined)[1] for name in measured(task)})
    for name, (part, where) in found.items():
        say(f"{task.name}: {name}: {part:.3f} ({where})")
    in_less_time = answers.grade_all(hurried(task), tools, confined=is_confined)
    wrong = [*complaints(found), *(f"with 1/{LEAST_TIMES} of the time, {each}" for each in answers.complaints(task, in_less_time))]
    for complaint in wrong:
        say(f"{task.name}: {complaint}")
    return FAILED if wrong else 0


if __name__ == "__main__":
    run_main(main)
