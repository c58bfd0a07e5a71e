"""``turns-timeline``: the blocks of a multiprocessor over time, turn after turn, and when they keep the memory busy."""

from typing import Any

from docutils import nodes

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError

from ..project import EvidenceDirective, pictured

#: Units of the picture: the width of the drawing, the height of a row, the room for its name. How many of the longest turns are drawn.
WIDTH, ROW, LEFT, TURNS = 400, 17, 66, 1.15
HOW = ("measured", "together", "evenly")
#: The parts of a turn, in order: their classes in the style sheet, and their colors where there is none.
PARTS = (("wait", "#0b6e99"), ("held", "#90bace"), ("store", "#a33d00"), ("empty", "#b3b5b8"))


def turn_of(evidence: Evidence, words: str, blocks: int, kibibytes: int, phases: str, gbps: str) -> dict[str, Any]:
    """Return a panel: its parts, the turn of a block's places, and how long the memory needs for the loads of a block, in nanoseconds.

    ``blocks`` are on a multiprocessor, and each loads ``kibibytes`` in a turn, and stores as many. ``phases`` begins the keys of the clock.
    """
    speed, most = evidence.value(gbps).number, evidence.value("copy.cudaMemcpy.16384.gbps").number
    loaded = 1024 * kibibytes * evidence.value("machine.multiprocessors").number
    loading, barrier, after, empty = (
        evidence.value(f"{phases}_{part}_percent").number / 100 for part in ("loading", "barrier", "after_loading", "empty")
    )
    turn = 2 * loaded * blocks / speed
    parts = [turn * share for share in (loading, barrier, after - barrier, empty)]
    return {"words": words, "blocks": blocks, "parts": parts, "turn": turn, "memory": 2 * loaded / most, "together": False}


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
    """Return the bars from 0 to ``last`` nanoseconds: a row for each block, and below them one for the memory, in units of the picture.

    The blocks begin together, or evenly one after another. The memory delivers the loads of a block until all of them have arrived.
    """
    bars = []

    def add(kind: str, fill: str, row: int, start: float, end: float) -> None:
        start, end = max(start, 0), min(end, last)
        if end > start:
            bars.append({"kind": kind, "fill": fill, "row": row, "x": start / last * WIDTH, "width": (end - start) / last * WIDTH})

    for block in range(panel["blocks"]):
        start = panel["turn"] * ((0 if panel["together"] else block / panel["blocks"]) - 1)
        while start < last:
            arrived = start + panel["parts"][0] - panel["memory"] * (panel["blocks"] - 1 - block if panel["together"] else 0)
            add("busy", "#5c6670", panel["blocks"], arrived - panel["memory"], arrived)
            now = start
            for (kind, fill), length in zip(PARTS, panel["parts"]):
                add(kind, fill, block, now, now + length)
                now += length
            start += panel["turn"]
    return bars


class TurnsTimeline(EvidenceDirective, directive="turns-timeline"):
    """``.. turns-timeline::``: a line of the body is ``WORDS | BLOCKS | KIB | PHASES | GBPS | HOW``, a panel.

    A multiprocessor holds *BLOCKS* blocks, and each has *KIB* KiB of loads in flight. *PHASES* begins the keys of a program that reads the
    clock, with ``_loading_percent``, ``_barrier_percent``, ``_after_loading_percent`` and ``_empty_percent`` behind it. *GBPS* is the key of
    the speed, loads and stores together. *HOW* is ``measured``, or ``together`` or ``evenly``: then *PHASES* and *GBPS* are those of one block
    alone, and its turn is that of all blocks if they load at the same moment, and nothing overlaps, or one after another.
    """

    has_content = True

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        panels = []
        for line in filter(str.strip, self.content):
            fields = [field.strip() for field in line.split("|")]
            if len(fields) != 6 or not all(field.isdecimal() and int(field) for field in fields[1:3]) or fields[5] not in HOW:
                raise ResultError(f"{line!r} is not WORDS | BLOCKS | KIB | PHASES | GBPS | {' or '.join(HOW)}")
            words, blocks, kibibytes, phases, gbps, how = fields
            lone = turn_of(evidence, words, int(blocks) if how == "measured" else 1, int(kibibytes), phases, gbps)
            panels.append(lone if how == "measured" else assumed(lone, int(blocks), how))
        for panel in panels:
            panel["busy"] = busy_share(panel)
        last = TURNS * max(panel["turn"] for panel in panels)
        for panel in panels:
            panel["bars"] = bars_of(panel, last)
        said = " ".join(
            f"{panel['words']}: a turn of {panel['turn']:,.0f} ns, the memory busy for {panel['busy']:.0%}." for panel in panels
        )
        return pictured("turns.html", said, panels=panels, width=LEFT + WIDTH, left=LEFT, row=ROW)
