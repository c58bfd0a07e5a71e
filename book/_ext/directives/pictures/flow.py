"""``tile-flow`` and ``tile-frames``: the way of the elements of one block through its tile, drawn from the model's trace."""

from dataclasses import dataclass
from typing import Any

from docutils import nodes

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.sentences import plural, ranges

from ..project import EvidenceDirective, pictured
from .rounds import FILLS
from .traces import launch, refuse_rows_beyond

CELL = 7

#: A position in a matrix or tile: row, column.
Position = tuple[int, int]


@dataclass(frozen=True)
class Element:
    """An element on its way: the warp that loads it, its place in the input, in the tile and in the output, the warp that stores it."""

    loaded_by: int
    source: int
    word: int
    target: int
    stored_by: int


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
    into = {stored_in_tile[key] // size: (key[0], loaded[key] // size) for key in loaded}
    elements = []
    for key, target in stored.items():
        word = loaded_from_tile[key] // size
        if word not in into:
            raise ResultError("a tile-flow wants a tile that is filled before it is read")
        warp, source = into[word]
        elements.append(Element(warp, source, word, target // size, key[0]))
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


def panels_of(elements: list[Element], warp: int) -> tuple[list[dict[str, Any]], str]:
    """Return the panels of the picture, and their description: the input, the tile, the output. One panel is for input and tile if they look alike.

    Marked are the elements that ``warp`` loads with its first request, and those that it stores with its first.
    """
    sources, targets = grid_of({e.source for e in elements}), grid_of({e.target for e in elements})
    width = tile_width(elements, sources)
    ours_in = [element for element in elements if element.loaded_by == warp]
    ours_out = [element for element in elements if element.stored_by == warp]
    loaded = set(sorted(ours_in, key=lambda element: element.source)[:32])
    stored = set(sorted(ours_out, key=lambda element: element.target)[:32])
    places = {
        "The block's part of the input": lambda element: sources[element.source],
        "Tile in shared memory": lambda element: (element.word // width, element.word % width),
        "Its part of the output": lambda element: targets[element.target],
    }
    panels = []
    for name, place in places.items():
        marked = {"in": {place(e) for e in loaded}, "out": {place(e) for e in stored}}
        used = {place(element) for element in elements}
        rows = 1 + max(row for row, _ in used)
        columns = width if name.startswith("Tile") else 1 + max(column for _, column in used)
        unused = columns - 1 - max(column for _, column in used)
        panels.append(
            {
                "name": name,
                "rows": rows,
                "columns": columns,
                "unused": unused,
                "cell": CELL,
                "in": sorted(marked["in"]),
                "out": sorted(marked["out"]),
                "loaded": shape(marked["in"]),
                "stored": shape(marked["out"]),
            }
        )
    if all(panels[0][part] == panels[1][part] for part in ("rows", "columns", "in", "out")):
        panels[:2] = [{**panels[1], "name": "The block's part of the input, and the tile in shared memory"}]
    storing, loading = {e.stored_by for e in loaded}, {e.loaded_by for e in stored}
    before, tile, after = panels[0], panels[-2], panels[-1]
    description = (
        f"Read each color from left to right. Blue (■): warp {warp} loads {before['loaded']} of the input and puts it into {tile['loaded']} of "
        f"the tile. In the output it is {after['loaded']}, stored by {plural(len(storing), 'warp')}. Orange (☒): {tile['stored']} of the tile, which "
        f"{plural(len(loading), 'warp')} brought from {before['stored']} of the input. Warp {warp} reads it, and stores it as {after['stored']} of "
        "the output. Dark: an element of both."
    )
    return panels, description


def frames_of(elements: list[Element], warp: int) -> tuple[list[dict[str, Any]], str]:
    """Return the tile at three moments, and their description: ``warp`` stores, all warps have stored, ``warp`` loads.

    A cell has the warp that stored it, and is ``read`` where ``warp`` loads with its first request. Raises ResultError for more warps
    than there are colors.
    """
    sources = grid_of({e.source for e in elements})
    width = tile_width(elements, sources)
    stored = sorted((e for e in elements if e.loaded_by == warp), key=lambda e: e.source)[:32]
    loaded = sorted((e for e in elements if e.stored_by == warp), key=lambda e: e.target)[:32]
    warps = {e.loaded_by for e in elements}
    if max(warps) >= len(FILLS):
        raise ResultError(f"tile-frames has colors for {len(FILLS)} warps; this block has warp {max(warps)}")

    def frame(words: str, written: list[Element], read: list[Element]) -> dict[str, Any]:
        cells = [{"row": e.word // width, "column": e.word % width, "warp": e.loaded_by, "fill": FILLS[e.loaded_by]} for e in written]
        return {"words": words, "cells": cells, "read": sorted((e.word // width, e.word % width) for e in read)}

    into, out_of = shape({divmod(e.word, width) for e in stored}), shape({divmod(e.word, width) for e in loaded})
    writers = len({e.loaded_by for e in loaded})
    frames = [
        frame(f"Before the barrier: warp {warp} stores {into}.", stored, []),
        frame(f"At the barrier: {plural(len(warps), 'warp')} have filled the tile.", elements, []),
        frame(f"After the barrier: warp {warp} loads {out_of}, which {plural(writers, 'warp')} stored.", elements, loaded),
    ]
    return frames, " ".join(one["words"] for one in frames)


class TileFrames(EvidenceDirective, directive="tile-frames"):
    """``.. tile-frames:: SLUG.KERNEL``: the tile before, at and after the barrier, each word in the color of the warp that stored it."""

    required_arguments = 1

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug, kernel = self.kernel_argument(self.arguments[0])
        run = launch(evidence, slug, kernel)
        block = run["blocks"][-1]
        elements = follow(block, next(access["size"] for access in block["accesses"] if access["space"] == "global"))
        frames, description = frames_of(elements, warp=0)
        rows, columns = (1 + max(cell[name] for cell in frames[1]["cells"]) for name in ("row", "column"))
        return pictured(
            "frames.html", description, frames=frames, rows=rows, columns=columns, cell=CELL, kernel=kernel, block=block["block"]
        )


class TileFlow(EvidenceDirective, directive="tile-flow"):
    """``.. tile-flow:: SLUG.KERNEL``: where the elements of one block are in the input, in the tile and in the output.

    The elements of the first requests of warp 0 are marked.
    """

    required_arguments = 1

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug, kernel = self.kernel_argument(self.arguments[0])
        run = launch(evidence, slug, kernel)
        block = run["blocks"][-1]
        size = next(access["size"] for access in block["accesses"] if access["space"] == "global")
        panels, description = panels_of(follow(block, size), warp=0)
        tile = panels[-2]
        refuse_rows_beyond(evidence, slug, kernel, size * tile["columns"], tile["rows"])
        return pictured("flow.html", description, panels=panels, kernel=kernel, block=block["block"])
