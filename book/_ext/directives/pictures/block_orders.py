"""``block-orders``: the tiles that the first blocks of a transpose read and write; a drawing, whose order is that of the kernel's text."""

import re
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError

from ..project import EvidenceDirective, pictured

#: Units of the picture: a tile, and the space between input and output.
CELL, GAP = 22, 34

#: Rows of the matrix that are drawn in memory for each row of tiles: a tile has more.
ROWS = 4

#: The block's number, in x or in y, from which the column of a thread's loads follows.
_COLUMN = re.compile(r"\bint x = blockIdx\.([xy]) \*")


#: What ``:tiles:`` says: the tiles of a side of a square matrix, or columns and rows of tiles.
_TILES = re.compile(r"([1-9]\d*)(?:x([1-9]\d*))?")


def tile_of(block: int, columns: int, rows: int, down: bool) -> tuple[int, int]:
    """Return row and column of the tile of the input that a block reads; the blocks are numbered along the rows, or ``down`` the columns."""
    across, along = divmod(block, rows if down else columns)
    return (along, across) if down else (across, along)


def panel_of(kernel: str, columns: int, rows: int, at_once: int, down: bool, first: int = 0) -> dict[str, Any]:
    """Return the tiles of a kernel's input and output for the template, and those that ``at_once`` blocks from ``first`` on read and write."""
    read = {tile_of(block, columns, rows, down): block for block in range(first, first + at_once)}
    written = {(column, row): block for (row, column), block in read.items()}
    whole = all(sum(row == one for row, _ in written) == rows for one in {row for row, _ in written})
    # Blocks in the middle of a launch may begin inside a row of tiles: then the pieces before and behind the whole rows are ranges, too.
    many = f"{len(ranges_of(set(written), rows, columns))} ranges" if first else "many ranges"
    return {
        "kernel": kernel,
        "way": "down the columns" if down else "along the rows",
        # Whole rows of tiles are consecutive rows of the matrix. Other groups of tiles have a separate range in each row of the matrix.
        "ranges": "one range" if whole else many,
        "sides": [
            {
                "words": words,
                "left": left,
                "cells": [_cell(row, column, columns * rows, found) for row in range(high) for column in range(wide)],
                "ranges": ranges_of(set(found), wide, high),
            }
            for words, left, found, wide, high in (
                ("loaded", 0, read, columns, rows),
                ("stored", max(columns, rows) * CELL + GAP, written, rows, columns),
            )
        ],
    }


def ranges_of(found: set[tuple[int, int]], columns: int, rows: int) -> list[tuple[float, float]]:
    """Return where the tiles lie in memory, row after row of the matrix: begin and length of each range, in units of the picture."""
    places = {columns * (ROWS * row + line) + column for row, column in found for line in range(ROWS)}
    unit = CELL / (ROWS * min(columns, rows))
    begins = sorted(place for place in places if place - 1 not in places)
    ends = sorted(place + 1 for place in places if place + 1 not in places)
    return [(round(unit * begin, 2), round(unit * (end - begin), 2)) for begin, end in zip(begins, ends)]


def _cell(row: int, column: int, blocks: int, found: dict[tuple[int, int], int]) -> dict[str, Any]:
    block = found.get((row, column))
    # If all blocks are numbered, one block serves as the example.
    return {"x": column * CELL, "y": row * CELL, "block": block, "now": block == 1 if len(found) == blocks else block is not None}


class BlockOrders(EvidenceDirective, directive="block-orders"):
    """``.. block-orders:: SLUG.KERNEL …``: for each transpose, the tiles that the first running blocks read and write.

    ``:tiles: N`` is the tiles of a side of the matrix, or ``COLUMNSxROWS`` of tiles, ``:at-once: N`` how many blocks run at once; if that is all of them, the picture
    shows the tiles' places alone. ``:first: N`` is the first of them, for the middle of a launch. Whether the blocks are numbered along the rows or down the columns is read from the kernel's text.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"tiles": directives.unchanged_required, "at-once": directives.positive_int, "first": directives.nonnegative_int}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        tiles, at_once = _TILES.fullmatch(self.options.get("tiles", "8")), self.options.get("at-once", 16)
        if tiles is None:
            raise ResultError(f":tiles: is {self.options['tiles']!r}; accepted: N, or COLUMNSxROWS")
        columns, rows = int(tiles[1]), int(tiles[2] or tiles[1])
        if at_once > columns * rows:
            raise ResultError(f":at-once: {at_once} is more than the {columns * rows} blocks of {columns} × {rows} tiles")
        first = self.options.get("first", 0)
        if first + at_once > columns * rows:
            raise ResultError(f":first: {first} leaves {columns * rows - first} blocks of {columns * rows}; {at_once} run at once")
        panels = []
        for argument in self.arguments[0].split():
            slug, kernel = self.kernel_argument(argument)
            found = _COLUMN.search(evidence.sources(slug).region(kernel).text)
            if found is None:
                raise ResultError(f"{argument} does not say 'int x = blockIdx.x *' or 'blockIdx.y', so its order of blocks is not known")
            panels.append(panel_of(kernel, columns, rows, at_once, found[1] == "y", first))
        said = " ".join(
            f"{one['kernel']}: blocks numbered {one['way']}; blocks {first} to {first + at_once - 1} store in {one['ranges']}."
            for one in panels
        )
        side = max(columns, rows) * CELL
        return pictured(
            "block_orders.html",
            said,
            panels=panels,
            cell=CELL,
            width=2 * side + GAP,
            height=side,
            side=side,
            at_once=at_once,
            first=first,
            all=at_once == columns * rows,
        )
