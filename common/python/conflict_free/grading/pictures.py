"""Draws maps of one access of a warp, as plain text and as SVG: which bank serves which lane, or which sectors move.

An access has the form of the model's traces; see common/model/src/report/trace.hpp.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conflict_free.evidence.banks import lanes_by_bank
from conflict_free.evidence.sentences import plural, ranges

from .svg import Svg

SECTOR_BYTES = 32
WORD_BYTES = 4
_WORDS_OF_SECTOR = SECTOR_BYTES // WORD_BYTES
_SECTORS_OF_ROW = 4
_LINE_BYTES = SECTOR_BYTES * _SECTORS_OF_ROW

#: A map with more rows than this shows only the first ones.
_MOST_ROWS = 16
_SHOWN_ROWS = 12
_BUSY, _IDLE, _NOTHING = "█", "·", " "
#: Replacements of these characters for a terminal that cannot show them.
PLAIN = str.maketrans({_BUSY: "#", _IDLE: ".", "–": "-", "×": "x", "…": "...", "→": "->"})


@dataclass(frozen=True)
class Cell:
    """A bank in a wavefront, or a word of a sector, with the lanes that ask for it. An idle cell has no lanes."""

    lanes: tuple[int, ...] = ()

    @property
    def label(self) -> str:
        """The number of the only lane, or the number of lanes."""
        return "" if not self.lanes else str(self.lanes[0]) if len(self.lanes) == 1 else f"×{len(self.lanes)}"


@dataclass(frozen=True)
class Row:
    """A line of a map: its label and its cells. A cell that does not exist is None."""

    label: str
    cells: tuple[Cell | None, ...]

    @property
    def lanes(self) -> list[int]:
        """The lanes of all cells, ascending."""
        return sorted({lane for cell in self.cells if cell for lane in cell.lanes})


@dataclass(frozen=True)
class Map:
    """A map of an access: the words above it, the name of a column, the rows, the name of a row, and the columns of a group."""

    heading: tuple[str, ...]
    scale: str
    rows: tuple[Row, ...]
    noun: str
    group: int

    def to_text(self) -> str:
        """Return the map as lines of text."""
        left = max(len(row.label) for row in self.rows)
        lines = [*self.heading, "", f"{self.scale:>{left}}  {self._grouped(self._digits())}"]
        shown = self.rows if len(self.rows) <= _MOST_ROWS else self.rows[:_SHOWN_ROWS]
        for row in shown:
            marks = "".join(_NOTHING if cell is None else _BUSY if cell.lanes else _IDLE for cell in row.cells)
            lines.append(f"{row.label:>{left}}  {self._grouped(marks)}  {'lane' if len(row.lanes) == 1 else 'lanes'} {ranges(row.lanes)}")
        if left_out := len(self.rows) - len(shown):
            lines.append(f"{'…':>{left}}  {left_out} more {self.noun}s")
        return "\n".join(lines)

    def _digits(self) -> str:
        return "".join(str(column % self.group % 10) for column in range(len(self.rows[0].cells)))

    def _grouped(self, text: str) -> str:
        return " ".join(text[at : at + self.group] for at in range(0, len(text), self.group))

    def to_svg(self) -> str:
        """Return the map as a picture with the lanes' numbers in its cells."""
        return _svg(self)


# --- the cost of an access -----------------------------------------------------------------------


def sectors(access: Mapping[str, Any]) -> set[int]:
    """Return the numbers of the sectors that a global access touches."""
    return {
        byte // SECTOR_BYTES
        for start in access["lanes"]
        if start is not None
        for byte in range(start, start + access["size"], min(access["size"], SECTOR_BYTES))
    }


