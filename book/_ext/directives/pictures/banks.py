"""``bank-map``: which bank of shared memory serves which lane in which wavefront, drawn from the model's trace."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.banks import lanes_by_bank, words_of
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.sentences import plural, ranges

from ..project import EvidenceDirective, picture, render
from .traces import Panel, shared_access

#: Units of a picture: of a cell with text, of a cell without, and of the numbers of wavefronts at the left.
CELL, ROW, MARGIN = 24, 17, 28
SMALL_CELL, SMALL_ROW = 7, 7
#: A row of a small picture whose cells have room for lanes, and the fewest banks of such a cell.
LABELED_ROW, LABELED_BANKS = 13, 4

#: Banks side by side on a phone; the others follow below.
NARROW_BANKS = 16


@dataclass(frozen=True)
class Cell:
    """A bank in a wavefront, and the lanes that it serves."""

    bank: int
    lanes: tuple[int, ...]

    @property
    def label(self) -> str:
        """The lane, or how many lanes there are."""
        return str(self.lanes[0]) if len(self.lanes) == 1 else f"×{len(self.lanes)}"


def served_cells(access: dict[str, Any], banks: int) -> list[list[Cell]]:
    """Return, for each wavefront of a traced access, its busy banks in ascending order."""
    return [[Cell(bank, tuple(lanes)) for bank, lanes in lanes_by_bank(wavefront, banks).items()] for wavefront in access["wavefronts"]]


def cost_in_words(access: dict[str, Any]) -> str:
    """Return how many wavefronts an access takes, and how many are ideal if that differs."""
    taken, ideal = len(access["wavefronts"]), access["ideal_wavefronts"]
    return plural(taken, "wavefront") + (f", ideal: {ideal}" if taken > ideal else "")


def describe_schedule(access: dict[str, Any], banks: int, op: str) -> str:
    """Return the description of a bank map."""
    active = sum(lane is not None for lane in access["lanes"])
    sentences = [
        f"One shared {op} of a warp: {plural(active, 'lane')}, {plural(len(words_of(access)), 'word')} of 4 bytes, {banks} banks, "
        f"{cost_in_words(access)}."
    ]
    wavefronts = served_cells(access, banks)
    shapes = [tuple(cell.bank for cell in cells) for cells in wavefronts]
    for shape, run in groupby(enumerate(shapes, start=1), lambda pair: pair[1]):
        numbers = [number for number, _ in run]
        lanes = sorted({lane for number in numbers for cell in wavefronts[number - 1] for lane in cell.lanes})
        where = "no bank" if not shape else ("bank " if len(shape) == 1 else "banks ") + ranges(list(shape))
        each = "each " if len(numbers) > 1 else ""
        sentences.append(
            f"Wavefront{'s' if len(numbers) > 1 else ''} {ranges(numbers)} {each}use{'s' if not each else ''} {where}, "
            f"for lane{'s' if len(lanes) > 1 else ''} {ranges(lanes)}."
        )
    if len(sentences) > 6:
        busiest = max(len(shape) for shape in shapes)
        fewest = min(len(shape) for shape in shapes)
        span = str(busiest) if fewest == busiest else f"{fewest} to {busiest}"
        sentences[1:] = [f"Each wavefront uses {span} of the banks."]
    return " ".join(sentences)


def layout(wavefronts: list[list[Cell]], banks: int, across: int) -> dict[str, Any]:
    """Return the blocks of a picture that has ``across`` banks side by side, in the units of its view box.

    A block of banks that no wavefront uses becomes a line of text.
    """
    blocks, y = [], 0.0
    for first in range(0, banks, across):
        last = first + across - 1
        rows = [[cell for cell in cells if first <= cell.bank <= last] for cells in wavefronts]
        block: dict[str, Any] = {"first": first, "last": last, "y": y, "idle": not any(rows) and banks > across}
        if block["idle"]:
            y += ROW
        else:
            block |= {
                "top": y + ROW,
                "height": ROW * len(rows),
                "cells": [
                    {"x": MARGIN + CELL * (cell.bank - first), "y": y + ROW * (row + 1), "label": cell.label}
                    for row, cells in enumerate(rows)
                    for cell in cells
                ],
                "rows": [{"y": y + ROW * (row + 1), "number": row + 1} for row in range(len(rows))],
            }
            y += ROW * (len(rows) + 1) + 6
        blocks.append(block)
    grid = {"left": MARGIN, "cell": CELL, "row": ROW, "across": across}
    return {"blocks": blocks, "width": MARGIN + CELL * across, "height": y, **grid}


def small_layout(wavefronts: list[list[Cell]], banks: int, lanes: bool) -> dict[str, Any]:
    """Return a picture of cells without text or, with ``lanes``, of banks side by side that serve the same lanes, with these.

    Raises ResultError if there is no room for the lanes.
    """
    drawn, height = [], LABELED_ROW if lanes else SMALL_ROW
    for row, cells in enumerate(wavefronts):
        runs = [list(run) for _, run in groupby(cells, lambda cell: cell.lanes)] if lanes else [[cell] for cell in cells]
        if lanes and min(map(len, runs)) < LABELED_BANKS:
            raise ResultError(f":lanes: wants {LABELED_BANKS} banks or more side by side that serve the same lanes")
        drawn += [
            {
                "x": SMALL_CELL * run[0].bank,
                "y": height * row,
                "width": SMALL_CELL * len(run),
                "label": ranges(list(run[0].lanes)) if lanes else "",
            }
            for run in runs
        ]
    size = {"width": SMALL_CELL * banks, "height": height * len(wavefronts)}
    return {"cells": drawn, "cell": SMALL_CELL, "row": height, "rows": len(wavefronts), "banks": banks, **size}


def drawn(evidence: Evidence, panel: Panel, small: bool, lanes: bool = False) -> dict[str, Any]:
    """Return the template's data for a panel, a small one with or without ``lanes``. Raises ResultError."""
    run, access = shared_access(evidence, panel)
    wavefronts = served_cells(access, run["banks"])
    sources = evidence.sources(panel.slug)
    return {
        "label": panel.label,
        "cost": cost_in_words(access),
        "excess": len(wavefronts) > access["ideal_wavefronts"],
        "description": describe_schedule(access, run["banks"], panel.op),
        "kernel": panel.kernel,
        "machine": run["machine"],
        "banks": run["banks"],
        "warp": access["warp"],
        "line": access["line"],
        "text": sources.line(access["file"], access["line"]).strip(),
        "shares": any(len(cell.lanes) > 1 for cells in wavefronts for cell in cells),
        "small": small_layout(wavefronts, run["banks"], lanes) if small else None,
        "wide": None if small else layout(wavefronts, run["banks"], run["banks"]),
        "narrow": None if small else layout(wavefronts, run["banks"], NARROW_BANKS),
    }


