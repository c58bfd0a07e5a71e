"""Tiles that arrive and are multiplied over time, by the number that has room.

``stage-timeline`` is a drawing, with no measured time in it; ``measured-stages`` draws the clocks of a program.
"""

import itertools
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.sentences import plural

from ..project import EvidenceDirective, pictured
from .timeline import numbered_kernels

#: The units of time that a tile of the drawing takes to arrive and to be multiplied.
ARRIVAL, PRODUCT = 3, 1
#: At most this many tiles are drawn, and none whose product ends later: the text stays legible on a phone.
TILES, END = 9, 28
MOST_STAGES = 4

#: Units of the picture: a unit of time, a row, the room for its name.
TIME, ROW, LEFT = 10, 18, 62


def schedule(tiles: int, stages: int, arrival: float, product: float) -> list[tuple[float, float]]:
    """Return for each tile when it is asked for and when its product begins.

    One of ``stages`` places is asked for again when its tile's product has ended and the next tile's, if there is a place for it, has begun.
    """
    asked: list[float] = []
    begun: list[float] = []
    for tile in range(tiles):
        before = tile - stages
        asked.append(0 if tile < stages - 1 else begun[before + 1] if stages > 1 else begun[before] + product if tile else 0)
        begun.append(max(asked[tile] + arrival, begun[-1] + product if begun else 0))
    return list(zip(asked, begun))


def panel_of(kernel: str, stages: int) -> dict[str, Any]:
    """Return a panel: a row of bars for each place of a tile, and one for the products."""
    bars = []
    for tile, (asked, begun) in enumerate(schedule(TILES, stages, ARRIVAL, PRODUCT)):
        if begun + PRODUCT > END:
            break
        bars.append({"kind": "arrival", "row": tile % stages, "x": asked * TIME, "width": ARRIVAL * TIME, "tile": tile})
        bars.append({"kind": "product", "row": stages, "x": begun * TIME, "width": PRODUCT * TIME, "tile": tile})
    names = [f"place {place + 1}" for place in range(stages)] if stages > 1 else ["one place"]
    return {"kernel": kernel, "stages": stages, "bars": bars, "names": [*names, "products"]}


class StageTimeline(EvidenceDirective, directive="stage-timeline"):
    """``.. stage-timeline::``: a line of the body is ``SLUG.KERNEL | N``: the kernel has places for the operands of *N* products."""

    has_content = True

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        panels = [panel_of(kernel, stages) for kernel, stages in numbered_kernels(self, evidence, MOST_STAGES, "places")]
        last = max(bar["x"] + bar["width"] for panel in panels for bar in panel["bars"])
        said = " ".join(
            f"{panel['kernel']}, {plural(panel['stages'], 'place')}: the product of tile {panel['bars'][-1]['tile']} ends after "
            f"{max(bar['x'] + bar['width'] for bar in panel['bars']) / TIME:.0f} units of time."
            for panel in panels
        )
        return pictured("stages.html", said, panels=panels, width=LEFT + last + 8, left=LEFT, row=ROW, arrival=ARRIVAL, product=PRODUCT)


#: The pairs whose clocks the program prints, the last cycle that is drawn, and the cycles of a unit of the picture and between two marks.
PAIRS, LAST_CYCLE, CYCLES, MARK = 14, 6_000, 29, 1_000
#: A shorter bar has no room for its number.
NUMBERED = 12
#: A wait for products that takes more cycles found them not yet ended.
WAITED = 64
CLOCKS = ("asked", "arrived", "begun", "issued", "ended")


def products_of(clocks: list[dict[str, float]], cycles: float) -> list[float]:
    """Return when the products of each pair but the last begin. The products of a pair take ``cycles``.

    Their end is known where the program waited for it. Elsewhere they began with the pair, or after the preceding products.
    """
    begins: list[float] = []
    for clock, later in itertools.pairwise(clocks):
        if clock["ended"] - later["issued"] > WAITED:
            begins.append(clock["ended"] - cycles)
        else:
            begins.append(max(clock["begun"], begins[-1] + cycles) if begins else clock["begun"])
    return begins


def measured_panel(clocks: list[dict[str, float]], places: int, cycles: float) -> dict[str, Any]:
    """Return a panel: a row of bars for each place, from a pair's request to the next one's, and one for the products.

    The panel begins with the request of pair ``places``: the pairs before it fill the other places, and their products are known.
    """
    bars = []
    zero = clocks[places]["asked"]
    for pair, (clock, begin) in enumerate(zip(clocks[:-places], products_of(clocks, cycles))):
        freed = clocks[pair + places]["asked"]
        for kind, row, start, end in (
            ("wait", pair % places, clock["asked"], clock["arrived"]),
            ("held", pair % places, clock["arrived"], freed),
            ("store", places, begin, begin + cycles),
        ):
            x = max(start - zero, 0) / CYCLES
            width = min(end - zero, LAST_CYCLE) / CYCLES - x
            if width > 0:
                bars.append({"kind": kind, "row": row, "x": x, "width": width, "number": pair - places if width >= NUMBERED else ""})
    return {"places": places, "bars": bars}


class MeasuredStages(EvidenceDirective, directive="measured-stages"):
    """``.. measured-stages:: SPECIMEN``: the clocks of a program with room for the pairs that the body names, as in ``2 4``.

    ``:product:`` is how many cycles the products of a pair take.
    """

    required_arguments = 1
    option_spec = {"product": directives.positive_int}
    has_content = True

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        specimen, panels, said = self.arguments[0], [], []
        for places in " ".join(self.content).split():
            clocks = [
                {what: evidence.value(f"errata.{specimen}.places_{places}_pair_{pair}_{what}").number for what in CLOCKS}
                for pair in range(PAIRS)
            ]
            panel = measured_panel(clocks, int(places), self.options["product"])
            for what in ("arriving_cycles", "cycles_a_pair"):
                panel[what] = evidence.value(f"errata.{specimen}.places_{places}_{what}").text(",.0f")
            panels.append(panel)
            said.append(f"{plural(int(places), 'place')}: pair {PAIRS - 1} is asked for after {clocks[-1]['asked']:,.0f} cycles.")
        marks = [{"x": cycle / CYCLES, "cycle": cycle} for cycle in range(0, LAST_CYCLE + 1, MARK)]
        return pictured(
            "measured_stages.html",
            " ".join(said),
            panels=panels,
            marks=marks,
            width=LEFT + LAST_CYCLE / CYCLES + 32,
            product=self.options["product"],
            left=LEFT,
            row=ROW,
        )
