"""``fragment-map``: a part of a tile of halves, each element with the lane that holds it."""

from collections import defaultdict
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError

from ..project import EvidenceDirective, pictured
from .traces import Panel, launch, shared_access

#: Bytes of an element and of a register, and elements of a side of the part.
ELEMENT_BYTES, REGISTER_BYTES, PART = 2, 4, 16

#: Units of the picture: a cell, room for the numbers of rows and columns, and the room between two panels.
CELL, LEFT, TOP, GAP = 22, 56, 32, 38

#: The lane whose elements are outlined.
MARKED = 5

Element = dict[str, int]


def elements_of(accesses: list[dict[str, Any]], row: int) -> list[Element]:
    """Return lane, register, row and column of each element that ``accesses`` bring, in rows of ``row`` elements.

    The first of them fill the first register, and so on. Rows and columns count from the first that is touched. Raises
    ResultError if they do not bring each element of a part once.
    """
    found = [
        (lane, (index * access["size"] + byte) // REGISTER_BYTES, (offset + byte) // ELEMENT_BYTES)
        for index, access in enumerate(accesses)
        for lane, offset in enumerate(access["lanes"])
        for byte in range(0, access["size"], ELEMENT_BYTES)
    ]
    top = min(place // row for _, _, place in found)
    left = min(place % row for _, _, place in found)
    elements = [
        {"lane": lane, "register": register, "row": place // row - top, "column": place % row - left} for lane, register, place in found
    ]
    if sorted((one["row"], one["column"]) for one in elements) != [(i, j) for i in range(PART) for j in range(PART)]:
        raise ResultError(f"the loads do not bring each element of {PART} rows of {PART} once")
    return elements


def first_loads(evidence: Evidence, panel: Panel) -> list[dict[str, Any]]:
    """Return the accesses of one line by which the first warp loads its first part, in order. Raises ResultError."""
    _, first = shared_access(evidence, panel)
    count = PART * PART * ELEMENT_BYTES // (len(first["lanes"]) * first["size"])
    same = [
        one
        for one in launch(evidence, panel.slug, panel.kernel)["blocks"][0]["accesses"]
        if all(one[key] == first[key] for key in ("file", "line", "op", "warp", "occurrence"))
    ]
    return sorted(same, key=lambda one: one["instruction"])[:count]


def registers_of(name: str, elements: list[Element]) -> list[dict[str, Any]]:
    """Return for each quarter of a part the name of its register, whether it stands at the right, and the row of its middle."""
    half = PART // 2
    quarters = {(one["row"] // half, one["column"] // half): one["register"] for one in elements}
    return [
        {"name": f"{name}[{register}]", "right": column == 1, "middle": (row + 0.5) * half} for (row, column), register in quarters.items()
    ]


def laid_out(parts: list[tuple[str, str, list[Element]]], across: bool) -> dict[str, Any]:
    """Return the template's data for parts of (label, name of registers, elements), side by side or one below the other."""
    step = PART * CELL + (LEFT if across else TOP) + GAP
    panels, lanes = [], defaultdict(list)
    for index, (label, name, elements) in enumerate(parts):
        x, y = (LEFT + index * step, TOP) if across else (LEFT, TOP + index * step)
        panels.append({"label": label, "x": x, "y": y, "registers": registers_of(name, elements)})
        for one in elements:
            cell = {"x": x + one["column"] * CELL, "y": y + one["row"] * CELL, "register": one["register"]}
            words = f"row {one['row']}, column {one['column']}: lane {one['lane']}, register {name}[{one['register']}]"
            lanes[one["lane"]].append(cell | {"words": words, "name": f"{name}{one['register']}"})
    others = (len(parts) - 1) * step
    width, height = LEFT + PART * CELL + GAP + (others if across else 0), TOP + PART * CELL + (0 if across else others)
    return {"panels": panels, "lanes": sorted(lanes.items()), "marked": lanes[MARKED], "width": width, "height": height}


class FragmentMap(EvidenceDirective, directive="fragment-map"):
    """``.. fragment-map::``: each line of the body is a panel of a ``bank-map``, whose load and those after it on its line bring a part.

    Its label begins with the name of the part's registers, as in ``a: by rows``. ``:row: N`` is how many elements a row of the tile has.
    """

    has_content = True
    option_spec = {"row": directives.positive_int}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        parts, kernels = [], []
        for line in self.content:
            if not line.strip():
                continue
            panel = Panel.parse(line.strip())
            name, _, label = panel.label.partition(": ")
            parts.append((label, name, elements_of(first_loads(evidence, panel), self.options["row"])))
            kernels.append(panel.kernel)
        description = " ".join(
            f"{label}: lane 0 holds {', '.join(self._places(elements))}, and the other lanes the same of rows and columns that follow."
            for label, _, elements in parts
        )
        return pictured(
            "fragment_map.html",
            description,
            views={"wide": laid_out(parts, across=True), "narrow": laid_out(parts, across=False)},
            cell=CELL,
            part=PART,
            marked=MARKED,
            kernels=list(dict.fromkeys(kernels)),
        )

    @staticmethod
    def _places(elements: list[Element]) -> list[str]:
        return [f"row {one['row']} column {one['column']}" for one in elements if one["lane"] == 0]
