"""Finds what to mend first in a kernel: the accesses that cost too much, by what they add to the bound. Standard library only."""

import copy
import math
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conflict_free.counts import GROUPS, MEASURES, Group

from .bound import SECTORS_OF_WAVEFRONT, bound_of, certain_work, uncertain_places
from .launches import accesses_of

_MOST = 5
_BANK_BYTES = 4
_BANKS = 32
_LANES = 32
_SECTOR_BYTES = 32
# A row of at least this many elements is worth an unused one.
_WORTH_PADDING = 16
# Atomic operations that change each sector at least this often are worth a sum in shared memory first.
_OFTEN = 16
#: The keys of the launch's work to which the excess of an access adds.
_WORK = {
    ("shared", "load"): ("wavefronts",),
    ("shared", "store"): ("wavefronts",),
    ("shared", "atomic"): ("wavefronts",),
    ("shared", "async_copy"): ("wavefronts",),
    ("global", "load"): ("wavefronts",),
    ("global", "async_copy"): ("wavefronts",),
    ("global", "store"): ("stored_sectors", "partly_written_lines", "wavefronts"),
    ("global", "atomic"): ("stored_sectors", "wavefronts"),
}
#: The distinct sectors of the launch's work to which an access of global memory adds; a bulk copy adds to one of the two.
_DISTINCT = {"load": "loaded_sectors", "async_copy": "loaded_sectors", "store": "stored_sectors", "atomic": "stored_sectors"}


@dataclass(frozen=True)
class Mending:
    """An access that costs more than it must.

    ``location`` has its file and line. ``takes`` and ``at_best`` are the cost of all its instructions, in ``unit``; ``share`` is its part
    of the kernel's excess in that unit, from 0 to 1. ``cycles_without`` is the launch's bound with this access at its best, and ``cycles``
    the excess's part of the bound; None where there is no bound, or where a GPU may not make the access.
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


def _unused_elements(size: int, stride: int) -> int:
    """Return how many unused elements free lanes from conflicts, wherever in a word the first begins; 0 where a row has too few to spare."""
    at_a_time = _LANES * _BANK_BYTES // max(size, _BANK_BYTES)
    if stride < _WORTH_PADDING * size:
        return 0

    def is_free(apart: int) -> bool:
        firsts = range(0, _BANK_BYTES, size) if size < _BANK_BYTES else (0,)
        words = ({(first + lane * apart) // _BANK_BYTES for lane in range(at_a_time)} for first in firsts)
        return all(max(Counter(word % _BANKS for word in each).values()) == 1 for each in words)

    return next((number for number in range(1, _BANK_BYTES + 1) if is_free(stride + number * size)), 0)


def _shared_pattern(size: int, stride: int, operation: str) -> str:
    words, rest = divmod(stride, _BANK_BYTES)
    in_words = size == _BANK_BYTES and not rest
    far = f"lanes {words} words apart" if in_words else f"lanes {stride} bytes apart that access {size} bytes each"
    if stride > size and (unused := _unused_elements(size, stride)):
        banks = "are all in one bank" if in_words and words % _BANKS == 0 else "share banks"
        row = f"{words} words" if in_words else f"{stride} bytes"
        elements = f"{unused} unused elements" if unused > 1 else "one unused element"
        return f"{far} {banks}: add {elements} to each row, or after every {row}, or swizzle"
    if stride > size:
        return f"{far} share banks: let neighboring lanes access neighboring {'words' if in_words else f'{size} bytes'}, or swizzle"
    if operation == "atomic":
        return "lanes meet at one address or in one bank: combine the values of a warp first, or keep several copies"
    return "the lanes' words share banks: pad or swizzle, so that they lie in different banks"


def _global_pattern(size: int, stride: int, operation: str, is_idle_between: bool) -> str:
    if stride >= _SECTOR_BYTES:
        return (
            f"lanes {stride} bytes apart: a sector for each; let neighboring lanes access neighboring elements, by another index or through "
            "shared memory"
        )
    if stride > size:
        return f"lanes {stride} bytes apart: {size} of each {stride} bytes are used; {operation} whole elements, or give each field an array of its own"
    if is_idle_between:
        return "idle lanes lie between the active ones: renumber the threads, so that neighboring lanes access neighboring elements"
    if 0 < stride == size:
        return (
            "neighboring elements that begin within a sector: let them begin at a multiple of 32 bytes, or load a tile into shared memory once "
            "and take shifted elements from there"
        )
    return (
        "few bytes of each sector are used: let neighboring lanes access neighboring elements, by another order of the data or of the work"
    )


def _pattern(kernel: Mapping[str, Any], line: Mapping[str, Any]) -> str:
    """Return how the lanes of an access lie, and what to change."""
    again = times_stored(kernel)
    if line["space"] == "global" and line["op"] == "atomic" and again >= _OFTEN:
        return (
            f"lanes change the same data, each sector {again:,.0f} times: let each block collect its changes in shared memory first, or each warp "
            "in registers"
        )
    access = line.get("first_access")
    if line["space"] == "shared":
        return _shared_pattern(*_stride(access), line["op"])
    active = [number for number, lane in enumerate(access["lanes"] if access else ()) if lane is not None]
    return _global_pattern(*_stride(access), line["op"].partition("_")[0], bool(active) and active[-1] - active[0] >= len(active))


def _groups_that_touch(distinct: str) -> Iterator[Group]:
    return (group for group in GROUPS.values() if group.space == "global" and _DISTINCT.get(group.operation, distinct) == distinct)


def _times(kernel: Mapping[str, Any], distinct: str) -> float:
    groups = (group for group in GROUPS.values() if group.space == "global" and _DISTINCT.get(group.operation) == distinct)
    asked = sum(group.of(kernel).get(group.measure.ideal, 0) for group in groups)
    return asked / kernel["work"][distinct] if kernel.get("work", {}).get(distinct) else 0


def times_loaded(kernel: Mapping[str, Any]) -> float:
    """Return how often a launch loads each sector at best, with all lanes of a request side by side; 0 where that is not known."""
    return _times(kernel, "loaded_sectors")


def times_stored(kernel: Mapping[str, Any]) -> float:
    """Return how often a launch stores to each sector, as times_loaded() does."""
    return _times(kernel, "stored_sectors")


def _excess(line: Mapping[str, Any]) -> int:
    measure = MEASURES[line["space"]]
    return line[measure.cost] - line[measure.ideal]


def _less(line: Mapping[str, Any], key: str) -> int:
    """Return how much less work of a kind an access takes at best."""
    if key == "partly_written_lines":
        # A store writes no more lines in part than it moves sectors, and at best none.
        return line["sectors"]
    if key != "wavefronts" or line["space"] == "shared":
        return _excess(line)
    # Only the sum of the requests is known, so they are taken to be equal. At best a wavefront has a line's sectors.
    at_best = line["requests"] * max(math.ceil(line["ideal_sectors"] / line["requests"] / SECTORS_OF_WAVEFRONT), 1)
    return max(line["wavefronts"] - at_best, 0)


def _at_best(kernel: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return a launch with these accesses at their best, for its bound. Each block's work shrinks by the same factor."""
    work = copy.deepcopy(kernel["work"])
    for line in lines:
        for key in _WORK.get((line["space"], line["op"]), ()):
            if not work["sum"].get(key):
                continue
            remains = max(1 - _less(line, key) / work["sum"][key], 0)
            for part in ("sum", "least", "most"):
                work[part][key] *= remains
    for distinct in set(_DISTINCT.values()):
        # Accesses touch no more distinct sectors than they ask for.
        asked = sum(group.of(kernel).get("sectors", 0) for group in _groups_that_touch(distinct))
        if less := sum(_excess(line) for line in lines if line["space"] == "global" and _DISTINCT.get(line["op"]) == distinct):
            work[distinct] = min(work[distinct], asked - less)
    return {**kernel, "work": work}


