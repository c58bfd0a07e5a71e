"""``tile-banks``: an array in shared memory, drawn row by row with the bank of each cell, and one access marked in it."""

from collections import Counter
from dataclasses import dataclass
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

#: Units of the picture: a cell, and the room between panels.
CELL, ROW, GAP = 23, 15, 26

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


def cells_of(layout: Layout, banks: int, rows: int, first: int, count: int) -> list[dict[str, Any]]:
    """Return ``rows`` rows of ``count`` columns from ``first`` on, each cell with its bank.

    Cells in the bank of the first lane's word are ``same``; words of the access are ``asked``; words that only lengthen a row are ``unused``.
    """
    asked, contended = set(layout.words), bank_of(layout.words[0], banks)
    cells = []
    for row in range(rows):
        for column in range(first, min(first + count, layout.width)):
            word = row * layout.width + column
            bank = bank_of(word, banks)
            cells.append(
                {
                    "x": (column - first) * CELL,
                    "y": row * ROW,
                    "bank": bank,
                    "same": bank == contended and column < layout.used,
                    "unused": column >= layout.used,
                    "asked": word in asked,
                }
            )
    return cells


def panel_of(layout: Layout, banks: int, rows: int, parts: list[tuple[str, int, int]]) -> dict[str, Any]:
    """Return the template's data; ``parts`` are drawn below each other: the size of the screen, first column and number of columns."""
    asked = set(layout.words)
    contended = bank_of(layout.words[0], banks)
    each = Counter(bank_of(word, banks) for word in asked)
    drawn = [{"size": size, "count": count, "cells": cells_of(layout, banks, rows, first, count)} for size, first, count in parts]
    return {
        "label": layout.label,
        "bank": contended,
        "in_bank": each[contended],
        "of": len(asked),
        "wavefronts": max(each.values()),
        "parts": drawn,
    }


def describe(panel: dict[str, Any]) -> str:
    """Return the description of a panel."""
    lie = f"{panel['in_bank']} of the {plural(panel['of'], 'word')} that the warp reads lie in bank {panel['bank']}"
    return f"{panel['label']}: {lie}, {plural(panel['wavefronts'], 'wavefront')}."


class TileBanks(EvidenceDirective, directive="tile-banks"):
    """``.. tile-banks:: SLUG.KERNEL load|store …``: the array that an access of the model's trace goes to, as memory.

    The argument is that of a ``bank-map``. ``:row: N`` is how many words a row of the array has; ``:widths: N …`` draws the same rows and
    columns in rows of these many words, side by side. ``:columns: N`` draws N columns, around the first word that is asked for;
    ``:rows: N`` draws N rows.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {
        "row": directives.positive_int,
        "widths": directives.unchanged_required,
        "columns": directives.positive_int,
        "rows": directives.positive_int,
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
        parts = [("wide", first, count), *self._narrow(words[0] % width, first, count, widths)]
        panels = [
            panel_of(Layout(f"Rows of {wanted} words", wanted, width, tuple(relaid(words, width, wanted))), banks, rows, parts)
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
            op=panel.op,
            kernel=panel.kernel,
            machine=run["machine"],
            warp=access["warp"],
            columns=ranges(sorted({word % width for word in words})),
        )

    @staticmethod
    def _narrow(asked: int, first: int, count: int, widths: list[int]) -> list[tuple[str, int, int]]:
        """Return the parts on a phone: several panels side by side, around the column that is asked for, and one panel in pieces."""
        if len(widths) == 1:
            each = ceil(count / ceil(count / NARROW_COLUMNS))
            return [("narrow", begin, min(each, first + count - begin)) for begin in range(first, first + count, each)]
        few = min(count, int((NARROW - NARROW_GAP * (len(widths) - 1)) / len(widths) / CELL))
        return [("narrow", max(0, min(asked - few // 2, max(widths) - few)), few)]