def excess(access: Mapping[str, Any]) -> int:
    """Return the wavefronts or sectors of an access above its ideal number."""
    if access["space"] == "shared":
        return len(access["wavefronts"]) - access["ideal_wavefronts"]
    bytes_asked = len({byte for start in access["lanes"] if start is not None for byte in range(start, start + access["size"])})
    return len(sectors(access)) - -(-bytes_asked // SECTOR_BYTES)


def map_of(launch: Mapping[str, Any], block: Sequence[int], access: Mapping[str, Any]) -> Map:
    """Return the map of an access that the trace of a launch has."""
    where = f"warp {access['warp']} of block ({', '.join(map(str, block))}) of {launch['kernel']}"
    return _bank_map(access, launch["banks"], where) if access["space"] == "shared" else _sector_map(access, where)


def _bank_map(access: Mapping[str, Any], banks: int, where: str) -> Map:
    rows = []
    for number, wavefront in enumerate(access["wavefronts"], start=1):
        lanes = lanes_by_bank(wavefront, banks)
        rows.append(Row(f"wavefront {number}", tuple(Cell(tuple(lanes.get(bank, ()))) for bank in range(banks))))
    taken, ideal = len(rows), access["ideal_wavefronts"]
    heading = (
        f"Shared {access['op']} of {plural(access['size'], 'byte')} a lane, {where}:",
        f"{plural(taken, 'wavefront')}, ideal: {ideal}. Which of the {banks} banks each uses, and for which lanes:",
    )
    return Map(heading, "bank", tuple(rows), "wavefront", banks)


def _sector_map(access: Mapping[str, Any], where: str) -> Map:
    words: dict[int, list[int]] = {}
    for lane, start in enumerate(access["lanes"]):
        if start is not None:
            for word in range(start // WORD_BYTES, (start + access["size"] - 1) // WORD_BYTES + 1):
                words.setdefault(word, []).append(lane)
    touched = sectors(access)
    rows = []
    for line in sorted({sector // _SECTORS_OF_ROW for sector in touched}):
        cells: list[Cell | None] = []
        for sector in range(line * _SECTORS_OF_ROW, (line + 1) * _SECTORS_OF_ROW):
            inside = range(sector * _WORDS_OF_SECTOR, (sector + 1) * _WORDS_OF_SECTOR)
            cells += [Cell(tuple(words.get(word, ()))) if sector in touched else None for word in inside]
        rows.append(Row(f"byte {line * _LINE_BYTES}", tuple(cells)))
    active = sum(start is not None for start in access["lanes"])
    heading = (
        f"Global {access['op']} of {plural(access['size'], 'byte')} a lane, {where}:",
        f"asked for by {plural(active, 'lane')}: {plural(active * access['size'], 'byte')}; moved: "
        f"{plural(len(touched), 'sector')} of {SECTOR_BYTES} bytes. Which 4-byte words of them are asked for:",
    )
    return Map(heading, "word", tuple(rows), "row", _WORDS_OF_SECTOR)


# --- SVG -----------------------------------------------------------------------------------------

_CELL, _ROW, _GAP, _LEFT, _TOP, _EDGE = 24, 20, 8, 110, 64, 12


def _svg(drawn: Map) -> str:
    columns = len(drawn.rows[0].cells)

    def left_of(column: int) -> int:
        return _LEFT + column * _CELL + column // drawn.group * _GAP

    width, height = left_of(columns) + _EDGE, _TOP + _ROW * len(drawn.rows) + _EDGE
    svg = Svg(width, height, drawn.heading, _EDGE)
    svg.text(drawn.scale, _LEFT - 6, _TOP - 5, "l")
    for column in range(columns):
        svg.text(str(column % drawn.group), left_of(column) + _CELL // 2, _TOP - 5, "n")
    for number, row in enumerate(drawn.rows):
        top = _TOP + number * _ROW
        svg.text(row.label, _LEFT - 6, top + 14, "l")
        for column, cell in enumerate(row.cells):
            if cell is None:
                continue
            svg.box(left_of(column), top, _CELL, _ROW, "b" if cell.lanes else "i")
            if cell.label:
                svg.text(cell.label, left_of(column) + _CELL // 2, top + 14, "n")
    return svg.to_text()
