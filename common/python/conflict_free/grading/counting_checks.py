"""Checks the thresholds: the model's counts, summed over the launches of a case, against the limits of an assignment."""

import ast
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from conflict_free.counts import MEASURES, NUMBERS

from . import partition_pictures, pictures
from .assignment import Assignment
from .cases import DrawnCase
from .expressions import value_of
from .finding import Finding, guarded
from .parts import Threshold
from .result import Place
from .running import Run

_READS = (("global", "load"), ("global", "async_copy"), ("global", "bulk_load"), ("local", "load"), ("texture", "load"))
_WRITES = (("global", "store"), ("global", "atomic"), ("global", "bulk_store"), ("local", "store"), ("texture", "store"))
#: The judge counts them by direction, the model's report does not.
_BULK = ("bulk_load", "bulk_store")
#: The names of counts in expressions, and the spaces and operations that each of them adds up.
GROUPS = {
    **{f"{space}_{op}": ((space, op),) for space in ("shared", "global") for op in ("load", "store", "atomic")},
    "local_load": (("local", "load"),),
    "local_store": (("local", "store"),),
    "shared": tuple(("shared", op) for op in ("load", "store", "atomic", "async_copy", *_BULK)),
    "reads": _READS,
    "writes": _WRITES,
    "traffic": (*_READS, *_WRITES),
}
_BYTES_OF_SECTOR = 32
_MOST_CULPRITS = 3


class Submitted(Protocol):
    """The parts of a submission that a finding needs: its source lines, and one more run that records each access."""

    def places(self, found: Iterable[Mapping]) -> tuple[Place, ...]: ...

    def traced(self, case: DrawnCase) -> Sequence[Mapping[str, Any]]: ...


def names_of(run: Run) -> dict[str, Any]:
    """Return the names of expressions with their values: the counts, summed over all launches, and the parameters of the case.

    ``reads`` and ``writes`` are all traffic of kernels from and to device memory; atomic operations count as writes. ``traffic`` is both,
    ``shared`` is all traffic of shared memory. Bulk copies count on both of their sides. ``shared_bytes`` is the most shared memory of a
    block, ``block`` has the largest counts of a block, and ``busiest`` the counts of the busiest multiprocessor if blocks are spread
    evenly. ``slots`` are the accesses that all warps could make while the busiest warp of their block, between two barriers, makes its own,
    and ``global_slots`` those to global memory in which more than half of a warp takes part (see simt::remote::DataUse). ``executed`` are
    the instructions of all warps.
    """
    kernels = run.report["kernels"]
    sums = {
        name: {
            metric: sum(_count_of(kernel, space, op, metric) for kernel in kernels for space, op in parts if op not in _BULK)
            + sum(_bulk_count(run.calls["data"][op], space, metric) for space, op in parts if op in _BULK)
            for metric in MEASURES["shared" if name.startswith("shared") else "global"].keys
        }
        for name, parts in GROUPS.items()
    }
    others = {key: sum(kernel.get(key, 0) for kernel in kernels) for key in NUMBERS}
    return {
        **sums,
        **others,
        **{key: run.calls["data"][key] for key in ("block", "busiest", "narrow_global", "slots", "global_slots", "executed")},
        "partitions": _partitions_of(kernels),
        "shared_bytes": max((kernel.get("shared_bytes", 0) for kernel in kernels), default=0),
        "blocks": sum(math.prod(kernel["grid"]) for kernel in kernels),
        "launches": len(kernels),
        "kernels": len({kernel["name"] for kernel in kernels}),
        **run.case.parameters,
    }


def _bulk_count(copies: Mapping[str, int], space: str, metric: str) -> int:
    """Return a count of bulk copies. In shared memory each is an instruction without a conflict."""
    if space == "global":
        return copies[metric]
    return {"instructions": copies["requests"], "conflicts": 0}.get(metric, copies["wavefronts"])


