"""``array-rounds``: an array in shared memory, a row of it per row of banks, and the words that each round between barriers loads."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.banks import bank_of, fullest_bank, words_of
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.sentences import plural, ranges

from ..project import EvidenceDirective, picture, render
from .banks import NARROW_BANKS
from .traces import WORD_BYTES, Panel, launch, refuse_rows_beyond

#: Units of the picture: a cell, and the room for the numbers of words at the left and of banks above.
CELL, ROW, MARGIN, HEAD = 22, 16, 30, 16

#: Units of a busy cycle's cell, and the cells in a row on a wide page and on a phone.
CYCLE, CYCLES, NARROW_CYCLES = 15, 48, 24

#: Warps that have a color of their own in ``_static/steps.css``, and rounds that have a rule there.
COLORS, MOST_ROUNDS = 8, 10

#: The same colors where no style sheet is read.
FILLS = ("#9ecae9", "#ffbf79", "#a5d79d", "#f2a7a0", "#cdb6e0", "#d8b5a5", "#f6c3df", "#d3d38f")


@dataclass(frozen=True)
class Round:
    """The loads and stores of a block's warps between two barriers, by one line of a kernel."""

    loads: list[dict[str, Any]]
    stores: list[dict[str, Any]]

    @property
    def stored(self) -> set[int]:
        """The words that are stored."""
        return {word for access in self.stores for word in words_of(access)}

    @property
    def readers(self) -> dict[int, tuple[int, int]]:
        """The first warp and lane that load each word."""
        found: dict[int, tuple[int, int]] = {}
        for access in self.loads:
            for wavefront in access["wavefronts"]:
                for lane, word in wavefront:
                    found.setdefault(word, (access["warp"], lane))
        return found

    @property
    def wavefronts(self) -> int:
        """Return the wavefronts of all loads."""
        return sum(len(access["wavefronts"]) for access in self.loads)

    def busy_cycles(self, warps: int) -> list[tuple[int, str]]:
        """Return a warp and a kind for each cycle in which a round of ``warps`` warps keeps shared memory busy, warp by warp.

        The kinds are a wavefront of a ``load`` or a ``store``, and an ``idle`` access, which a warp without work issues with all lanes off.
        """
        working = {access["warp"] for access in self.loads}
        each = (len(self.loads) + len(self.stores)) // len(working)
        done = [
            (one["warp"], kind) for kind, ones in (("load", self.loads), ("store", self.stores)) for one in ones for _ in one["wavefronts"]
        ]
        return sorted(done + [(warp, "idle") for warp in range(warps) if warp not in working for _ in range(each)], key=lambda one: one[0])

    def in_words(self) -> str:
        """Return the wavefronts as a product: warps, loads of a warp, wavefronts of a load."""
        warps = {access["warp"] for access in self.loads}
        each = {len(access["wavefronts"]) for access in self.loads}
        whole = f"{plural(self.wavefronts, 'wavefront')} of loads"
        if len(each) > 1 or len(self.loads) % len(warps):
            return f"{plural(len(self.loads), 'load')} of {plural(len(warps), 'warp')}: {whole}"
        loads = plural(len(self.loads) // len(warps), "load")
        size = self.loads[0]["size"]
        wide = f" of {size} bytes" if size > 4 else ""
        return f"{plural(len(warps), 'warp')} × {loads}{wide} × {plural(each.pop(), 'wavefront')} = {whole}"


def rounds_of(evidence: Evidence, panel: Panel) -> tuple[dict[str, Any], list[Round]]:
    """Return the launch of a panel and the accesses of its first block on the panel's line, round by round. Raises ResultError."""
    run = launch(evidence, panel.slug, panel.kernel)
    sources = evidence.sources(panel.slug)
    fitting = [
        access
        for access in run["blocks"][0]["accesses"]
        if access["space"] == "shared" and panel.choices["match"] in sources.line(access["file"], access["line"])
    ]
    lines = sorted({access["line"] for access in fitting})
    if len(lines) != 1:
        raise ResultError(
            f"array-rounds wants one line of {panel.slug}.{panel.kernel} with shared accesses; found: {', '.join(map(str, lines)) or 'none'}"
        )
    rounds = []
    for _, group in groupby(sorted(fitting, key=lambda access: access["interval"]), lambda access: access["interval"]):
        found = list(group)
        rounds.append(Round([one for one in found if one["op"] == "load"], [one for one in found if one["op"] == "store"]))
    rounds = [one for one in rounds if one.loads]
    if not 0 < len(rounds) <= MOST_ROUNDS:
        raise ResultError(
            f"{panel.slug}.{panel.kernel} loads in {plural(len(rounds), 'round')} on line {lines[0]}; 1 to {MOST_ROUNDS} can be drawn"
        )
    if max(access["warp"] for one in rounds for access in one.loads) >= COLORS:
        raise ResultError(f"{panel.slug}.{panel.kernel} loads with more than {COLORS} warps, which have no colors of their own")
    return run, rounds


def describe(kernel: str, one: Round, banks: int) -> str:
    """Return the description of a panel."""
    used = sorted({bank_of(word, banks) for word in one.readers})
    most = max(fullest_bank(words_of(access), banks) for access in one.loads)
    where = "bank" if len(used) == 1 else "banks"
    return (
        f"{kernel}: {plural(len(one.stored), 'sum')}, {plural(len(one.readers), 'word')} in {where} {ranges(used)}. "
        f"{one.in_words()}; a load has at most {plural(most, 'word')} in one bank."
    )


def part_of(one: Round, banks: int, last: int, first_bank: int, across: int) -> dict[str, Any]:
    """Return the template's data for ``across`` banks from ``first_bank`` on: rows 0 to ``last`` of the array, and the loads."""
    sums = one.stored
    cells = [
        {
            "x": MARGIN + CELL * (bank_of(word, banks) - first_bank),
            "y": HEAD + ROW * (word // banks),
            "warp": warp,
            "lane": lane,
            "sum": word in sums,
            "fill": FILLS[warp],
        }
        for word, (warp, lane) in sorted(one.readers.items())
        if first_bank <= bank_of(word, banks) < first_bank + across
    ]
    return {
        "cells": cells,
        "banks": list(range(first_bank, first_bank + across)),
        "rows": [{"y": HEAD + ROW * row, "word": row * banks} for row in range(last + 1)],
        "width": MARGIN + CELL * across,
        "height": HEAD + ROW * (last + 1),
    }


def strip_of(cycles: list[tuple[int, str]], across: int) -> dict[str, Any]:
    """Return the template's data for busy cycles: a cell each, ``across`` of them in a row."""
    cells = [
        {"x": CYCLE * (place % across), "y": (ROW + 2) * (place // across), "warp": warp, "kind": kind, "fill": FILLS[warp]}
        for place, (warp, kind) in enumerate(cycles)
    ]
    return {"cycles": cells, "width": CYCLE * across, "height": (ROW + 2) * math.ceil(len(cycles) / across)}


def panel_of(panel: Panel, run: dict[str, Any], one: Round, last: int, busy: bool) -> dict[str, Any]:
    """Return the template's data for a round: all banks side by side, and for a phone parts of ``NARROW_BANKS``.

    With ``busy`` these are the cycles in which shared memory is busy.
    """
    banks = run["banks"]
    shown: dict[str, Any] = {"label": panel.label or panel.kernel, "banks": banks}
    if busy:
        cycles = one.busy_cycles(math.prod(run["block"]) // len(one.loads[0]["lanes"]))
        idle = sum(kind == "idle" for _, kind in cycles)
        shown["cost"] = f"{plural(len(cycles) - idle, 'wavefront')} + {idle} idle accesses = {len(cycles)} busy cycles"
        shown["description"] = f"{shown['label']}: {shown['cost']}."
        return {**shown, "total": len(cycles), "wide": [strip_of(cycles, CYCLES)], "narrow": [strip_of(cycles, NARROW_CYCLES)]}
    narrow = min(banks, NARROW_BANKS)
    return {
        **shown,
        "cost": one.in_words(),
        "total": one.wavefronts,
        "wide": [part_of(one, banks, last, 0, banks)],
        "narrow": [part_of(one, banks, last, first, min(narrow, banks - first)) for first in range(0, banks, narrow)],
        "description": describe(shown["label"], one, banks),
    }


def mark_dearer(panels: Sequence[dict[str, Any]]) -> None:
    """Give each panel of a round ``excess``: whether its ``total`` is more than that of another panel."""
    least = min(panel["total"] for panel in panels)
    for panel in panels:
        panel["excess"] = panel["total"] > least


class ArrayRounds(EvidenceDirective, directive="array-rounds"):
    """``.. array-rounds::``: the words that each round of some kernels loads, in an array with a row of cells per row of banks.

    A line of the body is that of a ``bank-map`` with a load, and its panel stands below that of the line before. ``:first: N`` is the
    round that shows first, 1 without it. ``:busy:`` draws the cycles in which shared memory is busy in place of the array, for kernels whose
    idle warps issue their accesses with all lanes switched off. What takes more than another panel is marked. The rounds are chosen by radio buttons, so neither a mouse nor a script is needed.
    """

    has_content = True
    option_spec = {"first": directives.positive_int, "busy": directives.flag}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        panels = [Panel.parse(line) for line in self.content if line.strip()]
        found = [rounds_of(evidence, panel) for panel in panels]
        counts = {len(rounds) for _, rounds in found}
        if len(counts) > 1:
            raise ResultError(f"the kernels of array-rounds have different numbers of rounds: {', '.join(map(str, sorted(counts)))}")
        count, chosen = counts.pop(), self.options.get("first", 1)
        if chosen > count:
            raise ResultError(f":first: {chosen} is beyond the {plural(count, 'round')}")
        steps = []
        for number in range(count):
            drawn = []
            for panel, (run, rounds) in zip(panels, found):
                words = [word for one in rounds for word in one.readers]
                last = max(words) // run["banks"]
                refuse_rows_beyond(evidence, panel.slug, panel.kernel, WORD_BYTES * run["banks"], last + 1)
                drawn.append(panel_of(panel, run, rounds[number], last, "busy" in self.options))
            mark_dearer(drawn)
            warps = sorted({access["warp"] for _, rounds in found for access in rounds[number].loads})
            colors = [(warp, FILLS[warp]) for warp in warps]
            steps.append({"number": number + 1, "chosen": number + 1 == chosen, "panels": drawn, "warps": colors})
        shown = dict(
            name=f"rounds-{self.env.new_serialno('array-rounds')}",
            kernels=[panel.kernel for panel in panels],
            busy="busy" in self.options,
            machine=found[0][0]["machine"],
            cell=CELL,
            row=ROW,
            margin=MARGIN,
            head=HEAD,
        )
        html = render("array_rounds.html", steps=steps, still=False, **shown)
        said = " ".join(f"Round {step['number']}: {' '.join(panel['description'] for panel in step['panels'])}" for step in steps)
        made = picture(html, said)
        made[0]["still"] = render("array_rounds.html", steps=[step for step in steps if step["chosen"]], still=True, **shown)
        return made
