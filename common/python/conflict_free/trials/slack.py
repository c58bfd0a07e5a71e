# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Measures how much room the limits of a task.toml leave above its dearest right answer: at most a tenth.

    python common/python/conflict_free trials.slack NAME --build-dir DIR [--draws N]

The thresholds and the limits of `[kernels]` are measured. Only a limit on atomic operations may leave more room: most tasks need none.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conflict_free.console import FAILED, OneLineParser, run_main, say
from conflict_free.grading import assignment
from conflict_free.grading.assignment import Assignment
from conflict_free.grading.building import Toolchain
from conflict_free.grading.cases import seed_of
from conflict_free.grading.counting_checks import names_of, values_of
from conflict_free.grading.data_checks import few_lanes
from conflict_free.grading.running import Run

from . import answers
from .confinement import confined
from .draws import outcomes

MOST = 1.1
#: Most tasks need no atomic operations at all.
MAY_LEAVE_ROOM = ("kernels.atomics",)


def used(task: Assignment, run: Run) -> Iterator[tuple[str, float]]:
    """Yield the name of each limit, and how much of it a run uses. A limit of 0 leaves no room."""
    names = names_of(run)
    for threshold in task.thresholds:
        _, limit, part = values_of(threshold, names)
        if limit:
            yield f"thresholds.{threshold.name}", part
    for name, made, most in few_lanes(names, task, run.case.parameters):
        yield f"kernels.{name}", made / most


def dearest(task: Assignment, runs: Mapping[str, Sequence[Run]]) -> dict[str, tuple[float, str]]:
    """Return how much of each limit is used at most, and by which answer. ``runs`` are those of the right answers by name."""
    found: dict[str, tuple[float, str]] = {}
    for answer, each in runs.items():
        for run in each:
            for name, part in used(task, run):
                found[name] = max(found.get(name, (0.0, "")), (part, f"{answer}, {run.case.name}: {run.case.sizes}"))
    return found


def complaints(found: Mapping[str, tuple[float, Any]]) -> Iterator[str]:
    """Yield a line for each limit that leaves too much room."""
    for name, (part, _) in found.items():
        if name not in MAY_LEAVE_ROOM and part * MOST < 1 - 1e-9:
            yield f"{name}: the dearest right answer uses {part:.3f} of it, at least {1 / MOST:.3f} is accepted"


def main() -> int:
    parser = OneLineParser(prog="python common/python/conflict_free trials.slack", description=__doc__.splitlines()[0])
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--build-dir", metavar="DIR", type=Path, required=True)
    parser.add_argument("--draws", metavar="N", type=int, default=40)
    options: argparse.Namespace = parser.parse_args()
    task, tools, is_confined = assignment.load(options.name), Toolchain.of(options.build_dir), confined()
    seeds = [seed_of(task.name, None, f"draw {number}") for number in range(options.draws)]
    right = [name for name, outcome in task.outcomes().items() if not outcome.fails]
    with tempfile.TemporaryDirectory() as scratch:
        files = answers.submissions(task, Path(scratch))
        found = dearest(task, {name: outcomes(task, files[name], tools, seeds, confined=is_confined)[1] for name in right})
    for name, (part, where) in found.items():
        say(f"{task.name}: {name}: {part:.3f} ({where})")
    wrong = list(complaints(found))
    for complaint in wrong:
        say(f"{task.name}: {complaint}")
    return FAILED if wrong else 0


if __name__ == "__main__":
    run_main(main)
