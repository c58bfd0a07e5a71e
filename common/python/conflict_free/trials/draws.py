"""Grades each answer under many draws of the hidden cases. Every draw must give the points and the first failed check of task.toml.

    python common/python/conflict_free trials.draws NAME --build-dir DIR --draws N [--only ANSWER …] [--values]

``--values`` also prints how close each answer that passes a threshold comes to its limit.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from conflict_free.console import FAILED, USAGE, OneLineParser, Stop, run_main, say
from conflict_free.grading.assignment import Assignment
from conflict_free.grading.building import Toolchain
from conflict_free.grading.cases import seed_of
from conflict_free.grading.counting_checks import names_of, values_of
from conflict_free.grading.judging import Grading
from conflict_free.grading.running import Run

from . import answers, templates
from .confinement import confined


def outcomes(task: Assignment, path: Path, tools: Toolchain, seeds: Sequence[str], *, confined: bool) -> tuple[Counter, list[Run]]:
    """Return the number of draws by points and first failed check of a file, and all runs."""
    seen: Counter = Counter()
    runs: list[Run] = []
    with Grading(task, path, tools=tools, confined=confined) as grading:
        grading.run_draws(seeds)
        for seed in seeds:
            result = grading.grade(seed)
            failed = result.first_failed
            seen[result.points, failed.name if failed else ""] += 1
            runs += grading.runs
    return seen, runs


def nearest(task: Assignment, runs: Sequence[Run]) -> Iterator[str]:
    """Yield how close a run comes to the limit of each threshold, and in which case."""
    for threshold in task.thresholds:
        ratios = []
        for run in runs:
            value, limit, used = values_of(threshold, names_of(run))
            ratios.append((used, run.case.name, run.case.sizes, value, limit))
        if ratios:
            used, name, sizes, value, limit = max(ratios)
            yield f"{threshold.name}: {used:.3f} ({value:,.6g} of {limit:,.6g}; {name}: {sizes})"


def main() -> int:
    parser = OneLineParser(prog="python common/python/conflict_free trials.draws", description=__doc__.splitlines()[0])
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--build-dir", metavar="DIR", type=Path, required=True)
    parser.add_argument("--draws", metavar="N", type=int, default=200)
    parser.add_argument("--only", metavar="ANSWER", nargs="*")
    parser.add_argument("--values", action="store_true")
    options: argparse.Namespace = parser.parse_args()
    task, tools, is_confined = templates.load(options.name), Toolchain.of(options.build_dir), confined()
    expected = task.outcomes()
    if unknown := [name for name in options.only or () if name not in expected]:
        raise Stop(f"--only: got {unknown[0]!r}, accepted: {', '.join(expected)}", USAGE)
    seeds = [seed_of(task.name, None, f"draw {number}") for number in range(options.draws)]
    complaints = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, path in answers.submissions(task, Path(scratch)).items():
            outcome = expected[name]
            if (options.only and name not in options.only) or outcome.fails in answers.BEFORE_RUNS:
                continue
            seen, runs = outcomes(task, path, tools, seeds, confined=is_confined)
            wrong = {
                (points, fails): times for (points, fails), times in seen.items() if points != outcome.points or not outcome.has(fails)
            }
            complaints += bool(wrong)
            for (points, fails), times in wrong.items():
                say(
                    f"{task.name}: {name}: {points} points, fails {fails or 'nothing'} in {times} of {options.draws} draws; "
                    f"{outcome.points} and {outcome.fails or 'nothing'} are expected"
                )
            if options.values:
                for line in nearest(task, runs):
                    say(f"  {name}: {line}")
    say(f"{task.name}: {options.draws} draws, {complaints} answers whose outcome is not the expected one in all of them")
    return FAILED if complaints else 0


if __name__ == "__main__":
    run_main(main)
