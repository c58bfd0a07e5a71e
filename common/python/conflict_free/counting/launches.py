# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The launches of a report, grouped by kernel and configuration."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass
class Launches:
    """Launches of one kernel with one configuration. `counts` are those of one launch, or the sum if launches differ."""

    counts: dict
    number: int = 1
    differ: bool = False
    of_number: int = 0  # how many launches there were; 0 if all were counted


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


def _place(line: dict) -> tuple:
    return line["file"], line["line"], line["space"], line["op"], json.dumps(line.get("inlined_from", []))


def without_calls(lines: Iterable[dict]) -> list[dict]:
    """Return the counts by line, where calls of one function from several places of a kernel are added up."""
    found: dict[tuple, dict] = {}
    for line in lines:
        key = (line["file"], line["line"], line["space"], line["op"])
        found[key] = _add(found[key], line) if key in found else line
    return list(found.values())


def sum_of(kernels: Sequence[dict]) -> dict:
    total = kernels[0]
    lines = {_place(line): line for line in total["lines"]}
    for kernel in kernels[1:]:
        total = _add(total, kernel)
        for line in kernel["lines"]:
            place = _place(line)
            lines[place] = _add(lines[place], line) if place in lines else line
    return {**total, "lines": [lines[place] for place in sorted(lines)]}


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
        folded.append(Launches(sum_of(group) if differ else group[0], len(group), differ, of_number.get(_configuration(group[0]), 0)))
    return folded
