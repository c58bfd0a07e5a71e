# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Writes what the book's page of an assignment is made from, of its task.toml and its source. Run by the build."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from conflict_free.console import USAGE, OneLineParser, Stop, run_main
from conflict_free.grading.assignment import BRIEF, FAST, GATES, TRY, Assignment, AssignmentError, load


def describe(assignment: Assignment) -> dict[str, Any]:
    """Return what students are told of an assignment; no line of the solution is in it."""
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
        "answers": {
            "right": sum(not answer.expected.fails for answer in assignment.answers),
            "wrong": sum(bool(answer.expected.fails) for answer in assignment.answers),
        },
    }


def main() -> int:
    parser = OneLineParser(prog="describe_assignment.py", description=__doc__)
    parser.add_argument("name", metavar="NAME", help="the assignment")
    parser.add_argument("out", metavar="OUT.json", type=Path, help="the file to write")
    options: argparse.Namespace = parser.parse_args()
    try:
        text = json.dumps(describe(load(options.name)), indent=1, ensure_ascii=False) + "\n"
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(text, encoding="utf-8")
    except AssignmentError as error:
        raise Stop(str(error), USAGE) from error
    except OSError as error:
        raise Stop(f"{options.out}: cannot be written: {error.strerror}", USAGE) from error
    return 0


if __name__ == "__main__":
    run_main(main)