def figure(panels: list[dict[str, Any]], small: bool, lanes: bool = False) -> str:
    """Return the HTML of some panels that ``drawn`` made, small ones with or without ``lanes``."""
    return render("banks.html", panels=panels, small=small, lanes=lanes)


def in_words(panels: list[dict[str, Any]]) -> str:
    """Return the description of several panels."""
    return " ".join((f"{panel['label']}: " if panel["label"] else "") + panel["description"] for panel in panels)


class BankMap(EvidenceDirective, directive="bank-map"):
    """``.. bank-map:: [MACHINE:]SLUG.KERNEL load|store …``: the wavefronts of one shared access of a warp.

    The access is the first of warp 0 in the first block that makes it; ``match=TEXT``, ``instruction=N``, ``warp=N`` and
    ``occurrence=N`` choose another one, and `` | LABEL`` stands above the picture. Lines of the body are further
    panels. ``:small:`` draws them side by side, without the lanes' numbers; ``:lanes:`` adds these to loads and stores of 16 bytes.
    """

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {"small": directives.flag, "lanes": directives.flag}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        asked = [*self.arguments, *(line for line in self.content if line.strip())]
        if not asked:
            raise ResultError("a bank-map wants an access, as its argument or in its body")
        small, lanes = "small" in self.options, "lanes" in self.options
        if lanes and not small:
            raise ResultError(":lanes: goes with :small:")
        panels = [drawn(evidence, Panel.parse(line), small, lanes) for line in asked]
        return picture(figure(panels, small, lanes), in_words(panels))
