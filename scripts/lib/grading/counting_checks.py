# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The thresholds: counts of the model, summed over a case's launches, against what an assignment allows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import simpleeval

from .assignment import AssignmentError, Threshold
from .finding import Finding, passed
from .running import Run

if TYPE_CHECKING:
    from .judging import _Submission

_SHARED = ("instructions", "wavefronts", "ideal_wavefronts", "conflicts")
_GLOBAL = ("requests", "sectors", "ideal_sectors", "bytes")
SPACES = {f"{space}_{op}": metrics for space, metrics in (("shared", _SHARED), ("global", _GLOBAL)) for op in ("load", "store", "atomic")}
_FUNCTIONS = {"min": min, "max": max, "abs": abs, "ceil": math.ceil}


def names_of(run: Run) -> dict[str, Any]:
    """Return what an expression may name: the counts, summed over all launches, and the parameters of the case."""
    kernels = run.report["kernels"]
    sums = {space: {metric: sum(kernel.get(space, {}).get(metric, 0) for kernel in kernels) for metric in metrics}
            for space, metrics in SPACES.items()}
    others = {key: sum(kernel.get(key, 0) for kernel in kernels) for key in ("barriers", "warp_barriers")}
    return {**sums, **others, "partitions": _partitions_of(kernels), "blocks": sum(math.prod(kernel["grid"]) for kernel in kernels),
            "launches": len(kernels), "kernels": len({kernel["name"] for kernel in kernels}), **run.case.parameters}


def _partitions_of(kernels: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return the partitions that a step goes to on average, over all launches; 0 without steps or on a machine without any."""
    means = {}
    for op in ("load", "store"):
        steps = [kernel["partitions"][op]["steps"] for kernel in kernels if "partitions" in kernel]
        number = sum(map(sum, steps))
        means[op] = {"mean": sum(count * used for each in steps for used, count in enumerate(each, start=1)) / number if number else 0.0}
    return means


def value_of(expression: str, names: Mapping[str, Any], threshold: Threshold) -> int | float:
    """Return the value of an expression of task.toml. Raises AssignmentError."""
    try:
        value = simpleeval.SimpleEval(functions=_FUNCTIONS, names=dict(names)).eval(expression)
    except (simpleeval.InvalidExpression, SyntaxError, ArithmeticError, TypeError, ValueError) as error:
        raise AssignmentError(f"threshold {threshold.name}: {expression!r}: {error}") from error
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise AssignmentError(f"threshold {threshold.name}: {expression!r} is {value!r}, a number is accepted")
    return value


def _shown(value: int | float) -> str:
    """Whole numbers in full, others with at most three digits behind the point."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}".rstrip("0").rstrip(".")


def findings(submission: _Submission) -> dict[str, Finding]:
    """Return the findings of the thresholds, by name of the check."""
    found: dict[str, Finding] = {}
    for threshold in submission.assignment.thresholds:
        if threshold.after and not found.get(threshold.after, passed()).passed:
            continue
        found[threshold.check] = _finding(submission, threshold)
    return found


def _finding(submission: _Submission, threshold: Threshold) -> Finding:
    """The first counted case that is beyond the threshold decides; if none is, the last one stands for all."""
    bound = "at most" if threshold.is_upper else "at least"
    counted = [run for run in submission.runs if run.case.case.counted]
    for run in counted:
        names = names_of(run)
        value, limit = value_of(threshold.count, names, threshold), value_of(threshold.limit, names, threshold)
        seen, wanted = f"{threshold.count} is {_shown(value)}", f"{bound} {_shown(limit)}"
        if value > limit if threshold.is_upper else value < limit:
            return Finding(False, f"{seen} (case {run.case.name}: {run.case.sizes})", wanted, threshold.help, case=run.case.name)
    return Finding(True, f"{seen} (case {run.case.name})", wanted)
