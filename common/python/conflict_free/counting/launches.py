"""The launches of a report, grouped by kernel and configuration."""

import json
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

# If a source line's accesses have more patterns of lanes than this, they are one row, in sums of launches as in one launch of the model.
_MOST_PATTERNS = 4


@dataclass
class Launches:
    """Launches of one kernel with one configuration. `counts` are those of one launch, or the sum if launches differ."""

    counts: dict
    number: int = 1
    differ: bool = False
    of_number: int = 0  # how many launches there were; 0 if all were counted
    each: Sequence[dict] = ()


def _same_but_for_place(kernel: dict) -> dict:
    return {key: value for key, value in kernel.items() if key not in ("launch", "partitions")}


def _add(total: dict, more: dict) -> dict:
    """Return the sums of the counts that both have. Other values stay."""
    sums = dict(total)
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(total.get(key), dict) and key not in ("first_access", "partitions"):
            sums[key] = _add(total[key], value)
        elif (
            isinstance(value, int) and key not in ("launch", "line", "shared_bytes", "stopped", "exact") and isinstance(total.get(key), int)
        ):
            sums[key] = total[key] + value
    return sums


def _pattern(line: dict) -> tuple:
    """Return a key that tells accesses of one source line apart: the distances of the lanes from the first one."""
    lanes = (line.get("first_access") or {}).get("lanes", ())
    first = next((lane for lane in lanes if lane is not None), 0)
    return tuple(-1 if lane is None else lane - first for lane in lanes)


def _place(line: dict) -> tuple:
    return line["file"], line["line"], line["space"], line["op"], json.dumps(line.get("inlined_from", [])), _pattern(line)


def own_place(place: dict, own: Container[str]) -> dict:
    """Return the place, or the innermost call that inlined it, whichever is first in the files ``own``; if neither is, the place."""
    return next((each for each in (place, *place.get("inlined_from", ())) if each["file"] in own), place)


def accesses_of(lines: Iterable[dict], own: Container[str] = ()) -> list[dict]:
    """Return the counts of each access in the reader's files, whose names are ``own``.

    The access of a library's function stands at the line that calls it, by the chain of inlining; its ``within`` has the library's
    lines, each ``FILE:LINE``. Calls of one function from several places are added up.
    """
    found: dict[tuple, dict] = {}
    for line in lines:
        place = own_place(line, own)
        access = {**line, "file": place["file"], "line": place["line"]}
        if place is not line:
            access["within"] = [f"{line['file']}:{line['line']}"]
        key = (access["file"], access["line"], line["space"], line["op"], _pattern(line))
        known = found.get(key)
        if known is None:
            found[key] = access
            continue
        within = dict.fromkeys([*known.get("within", ()), *access.get("within", ())])
        found[key] = _add(known, access) | ({"within": list(within)} if within else {})
    return list(found.values())


def place_text(place: dict, own: Container[str]) -> str:
    """Return a hazard's line in the reader's file, and the library's line that it stands for."""
    mine = own_place(place, own)
    text = f"{mine['file']}:{mine['line']}"
    return text if mine is place else f"{text} in {place['file']}:{place['line']}"


def within_of(accesses: Iterable[dict]) -> list[str]:
    """Return the lines of libraries that make accesses of one line of the reader's."""
    return list(dict.fromkeys(line for access in accesses for line in access.get("within", ())))


def sum_of(kernels: Sequence[dict]) -> dict:
    total = kernels[0]
    lines = {_place(line): line for line in total["lines"]}
    for kernel in kernels[1:]:
        total = _add(total, kernel)
        for line in kernel["lines"]:
            place = _place(line)
            lines[place] = _add(lines[place], line) if place in lines else line
    # The resources of a multiprocessor belong to one launch and have no sum.
    resources = {"resources": kernels[0]["resources"]} if "resources" in kernels[0] else {}
    patterns = Counter(place[:-1] for place in lines)
    rows: dict[tuple, dict] = {}
    for place in sorted(lines):
        row = place if patterns[place[:-1]] <= _MOST_PATTERNS else place[:-1]
        rows[row] = _add(rows[row], lines[place]) if row in rows else lines[place]
    return {**total, **resources, "lines": list(rows.values())}


def _configuration(kernel: dict) -> tuple:
    return kernel["name"], *kernel["grid"], *kernel["block"], kernel["shared_bytes"]


def fold(kernels: Iterable[dict], uncounted: Iterable[dict] = ()) -> list[Launches]:
    """Return the launches grouped by kernel and configuration, in the order of each group's first.

    Stopped launches are groups of their own.
    """
    groups: dict[tuple, list[dict]] = {}
    of_number = {_configuration(tally): tally["launches"] for tally in uncounted}
    for kernel in kernels:
        groups.setdefault((*_configuration(kernel), kernel.get("stopped", False)), []).append(kernel)
    folded = []
    for group in groups.values():
        first = _same_but_for_place(group[0])
        differ = any(_same_but_for_place(kernel) != first for kernel in group[1:])
        folded.append(
            Launches(sum_of(group) if differ else group[0], len(group), differ, of_number.get(_configuration(group[0]), 0), group)
        )
    return folded
