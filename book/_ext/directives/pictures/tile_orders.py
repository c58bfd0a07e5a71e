# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""``tile-orders``: the tiles of a product that are computed at once, and the parts of its factors that they need; a drawing."""

import re
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.sentences import plural

from ..project import EvidenceDirective, picture, render

#: Units of the picture: width and height of a tile of C, the parts of A and B beside it, and the space between.
ACROSS, DOWN, PART, GAP = 7, 4, 10, 4

#: How the text of a kernel names the order of its tiles.
_ORDER = re.compile(r"\bRowByRow\b|\bInGroups<(\d+)>")


def tile_of(turn: int, down: int, across: int, group: int) -> tuple[int, int]:
    """Return row and column of the tile that is computed in a turn: down the columns within groups of ``group`` rows of tiles."""
    first, within = turn // (group * across) * group, turn % (group * across)
    rows = min(group, down - first)
    return first + within % rows, within // rows


def panel_of(kernel: str, down: int, across: int, at_once: int, group: int) -> dict[str, Any]:
    """Return what the template draws of a kernel: the tiles of its first ``at_once`` turns, and the parts of A and B that these need."""
    tiles = [tile_of(turn, down, across, group) for turn in range(at_once)]
    rows, columns = sorted({row for row, _ in tiles}), sorted({column for _, column in tiles})
    return {
        "kernel": kernel,
        "tiles": [{"x": PART + GAP + column * ACROSS, "y": PART + GAP + row * DOWN} for row, column in tiles],
        "rows": [PART + GAP + row * DOWN for row in rows],
        "columns": [PART + GAP + column * ACROSS for column in columns],
        "needs": f"{plural(len(rows), 'row')} of A, {plural(len(columns), 'column')} of B",
    }


class TileOrders(EvidenceDirective, directive="tile-orders"):
    """``.. tile-orders:: SLUG.KERNEL …``: for each product, the tiles that are computed first and at once.

    ``:down: N`` and ``:across: N`` are the tiles of the product, ``:at-once: N`` how many are computed at once. The order is read
    from the kernel's text.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {name: directives.positive_int for name in ("down", "across", "at-once")}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        down, across, at_once = (self.options.get(name, default) for name, default in (("down", 64), ("across", 32), ("at-once", 132)))
        if at_once > down * across:
            raise ResultError(f":at-once: {at_once} is more than the {down * across} tiles of {down} × {across}")
        panels = []
        for argument in self.arguments[0].split():
            slug, kernel = self.kernel_argument(argument)
            found = _ORDER.search(evidence.sources(slug).region(kernel).text)
            if found is None:
                raise ResultError(f"{argument} names neither RowByRow nor InGroups<N>, so the order of its tiles is not known")
            panels.append(panel_of(kernel, down, across, at_once, int(found[1] or 1)))
        said = " ".join(f"{one['kernel']}: the first {at_once} tiles need {one['needs']}." for one in panels)
        html = render(
            "tile_orders.html",
            panels=panels,
            description=said,
            tile=(ACROSS, DOWN),
            part=PART,
            begin=PART + GAP,
            size=(across * ACROSS, down * DOWN),
            at_once=at_once,
            down=down,
            across=across,
        )
        return picture(html, said)
