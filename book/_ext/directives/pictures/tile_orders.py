"""``tile-orders``, ``tile-operands``, ``tile-nest`` and ``tile-squares``: parts of a product that are computed together, and the parts of the factors for them."""

import re
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.sentences import plural

from ..project import EvidenceDirective, pictured

#: Units of the picture: width and height of a tile of C, the parts of A and B beside it, and the space between.
ACROSS, DOWN, PART, GAP = 7, 5, 10, 4

#: Rows of tiles that are drawn below the last one that is computed.
BELOW = 4

#: Units of the picture of a thread's results: a side of a result, and the most results on a side.
RESULT, MOST_RESULTS = 10, 8

#: Units of the picture of tiles in tiles: the longer side of a tile that contains others, and the most of these on a side.
LONGER, MOST_TILES = 80, 16

#: The thread that a picture of squares shows, and threads of a warp.
THREAD, WARP = 53, 32

#: Room for the numbers of rows and columns beside it.
EDGE = 32

#: How the text of a kernel names the order of its tiles.
_ORDER = re.compile(r"\bRowByRow\b|\bInGroups<(\d+)>")


def tile_of(turn: int, down: int, across: int, group: int) -> tuple[int, int]:
    """Return row and column of the tile that is computed in a turn: down the columns within groups of ``group`` rows of tiles."""
    first, within = turn // (group * across) * group, turn % (group * across)
    rows = min(group, down - first)
    return first + within % rows, within // rows


def panel_of(kernel: str, down: int, across: int, at_once: int, group: int) -> dict[str, Any]:
    """Return the template's data for a kernel: the tiles of its first ``at_once`` turns, and the parts of A and B that these need."""
    tiles = [tile_of(turn, down, across, group) for turn in range(at_once)]
    rows, columns = sorted({row for row, _ in tiles}), sorted({column for _, column in tiles})
    return {
        "kernel": kernel,
        "title": "",
        "tiles": [{"x": PART + GAP + column * ACROSS, "y": PART + GAP + row * DOWN} for row, column in tiles],
        "rows": [PART + GAP + row * DOWN for row in rows],
        "columns": [PART + GAP + column * ACROSS for column in columns],
        "needs": f"{plural(len(rows), 'row tile')} of A, {plural(len(columns), 'column tile')} of B",
    }


def operands_of(down: int, across: int) -> dict[str, Any]:
    """Return the template's data for ``down`` × ``across`` results for one k: these, and the operands that they share."""
    places = [PART + GAP + number * RESULT for number in range(MOST_RESULTS)]
    operands, products = down + across, down * across
    each = products_per_operand(down, across)
    return {
        "kernel": "",
        "title": f"{down} × {across}",
        "tiles": [{"x": x, "y": y} for y in places[:down] for x in places[:across]],
        "rows": places[:down],
        "columns": places[:across],
        "needs": f"{operands} operands, {plural(products, 'multiplication')}: {each} for each operand",
    }


def size_of(text: str) -> tuple[int, int]:
    """Return the two numbers of DOWNxACROSS. Raises ResultError."""
    found = re.fullmatch(r"([1-9]\d{0,4})x([1-9]\d{0,4})", text)
    if found is None:
        raise ResultError(f"{text!r} is not DOWNxACROSS")
    return int(found[1]), int(found[2])


def products_per_operand(down: int, across: int) -> str:
    """Return how many multiplications there are for each operand of ``down`` × ``across`` results, for readers."""
    return f"{down * across / (down + across):.3g}"


