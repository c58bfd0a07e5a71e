"""``bounds`` and ``bound-shares``: the limits of kernels by the model's counts, and the share of the measured time that they explain."""

import json
import math
from collections.abc import Iterator
from statistics import median
from typing import Any, NamedTuple

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.console import ROOT
from conflict_free.counting.bound import NAMES, bound_of
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import counted_size, parse_size, pretty_size, sample
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.values import describe, describe_all

from ..project import EvidenceDirective, pictured
from .speedup_plot import SHAPES, mark

#: The digits of an exponent.
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

#: Launches of this chapter repeat their work: the counts are those of two repetitions, the times those of one.
REPETITIONS = {"timing": 2}

#: Units of the plot of all launches, for a wide page and for a phone. Its lines stand for each fifth of the time.
WIDE = {"width": 800, "left": 60, "line": 60}
NARROW = {"width": 370, "left": 52, "line": 60}
FIFTHS, TOP, BOTTOM, RIGHT = 5, 12, 24, 46
#: The series of the plot, the first of which has filled marks.
SERIES = {
    "warm": "a launch, data in the L2",
    "cold": "a launch, data in DRAM",
    "repeated": "a repetition within a launch",
    "others": "a launch of a program of others",
}

#: The launches of programs of others, and of chapters at large sizes, that were counted and measured; see read_cycles.py beside it.
CYCLES = ROOT / "common" / "model" / "tests" / "hardware" / "h200_cycles.json"


class Recorded(NamedTuple):
    """A launch that was counted and timed at one size: its bound, and the cycles that the GPU took. ``series`` is one of SERIES."""

    slug: str
    kernel: str
    size: str
    series: str
    least: float
    taken: float

    @property
    def percent(self) -> float:
        """The part of the time that the bound explains."""
        return 100 * self.least / self.taken


def recorded(evidence: Evidence, which: str = "median_ms") -> Iterator[Recorded]:
    """Yield all launches of the book's machine that are counted and timed at one size, by the sample ``which``, except stale ones."""
    for slug in evidence.measured_chapters():
        if not (evidence.counts / f"{slug}.json").is_file():
            continue
        program, stale = evidence.program(slug), evidence.stale(slug)
        counted = {(row["kernel"], row["size"]): row["counts"] for row in program["rows"]}
        for row in evidence.some_result(slug)["rows"]:
            counts = counted.get((row["kernel"], row["size"]))
            bound = bound_of(counts, program["machine"]) if counts and row["kernel"] not in stale else None
            if not bound or not row["time"] or not row.get("sm_mhz"):
                continue
            for state in ("warm", "cold"):
                if time := row["time"].get(state):
                    series = "repeated" if slug in REPETITIONS else state
                    least = bound.cycles_at_least / REPETITIONS.get(slug, 1)
                    yield Recorded(slug, row["kernel"], row["size"], series, least, time[which] * 1e3 * row["sm_mhz"])


def from_table() -> tuple[list[Recorded], dict[str, str]]:
    """Return the launches of the table of cycles, each with its program as ``slug``, and the table's provenance.

    Beside other people's programs it has kernels of chapters at sizes that do not fit the L2.
    """
    table = json.loads(CYCLES.read_text(encoding="utf-8"))
    launches = []
    for name, program in table["programs"].items():
        for launch in program["launches"]:
            bound = bound_of(launch, "sm_90")
            if bound and bound.limited_by and launch["cycles"]:
                series = "cold" if program["source"].startswith("chapters/") else "others"
                launches.append(Recorded(name, launch["kernel"], "", series, bound.cycles_at_least, launch["cycles"]))
    return launches, table["provenance"]


def measured_cycles(row: dict[str, Any] | None) -> float | None:
    """Return the cycles of a measured row with the data where the preceding launch left them; None if they are not known."""
    if row is None or not row["time"] or "warm" not in row["time"] or not row.get("sm_mhz"):
        return None
    return sample(row, "warm")["median_ms"] * 1e3 * row["sm_mhz"]


def bound_row(evidence: Evidence, slug: str, kernel: str, size: str) -> dict[str, Any]:
    """Return the template's data for a kernel: its limit, the fewest cycles, and the percent of its cycles that these are.

    Raises ResultError for a kernel that has no bound at this size.
    """
    counted = evidence.counts_row(slug, kernel, size)["counts"]
    bound = bound_of(counted, evidence.program(slug)["machine"]) if counted else None
    if bound is None or not bound.limited_by:
        raise ResultError(f"{slug}.{kernel} has no bound at {pretty_size(size)}")
    least = bound.cycles_at_least / REPETITIONS.get(slug, 1)
    result = evidence.result(slug)
    rows = result["rows"] if result else []
    taken = measured_cycles(next((row for row in rows if (row["kernel"], row["size"]) == (kernel, size)), None))
    return {
        "name": kernel,
        "limit": NAMES[bound.limited_by],
        "least": f"{least:,.0f}",
        "taken": f"{taken:,.0f}" if taken else "",
        "percent": round(100 * least / taken) if taken else None,
        "stale": bool(result) and kernel in evidence.stale(slug, evidence.machine),
    }


