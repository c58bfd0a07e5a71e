"""``exchange-times`` and ``exchange-plot``: measured exchanges between two GPUs, and what they would take between more."""

import math
from collections.abc import Sequence
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import format_number, parse_size, pretty_size
from conflict_free.evidence.names import ResultError

from ..project import EvidenceDirective, list_table, pictured
from .exchange_model import AssumedLink, MeasuredLink, one_stage, two_stages

#: Numbers of GPUs, and the seconds that an exchange takes with each.
Points = Sequence[tuple[int, float]]

#: Units of the picture, and the numbers of GPUs that it goes to.
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 640, 330, 56, 40, 12
MOST_GPUS = 1024


def measured(evidence: Evidence, key: str) -> list[tuple[str, float, float]]:
    """Return size, bytes and seconds of all measured rows of ``SLUG.KERNEL``, by size. Raises ResultError."""
    slug, _, kernel = key.partition(".")
    rows = evidence.rows_of(slug, kernel)
    if len(rows) < 2:
        raise ResultError(f"{key}: {len(rows)} measured rows, accepted: two or more")
    found = [evidence.measured_row(slug, kernel, row["size"]) for row in sorted(rows, key=lambda row: row["width"])]
    return [(row["size"], row["bytes"], row["time"]["ranks"]["median_ms"] / 1e3) for row in found]


def link_of(evidence: Evidence, key: str) -> MeasuredLink:
    """Return the link whose single messages are the measured rows of ``SLUG.KERNEL``."""
    return MeasuredLink([(sent, seconds) for _, sent, seconds in measured(evidence, key)])


class ExchangeTimes(EvidenceDirective, directive="exchange-times"):
    """``.. exchange-times:: SLUG.KERNEL``: the measured times of single messages, and their speeds."""

    required_arguments = 1

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        rows = [["matrix", "bytes sent", "µs", "GB/s"]]
        for size, sent, seconds in measured(evidence, self.arguments[0]):
            rows.append([pretty_size(size), format_number(sent), f"{seconds * 1e6:,.1f}", f"{sent / seconds / 1e9:,.0f}"])
        return self.parsed(list_table(rows))


def curve(points: Points, x: Any, y: Any) -> str:
    """Return the points of an SVG polyline."""
    return " ".join(f"{x(gpus):.1f},{y(seconds):.1f}" for gpus, seconds in points)


def of_more_hosts(one: Points, two: Points, half: Points, host: int) -> str:
    """Say where one stage takes the least time beyond one host, and how much longer two stages take between hosts at half the speed."""
    beyond = [(gpus, seconds) for gpus, seconds in one if gpus > host]
    least, _ = min(beyond, key=lambda point: point[1])
    costs = [(gpus, slow / fast) for (gpus, fast), (_, slow) in zip(two, half) if gpus > host]
    (first, dear), (last, cheap) = costs[0], costs[-1]
    return (
        f"Beyond one host, one stage takes the least time with {least:,} GPUs: with more, its messages are too small. If hosts are joined at "
        f"half the speed, two stages take {dear:.1f} times as long with {first:,} GPUs, and {cheap:.2f} times with {last:,}."
    )


class ExchangePlot(EvidenceDirective, directive="exchange-plot"):
    """``.. exchange-plot:: SLUG.KERNEL``: the time of an all-to-all by the number of GPUs.

    Within a host a message takes what the measured rows say of its size; between hosts the link is assumed: ``:between-start:`` in µs and
    ``:between-speed:`` in GB/s of each GPU. ``:host:`` is how many GPUs a host has, ``:size:`` that of the matrix.
    """

    required_arguments = 1
    option_spec = {"size": directives.unchanged_required, "host": directives.positive_int, "between-start": float, "between-speed": float}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        key, size, host = self.arguments[0], parse_size(self.options["size"]), self.options["host"]
        width, height = map(int, size.split("x"))
        within = link_of(evidence, key)
        between = AssumedLink(self.options["between-start"] / 1e6, self.options["between-speed"] * 1e9)
        half = AssumedLink(between.start, between.speed / 2)
        counts = [1 << n for n in range(1, int(math.log2(MOST_GPUS)) + 1)]
        kinds = (
            ("computed: one stage", "one", lambda gpus, sent: one_stage(gpus, sent, host, within, between)),
            ("computed: two stages", "two", lambda gpus, sent: two_stages(gpus, sent, host, within, between)),
            ("computed: two stages, hosts joined at half the speed", "half", lambda gpus, sent: two_stages(gpus, sent, host, within, half)),
        )
        series = [(name, mark, [(gpus, seconds(gpus, 4 * width * height / gpus)) for gpus in counts]) for name, mark, seconds in kinds]
        dots = [(2, seconds) for found, _, seconds in measured(evidence, key) if found == size]
        every = [seconds for _, _, points in series for _, seconds in points] + [seconds for _, seconds in dots]
        low, high = math.floor(math.log10(min(every))), math.ceil(math.log10(max(every)))

        def x(gpus: float) -> float:
            return LEFT + (WIDTH - LEFT - 24) * (math.log2(gpus) - 1) / (math.log2(MOST_GPUS) - 1)

        def y(seconds: float) -> float:
            return TOP + (HEIGHT - TOP - BOTTOM) * (high - math.log10(seconds)) / (high - low)

        crossing = next((gpus for (gpus, first), (_, second) in zip(series[0][2], series[1][2]) if second < first), None)
        description = (
            f"An all-to-all of {pretty_size(size)} floats by the number of GPUs, {host} in a host. Measured: two GPUs. All else is computed. "
            + (f"Two stages take less time from {crossing} GPUs on. " if crossing else "Two stages take more time everywhere. ")
            + of_more_hosts(*(points for _, _, points in series), host)
        )
        return pictured(
            "exchange_plot.html",
            description,
            width=WIDTH,
            height=HEIGHT,
            left=LEFT,
            bottom=HEIGHT - BOTTOM,
            top=TOP,
            ticks=[(x(gpus), f"{gpus:,}") for gpus in counts],
            lines=[(y(10.0**n), f"{10.0 ** (n + 3):,g} ms") for n in range(low, high + 1)],
            series=[(name, mark, curve(points, x, y)) for name, mark, points in series],
            dots=[(x(gpus), y(seconds)) for gpus, seconds in dots],
        )
