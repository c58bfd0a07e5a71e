"""``loop-orders``: the order in which two loops visit the tiles of a matrix."""

from typing import Any

from docutils import nodes

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.sentences import plural

from ..project import EvidenceDirective, picture, render
from .rounds import FILLS

#: Units of the picture: a visit, the space between two rounds, and the height of the bracket below.
CELL, GAP, BRACKET = 24, 8, 12


def visits(tiles: int, rounds: int, inside: bool) -> list[list[int]]:
    """Return the tiles in the order of their visits, in the groups of the outer loop: rounds, or tiles if the loop is ``inside``."""
    return [[tile] * rounds for tile in range(tiles)] if inside else [list(range(tiles))] * rounds


def row_of(words: str, groups: list[list[int]]) -> dict[str, Any]:
    """Return the template's data for an order of visits, with a bracket from the first use of tile 0 to the second."""
    cells, x = [], 0
    for group in groups:
        for tile in group:
            cells.append({"x": x, "tile": tile, "fill": FILLS[tile]})
            x += CELL
        x += GAP
    order = [tile for group in groups for tile in group]
    again = order.index(0, 1)
    between = len(set(order[1:again]))
    said = f"{words}: {plural(between, 'other tile')} between two uses of tile 0" if between else f"{words}: tile 0 is used again at once"
    ends = [cells[place]["x"] + CELL / 2 for place in (0, again)]
    return {"words": words, "said": said, "cells": cells, "ends": ends, "width": x - GAP}


class LoopOrders(EvidenceDirective, directive="loop-orders"):
    """``.. loop-orders:: TILES ROUNDS``: a loop around the launch, and the same loop inside the kernel."""

    required_arguments = 2

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        tiles, rounds = (int(text) if text.isdecimal() else 0 for text in self.arguments)
        if not (2 <= tiles <= len(FILLS) and 2 <= rounds <= 4):
            raise ResultError(f"{' '.join(self.arguments)!r}: accepted are 2 to {len(FILLS)} tiles and 2 to 4 rounds")
        rows = [
            row_of("Loop around the launch", visits(tiles, rounds, False)),
            row_of("Loop inside the kernel", visits(tiles, rounds, True)),
        ]
        said = ". ".join(row["said"] for row in rows) + "."
        html = render("loop_orders.html", rows=rows, cell=CELL, bracket=BRACKET, tiles=tiles, rounds=rounds, description=said)
        return picture(html, said)