class Bounds(EvidenceDirective, directive="bounds"):
    """``.. bounds::``: a bar for each line ``SLUG.KERNEL``: the bound, as a part of the measured cycles.

    The size is the one that the chapter counts, or ``:size:``, where kernels are also timed, warm.
    """

    has_content = True
    option_spec = {"size": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        kernels = [self.kernel_argument(line.strip()) for line in self.content if line.strip()]
        slug, kernel = kernels[0]
        size = parse_size(self.options.get("size") or counted_size(evidence.program(slug), kernel))
        rows = [bound_row(evidence, *each, size) for each in kernels]
        said = " ".join(
            f"{row['name']} takes at least {row['least']} cycles, by {row['limit']}"
            + (f": {row['percent']} % of the {row['taken']} that the GPU takes." if row["taken"] else ".")
            for row in rows
        )
        result = evidence.result(slug)
        told = describe(result["provenance"]) if result else ""
        return pictured("bounds.html", said, rows=rows, size=size, provenance=told)


def shares_page(launches: list[Recorded], page: dict[str, int], powers: range) -> dict[str, Any]:
    """Return the places of all parts of the plot of launches, as ``layout`` of the speed-up plots does: a path for each series."""
    across, down = page["width"] - page["left"] - RIGHT, FIFTHS * page["line"]

    def x(cycles: float) -> float:
        return page["left"] + across * (math.log10(cycles) - powers[0]) / (len(powers) - 1)

    def y(percent: float) -> float:
        return TOP + down * (1 - percent / 100)

    def path(place: int, series: str) -> str:
        return "".join(mark(SHAPES[place], x(each.taken), y(each.percent)) for each in launches if each.series == series)

    dots = [{"series": place, "path": path(place, series), "whisker": None} for place, series in enumerate(SERIES)]
    shares = [20 * fifth for fifth in range(FIFTHS + 1)]
    lines = [{"name": f"{share} %", "y": y(share), "dots": dots if share == 100 else []} for share in shares]
    # Whole numbers of cycles would run into each other on a phone.
    written = (lambda power: f"{10**power:,}") if page["width"] > 500 else (lambda power: "10" + str(power).translate(SUPERSCRIPTS))
    ticks = [{"x": round(x(10**power), 1), "label": written(power)} for power in powers]
    right = page["left"] + across
    return {
        **page,
        "above": 0,
        "lines": lines,
        "ticks": ticks,
        "bottom": TOP + down,
        "height": TOP + down + BOTTOM,
        "right": right,
        "numbers": False,
    }


class BoundShares(EvidenceDirective, directive="bound-shares"):
    """``.. bound-shares::``: a dot for each launch that is counted and timed at one size: the bound in percent of the measured cycles."""

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        own, (table, ran) = list(recorded(evidence)), from_table()
        if not own:
            raise ResultError(f"no launch is counted and timed at one size on {evidence.machine}")
        launches = own + table
        others = {each.slug for each in table if each.series == "others"}
        cycles = [each.taken for each in launches]
        powers = range(math.floor(math.log10(min(cycles))), math.ceil(math.log10(max(cycles))) + 1)
        single = sorted((each for each in launches if each.series != "repeated"), key=lambda each: each.percent)
        again = [each.percent for each in launches if each.series == "repeated"]
        title = (
            f"{len(launches)} times of {len({each.kernel for each in launches})} kernels: the bound in percent of the cycles that the GPU took "
            f"(upwards), by these cycles (to the right)."
        )
        seen = f"{sum(each.percent > 100 for each in launches) or 'none'} of them lies above 100 %. "
        if again:
            seen += f"Repetitions within one launch reach {min(again):.0f} to {max(again):.0f} %, since the launch starts once for all of them. "
        if single:
            seen += (
                f"Of launches that do their work once, {single[-1].kernel} reaches most, {single[-1].percent:.0f} %, and half stay below "
                f"{median(each.percent for each in single):.0f} %. The rest is starting, waiting, and arithmetic that is not counted."
            )
        provenances = [evidence.some_result(slug)["provenance"] for slug in dict.fromkeys(each.slug for each in own)]
        description, caption = (
            f"{title} {seen}",
            f"{title} What to see: {seen} {describe_all(provenances)}. Programs of others: {len(others)}, and chapters at sizes past the L2, on an {ran['gpu']}, {ran['date']}.",
        )
        pages = [(name, shares_page(launches, page, powers)) for name, page in (("wide", WIDE), ("narrow", NARROW))]
        keys = [(name, mark(SHAPES[place], 8, 8)) for place, name in enumerate(SERIES.values())]
        return pictured("speedup_plot.html", description, pages=pages, keys=keys, own=0, caption=caption)
