# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""``in-flight``: the speed of two copies and two transposes by the most bytes that a multiprocessor has in flight."""

import math
import re
from collections.abc import Mapping
from typing import Any

from docutils import nodes

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import CEILING, CEILING_SLUG, SPECIMENS, ResultError

from ..project import EvidenceDirective, picture, render
from .speedup_plot import SHAPES, mark

SPECIMEN = "bytes_in_flight"
#: The kernels of the specimen by the first word of their figures.
KERNELS = {
    "plain": "a copy without a tile",
    "copy": "a copy through the tile",
    "down": "the transpose, blocks numbered down",
    "along": "the transpose, blocks numbered along the rows",
}
#: Units of the plot, for a wide page and for a phone: its size, and the room at its left.
WIDE = {"width": 800, "height": 360, "left": 62}
NARROW = {"width": 370, "height": 300, "left": 50}
TOP, BOTTOM, RIGHT = 20, 44, 20
#: The highest speed of the axis in GB/s, and the steps of its lines.
HIGH, STEP = 5000, 1000

_FIGURE = re.compile(r"(\w+)_tile_\d+_loads_\d+_kib_(\d+)")

#: The speeds in GB/s of one kernel by the KiB in flight.
Speeds = dict[int, float]


def fastest(figures: Mapping[str, float]) -> dict[str, Speeds]:
    """Return for each of KERNELS the highest speed at each number of KiB in flight, of all tiles and all loads a thread."""
    found: dict[str, Speeds] = {kernel: {} for kernel in KERNELS}
    for name, speed in figures.items():
        if (parts := _FIGURE.fullmatch(name)) and parts[1] in KERNELS:
            speeds = found[parts[1]]
            speeds[int(parts[2])] = max(speed, speeds.get(int(parts[2]), 0))
    return {kernel: dict(sorted(speeds.items())) for kernel, speeds in found.items()}


def page_of(found: Mapping[str, Speeds], ceiling: float, page: Mapping[str, int]) -> dict[str, Any]:
    """Return the places of all parts of the plot: KiB run to the right by powers of two, GB/s upwards from 0."""
    every = sorted({kib for speeds in found.values() for kib in speeds})
    first, last = math.log2(every[0]), math.log2(every[-1])
    right, bottom = page["width"] - RIGHT, page["height"] - BOTTOM

    def x(kib: float) -> float:
        return round(page["left"] + (right - page["left"]) * (math.log2(kib) - first) / ((last - first) or 1), 1)

    def y(speed: float) -> float:
        return round(bottom - (bottom - TOP) * speed / HIGH, 1)

    def curve(place: int, speeds: Speeds) -> dict[str, Any]:
        points = [(x(kib), y(speed)) for kib, speed in speeds.items()]
        line = "M" + "L".join(f"{across} {up}" for across, up in points) if points else ""
        return {"series": place, "line": line, "marks": [mark(SHAPES[place], *point) for point in points]}

    return {
        **page,
        "right": right,
        "bottom": bottom,
        "ticks": [{"x": x(kib), "label": str(kib)} for kib in every if math.log2(kib).is_integer()],
        "rows": [{"y": y(speed), "label": f"{speed:,}"} for speed in range(0, HIGH + 1, STEP)],
        "ceiling": {"y": y(ceiling), "label": f"cudaMemcpy: {ceiling:,.0f}"},
        "curves": [curve(place, found[kernel]) for place, kernel in enumerate(KERNELS)],
    }


class InFlight(EvidenceDirective, directive="in-flight"):
    """``.. in-flight::``: a curve for each kernel, over the KiB in flight. The body is what to see in it."""

    has_content = True

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        figures = evidence.figures(SPECIMEN)
        if not figures:
            raise ResultError(f"no figures of {SPECIMEN} on {evidence.machine}")
        found = fastest(figures)
        told = evidence.value(f"{SPECIMENS}.{SPECIMEN}.{next(iter(figures))}").provenance.partition(": ")[2]
        ceiling = evidence.value(f"{CEILING_SLUG}.{CEILING}.16384.gbps").number
        title = "GB/s by the most KiB that a multiprocessor has in flight, at 16384 × 16384"
        numbers = "; ".join(
            f"{KERNELS[kernel]}: {', '.join(f'{speed:,.0f} at {kib}' for kib, speed in speeds.items())}" for kernel, speeds in found.items()
        )
        pages = [(name, page_of(found, ceiling, page)) for name, page in (("wide", WIDE), ("narrow", NARROW))]
        keys = [(name, mark(SHAPES[place], 8, 8)) for place, name in enumerate(KERNELS.values())]
        caption = f"{title}. {' '.join(self.content)} {told}."
        html = render("in_flight.html", pages=pages, keys=keys, description=f"{title}: {numbers}.", caption=caption)
        return picture(html, f"{title}: {numbers}.")
