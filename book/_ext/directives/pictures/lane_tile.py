"""``lane-tile``: an array in shared memory as rows of all banks, and where in it the lanes that are served together go."""

from collections import Counter
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.sentences import plural

from ..project import EvidenceDirective, picture, render
from .banks import cost_in_words
from .traces import Panel, shared_access

#: Units of the picture: width of a line of all banks, height of a line and of one that no lane goes to, room for the number of a row and for
#: the banks.
ACROSS, ROW, UNTOUCHED, LEFT, TOP = 208, 15, 4, 26, 18

#: Bytes that a bank delivers in one wavefront.
BANK_BYTES = 4


def cost_of(access: dict[str, Any], drawn: int, groups: str) -> str:
    """Return how many wavefronts the first ``drawn`` lanes of an access take, and how many all of them, in ``groups`` of as many."""
    taken, count = len(access["wavefronts"]), len(access["lanes"]) // drawn
    if count == 1:
        return cost_in_words(access)
    first = sum(any(lane < drawn for lane, _ in served) for served in access["wavefronts"])
    return f"{plural(first, 'wavefront')}, {taken} for all {count} {groups}"


def panel_of(run: dict[str, Any], access: dict[str, Any], label: str, groups: str = "groups") -> dict[str, Any]:
    """Return the template's data for one access: the places of the lanes that are served first, by row and bank.

    Raises ResultError if lanes of the access are inactive.
    """
    size, row_bytes = access["size"], run["banks"] * BANK_BYTES
    lanes = access["lanes"][: row_bytes // size]
    if None in lanes:
        raise ResultError(f"a lane of the access on line {access['line']} is inactive, and has no place in a lane-tile")
    same_line = [
        one["lanes"]
        for one in run["blocks"][0]["accesses"]
        if (one["file"], one["line"], one["op"]) == (access["file"], access["line"], access["op"])
    ]
    begin = min(offset for found in same_line for offset in found if offset is not None) // row_bytes
    places = [(offset // row_bytes - begin, offset % row_bytes // size) for offset in lanes]
    most = Counter(column for _, column in places)
    count = row_bytes // size
    return {
        "label": label,
        "cost": cost_of(access, len(lanes), groups),
        "excess": len(access["wavefronts"]) > access["ideal_wavefronts"],
        "count": count,
        "lanes": [{"lane": lane, "row": row, "column": column, "alone": most[column] == 1} for lane, (row, column) in enumerate(places)],
        "columns": len(most),
    }


def describe(panel: dict[str, Any]) -> str:
    """Return the description of a panel."""
    return (
        f"{panel['label']}: the {plural(len(panel['lanes']), 'lane')} that are served first go to "
        f"{plural(panel['columns'], 'column')} of {panel['count']}; the access takes {panel['cost']}."
    )


def drawn(evidence: Evidence, asked: list[Panel], as_above: bool = False, groups: str = "groups") -> tuple[str, str]:
    """Return the picture of some panels, and its description. Raises ResultError."""
    found = [(panel, *shared_access(evidence, panel)) for panel in asked]
    panels = [panel_of(run, access, panel.label or panel.kernel, groups) for panel, run, access in found]
    description = " ".join(map(describe, panels))
    touched = sorted({lane["row"] for panel in panels for lane in panel["lanes"]})
    heights = [ROW if row in touched else UNTOUCHED for row in range(1 + touched[-1])]
    html = render(
        "lane_tile.html",
        panels=panels,
        description=description,
        touched=touched,
        tops=[TOP + sum(heights[:row]) for row in range(1 + len(heights))],
        across=ACROSS,
        row=ROW,
        left=LEFT,
        size=found[0][2]["size"],
        machine=found[0][1]["machine"],
        op=asked[0].op,
        groups=len(found[0][2]["lanes"]) // len(panels[0]["lanes"]),
        as_above=as_above,
        kernels=list(dict.fromkeys(panel.kernel for panel in asked)),
        banks=found[0][1]["banks"],
    )
    return html, description


class LaneTile(EvidenceDirective, directive="lane-tile"):
    """``.. lane-tile::``: lines of the body are panels of a ``bank-map``, side by side, each drawn as the array in shared memory.

    A line of the picture is a word in each bank, and a cell is what one lane accesses. Shown are
    the lanes that are served together first: 32 of 4 bytes, 16 of 8 or 8 of 16. ``:groups:`` is another word for these. ``:as-above:`` leaves out of the caption what that
    of an earlier picture says.
    """

    has_content = True
    option_spec = {"as-above": directives.flag, "groups": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        asked = [Panel.parse(line.strip()) for line in self.content if line.strip()]
        return picture(*drawn(evidence, asked, "as-above" in self.options, self.options.get("groups", "groups")))
