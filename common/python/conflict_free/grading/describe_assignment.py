"""Writes the data of an assignment's page in the book, from its task.toml and its source. The build runs it."""

import argparse
import json
from pathlib import Path
from typing import Any

from conflict_free.console import OneLineParser, run_main
from conflict_free.grading import limit_numbers, refusals
from conflict_free.grading.assignment import BRIEF, FAST, GATES, TRY, Assignment, load
from conflict_free.whole_files import write_asked


def describe(assignment: Assignment) -> dict[str, Any]:
    """Return what the page tells students about an assignment; it contains no line of the solution."""
    return {
        "format": "conflict_free/assignment/1",
        "name": assignment.name,
        "title": assignment.title,
        "summary": assignment.summary,
        "minutes": assignment.minutes,
        "machine": assignment.machine,
        "source": assignment.source.name,
        "try": TRY,
        "brief": BRIEF,
        "numbers": limit_numbers.places(assignment.numbers) | {refusals.PLACE: refusals.SENTENCE},
        "declaration": assignment.declaration,
        "starter": assignment.starter(),
        "starter_points": assignment.starter_expected.points,
        "points": {name: assignment.points[name] for name in (*GATES, FAST)},
        "max_points": assignment.max_points,
        "minimum_gpu_ratio": assignment.minimum_gpu_ratio,
        "limits": vars(assignment.limits),
        "visible_cases": [{"name": case.name, "parameters": dict(case.parameters)} for case in assignment.cases if case.visible],
        "hidden_cases": sum(not case.visible for case in assignment.cases),
        "thresholds": [
            {
                "check": threshold.check,
                "count": threshold.count,
                "limit": threshold.limit,
                "is_upper": threshold.is_upper,
                "points": threshold.points,
            }
            for threshold in assignment.thresholds
        ],
        "hints": list(assignment.hints),
    }


def main() -> int:
    parser = OneLineParser(prog="python common/python/conflict_free grading.describe_assignment", description=__doc__)
    parser.add_argument("name", metavar="NAME", help="the assignment")
    parser.add_argument("out", metavar="OUT.json", type=Path, help="the file to write")
    options: argparse.Namespace = parser.parse_args()
    write_asked(options.out, json.dumps(describe(load(options.name)), indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    run_main(main)
