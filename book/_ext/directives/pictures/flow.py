"""``tile-flow``: the way of the elements of one block through its tile, drawn from the model's trace."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from docutils import nodes

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.sentences import plural, ranges

from ..project import EvidenceDirective, pictured
from .traces import launch, refuse_rows_beyond

#: Units of the picture: a cell, and the room between panels, for an arrow.
CELL, GAP = 7, 48

#: A position in a matrix or tile: row, column.
Position = tuple[int, int]


@dataclass(frozen=True)
class Element:
    """An element on its way: warp and lane that load it, its place in the input, in the tile and in the output, warp and lane that store it."""

    loaded_by: int
    load_lane: int
    source: int
    word: int
    target: int
    stored_by: int
    store_lane: int


def _moves(accesses: list[dict[str, Any]], space: str, op: str) -> dict[tuple[int, int, int, int], int]:
    """Return the byte offset of each lane's accesses of one kind, by warp, copy of the unrolled line, occurrence and lane."""
    return {
        (access["warp"], access["instruction"], access["occurrence"], lane): offset
        for access in accesses
        if access["space"] == space and access["op"] == op
        for lane, offset in enumerate(access["lanes"])
        if offset is not None
    }


def follow(block: dict[str, Any], size: int) -> list[Element]:
    """Return the elements of a traced block in which each lane stores its own loaded elements to the tile, and the reverse.

    ``size`` is the bytes of an element. Raises ResultError for a block that works otherwise.
    """
    accesses = block["accesses"]
    kinds = [("global", "load"), ("shared", "store"), ("shared", "load"), ("global", "store")]
    for space, op in kinds:
        lines = {(access["file"], access["line"]) for access in accesses if (access["space"], access["op"]) == (space, op)}
        if len(lines) != 1:
            raise ResultError(f"a tile-flow wants a kernel with one {space} {op}; this one has {len(lines)}")
    loaded, stored_in_tile, loaded_from_tile, stored = (_moves(accesses, *kind) for kind in kinds)
    if loaded.keys() != stored_in_tile.keys() or loaded_from_tile.keys() != stored.keys():
        raise ResultError("a tile-flow wants lanes that put into the tile what they load, and store what they take from it")
    into = {stored_in_tile[key] // size: (key[0], key[3], loaded[key] // size) for key in loaded}
    elements = []
    for key, target in stored.items():
        word = loaded_from_tile[key] // size
        if word not in into:
            raise ResultError("a tile-flow wants a tile that is filled before it is read")
        elements.append(Element(*into[word], word, target // size, key[0], key[3]))
    return elements


def grid_of(indices: set[int]) -> dict[int, Position]:
    """Return row and column of each index of a rectangle that lies in a wider row-major matrix: a run is a row."""
    positions: dict[int, Position] = {}
    row, column, before = -1, 0, None
    for index in sorted(indices):
        if before is None or index != before + 1:
            row, column = row + 1, 0
        positions[index] = (row, column)
        column, before = column + 1, index
    return positions


def tile_width(elements: list[Element], rows: dict[int, Position]) -> int:
    """Return how many words lie between the rows of the tile, unused ones included."""
    first = {}
    for element in elements:
        row = rows[element.source][0]
        first[row] = min(first.get(row, element.word), element.word)
    return first[1] - first[0]


def shape(cells: set[Position]) -> str:
    """Return the words for some cells: a row, a column, or how many there are."""
    rows, columns = sorted({row for row, _ in cells}), sorted({column for _, column in cells})
    if len(rows) == 1:
        return f"row {rows[0]}"
    if len(columns) == 1:
        return f"column {columns[0]}"
    if len(rows) * len(columns) == len(cells):
        return f"rows {ranges(rows)}" if len(rows) < len(columns) else f"columns {ranges(columns)}"
    return plural(len(cells), "element")


def ends(moved: list[Element], place: Callable[[Element], Position], lane: Callable[[Element], int]) -> list[tuple[int, int, int]]:
    """Return row, column and lane of the first and the last of some elements, by their places; none for none."""
    places = sorted((*place(element), lane(element)) for element in moved)
    return [places[0], places[-1]] if places else []


def panels_of(elements: list[Element], warp: int) -> tuple[list[dict[str, Any]], str]:
    """Return the panels of the picture, and their description: the input, the tile, the output.

    Marked are the elements that ``warp`` loads with its first request, up to the tile, and those that it stores with its first, from there.
    """
    sources, targets = grid_of({e.source for e in elements}), grid_of({e.target for e in elements})
    width = tile_width(elements, sources)
    loaded = sorted((e for e in elements if e.loaded_by == warp), key=lambda e: e.source)[:32]
    stored = sorted((e for e in elements if e.stored_by == warp), key=lambda e: e.target)[:32]
    drawn = [
        ("Input", "one tile of it, in global memory", lambda e: sources[e.source], loaded, []),
        ("Tile", "in shared memory", lambda e: divmod(e.word, width), loaded, stored),
        ("Output", "one tile of it, in global memory", lambda e: targets[e.target], [], stored),
    ]
    panels, left = [], 0
    for name, memory, place, into, out_of in drawn:
        used = {place(element) for element in elements}
        filled = 1 + max(column for _, column in used)
        columns = width if name == "Tile" else filled
        marked_in, marked_out = {place(e) for e in into}, {place(e) for e in out_of}
        panels.append(
            {
                "name": name,
                "memory": memory,
                "left": left,
                "rows": 1 + max(row for row, _ in used),
                "columns": columns,
                "unused": columns - filled,
                "in": sorted(marked_in),
                "out": sorted(marked_out),
                "loading": ends(into, place, lambda e: e.load_lane),
                "storing": ends(out_of, place, lambda e: e.store_lane),
                "loaded": shape(marked_in) if into else "",
                "stored": shape(marked_out) if out_of else "",
            }
        )
        left += columns * CELL + GAP
    source, tile, target = panels
    both = " The cell with both marks belongs to both." if len(set(tile["in"]) & set(tile["out"])) == 1 else ""
    description = (
        f"Blue (■): warp {warp} loads {source['loaded']} of the input, and stores it in {tile['loaded']} of the tile. Orange (☒): after the "
        f"barrier it reads {tile['stored']} of the tile, which {plural(len({e.loaded_by for e in stored}), 'warp')} stored there, and stores "
        f"it in {target['stored']} of the output.{both}"
    )
    return panels, description


class TileFlow(EvidenceDirective, directive="tile-flow"):
    """``.. tile-flow:: SLUG.KERNEL``: from the input into the tile, and from the tile into the output, with an arrow for each way.

    The elements of the first requests of warp 0 are marked, and the lanes at their ends are numbered.
    """

    required_arguments = 1

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug, kernel = self.kernel_argument(self.arguments[0])
        run = launch(evidence, slug, kernel)
        block = run["blocks"][-1]
        size = next(access["size"] for access in block["accesses"] if access["space"] == "global")
        panels, description = panels_of(follow(block, size), warp=0)
        tile = panels[1]
        refuse_rows_beyond(evidence, slug, kernel, size * tile["columns"], tile["rows"])
        return pictured("flow.html", description, panels=panels, cell=CELL, gap=GAP, kernel=kernel, block=block["block"])