def _cycles(kernel: Mapping[str, Any], machine: str) -> int | None:
    found = bound_of(kernel, machine)
    return found.cycles_at_least if found else None


def _in_excess(kernel: Mapping[str, Any], own: Container[str]) -> list[dict]:
    return [line for line in accesses_of(kernel["lines"], own) if not MEASURES[line["space"]].is_ideal(line)]


def _is_certain(kernel: Mapping[str, Any], line: Mapping[str, Any]) -> bool:
    return uncertain_places(kernel).isdisjoint((f"{line['file']}:{line['line']}", *line.get("within", ())))


def _without_uncertain(kernel: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**kernel, "work": certain_work(kernel), "exact": True}


def all_mended(kernel: Mapping[str, Any], own: Container[str] = ()) -> Mapping[str, Any]:
    """Return a launch with each access at its least cost, for its bound."""
    return _at_best(_without_uncertain(kernel), [line for line in _in_excess(kernel, own) if _is_certain(kernel, line)])


def all_to_mend(kernel: Mapping[str, Any], machine: str, own: Container[str] = ()) -> list[Mending]:
    """Return the accesses of a launch that cost more than they must: those first that add most to the bound, then by excess.

    An access that a library makes stands at the line that calls it, in one of the reader's files, whose names are ``own``.
    """
    lines = _in_excess(kernel, own)
    all_of_unit: Counter[str] = Counter()
    for line in lines:
        all_of_unit[MEASURES[line["space"]].cost] += _excess(line)
    found = []
    bound = _cycles(kernel, machine)
    certain = _without_uncertain(kernel) if bound is not None else kernel
    for line in lines:
        measure = MEASURES[line["space"]]
        without = _cycles(_at_best(certain, [line]), machine) if bound is not None and _is_certain(kernel, line) else None
        found.append(
            Mending(
                location={"file": line["file"], "line": line["line"]},
                space=line["space"],
                operation=line["op"],
                unit=measure.cost,
                takes=line[measure.cost],
                at_best=line[measure.ideal],
                share=_excess(line) / all_of_unit[measure.cost],
                pattern=_pattern(kernel, line),
                cycles_without=without,
                cycles=None if bound is None or without is None else bound - without,
            )
        )
    return sorted(found, key=lambda each: (-(each.cycles or 0), -each.excess))


def what_to_mend(kernel: Mapping[str, Any], machine: str, own: Container[str] = ()) -> list[Mending]:
    """Return the first five of all_to_mend()."""
    return all_to_mend(kernel, machine, own)[:_MOST]
