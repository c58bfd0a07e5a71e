"""``row-sectors``: where the rows of a matrix begin within sectors, and which sectors a warp's access to each row touches."""

import math
from fractions import Fraction
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import SECTOR_BYTES, ResultError
from conflict_free.evidence.sentences import plural

from ..project import EvidenceDirective, pictured
from .sectors import touched_sectors

#: Units of the picture: a sector, the height of a row, and room for the words on either side.
SECTOR, ROW, LEFT, RIGHT = 40, 17, 42, 24

#: Lanes of a warp, and the bytes that one of them may ask for at once.
LANES = 32
SIZES = (1, 2, 4, 8, 16)


def sectors_of_row(row: int, elements: int, size: int) -> dict[int, list]:
    """Return the sectors, by number, that a warp touches with the first 32 elements of a row, and the bytes that it asks for in each.

    The rows have ``elements`` elements of ``size`` bytes and follow each other; the first begins with a sector.
    """
    begin = row * elements * size
    return touched_sectors({"size": size, "lanes": [begin + lane * size for lane in range(LANES)]})


def mean_sectors(elements: int, size: int) -> Fraction:
    """Return the sectors that such an access touches on average over all rows."""
    period = SECTOR_BYTES // math.gcd(elements * size, SECTOR_BYTES)
    return Fraction(sum(len(sectors_of_row(row, elements, size)) for row in range(period)), period)


def panel_of(elements: int, size: int, rows: int) -> dict[str, Any]:
    """Return the template's data for a matrix: for each row its sectors, and the part of each that is asked for."""
    drawn = []
    for row in range(rows):
        sectors = sectors_of_row(row, elements, size)
        asked = [(spans[0].start, max(span.start + span.size for span in spans)) for spans in sectors.values()]
        drawn.append(
            {
                "row": row,
                "count": len(sectors),
                "late": row * elements * size % SECTOR_BYTES,
                "boxes": [
                    {"x": LEFT + place * SECTOR, "from": start / SECTOR_BYTES * SECTOR, "width": (stop - start) / SECTOR_BYTES * SECTOR}
                    for place, (start, stop) in enumerate(asked)
                ],
            }
        )
    mean = mean_sectors(elements, size)
    return {"elements": elements, "rows": drawn, "least": size, "mean": f"{float(mean):.4g}", "excess": mean > size}


def describe(panel: dict[str, Any], size: int) -> str:
    """Return the description of a panel."""
    late = [str(row["late"]) for row in panel["rows"]]
    return (
        f"Rows of {panel['elements']} elements of {plural(size, 'byte')}: {', '.join(late)} bytes into a sector begin rows 0 to {len(late) - 1}, "
        f"and a warp that accesses 32 elements of a row touches {panel['mean']} sectors on average."
    )


class RowSectors(EvidenceDirective, directive="row-sectors"):
    """``.. row-sectors:: ELEMENTS …``: matrices whose rows have this many elements, side by side, sector by sector.

    ``:size: N`` is the bytes of an element, 4 without it; ``:rows: N`` draws N rows, 8 without it. Nothing is measured here: the picture
    follows from the row length.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"size": directives.positive_int, "rows": directives.positive_int}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        size, rows = self.options.get("size", 4), self.options.get("rows", 8)
        if size not in SIZES:
            raise ResultError(f":size: {size} is not the size of an access; accepted: {', '.join(map(str, SIZES))}")
        lengths = self.arguments[0].split()
        if not all(text.isdecimal() and int(text) >= LANES for text in lengths):
            raise ResultError(f"{self.arguments[0]!r} are not lengths of rows; accepted: numbers from {LANES} on")
        panels = [panel_of(int(text), size, rows) for text in lengths]
        description = " ".join(describe(panel, size) for panel in panels)
        columns = max(len(row["boxes"]) for panel in panels for row in panel["rows"])
        return pictured(
            "row_sectors.html",
            description,
            panels=panels,
            size=size,
            sector=SECTOR,
            row=ROW,
            width=LEFT + columns * SECTOR + RIGHT,
            height=rows * ROW,
            columns=columns,
        )
