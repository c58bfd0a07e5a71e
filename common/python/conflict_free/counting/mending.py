# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Finds what to mend first in a kernel: the accesses that cost too much, by what they add to the bound. Standard library only."""

import copy
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conflict_free.counts import GROUPS, MEASURES, Group

from .bound import bound_of, certain_work, uncertain_places
from .launches import accesses_of

_MOST = 5
_BANK_BYTES = 4
_BANKS = 32
_SECTOR_BYTES = 32
#: The key of the launch's work to which the excess of an access adds, and how many units of cost make one unit of work.
_WORK = {
    ("shared", "load"): (("wavefronts", 1),),
    ("shared", "store"): (("wavefronts", 1),),
    ("shared", "atomic"): (("wavefronts", 1),),
    ("shared", "async_copy"): (("wavefronts", 1),),
    ("global", "load"): (("wavefronts", 4),),
    ("global", "async_copy"): (("wavefronts", 4),),
    ("global", "store"): (("stored_sectors", 1), ("partly_written_lines", 1), ("wavefronts", 4)),
    ("global", "atomic"): (("stored_sectors", 1), ("wavefronts", 4)),
}
#: The distinct sectors of the launch's work to which an access of global memory adds; a bulk copy adds to one of the two.
_DISTINCT = {"load": "loaded_sectors", "async_copy": "loaded_sectors", "store": "stored_sectors", "atomic": "stored_sectors"}


@dataclass(frozen=True)
class Mending:
    """An access that costs more than it must.

    ``location`` has its file and line. ``takes`` and ``at_best`` are the cost of all its instructions, in ``unit``; ``share`` is its part of the kernel's excess in that
    unit, from 0 to 1. ``cycles_without`` is the launch's bound with this access at its best, and ``cycles`` what the excess adds to the
    bound; None where there is no bound, or where a GPU may not make the access.
    """

    location: Mapping[str, Any]
    space: str
    operation: str
    unit: str
    takes: int
    at_best: int
    share: float
    pattern: str
    cycles_without: int | None
    cycles: int | None

    @property
    def place(self) -> str:
        """The file and the line."""
        return f"{self.location['file']}:{self.location['line']}" if self.location["line"] else "without a line"

    @property
    def access(self) -> str:
        return f"{self.space} {self.operation.replace('_', ' ')}"

    @property
    def excess(self) -> int:
        return self.takes - self.at_best


def _stride(access: Mapping[str, Any] | None) -> tuple[int, int]:
    """Return the bytes that a lane accesses, and how many bytes apart neighboring lanes are, for the access that is shown.

    Lanes that share an address do not count. 0 stands for lanes that are not mostly equally far apart.
    """
    if not access:
        return 0, 0
    lanes = access["lanes"]
    apart = Counter(abs(after - before) for before, after in zip(lanes, lanes[1:]) if None not in (before, after) and before != after)
    (stride, often), *_ = apart.most_common(1) or [(0, 0)]
    return access["size"], stride if 2 * often > apart.total() else 0


def _shared_pattern(size: int, stride: int) -> str:
    words = stride // _BANK_BYTES
    if size == _BANK_BYTES and stride % _BANK_BYTES == 0 and words > 1:
        if words % _BANKS == 0:
            return f"lanes {words} words apart are all in one bank: pad each row by one word, or swizzle"
        return f"lanes {words} words apart share banks: make the distance odd, by padding or swizzling"
    if stride > size > _BANK_BYTES:
        return f"lanes {stride} bytes apart access {size} bytes each: let neighboring lanes access neighboring {size} bytes, pad or swizzle"
    return "several words of one bank: pad or swizzle, so that the words of a phase lie in different banks"


def _global_pattern(size: int, stride: int) -> str:
    if stride >= _SECTOR_BYTES:
        return f"lanes {stride} bytes apart: a sector for each; let neighboring lanes access neighboring elements"
    if stride > size:
        return f"lanes {stride} bytes apart: {size} of each {stride} bytes are used; load whole elements, or split the structure"
    return "few bytes of each sector are used: let neighboring lanes access neighboring elements, at multiples of 32 bytes"


def _global_groups(distinct: str) -> Iterator[Group]:
    return (group for group in GROUPS.values() if group.space == "global" and _DISTINCT.get(group.operation, distinct) == distinct)


def _without(kernel: Mapping[str, Any], line: Mapping[str, Any], excess: int) -> Mapping[str, Any]:
    """Return a launch with an access at its best, for its bound. Of single blocks the same part of their work goes."""
    changed = {**kernel, "work": copy.deepcopy(kernel["work"])}
    for key, units in _WORK.get((line["space"], line["op"]), ()):
        work = changed["work"]
        if not work["sum"].get(key):
            continue
        remains = max(1 - excess / units / work["sum"][key], 0)
        for part in ("sum", "least", "most"):
            work[part][key] *= remains
    if line["space"] == "global" and (distinct := _DISTINCT.get(line["op"])):
        # Accesses touch no more distinct sectors than they ask for.
        asked = sum(group.of(kernel).get("sectors", 0) for group in _global_groups(distinct))
        changed["work"][distinct] = min(changed["work"][distinct], asked - excess)
    return changed


def _cycles(kernel: Mapping[str, Any], machine: str) -> int | None:
    found = bound_of(kernel, machine)
    return found.cycles_at_least if found else None


def all_to_mend(kernel: Mapping[str, Any], machine: str, own: Container[str] = ()) -> list[Mending]:
    """Return the accesses of a launch that cost more than they must: those first that add most to the bound, then by excess.

    An access that a library makes stands at the line that calls it, in one of the reader's files, whose names are ``own``.
    """
    lines = [line for line in accesses_of(kernel["lines"], own) if not MEASURES[line["space"]].is_ideal(line)]
    all_of_unit: dict[str, int] = {}
    for line in lines:
        measure = MEASURES[line["space"]]
        all_of_unit[measure.cost] = all_of_unit.get(measure.cost, 0) + line[measure.cost] - line[measure.ideal]
    found = []
    bound, uncertain = _cycles(kernel, machine), uncertain_places(kernel)
    certain = {**kernel, "work": certain_work(kernel), "exact": True} if bound is not None else kernel
    for line in lines:
        measure = MEASURES[line["space"]]
        excess = line[measure.cost] - line[measure.ideal]
        is_certain = uncertain.isdisjoint((f"{line['file']}:{line['line']}", *line.get("within", ())))
        without = _cycles(_without(certain, line, excess), machine) if bound is not None and is_certain else None
        pattern = _shared_pattern if line["space"] == "shared" else _global_pattern
        found.append(
            Mending(
                location={"file": line["file"], "line": line["line"]},
                space=line["space"],
                operation=line["op"],
                unit=measure.cost,
                takes=line[measure.cost],
                at_best=line[measure.ideal],
                share=excess / all_of_unit[measure.cost],
                pattern=pattern(*_stride(line.get("first_access"))),
                cycles_without=without,
                cycles=None if bound is None or without is None else bound - without,
            )
        )
    return sorted(found, key=lambda each: (-(each.cycles or 0), -each.excess))


def what_to_mend(kernel: Mapping[str, Any], machine: str, own: Container[str] = ()) -> list[Mending]:
    """Return the first five of all_to_mend()."""
    return all_to_mend(kernel, machine, own)[:_MOST]
