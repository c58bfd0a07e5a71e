# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The thresholds: counts of the model, summed over a case's launches, against what an assignment allows."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import simpleeval

from . import partition_pictures, pictures
from .assignment import Assignment, AssignmentError, Threshold
from .cases import DrawnCase
from .finding import Finding
from .result import Place
from .running import Run

_SHARED = ("instructions", "wavefronts", "ideal_wavefronts", "conflicts")
_GLOBAL = ("requests", "sectors", "ideal_sectors", "bytes")
SPACES = {f"{space}_{op}": metrics for space, metrics in (("shared", _SHARED), ("global", _GLOBAL)) for op in ("load", "store", "atomic")}
_MOST_CULPRITS = 3
_FUNCTIONS = {"min": min, "max": max, "abs": abs, "ceil": math.ceil}


class Submitted(Protocol):
    """What is asked of a submission: its source lines, and one more run that is written down access by access."""

    def places(self, found: Iterable[Mapping]) -> tuple[Place, ...]: ...

    def traced(self, case: DrawnCase) -> Sequence[Mapping[str, Any]]: ...


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


def findings(assignment: Assignment, runs: Sequence[Run], source: Submitted) -> dict[str, Finding]:
    """Return the findings of the thresholds, by name of the check, about runs of all cases."""
    found: dict[str, Finding] = {}
    for threshold in assignment.thresholds:
        if threshold.after and not (threshold.after in found and found[threshold.after].passed):
            continue
        found[threshold.check] = _finding(threshold, runs, source)
    return found


def _finding(threshold: Threshold, runs: Sequence[Run], source: Submitted) -> Finding:
    """The first counted case that is beyond the threshold decides; if none is, the last one stands for all."""
    bound = "at most" if threshold.is_upper else "at least"
    for run in runs:
        if not run.case.case.counted:
            continue
        names = names_of(run)
        value, limit = value_of(threshold.count, names, threshold), value_of(threshold.limit, names, threshold)
        seen, wanted = f"{threshold.count} is {_shown(value)}", f"{bound} {_shown(limit)}"
        if value > limit if threshold.is_upper else value < limit:
            culprits = _culprits(threshold, run, abs(value - limit))
            picture = _partitions(threshold, run, limit) or (_picture(culprits, source.traced(run.case)) if threshold.is_upper else None)
            return Finding(False, f"{seen} (case {run.case.name}: {run.case.sizes})", wanted, threshold.help, source.places(culprits),
                           run.case.name, picture.to_text() if picture else None, picture.to_svg() if picture else None)
    return Finding(True, f"{seen} (case {run.case.name})", wanted)


# --- who is to blame -----------------------------------------------------------------------------


def _named(expression: str) -> Iterator[tuple[str, str]]:
    """The counts that an expression names, such as ("shared_load", "conflicts"); for partitions, the requests that go there."""
    for node in ast.walk(ast.parse(expression, mode="eval")):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in SPACES:
                yield node.value.id, node.attr
            elif node.value.id == "partitions":
                yield f"global_{node.attr}", "requests"


def _avoidable(line: Mapping[str, Any], metric: str) -> int:
    """What of a count would not be there in the best of cases; for other counts, all of it."""
    ideal = {"conflicts": "ideal_wavefronts", "wavefronts": "ideal_wavefronts", "sectors": "ideal_sectors"}.get(metric)
    taken = "wavefronts" if metric == "conflicts" else metric
    return line[taken] - line[ideal] if ideal else line[metric]


def _culprits(threshold: Threshold, run: Run, beyond: float) -> list[dict[str, Any]]:
    """The source lines that have the most of what a threshold counts, the worst first.

    What could be avoided is to blame, if it makes up for what is ``beyond`` the limit. If it does not, single accesses are
    good enough, and there are too many of them.
    """
    avoidable, all_of_it = _costs(threshold, run, _avoidable), _costs(threshold, run, lambda line, metric: line[metric])
    cost = avoidable if sum(avoidable.values()) >= beyond else all_of_it
    worst = sorted((place for place in cost if cost[place] > 0), key=lambda place: (-cost[place], place))
    return [dict(zip(("file", "line", "space", "op"), place)) for place in worst[:_MOST_CULPRITS]]


def _costs(threshold: Threshold, run: Run, cost_of: Callable[[Mapping[str, Any], str], int]) -> dict[tuple, int]:
    """What each place of the source has of what a threshold counts."""
    costs: dict[tuple, int] = {}
    lines = [line for kernel in run.report["kernels"] for line in kernel["lines"] if line["line"] > 0]
    for space, metric in dict.fromkeys(_named(threshold.count)):
        for line in lines:
            if f"{line['space']}_{line['op']}" == space:
                place = line["file"], line["line"], line["space"], line["op"]
                costs[place] = costs.get(place, 0) + cost_of(line, metric)
    return costs


def _partitions(threshold: Threshold, run: Run, limit: float) -> partition_pictures.Queues | None:
    """The partitions of a first step, for a threshold on partitions that is not reached."""
    found = [partition_pictures.picture_of(run.report["kernels"], op, limit)
             for op in ("load", "store") if not threshold.is_upper and f"partitions.{op}" in threshold.count]
    return next(filter(None, found), None)


def _picture(culprits: Sequence[Mapping[str, Any]], trace: Sequence[Mapping[str, Any]]) -> pictures.Map | None:
    """The worst access of the worst line that the trace has; the first of them if several are as bad."""
    accesses = [(launch, block["block"], access) for launch in trace for block in launch["blocks"] for access in block["accesses"]]
    for culprit in culprits:
        fitting = [each for each in accesses if all(each[2][key] == value for key, value in culprit.items())]
        if fitting:
            return pictures.map_of(*max(fitting, key=lambda each: pictures.excess(each[2])))
    return None
