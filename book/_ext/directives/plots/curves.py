"""``in-flight``, ``share-in-flight`` and ``separate-ranges``: a program's kernels as curves over a number that doubles from step to step."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import CEILING, CEILING_SLUG, SPECIMENS, ResultError

from ..project import EvidenceDirective, pictured
from .speedup_plot import SHAPES, mark

#: Units of the plot, for a wide page and for a phone: its size, and the room at its left.
WIDE = {"width": 800, "height": 360, "left": 62}
NARROW = {"width": 370, "height": 300, "left": 50}
TOP, BOTTOM, RIGHT, DIGIT = 20, 44, 20, 8
#: Where the names of ``beside`` stand above the axis, the lowest last: each that is further to the right stands lower.
LOWEST_NAME, NAME_STEP = 26, 20

#: The KiB in flight that need no time of their own beside the rest of a turn, by the convention of the page on bytes in flight.
MOST_OF_FEW = 4

#: The speeds of one kernel, in GB/s or in the unit of the curves, by the number of the axis.
Speeds = dict[float, float]


def page_of(
    found: Mapping[str, Speeds],
    ceiling: float,
    axis: Sequence[float],
    page: Mapping[str, int],
    beside: Mapping[str, tuple[float, float]] = {},
    lines: Mapping[str, float] = {},
) -> dict[str, Any]:
    """Return the places of all parts of the plot: the numbers run to the right by powers of two, the speeds upwards from the lowest of ``axis``.

    ``beside`` has the number and the speed of kernels that are no part of a curve, by their names, ``lines`` the numbers of upright lines.
    ``ceiling`` is the speed of ``cudaMemcpy``, or 0 for no line.
    """
    every = sorted({number for speeds in found.values() for number in speeds})
    first, last = math.log2(every[0]), math.log2(every[-1])
    right, bottom = page["width"] - RIGHT, page["height"] - BOTTOM
    low, high = axis[0], axis[-1]

    def x(number: float) -> float:
        return round(page["left"] + (right - page["left"]) * (math.log2(number) - first) / ((last - first) or 1), 1)

    def y(speed: float) -> float:
        return round(bottom - (bottom - TOP) * (speed - low) / (high - low), 1)

    def curve(place: int, speeds: Speeds) -> dict[str, Any]:
        points = [(x(number), y(speed)) for number, speed in speeds.items()]
        line = "M" + "L".join(f"{across} {up}" for across, up in points) if points else ""
        return {"series": place, "line": line, "marks": [mark(SHAPES[place], *point) for point in points]}

    powers = [2.0**power for power in range(math.ceil(first), math.floor(last) + 1)]
    return {
        **page,
        "right": right,
        "bottom": bottom,
        "ticks": [{"x": x(power), "label": f"1/{1 / power:g}" if power < 1 else f"{power:g}"} for power in powers],
        "rows": [{"y": y(speed), "label": f"{speed:,}" if isinstance(axis, range) else f"{speed:.2f}"} for speed in axis],
        "ceiling": {"y": y(ceiling), "label": f"cudaMemcpy: {ceiling:,.0f}"} if ceiling else None,
        "lines": [{"x": x(number), "label": f"{words}: {number:.1f}"} for words, number in lines.items()],
        "beside": [
            {
                "name": name,
                # The name stands near the axis at the left of a line from its mark, where there is room for it: there are no curves.
                "anchor": (anchor := "end" if x(at) - DIGIT * len(name) > page["left"] else "start"),
                "name_x": x(at) + (4 if anchor == "start" else -4),
                "name_y": (name_y := bottom - LOWEST_NAME - NAME_STEP * (len(beside) - 1 - place)),
                "leader": f"M{x(at)} {y(speed) + 7}V{name_y}",
                "mark": mark("diamond", x(at), y(speed)),
            }
            for place, (name, (at, speed)) in enumerate(sorted(beside.items(), key=lambda one: one[1][0]))
        ],
        "curves": [curve(place, speeds) for place, speeds in enumerate(found.values())],
    }


class Curves(EvidenceDirective):
    """A curve for each kernel of a specimen, or for those that ``:kernels:`` names. The body is what to see in it.

    ``:beside: SLUG.KERNEL N; …`` marks kernels of chapters at the number *N*, with their speeds at 16384 × 16384.
    ``:line: KEY: WORDS`` draws an upright line at a value of the evidence.
    """

    has_content = True
    option_spec = dict.fromkeys(("kernels", "beside", "line"), directives.unchanged_required)
    #: The specimen; its kernels by the first word of their figures; what a figure's name says: kernel and number.
    specimen: str
    kernels: Mapping[str, str]
    figure: re.Pattern[str]
    #: What the curves show and its format, the caption's words for the number, the words of the axis, and the values at the left.
    quantity, spec = "GB/s", ",.0f"
    by: str
    words: str
    axis: Sequence[float]
    #: Whether the speed of ``cudaMemcpy`` is drawn.
    with_ceiling = True

    def speeds(self, figures: Mapping[str, float]) -> dict[str, Speeds]:
        """Return for each of the kernels the highest speed at each number."""
        found: dict[str, Speeds] = {kernel: {} for kernel in self.kernels}
        for name, speed in figures.items():
            if (parts := self.figure.fullmatch(name)) and parts[1] in found:
                speeds = found[parts[1]]
                speeds[int(parts[2])] = max(speed, speeds.get(int(parts[2]), 0))
        return {kernel: dict(sorted(speeds.items())) for kernel, speeds in found.items()}

    def curves(self, figures: Mapping[str, float]) -> dict[str, Speeds]:
        """Return the speeds of each curve by its words."""
        drawn = self.options.get("kernels", " ".join(self.kernels)).split()
        if unknown := set(drawn) - set(self.kernels):
            raise ResultError(f":kernels: names {', '.join(sorted(unknown))}; accepted: {', '.join(self.kernels)}")
        found = {kernel: speeds for kernel, speeds in self.speeds(figures).items() if kernel in drawn}
        # What tells a curve from others is left out where there are none.
        return {self.kernels[kernel].partition(",")[0] if len(found) == 1 else self.kernels[kernel]: found[kernel] for kernel in found}

    def in_unit(self, found: dict[str, Speeds], ceiling: float) -> tuple[dict[str, Speeds], float]:
        """Return curves and the speed of ``cudaMemcpy`` in the unit of the axes, which here is that of the figures."""
        return found, ceiling

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        figures = evidence.figures(self.specimen)
        if not figures:
            raise ResultError(f"no figures of {self.specimen} on {evidence.machine}")
        told = evidence.value(f"{SPECIMENS}.{self.specimen}.{next(iter(figures))}").provenance.partition(": ")[2]
        ceiling = evidence.value(f"{CEILING_SLUG}.{CEILING}.16384.gbps").number if self.with_ceiling else 0
        found, ceiling = self.in_unit(self.curves(figures), ceiling)
        title = f"{self.quantity} by {self.by}"
        numbers = "; ".join(
            f"{words}: {', '.join(f'{speed:{self.spec}} at {number:.4g}' for number, speed in speeds.items())}"
            for words, speeds in found.items()
        )
        beside: dict[str, tuple[float, float]] = {}
        for one in filter(None, self.options.get("beside", "").split(";")):
            kernel, _, number = one.strip().partition(" ")
            if not number.isdecimal() or not int(number):
                raise ResultError(f":beside: has {one.strip()!r}; accepted: SLUG.KERNEL N, with ; between")
            beside[kernel.partition(".")[2]] = float(number), evidence.value(f"{kernel}.16384.gbps").number
        numbers += "".join(f"; {name}: {speed:,.0f} at {at:g}" for name, (at, speed) in beside.items())
        lines: dict[str, float] = {}
        if "line" in self.options:
            key, colon, words = self.options["line"].rpartition(": ")
            if not colon:
                raise ResultError(f":line: has {words!r}; accepted: KEY: WORDS")
            lines[words] = evidence.value(key).number
            numbers += f"; {words}: {lines[words]:.1f}"
        pages = [(name, page_of(found, ceiling, self.axis, page, beside, lines)) for name, page in (("wide", WIDE), ("narrow", NARROW))]
        keys = [(words, mark(SHAPES[place], 8, 8)) for place, words in enumerate(found)]
        begins = f" The axis begins at {self.axis[0]:{self.spec}}." if self.axis[0] else ""
        caption = f"{title}.{begins} {' '.join(self.content)} {told}."
        return pictured("curves.html", f"{title}: {numbers}.", pages=pages, keys=keys, words=self.words, caption=caption)


class InFlight(Curves, directive="in-flight"):
    """``.. in-flight::``: two copies and two transposes by the KiB in flight, each with the tile and the loads that are fastest there.

    ``:curves: WORDS: CASE CASE …; …`` draws other curves: at each number the first of its cases, as ``along_tile_32_loads_4``, that has it.
    """

    option_spec = {**Curves.option_spec, "curves": directives.unchanged_required}
    specimen = "bytes_in_flight"
    kernels = {
        "plain": "a copy without a tile",
        "copy": "a copy through the tile",
        "down": "the transpose, blocks numbered down",
        "along": "the transpose, blocks numbered along the rows",
    }
    figure = re.compile(r"(\w+)_tile_\d+_loads_\d+_kib_(\d+)")
    by = "the most KiB that a multiprocessor has in flight, at 16384 × 16384"
    words = "KiB in flight at most (each step doubles)"
    axis = range(0, 5001, 1000)

    def curves(self, figures: Mapping[str, float]) -> dict[str, Speeds]:
        """Return the speeds of the curves that ``:curves:`` names, or of each kernel."""
        found: dict[str, Speeds] = {}
        for one in filter(None, self.options.get("curves", "").split(";")):
            words, _, cases = one.strip().partition(": ")
            speeds: Speeds = {}
            for case in cases.split():
                of_case = {
                    int(name[len(case) + 5 :]): speed
                    for name, speed in figures.items()
                    if re.fullmatch(f"{re.escape(case)}_kib_\\d+", name)
                }
                if not of_case:
                    raise ResultError(f":curves: names {case}, which has no figures")
                speeds = of_case | speeds
            if not speeds:
                raise ResultError(f":curves: has {one.strip()!r}; accepted: WORDS: CASE CASE …, with ; between")
            found[words] = dict(sorted(speeds.items()))
        return found or super().curves(figures)


class ShareInFlight(InFlight, directive="share-in-flight"):
    """``.. share-in-flight::``: the curves of ``in-flight`` as shares of ``cudaMemcpy``, by the KiB in flight ÷ the *N* of each curve.

    *N* is what the memory could deliver in a turn of few blocks: the first number of the curve ÷ its share, less what exceeds 4 KiB.
    """

    option_spec = {"curves": directives.unchanged_required}
    quantity, spec = "% of cudaMemcpy", ".0f"
    by = "the bytes in flight ÷ N, at 16384 × 16384"
    words = "n ÷ N (each step doubles)"
    axis = range(0, 101, 20)

    def in_unit(self, found: dict[str, Speeds], ceiling: float) -> tuple[dict[str, Speeds], float]:
        """Return the shares in percent of ``ceiling`` by the number ÷ *N*, with *N* in the words of each curve, and 100."""
        shares: dict[str, Speeds] = {}
        for words, speeds in found.items():
            few, speed = next(iter(speeds.items()))
            needed = few * ceiling / speed - max(0, few - MOST_OF_FEW)
            shares[f"{words}: N is {needed:.1f} KiB"] = {kibibytes / needed: 100 * speed / ceiling for kibibytes, speed in speeds.items()}
        return shares, 100


class SeparateRanges(Curves, directive="separate-ranges"):
    """``.. separate-ranges::``: what the stores of the blocks that run together cost, by the memory over which their ranges are spread."""

    specimen = "separate_ranges"
    kernels = {"16": "16 ranges", "64": "64 ranges", "512": "512 ranges"}
    figure = re.compile(r"stores_(\d+)_parts_(\d+)_kib_apart")
    one = "stores_ranges_1_kib_64"
    quantity, spec = "The factor by which a copy takes longer than with stores in one range,", ".2f"
    by = "the memory over which the blocks that run together store"
    words = "spread in MiB: number of ranges × distance"
    axis = (0.98, 1.0, 1.02, 1.04, 1.06, 1.08)
    with_ceiling = False

    def speeds(self, figures: Mapping[str, float]) -> dict[str, Speeds]:
        """Return the factors by number × distance in MiB in place of the distance in KiB, from 8 MiB on: below, the blocks leave no gap."""
        by_distance = super().speeds(figures)
        return {
            count: {spread // 1024: figures[self.one] / speed for kib, speed in speeds.items() if (spread := int(count) * kib) >= 8192}
            for count, speeds in by_distance.items()
        }
