# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""``in-flight``: the speed of a copy and of two transposes by the most bytes that a multiprocessor has in flight."""

import math
import re
from collections.abc import Mapping
from typing import Any

from docutils import nodes

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import SPECIMENS, ResultError

from ..project import EvidenceDirective, picture, render
from .speedup_plot import SHAPES, mark, ticks

SPECIMEN = "bytes_in_flight"
#: The kernels of the specimen by the first word of their figures.
KERNELS = {"copy": "a copy through the tile", "along": "a transpose, blocks numbered along the rows", "down": "blocks numbered down"}
#: Units of the plot, for a wide page and for a phone.
WIDE = {"width": 800, "left": 96}
NARROW = {"width": 370, "left": 62}
TOP, DOWN, BOTTOM, RIGHT = 12, 260, 24, 40

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


def page_of(found: Mapping[str, Speeds], page: Mapping[str, int]) -> dict[str, Any]:
    """Return the places of all parts of the plot, as ``layout`` of the speed-up plots does: a path for each kernel."""
    sizes = sorted({kib for speeds in found.values() for kib in speeds})
    levels = ticks(max(speed for speeds in found.values() for speed in speeds.values()))
    right = page["width"] - RIGHT

    def x(kib: int) -> float:
        return round(page["left"] + (right - page["left"]) * math.log2(kib / sizes[0]) / math.log2(sizes[-1] / sizes[0]), 1)

    def y(speed: float) -> float:
        return round(TOP + DOWN * (1 - speed / levels[-1]), 1)

    paths = ["".join(mark(SHAPES[place], x(kib), y(speed)) for kib, speed in found[kernel].items()) for place, kernel in enumerate(KERNELS)]
    dots = [{"series": place, "path": path, "whisker": None} for place, path in enumerate(paths)]
    lines = [{"name": f"{level:,.0f}", "y": y(level), "dots": dots if level == levels[-1] else []} for level in levels]
    return {
        **page,
        "above": 0,
        "lines": lines,
        "ticks": [{"x": x(kib), "label": f"{kib} KiB"} for kib in sizes],
        "bottom": TOP + DOWN,
        "height": TOP + DOWN + BOTTOM,
        "right": right,
        "numbers": False,
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
        title = "GB/s (upwards) by the most KiB that a multiprocessor has in flight (to the right), at 16384 × 16384"
        numbers = "; ".join(
            f"{KERNELS[kernel]}: {', '.join(f'{speed:,.0f} at {kib}' for kib, speed in speeds.items())}" for kernel, speeds in found.items()
        )
        pages = [(name, page_of(found, page)) for name, page in (("wide", WIDE), ("narrow", NARROW))]
        keys = [(name, mark(SHAPES[place], 8, 8)) for place, name in enumerate(KERNELS.values())]
        caption = f"{title}. {' '.join(self.content)} {told}."
        html = render("speedup_plot.html", pages=pages, keys=keys, own=0, description=f"{title}: {numbers}.", caption=caption)
        return picture(html, f"{title}: {numbers}.")
