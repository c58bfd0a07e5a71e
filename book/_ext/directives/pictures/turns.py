"""``turns-timeline``: the blocks of a multiprocessor over time, turn after turn, and when they keep the memory busy."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from docutils import nodes

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import CEILING, CEILING_SLUG, ResultError

from ..project import EvidenceDirective, pictured

#: Units of the picture: the width of the drawing, the height of a row, the room for its name, that for a number in a bar.
#: How many of the longest turns are drawn.
WIDTH, ROW, LEFT, DIGIT, TURNS = 400, 17, 66, 14, 2.25
CEILING_KEY = f"{CEILING_SLUG}.{CEILING}.16384.gbps"
HOW = ("measured", "together", "evenly")
#: The parts of a turn, in order: their classes in the style sheet, and their colors where there is none.
PARTS = (("wait", "#0b6e99"), ("held", "#90bace"), ("store", "#a33d00"), ("empty", "#b3b5b8"))


def turn_of(evidence: Evidence, words: str, blocks: int, kibibytes: int, phases: str, gbps: str) -> dict[str, Any]:
    """Return a panel: its parts, the turn of a block's places, and how long the memory needs for the loads of a block, in nanoseconds.

    ``blocks`` are on a multiprocessor, and each loads ``kibibytes`` in a turn, and stores as many. ``phases`` begins the keys of the clock.
    """
    speed, most = evidence.value(gbps).number, evidence.value(CEILING_KEY).number
    loaded = 1024 * kibibytes * evidence.value("machine.multiprocessors").number
    loading, barrier, after, empty = (
        evidence.value(f"{phases}_{part}_percent").number / 100 for part in ("loading", "barrier", "after_loading", "empty")
    )
    turn = 2 * loaded * blocks / speed
    parts = [turn * share for share in (loading, barrier, after - barrier, empty)]
    return {"words": words, "blocks": blocks, "parts": parts, "turn": turn, "memory": 2 * loaded / most, "together": False}


def measured_blocks(words: str, figures: Mapping[str, float], prefix: str, busy: float) -> dict[str, Any]:
    """Return a panel of blocks that a program has seen, from the moment at which each place has had its first, in nanoseconds.

    ``figures`` has the place of each block, behind ``prefix`` and ``_block_0_``, and when it begins, its loads have arrived, its threads have
    met at the barrier, and it ends. For the share ``busy`` of the time the memory delivers loads.
    """
    blocks: list[list[float]] = []
    while f"{prefix}_block_{len(blocks)}_place" in figures:
        name = f"{prefix}_block_{len(blocks)}"
        blocks.append([figures[f"{name}_{what}"] for what in ("place", "begin_ns", "arrived_ns", "met_ns", "end_ns")])
    if not blocks:
        raise ResultError(f"no figure {prefix}_block_0_place")
    places: dict[int, list[list[float]]] = {}
    for place, *times in blocks:
        places.setdefault(int(place), []).append(times)
    zero = max(of_place[0][0] for of_place in places.values())
    rows = [[[time - zero for time in times] for times in places[place]] for place in sorted(places)]
    return {"words": words, "blocks": len(rows), "rows": rows, "turn": 0, "busy": busy}


def assumed(lone: dict[str, Any], blocks: int, how: str) -> dict[str, Any]:
    """Return the panel of as many blocks like a lone one, if they load ``together`` and nothing overlaps, or ``evenly`` one after another."""
    needed, parts = blocks * lone["memory"], list(lone["parts"])
    if how == "together":
        parts[0] += needed
    else:
        parts[-1] += max(needed - lone["turn"], 0)
    return {**lone, "blocks": blocks, "parts": parts, "turn": sum(parts), "together": how == "together"}


def busy_share(panel: dict[str, Any]) -> float:
    """Return for which share of the time the memory delivers loads, from 0 to 1."""
    return panel["blocks"] * panel["memory"] / panel["turn"]


def bars_of(panel: dict[str, Any], last: float) -> list[dict[str, Any]]:
    """Return the bars from 0 to ``last`` nanoseconds: a row for each place, and below them one for the memory, in units of the picture.

    Blocks that were measured stand where they were, and what the memory did then is not known. Others begin together, or evenly one after
    another. The memory delivers the loads of a block until all of them have arrived, and its bars have the block's number where there is room.
    If the blocks load together, the memory mixes their loads, and all have arrived when it has delivered everything.
    """
    bars: list[dict[str, Any]] = []

    def add(kind: str, fill: str, row: int, start: float, end: float, words: str = "") -> None:
        start, end = max(start, 0), min(end, last)
        if end > start:
            width = (end - start) / last * WIDTH
            label = words if width > DIGIT * len(words) else ""
            bars.append({"kind": kind, "fill": fill, "row": row, "x": start / last * WIDTH, "width": width, "label": label})

    for place, blocks in enumerate(panel.get("rows", ())):
        for times, following in zip_longest(blocks, blocks[1:]):
            ends = [*times, following[0] if following else times[-1]]
            for (kind, fill), begin, end in zip(PARTS, ends, ends[1:], strict=False):
                add(kind, fill, place, begin, end)
    for block in range(0 if "rows" in panel else panel["blocks"]):
        start = panel["turn"] * ((0 if panel["together"] else block / panel["blocks"]) - 1)
        while start < last:
            arrived = start + panel["parts"][0]
            if not panel["together"]:
                add("busy", "#5c6670", panel["blocks"], arrived - panel["memory"], arrived, str(block + 1))
            elif block == 0:
                add("busy", "#5c6670", panel["blocks"], arrived - panel["memory"] * panel["blocks"], arrived, "all")
            now = start
            for (kind, fill), length in zip(PARTS, panel["parts"], strict=True):
                add(kind, fill, block, now, now + length)
                now += length
            start += panel["turn"]
    return bars


class TurnsTimeline(EvidenceDirective, directive="turns-timeline"):
    """``.. turns-timeline::``: a line of the body is ``WORDS | BLOCKS | KIB | PHASES | GBPS | HOW``, a panel.

    A multiprocessor holds *BLOCKS* blocks, and each has *KIB* KiB of loads in flight. *GBPS* is the key of the speed, loads and stores
    together. *HOW* is ``together`` or ``evenly``: then *PHASES* begins the keys of a program that reads the clock of one block alone, with
    ``_loading_percent``, ``_barrier_percent``, ``_after_loading_percent`` and ``_empty_percent`` behind it. *GBPS* is the speed of this block.
    The turn is that of all blocks if they load at the same moment, and nothing overlaps, or one after another. Or *HOW* is ``measured``: then
    *PHASES* is ``errata.SPECIMEN.PREFIX``, and the figures of :func:`measured_blocks` stand there.
    """

    has_content = True

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        panels, seen, assumed_ways = [], False, []
        for line in filter(str.strip, self.content):
            fields = [field.strip() for field in line.split("|")]
            if len(fields) != 6 or not all(field.isdecimal() and int(field) for field in fields[1:3]) or fields[5] not in HOW:
                raise ResultError(f"{line!r} is not WORDS | BLOCKS | KIB | PHASES | GBPS | {' or '.join(HOW)}")
            words, blocks, kibibytes, phases, gbps, how = fields
            if how == "measured":
                _, _, seen = phases.partition(".")
                specimen, _, prefix = seen.partition(".")
                busy = evidence.value(gbps).number / evidence.value(CEILING_KEY).number
                panels.append(measured_blocks(words, evidence.figures(specimen), prefix, busy))
                seen = True
            else:
                panel = assumed(turn_of(evidence, words, 1, int(kibibytes), phases, gbps), int(blocks), how)
                panels.append({**panel, "busy": busy_share(panel)})
                assumed_ways.append(how)
        last = TURNS * max(panel["turn"] for panel in panels)
        for panel in panels:
            panel["bars"] = bars_of(panel, last)
        turns = ["" if "rows" in panel else f"a turn of {panel['turn']:,.0f} ns, " for panel in panels]
        said = " ".join(
            f"{panel['words']}: {turn}the memory busy for {panel['busy']:.0%}." for panel, turn in zip(panels, turns, strict=True)
        )
        ways = " and ".join(assumed_ways).capitalize()
        return pictured("turns.html", said, panels=panels, width=LEFT + WIDTH, left=LEFT, row=ROW, assumed=ways, seen=seen)
