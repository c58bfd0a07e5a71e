"""``sector-warps``: the sectors that the warps of a block share, a word a warp, drawn from the model's trace."""

from typing import Any

from docutils import nodes

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import SECTOR_BYTES, ResultError

from ..project import EvidenceDirective, pictured
from .rounds import COLORS, FILLS
from .traces import WORD_BYTES, launch

#: Units of the picture: a word, the height of a row, and the room for the words before it.
WORD, ROW, LEFT = 40, 26, 172

#: The lanes whose sectors are drawn.
LANES = (0, 1, 2, 31)


def words_of_lane(accesses: list[dict[str, Any]], lane: int) -> tuple[int, list[int | None]]:
    """Return the first byte of the sector that a lane of all warps accesses, and the warp of each of its words.

    Raises ResultError if the warps' words lie in several sectors, or are no words.
    """
    offsets = {access["warp"]: access["lanes"][lane] for access in accesses}
    sectors = {offset // SECTOR_BYTES for offset in offsets.values() if offset is not None}
    if len(sectors) != 1 or any(access["size"] != WORD_BYTES for access in accesses):
        raise ResultError(f"the words that lane {lane} of all warps accesses do not lie in one sector, so there is nothing to share")
    begin = sectors.pop() * SECTOR_BYTES
    warps: list[int | None] = [None] * (SECTOR_BYTES // WORD_BYTES)
    for warp, offset in offsets.items():
        if offset is not None:
            warps[(offset - begin) // WORD_BYTES] = warp
    return begin, warps


class SectorWarps(EvidenceDirective, directive="sector-warps"):
    """``.. sector-warps:: SLUG.KERNEL load|store``: which warp of the first block accesses which word of the sectors they share.

    Shown is the first access of each warp to global memory, for some of its lanes.
    """

    required_arguments = 2

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug, kernel = self.kernel_argument(self.arguments[0])
        op = self.arguments[1]
        run = launch(evidence, slug, kernel)
        first = [
            access
            for access in run["blocks"][0]["accesses"]
            if (access["space"], access["op"], access["instruction"], access["occurrence"]) == ("global", op, 0, 0)
        ]
        warps = sorted({access["warp"] for access in first})
        if not 1 < len(warps) == len(first) <= COLORS:
            raise ResultError(f"sector-warps wants one global {op} of 2 to {COLORS} warps in {slug}.{kernel}; found: {len(first)}")
        rows = []
        for place, lane in enumerate(LANES):
            begin, found = words_of_lane(first, lane)
            words = [
                {"x": LEFT + WORD * number, "warp": warp, "fill": FILLS[warp] if warp is not None else ""}
                for number, warp in enumerate(found)
            ]
            # A gap stands for the lanes that are not drawn.
            gap = ROW / 2 if place and lane > LANES[place - 1] + 1 else 0
            rows.append({"lane": lane, "begin": f"{begin:,}", "y": (rows[-1]["y"] + ROW if rows else 0) + gap, "words": words})
        said = (
            f"The {op}s of lane N of warps {warps[0]} to {warps[-1]} go to one sector. "
            + " ".join(f"Lane {row['lane']}: the sector at byte {row['begin']}." for row in rows)
            + f" Each warp's {op} takes one word of each sector."
        )
        return pictured(
            "sector_warps.html",
            said,
            rows=rows,
            op=op,
            kernel=kernel,
            machine=run["machine"],
            word=WORD,
            row=ROW,
            left=LEFT,
            width=LEFT + WORD * (SECTOR_BYTES // WORD_BYTES),
            height=rows[-1]["y"] + ROW,
        )
