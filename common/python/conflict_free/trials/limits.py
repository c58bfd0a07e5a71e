"""Removes each limit of a task.toml in turn. Some answer must score differently without it.

python common/python/conflict_free trials.limits NAME --build-dir DIR
"""

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from pathlib import Path

from conflict_free.console import FAILED, OneLineParser, run_main, say
from conflict_free.grading import data_checks
from conflict_free.grading.assignment import Assignment
from conflict_free.grading.building import Toolchain
from conflict_free.grading.cases import seed_of
from conflict_free.grading.judging import Grading
from conflict_free.grading.parts import KernelWork, Movement, Outcome

from . import answers, templates
from .confinement import confined

_WITHOUT_END = 10**15


@dataclass(frozen=True)
class Mutant:
    """An assignment with one of its limits removed, and the check of that limit."""

    name: str
    task: Assignment
    check: str


def mutants(task: Assignment) -> Iterator[Mutant]:
    """Yield the assignment with each of its own limits removed in turn. Unit tests try the default limits."""
    for way in fields(Movement):
        if getattr(task.movement, way.name) != way.default:
            yield Mutant(f"movement.{way.name}", replace(task, movement=replace(task.movement, **{way.name: _WITHOUT_END})), "safe")
    for name in data_checks.FEW_LANES:
        if getattr(task.kernels, name) not in (None, getattr(KernelWork, name)):
            yield Mutant(f"kernels.{name}", replace(task, kernels=replace(task.kernels, **{name: str(_WITHOUT_END)})), "by_kernels")
    for threshold in task.thresholds:
        free = replace(threshold, limit=str(_WITHOUT_END if threshold.is_upper else -_WITHOUT_END))
        others = tuple(free if each is threshold else each for each in task.thresholds)
        yield Mutant(f"thresholds.{threshold.name}", replace(task, thresholds=others), threshold.check)


def noticed_by(mutant: Mutant, gradings: Mapping[str, Grading], expected: Mapping[str, Outcome]) -> str | None:
    """Return the first answer that scores differently under the mutant, or None."""
    for name, grading in gradings.items():
        if expected[name].fails != mutant.check:
            continue
        grading.assignment = mutant.task
        result = grading.grade(seed_of(mutant.task.name, None, ""))
        failed = result.first_failed
        if (result.points, failed.name if failed else "") != (expected[name].points, expected[name].fails):
            return name
    return None


def unnoticed(task: Assignment, tools: Toolchain, *, confined: bool) -> Sequence[str]:
    """Return the limits whose removal changes no answer's score."""
    expected = task.outcomes()
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        gradings = {
            name: stack.enter_context(Grading(task, path, tools=tools, confined=confined))
            for name, path in answers.submissions(task, scratch).items()
        }
        return [mutant.name for mutant in mutants(task) if noticed_by(mutant, gradings, expected) is None]


def main() -> int:
    parser = OneLineParser(prog="python common/python/conflict_free trials.limits", description=__doc__.splitlines()[0])
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--build-dir", metavar="DIR", type=Path, required=True)
    options: argparse.Namespace = parser.parse_args()
    task = templates.load(options.name)
    found = unnoticed(task, Toolchain.of(options.build_dir), confined=confined())
    for name in found:
        say(f"{task.name}: no answer scores otherwise without the limit {name}")
    say(f"{task.name}: {len(list(mutants(task)))} limits, {len(found)} of them without effect")
    return FAILED if found else 0


if __name__ == "__main__":
    run_main(main)
