"""``tile-banks``: an array in shared memory, drawn row by row with the bank of each cell, and one access marked in it."""

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.banks import bank_of
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.sentences import plural, ranges

from ..project import EvidenceDirective, pictured
from .traces import WORD_BYTES, Panel, refuse_rows_beyond, shared_access

#: Units of the picture: a cell, the room between panels, and that for columns that are not drawn.
CELL, ROW, GAP, SKIP = 23, 15, 26, 14

#: Width of all panels of a picture on a wide page and on a phone, the room between them there, and the most columns of one panel there.
WIDE, NARROW, NARROW_GAP, NARROW_COLUMNS = 800, 345, 12, 16


@dataclass(frozen=True)
class Layout:
    """A panel: how many words a row has, how many of them are used, and the word that each lane of the access touches."""

    label: str
    width: int
    used: int
    words: tuple[int, ...]


def words_of(access: dict[str, Any]) -> list[int]:
    """Return the word of 4 bytes that each active lane of a traced access of at most 4 bytes touches."""
    return [offset // WORD_BYTES for offset in access["lanes"] if offset is not None]


def relaid(words: list[int], width: int, wanted: int) -> list[int]:
    """Return the same rows and columns in an array whose rows have ``wanted`` words in place of ``width``."""
    return [word // width * wanted + word % width for word in words]


def places_of(columns: list[int]) -> list[int]:
    """Return where each of some columns begins, in units of the picture: a column that does not follow the one before stands off from it."""
    steps = [CELL + SKIP * (here != before + 1) for before, here in pairwise(columns)]
    return list(accumulate(steps, initial=0))


def cells_of(layout: Layout, banks: int, rows: int, columns: list[int], contended: set[int]) -> list[dict[str, Any]]:
    """Return ``rows`` rows of the given columns, those that a row has, each cell with its bank.

    ``contended`` words are ``same``; words of the access are ``asked``; words that only lengthen a row are ``unused``.
    """
    cells = []
    for row in range(rows):
        for column, x in zip(columns, places_of(columns), strict=True):
            word = row * layout.width + column
            if column < layout.width:
                cells.append(
                    {
                        "x": x,
                        "y": row * ROW,
                        "bank": bank_of(word, banks),
                        "same": word in contended,
                        "unused": column >= layout.used,
                        "asked": word in layout.words,
                    }
                )
    return cells


def panel_of(layout: Layout, banks: int, rows: int, parts: list[tuple[str, list[int]]], is_relaid: bool, meeting: bool) -> dict[str, Any]:
    """Return the template's data; ``parts`` are drawn below each other: the size of the screen, and the columns.

    Contended are all used words in the access's fullest bank, the first one if several are, or, among rows of several widths, those that the access asks for.
    With ``meeting``, contended are all words of the access that share a bank with another.
    """
    asked = set(layout.words)
    each = Counter(bank_of(word, banks) for word in dict.fromkeys(layout.words))
    bank = max(each, key=each.__getitem__)
    if meeting:
        contended = {word for word in asked if each[bank_of(word, banks)] > 1}
    elif is_relaid:
        contended = {word for word in asked if bank_of(word, banks) == bank} if each[bank] > 1 else set()
    else:
        contended = {word for word in range(rows * layout.width) if bank_of(word, banks) == bank and word % layout.width < layout.used}
    drawn = []
    for size, columns in parts:
        lefts = places_of(columns)
        skipped = [left - SKIP / 2 for before, here, left in zip(columns, columns[1:], lefts[1:], strict=False) if here != before + 1]
        cells = cells_of(layout, banks, rows, columns, contended)
        drawn.append({"size": size, "width": lefts[-1] + CELL, "skipped": skipped, "cells": cells})
    return {"label": layout.label, "bank": bank, "in_bank": each[bank], "of": len(asked), "wavefronts": max(each.values()), "parts": drawn}


def describe(panel: dict[str, Any]) -> str:
    """Return the description of a panel."""
    lie = f"{panel['in_bank']} of the {plural(panel['of'], 'word')} that the warp reads lie in bank {panel['bank']}"
    return f"{panel['label']}: {lie}, {plural(panel['wavefronts'], 'wavefront')}."


class TileBanks(EvidenceDirective, directive="tile-banks"):
    """``.. tile-banks:: SLUG.KERNEL load|store …``: the array that an access of the model's trace goes to, as memory.

    The argument is that of a ``bank-map``. ``:row: N`` is how many words a row of the array has; ``:widths: N …`` draws the same rows and
    columns in rows of these many words, side by side. ``:columns: N`` draws N columns, around the first word that is asked for, and
    ``:end: N`` makes the last N of them those at the end of the longest row. ``:rows: N`` draws N rows.
    ``:meeting:`` colors all words that share a bank, and not only those in the fullest one.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {
        "row": directives.positive_int,
        "widths": directives.unchanged_required,
        "columns": directives.positive_int,
        "end": directives.positive_int,
        "rows": directives.positive_int,
        "meeting": directives.flag,
    }

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        panel = Panel.parse(self.arguments[0])
        run, access = shared_access(evidence, panel)
        banks, words = run["banks"], words_of(access)
        if access["size"] > WORD_BYTES:
            raise ResultError(
                f"an access of {access['size']} bytes a lane is served in parts; this picture has one of at most {WORD_BYTES}"
            )
        width = self.options.get("row", banks)
        refuse_rows_beyond(evidence, panel.slug, panel.kernel, WORD_BYTES * width, 1 + max(words) // width)
        widths = [int(text) for text in self.options.get("widths", str(width)).split()]
        if min(widths) < max(word % width for word in words):
            raise ResultError(f":widths: {min(widths)} is less than the columns that the access touches")
        all_rows = 1 + max(words) // width
        rows = min(all_rows, self.options.get("rows", all_rows))
        count = self.options.get("columns", max(2, (WIDE - GAP * (len(widths) - 1)) // len(widths) // CELL))
        first = max(0, min(words[0] % width - count // 2, max(widths) - count))
        parts = [("wide", self._with_end(first, count, max(widths))), *self._narrow(words[0] % width, first, count, widths)]
        panels = [
            panel_of(
                Layout(f"Rows of {wanted} words", wanted, width, tuple(relaid(words, width, wanted))),
                banks,
                rows,
                parts,
                len(widths) > 1,
                "meeting" in self.options,
            )
            for wanted in widths
        ]
        description = " ".join(describe(one) for one in panels)
        return pictured(
            "tile_banks.html",
            description,
            panels=panels,
            cell=CELL,
            row=ROW,
            rows=rows,
            shown_rows=ranges(list(range(rows))),
            more_rows=all_rows > rows,
            all_rows=all_rows,
            part_of_columns=first > 0 or count < max(widths),
            relaid=max(widths) > width,
            width=width,
            meeting="meeting" in self.options,
            op=panel.op,
            kernel=panel.kernel,
            machine=run["machine"],
            warp=access["warp"],
            columns=ranges(sorted({word % width for word in words})),
        )

    def _with_end(self, first: int, count: int, width: int) -> list[int]:
        """Return ``count`` columns of rows of ``width`` words from ``first`` on; as many as the option ``end`` says are the last ones."""
        end = min(self.options.get("end", 0), count - 1)
        begin = range(first, first + count - end)
        return [*begin, *range(max(begin.stop, width - end), width if end else begin.stop)]

    def _narrow(self, asked: int, first: int, count: int, widths: list[int]) -> list[tuple[str, list[int]]]:
        """Return the parts on a phone: several panels side by side, around the column that is asked for, and one panel in pieces."""
        if len(widths) == 1:
            each = ceil(count / ceil(count / NARROW_COLUMNS))
            return [("narrow", list(range(begin, min(begin + each, first + count)))) for begin in range(first, first + count, each)]
        few = min(count, int((NARROW - NARROW_GAP * (len(widths) - 1)) / len(widths) / CELL))
        return [("narrow", self._with_end(max(0, min(asked - few // 2, max(widths) - few)), few, max(widths)))]
