"""``speedup-plot`` and ``published-plot``: factors and shares with their spread, as dots on lines."""

import math
from dataclasses import dataclass, field
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import format_number, gbps, parse_size, pretty_size, sample
from conflict_free.evidence.names import CEILING, CEILING_SLUG, LOCAL, PUBLISHED_CEILING, ResultError
from conflict_free.evidence.values import describe_all

from ..changes import BEFORE_CHANGE
from ..project import EvidenceDirective, pictured
from ..prose.beside import gpu_name

#: The shape of each series, in their order, so that color is not needed to tell them apart.
SHAPES = ("circle", "square", "triangle", "diamond", "cross")

#: Units of a picture, for a wide page and for a phone: width, room for names at the left, of a line, above it.
WIDE = {"width": 800, "left": 245, "line": 30, "above": 0}
NARROW = {"width": 370, "left": 14, "line": 44, "above": 17}
RIGHT, BOTTOM, TOP = 62, 24, 8

#: The sentence of a caption about whiskers that are too short to see.
HIDDEN = "a spread that is smaller than the mark lies behind it"


@dataclass(frozen=True)
class Dot:
    """A value of a series, with its spread where there is one."""

    series: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Line:
    """One line of a plot."""

    name: str
    dots: list[Dot] = field(default_factory=list)


def ticks(most: float) -> list[float]:
    """Return four to eight round numbers from 0 that reach ``most``."""
    rough = most / 6
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    return [number * step for number in range(math.ceil(most / step - 1e-9) + 1)]


def mark(shape: str, x: float, y: float) -> str:
    """Return the path of a mark around a point."""
    paths = {
        "circle": "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
        "square": "m-4.5 -4.5h9v9h-9z",
        "triangle": "m0 -5.5l5.5 9.5h-11z",
        "diamond": "m0 -6l6 6l-6 6l-6 -6z",
        "cross": "m-5 -5l10 10m0 -10l-10 10",
    }
    return f"M{x:.1f} {y:.1f}{paths[shape]}"


def layout(lines: list[Line], series: list[str], unit: str, page: dict[str, int], numbers: bool) -> dict[str, Any]:
    """Return the places of all parts of the drawing, in the units of the view box. ``numbers`` writes values beside the dots."""
    scale = ticks(max(dot.high or dot.value for line in lines for dot in line.dots))
    across = page["width"] - page["left"] - RIGHT

    def x(value: float) -> float:
        return round(page["left"] + across * value / scale[-1], 1)

    drawn = []
    for number, line in enumerate(lines):
        y = TOP + page["line"] * number + page["above"] + (page["line"] - page["above"]) / 2
        dots = []
        for dot in line.dots:
            place = series.index(dot.series)
            dots.append(
                {
                    "series": place,
                    "path": mark(SHAPES[place], x(dot.value), y),
                    "whisker": None if dot.low is None else (x(dot.low), x(dot.high)),
                    "label": format_number(dot.value, ".2f" if dot.value < 10 else ".1f") + unit,
                    "text_x": x(dot.high or dot.value) + 10,
                }
            )
        drawn.append({"name": line.name, "y": y, "dots": dots})
    height = TOP + page["line"] * len(lines)
    axis = [{"x": x(tick), "label": f"{tick:g}{unit}"} for tick in scale]
    return {
        **page,
        "lines": drawn,
        "ticks": axis,
        "bottom": height,
        "height": height + BOTTOM,
        "numbers": numbers,
        "right": page["left"] + across,
    }


def in_words(lines: list[Line], unit: str) -> str:
    """Return all values of a plot."""

    def of(dot: Dot) -> str:
        spread = "" if dot.low is None else f" ({format_number(dot.low)} to {format_number(dot.high)})"
        return f"{dot.series} {format_number(dot.value)}{unit}{spread}"

    return "; ".join(f"{line.name}: {', '.join(of(dot) for dot in line.dots)}" for line in lines)


def plot(lines: list[Line], own: str, title: str, caption: str, unit: str, numbers: bool) -> list[nodes.Node]:
    """Return the nodes of a plot. The marks of the series ``own``, the book's machine, are filled."""
    series = list(dict.fromkeys(dot.series for line in lines for dot in line.dots))
    if len(series) > len(SHAPES):
        raise ResultError(f"a plot has {len(series)} series; {len(SHAPES)} at most can be told apart")
    description = f"{title} {in_words(lines, unit)}."
    pages = [(name, layout(lines, series, unit, page, numbers)) for name, page in (("wide", WIDE), ("narrow", NARROW))]
    keys = [(name, mark(SHAPES[place], 8, 8)) for place, name in enumerate(series)]
    own_place = series.index(own)
    return pictured("speedup_plot.html", description, pages=pages, keys=keys, own=own_place, caption=caption)


def marked(kernel: str, old: set[str]) -> str:
    """Return a kernel's name with the sign that ``explained`` explains, if it is one of ``old``."""
    return f"{kernel} *" if kernel in old else kernel