def _count_of(kernel: Mapping[str, Any], space: str, op: str, metric: str) -> int:
    """Return a count of one kernel. The model counts no sectors of textures; they are computed from the bytes."""
    if op == "async_copy":
        counts = kernel.get("async_copy", {}).get(space, {})
    else:
        counts = kernel.get(f"{space}_{op}", {})
    if metric == "sectors" and space == "texture":
        return -(-counts.get("bytes", 0) // _BYTES_OF_SECTOR)
    return counts.get(metric, 0)


def _partitions_of(kernels: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return the mean number of partitions that a step uses, of the launch where it is smallest; 0 without steps or partitions.

    Launches that together make less than a tenth of the requests are left out: one that moves next to nothing may use one partition.
    """
    means = {}
    for op in ("load", "store"):
        launches = []
        for kernel in kernels:
            steps = kernel["partitions"][op]["steps"] if "partitions" in kernel else []
            if sum(steps):
                mean = sum(count * used for used, count in enumerate(steps, start=1)) / sum(steps)
                launches.append((mean, _count_of(kernel, "global", op, "requests")))
        launches.sort()
        made = list(itertools.accumulate(requests for _, requests in launches))
        means[op] = {"mean": next((mean for (mean, _), so_far in zip(launches, made) if 10 * so_far >= made[-1]), 0.0)}
    return means


def _shown(value: int | float) -> str:
    """Return a whole number in full, and any other with at most three decimals."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}".rstrip("0").rstrip(".")


def findings(assignment: Assignment, runs: Sequence[Run], source: Submitted) -> dict[str, Finding]:
    """Return the findings of the thresholds by name of the check. ``runs`` are those of all cases."""
    found: dict[str, Finding] = {}
    named = functools.cache(lambda number: names_of(runs[number]))
    for threshold in assignment.thresholds:
        if threshold.after and not (threshold.after in found and found[threshold.after].passed):
            continue
        found[threshold.check] = guarded(functools.partial(_finding, threshold, runs, named, source))
    return found


def values_of(threshold: Threshold, names: Mapping[str, Any]) -> tuple[float, float, float]:
    """Return the count of a threshold, its limit, and how much of the limit is used: more than 1 exceeds it."""
    value, limit = (value_of(each, names, f"threshold {threshold.name}") for each in (threshold.count, threshold.limit))
    used, of = (value, limit) if threshold.is_upper else (limit, value)
    return value, limit, used / of if of else float(used)


def _finding(threshold: Threshold, runs: Sequence[Run], named: Callable[[int], Mapping[str, Any]], source: Submitted) -> Finding:
    """Return the finding about the first case that exceeds the threshold, or about the case that is closest to it if none does.

    ``named`` returns the names of a run by its number.
    """
    bound = "at most" if threshold.is_upper else "at least"
    tightest = -math.inf
    for number, run in enumerate(runs):
        value, limit, used = values_of(threshold, named(number))
        seen, wanted = f"{threshold.count} is {_shown(value)}", f"{bound} {_shown(limit)}"
        if value > limit if threshold.is_upper else value < limit:
            culprits = _culprits(threshold, run, abs(value - limit))
            picture = _partitions(threshold, run, limit) or (_picture(culprits, source.traced(run.case)) if threshold.is_upper else None)
            drawn = {"picture": picture.to_text(), "drawing": picture.to_svg()} if picture else {}
            return Finding(False, seen, wanted, threshold.help, source.places(culprits), **drawn).in_case(run.case)
        if used > tightest:
            tightest, closest = used, Finding(True, f"{seen} (case {run.case.name})", wanted)
    return closest


# --- the lines of a finding ----------------------------------------------------------------------


def _named(expression: str) -> Iterator[tuple[tuple[tuple[str, str], ...], str]]:
    """Yield the counts in an expression, such as ((("shared", "load"),), "conflicts"). Partitions stand for their requests."""
    for node in ast.walk(ast.parse(expression, mode="eval")):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in GROUPS:
                yield GROUPS[node.value.id], node.attr
            elif node.value.id == "partitions":
                yield (("global", node.attr),), "requests"


def _avoidable(line: Mapping[str, Any], metric: str) -> int:
    """Return the avoidable part of a count; a count without an ideal value is avoidable as a whole."""
    ideal = {"conflicts": "ideal_wavefronts", "wavefronts": "ideal_wavefronts", "sectors": "ideal_sectors"}.get(metric)
    taken = "wavefronts" if metric == "conflicts" else metric
    return line[taken] - line[ideal] if ideal else line[metric]


def _culprits(threshold: Threshold, run: Run, beyond: float) -> list[dict[str, Any]]:
    """Return the source lines that contribute most to a threshold's count, the worst first.

    Lines are ranked by the avoidable part of their counts, if these parts sum up to at least ``beyond``, the excess over the limit.
    Else each access is good and there are too many of them, and lines are ranked by their whole counts.
    """
    avoidable, all_of_it = _costs(threshold, run, _avoidable), _costs(threshold, run, lambda line, metric: line[metric])
    cost = avoidable if sum(avoidable.values()) >= beyond else all_of_it
    worst = sorted((place for place in cost if cost[place] > 0), key=lambda place: (-cost[place], place))
    return [dict(zip(("file", "line", "space", "op"), place)) for place in worst[:_MOST_CULPRITS]]


def _costs(threshold: Threshold, run: Run, cost_of: Callable[[Mapping[str, Any], str], int]) -> dict[tuple, int]:
    """Return the contribution of each place in the source to a threshold's count."""
    costs: dict[tuple, int] = {}
    lines = [line for kernel in run.report["kernels"] for line in kernel["lines"] if line["line"] > 0]
    for parts, metric in dict.fromkeys(_named(threshold.count)):
        ops = {(space, "bulk_copy" if op in _BULK else op) for space, op in parts}
        for line in lines:
            if (line["space"], line["op"]) in ops and metric in line:
                place = line["file"], line["line"], line["space"], line["op"]
                costs[place] = costs.get(place, 0) + cost_of(line, metric)
    return costs


def _partitions(threshold: Threshold, run: Run, limit: float) -> partition_pictures.Queues | None:
    """Return the picture of a first step's partitions, for a threshold on partitions that is not reached."""
    found = [
        partition_pictures.picture_of(run.report["kernels"], op, limit)
        for op in ("load", "store")
        if not threshold.is_upper and f"partitions.{op}" in threshold.count
    ]
    return next(filter(None, found), None)


def _picture(culprits: Sequence[Mapping[str, Any]], trace: Sequence[Mapping[str, Any]]) -> pictures.Map | None:
    """Return the map of the worst access of the worst line in the trace; of several equal ones, the first."""
    accesses = [(launch, block["block"], access) for launch in trace for block in launch["blocks"] for access in block["accesses"]]
    for culprit in culprits:
        fitting = [each for each in accesses if all(each[2][key] == value for key, value in culprit.items())]
        if fitting:
            return pictures.map_of(*max(fitting, key=lambda each: pictures.excess(each[2])))
    return None
