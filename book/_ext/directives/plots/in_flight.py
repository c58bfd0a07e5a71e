# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""``in-flight``: the speed of a copy and of two transposes by the most bytes that a multiprocessor has in flight."""

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
    "copy": "a copy through the tile",
    "along": "the transpose, blocks numbered along the rows",
    "down": "the transpose, blocks numbered down",
}
#: Units of the plot, for a wide page and for a phone: a line for each kernel, and a space between the numbers of KiB.
WIDE = {"width": 800, "left": 70}
NARROW = {"width": 370, "left": 74}
LINE, SPACE, TOP, BOTTOM, RIGHT = 17, 7, 18, 24, 14
#: The fewest KiB that are drawn, and the lowest and highest speed of the axis, in GB/s. Below, all kernels are equally fast.
LEAST_KIB, LOW, HIGH, STEP = 8, 1000, 4500, 1000
#: The room of a value, which stands before its mark.
VALUE = 44

_FIGURE = re.compile(r"(\w+)_tile_\d+_loads_\d+_kib_(\d+)")

#: The speeds in GB/s of one kernel by the KiB in flight.
Speeds = dict[int, float]


def fastest(figures: Mapping[str, float]) -> dict[str, Speeds]:
    """Return for each of KERNELS the highest speed at each number of KiB in flight, of all tiles and all loads a thread."""
    found: dict[str, Speeds] = {kernel: {} for kernel in KERNELS}
    for name, speed in figures.items():
        if parts := _FIGURE.fullmatch(name):
            speeds = found[parts[1]]
            speeds[int(parts[2])] = max(speed, speeds.get(int(parts[2]), 0))
    return {kernel: dict(sorted(speeds.items())) for kernel, speeds in found.items()}


def page_of(found: Mapping[str, Speeds], ceiling: float, page: Mapping[str, int]) -> dict[str, Any]:
    """Return the places of all parts of the plot, as ``layout`` of the speed-up plots does: a line for each kernel and number of KiB."""
    right = page["width"] - RIGHT

    def x(speed: float) -> float:
        return round(page["left"] + (right - page["left"]) * (speed - LOW) / (HIGH - LOW), 1)

    lines, y = [], TOP + LINE / 2
    for kib in sorted({kib for speeds in found.values() for kib in speeds if kib >= LEAST_KIB}):
        for place, kernel in enumerate(KERNELS):
            if (speed := found[kernel].get(kib)) is None:
                continue
            mark_at, label = mark(SHAPES[place], x(speed), y), f"{speed:,.0f}"
            dot = {"series": place, "path": mark_at, "whisker": None, "label": label, "text_x": x(speed) - VALUE}
            lines.append({"name": f"{kib} KiB" if place == 1 else "", "y": y, "dots": [dot]})
            y += LINE
        y += SPACE
    bottom = y - LINE / 2
    return {
        **page,
        "above": 0,
        "lines": lines,
        "ticks": [{"x": x(speed), "label": f"{speed:,}"} for speed in range(LOW, HIGH, STEP)],
        "ceiling": {"x": x(ceiling), "label": f"cudaMemcpy: {ceiling:,.0f}"},
        "bottom": bottom,
        "height": bottom + BOTTOM,
        "right": right,
        "numbers": True,
    }


class InFlight(EvidenceDirective, directive="in-flight"):
    """``.. in-flight::``: a dot for each kernel and number of KiB in flight. The body is what to see in it."""

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
        html = render("speedup_plot.html", pages=pages, keys=keys, own=0, description=f"{title}: {numbers}.", caption=caption)
        return picture(html, f"{title}: {numbers}.")