def explained(old: set[str]) -> str:
    """Return the meaning of the sign behind names; nothing if no name has the sign."""
    return f" * {BEFORE_CHANGE.capitalize()}." if old else ""


class SpeedupPlot(EvidenceDirective, directive="speedup-plot"):
    """``.. speedup-plot:: SLUG.KERNEL SLUG.KERNEL …``: how many times as fast as the first kernel each one is, cold.

    ``:size:`` is the size, 16384 × 16384 without it. The reader's GPU stands beside the book's.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"size": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        kernels = [self.kernel_argument(word) for word in self.arguments[0].split()]
        size = parse_size(self.options.get("size", "16384"))
        dots = [[dot] for dot in self._dots(evidence, kernels, size, evidence.machine)]
        if evidence.result(kernels[0][0], LOCAL):
            try:
                for found, dot in zip(dots, self._dots(evidence, kernels, size, LOCAL)):
                    found.append(dot)
            except ResultError:
                pass  # Some kernel was not measured there, or with another text: factors need all of them.
        old = {kernel for slug, kernel in kernels if kernel in evidence.stale(slug)}
        lines = [Line(marked(kernel, old), found) for (_, kernel), found in zip(kernels, dots)]
        provenances = [evidence.result(slug)["provenance"] for slug, _ in kernels]
        title = f"How many times as fast as {kernels[0][1]}, at {pretty_size(size)}, cold."
        caption = f"{title} Whiskers: p10–p90 of the kernel's time; {HIDDEN}. {describe_all(provenances)}.{explained(old)}"
        return plot(lines, gpu_name(evidence), title, caption, "×", numbers=True)

    def _dots(self, evidence: Evidence, kernels: list[tuple[str, str]], size: str, machine: str) -> list[Dot]:
        rows = [evidence.measured_row(slug, kernel, size, machine) for slug, kernel in kernels]
        base = sample(rows[0])["median_ms"]
        name = gpu_name(evidence, machine)
        return [Dot(name, *(base / sample(row)[which] for which in ("median_ms", "p90_ms", "p10_ms"))) for row in rows]


class PublishedPlot(EvidenceDirective, directive="published-plot"):
    """``.. published-plot:: CITATION``: published bandwidths and the book's own, in percent of a copy on the same machine.

    ``:size:`` is the size on the book's machine, 16384 × 16384 without it; ``:kernels:`` leaves out all others.
    """

    required_arguments = 1
    option_spec = {"size": directives.unchanged_required, "kernels": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        data = next((data for data in evidence.historical() if data["citation"] == self.arguments[0]), None)
        if data is None:
            known = ", ".join(data["citation"] for data in evidence.historical())
            raise ResultError(f"no published figures of {self.arguments[0]!r}; there are: {known}")
        size = parse_size(self.options.get("size", "16384"))
        copy = next((row for row in data["rows"] if row["kernel"] == PUBLISHED_CEILING), None)
        if copy is None:
            raise ResultError(f"the figures of {data['citation']} have no {PUBLISHED_CEILING} to be a share of")
        shown = [row for row in data["rows"] if row is not copy]
        if "kernels" in self.options:
            wanted = self.options["kernels"].split()
            if unknown := set(wanted) - {row["kernel"] for row in shown}:
                raise ResultError(f"no published figures of {', '.join(sorted(unknown))} in {data['citation']}")
            shown = [row for row in shown if row["kernel"] in wanted]
        lines, old = [], set()
        for row in shown:
            dots = [Dot(data["machines"][name], 100 * figure / copy["gbps"][name]) for name, figure in row["gbps"].items()]
            if row["kernel"] in evidence.stale(row["slug"]):
                old.add(row["kernel"])
            lines.append(Line(marked(row["kernel"], old), [*dots, *self._own(evidence, row, size)]))
        sizes = f"published at {pretty_size(data['size'])}, and here at {pretty_size(size)}, cold"
        title = f"Bandwidth in percent of cudaMemcpy; published figures in percent of their own plain copy, since they have no cudaMemcpy: {sizes}."
        slugs = [CEILING_SLUG, *(row["slug"] for row in shown)]
        provenances = [evidence.result(slug)["provenance"] for slug in slugs]
        caption = f"{title} Whiskers: p10–p90, for what was measured here; {HIDDEN}. {describe_all(provenances)}.{explained(old)}"
        return plot(lines, gpu_name(evidence), title, caption, "%", numbers=False)

    def _own(self, evidence: Evidence, row: dict[str, Any], size: str) -> list[Dot]:
        """Return the dot of the book's machine, and of the reader's GPU where it has one."""
        dots = []
        for machine in (evidence.machine, LOCAL):
            try:
                copy = gbps(evidence.measured_row(CEILING_SLUG, CEILING, size, machine))
                measured = evidence.measured_row(row["slug"], row["kernel"], size, machine)
            except ResultError:
                if machine == LOCAL:
                    continue
                raise
            shares = (100 * gbps(measured, which=which) / copy for which in ("median_ms", "p90_ms", "p10_ms"))
            dots.append(Dot(gpu_name(evidence, machine), *shares))
        return dots