def nested(name: str, part: tuple[int, int], level: str, whole: tuple[int, int]) -> dict[str, Any]:
    """Return the template's data for a tile among those that divide the tile ``whole``, with its operands. Raises ResultError."""
    down, across = (side // inner for side, inner in zip(whole, part, strict=True))
    if (down * part[0], across * part[1]) != whole or not (0 < down <= MOST_TILES and 0 < across <= MOST_TILES):
        raise ResultError(f"{part[0]} × {part[1]} does not divide {whole[0]} × {whole[1]} into 1 to {MOST_TILES} rows and columns")
    unit = LONGER / max(whole)
    begin, tile = PART + GAP, (part[1] * unit, part[0] * unit)
    return {
        "kernel": "",
        "title": f"{name}, {part[0]} × {part[1]}",
        "tiles": [{"x": begin, "y": begin}],
        "rows": [begin],
        "columns": [begin],
        "needs": f"{products_per_operand(*part)} for each operand from {level}",
        "tile": tile,
        "size": (across * tile[0], down * tile[1]),
        "edges": {"across": f"{whole[1]:,}", "down": f"{whole[0]:,}"},
        "lines": {"x": [begin + n * tile[0] for n in range(1, across)], "y": [begin + n * tile[1] for n in range(1, down)]},
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
        shown = min(down, BELOW + max(len(one["rows"]) for one in panels))
        rest = f" Only the first {shown} rows of tiles are drawn." if shown < down else ""
        said = " ".join(f"{one['kernel']}: the first {at_once} tiles need {one['needs']}." for one in panels)
        caption = (
            f"C, with A at its left and B above. The product has {down} × {across} tiles. Filled: the {at_once} tiles of C that are computed first and at once, one on each "
            "multiprocessor, and the tiles of A and B that they need: a row tile of A has the rows of a tile of C, a column tile of B its "
            f"columns.{rest} A drawing, without measured times."
        )
        return _drawn(panels, said, caption, (ACROSS, DOWN), (across, shown))


class TileOperands(EvidenceDirective, directive="tile-operands"):
    """``.. tile-operands:: DOWNxACROSS …``: results that a thread computes, and the operands that they take for one k."""

    required_arguments = 1
    final_argument_whitespace = True

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        panels = []
        for argument in self.arguments[0].split():
            size = size_of(argument)
            if max(size) > MOST_RESULTS:
                raise ResultError(f"{argument!r} is not DOWNxACROSS, each from 1 to {MOST_RESULTS}")
            panels.append(operands_of(*size))
        said = " ".join(f"{one['title']} results take {one['needs']}." for one in panels)
        caption = "C, with A at its left and B above, for one k. Filled: the results of a thread, and their operands."
        return _drawn(panels, said, caption, (RESULT, RESULT), (MOST_RESULTS, MOST_RESULTS), small=True)


class TileNest(EvidenceDirective, directive="tile-nest"):
    """``.. tile-nest:: DOWNxACROSS``: tiles in tiles of a part of a product, and how many multiplications they have for each operand.

    Lines of the body are ``NAME | DOWNxACROSS | LEVEL``, from the largest tile to the smallest; LEVEL delivers the operands of the tile.
    A tile stands in that of the line before, or in a part of it, ``NAME | DOWNxACROSS | LEVEL | DOWNxACROSS``.
    """

    required_arguments = 1
    has_content = True

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        panels, outer, or_part = [], size_of(self.arguments[0]), ""
        for line in filter(str.strip, self.content):
            name, size, level, part = (*(part.strip() for part in line.split(" | ")), "", "", "")[:4]
            panels.append(nested(name, size_of(size), level, size_of(part) if part else outer))
            outer = size_of(size)
            or_part = ", or a part of that" if part else or_part
        said = " ".join(f"{one['title']}: {one['needs']}." for one in panels)
        caption = f"Filled: a tile of C, and its operands for one k. Each drawing enlarges the filled tile before it{or_part}."
        return _drawn(panels, said, caption, (0, 0), (0, 0), small=True)


class TileSquares(EvidenceDirective, directive="tile-squares"):
    """``.. tile-squares:: SIDE SQUARE``: a block's tile of SIDE × SIDE results, with the four squares of a thread, half a side apart.

    Neighboring lanes have neighboring squares of SQUARE × SQUARE results, as many in a row as half a side holds.
    """

    required_arguments = 1
    final_argument_whitespace = True

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        found = re.fullmatch(r"([1-9]\d{0,3}) ([1-9]\d{0,2})", self.arguments[0])
        if found is None:
            raise ResultError(f"{self.arguments[0]!r} is not SIDE SQUARE")
        side, square = int(found[1]), int(found[2])
        across = side // 2 // square
        if across * square * 2 != side or WARP % across or (THREAD // across + 1) * square > side // 2:
            raise ResultError(f"{side} does not have two halves of squares of {square} × {square} for the lanes of a warp")
        unit, begin, half = LONGER / side, PART + GAP, side // 2
        rows = [THREAD // across * square + apart for apart in (0, half)]
        columns = [THREAD % across * square + apart for apart in (0, half)]
        band = WARP // across * square
        y = [begin + unit * row for row in rows]
        x = [begin + unit * column for column in columns]
        bands = [{"y": begin + unit * (row // band * band), "height": unit * band, "width": unit * side} for row in rows]
        lane = f"lane {THREAD % WARP} of warp {THREAD // WARP}"
        panel = {
            "kernel": "",
            "title": "",
            "tiles": [{"x": one, "y": other} for other in y for one in x],
            "rows": y,
            "columns": x,
            "bands": bands,
            "needs": "",
            "tile": (unit * square, unit * square),
            "size": (unit * side, unit * side),
            "edges": {"across": str(side), "down": str(side)},
        }
        said = (
            f"The squares of {lane}, {square} × {square} results each, begin in rows {rows[0]} and {rows[1]}, columns {columns[0]} and "
            f"{columns[1]} of the block's tile."
        )
        caption = f"A block's tile of C. Filled: the results of {lane}, and their operands. Shaded: those of its warp."
        return _drawn([panel], said, caption, (0, 0), (0, 0), small=True)


def _drawn(
    panels: list[dict[str, Any]], said: str, caption: str, tile: tuple[int, int], tiles: tuple[int, int], small: bool = False
) -> list[nodes.Node]:
    """Return the picture of ``tiles`` across and down, each of the size ``tile``."""
    return pictured(
        "tile_orders.html",
        said,
        panels=[
            {"lines": None, "edges": None, "bands": [], "tile": tile, "size": (tiles[0] * tile[0], tiles[1] * tile[1]), **one}
            for one in panels
        ],
        caption=caption,
        part=PART,
        begin=PART + GAP,
        small=small,
        edge=EDGE if any(one.get("edges") for one in panels) else 0,
    )
