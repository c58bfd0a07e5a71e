"""``sector-map``: which 32-byte sectors one warp's request touches, drawn from the model's trace."""

from dataclasses import dataclass
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import counted_size, parse_size
from conflict_free.evidence.names import SECTOR_BYTES, ResultError

from ..project import EvidenceDirective, raw_html, render

_BYTE = 5.25  # width of one byte in the picture's units: 32 bytes and their gap fit four to a row
_GAP = 10
_BOX = 22
_LABEL = 13
_ROW = _LABEL + _BOX + 7


@dataclass(frozen=True)
class Span:
    """Bytes of one sector that some lanes ask for: ``start`` and ``size`` in bytes from the sector's start."""

    start: int
    size: int
    lanes: tuple[int, ...]

    @property
    def label(self) -> str:
        """The lane, or the first of several lanes with an ellipsis."""
        return str(self.lanes[0]) if len(self.lanes) == 1 else f"{self.lanes[0]}…"


def touched_sectors(access: dict[str, Any]) -> dict[int, list[Span]]:
    """Return, by sector number in ascending order, the bytes that the lanes of one access ask for in it.

    ``access`` is a ``first_access`` of the counts: bytes per lane, and a byte offset or None per lane.
    """
    asked: dict[int, dict[tuple[int, int], list[int]]] = {}
    for lane, offset in enumerate(access["lanes"]):
        if offset is None:
            continue
        end = offset + access["size"]
        while offset < end:
            sector = offset // SECTOR_BYTES
            stop = min(end, (sector + 1) * SECTOR_BYTES)
            asked.setdefault(sector, {}).setdefault((offset % SECTOR_BYTES, stop - offset), []).append(lane)
            offset = stop
    return {
        sector: [Span(start, size, tuple(lanes)) for (start, size), lanes in sorted(spans.items())]
        for sector, spans in sorted(asked.items())
    }


def describe_access(access: dict[str, Any], op: str) -> str:
    """Return the description of the picture."""
    offsets = [offset for offset in access["lanes"] if offset is not None]
    sectors = touched_sectors(access)
    asked = len(offsets) * access["size"]
    moved = len(sectors) * SECTOR_BYTES
    steps = {later - earlier for earlier, later in zip(offsets, offsets[1:])}
    verb, participle = ("ask for", "asked for") if op == "load" else ("write", "written")
    parts = [
        f"One global {op} of a warp: {len(offsets)} lanes {verb} {asked:,} bytes in all, "
        f"and {len(sectors)} sector{'s' if len(sectors) != 1 else ''} of {SECTOR_BYTES} bytes "
        f"{'move' if len(sectors) != 1 else 'moves'}: {moved:,} bytes."
    ]
    if len(steps) == 1:
        step = steps.pop()
        if step == 0:
            parts.append(f"All lanes {verb} the same bytes.")
        elif step == access["size"]:
            parts.append("Each lane's bytes follow the previous lane's.")
        else:
            parts.append(f"Each lane's bytes start {step:,} bytes after the previous lane's.")
    if all(len(spans) == 1 and spans[0].size == SECTOR_BYTES for spans in sectors.values()) or asked >= moved:
        parts.append(f"Every byte that moves was {participle}.")
    elif asked < moved:
        parts.append(f"Of each {SECTOR_BYTES} bytes moved, {asked * SECTOR_BYTES / moved:g} were {participle}.")
    return " ".join(parts)


def layout(sectors: dict[int, list[Span]], columns: int) -> dict[str, Any]:
    """Return the picture's boxes for a number of sectors per row, in the units of its view box."""
    width = columns * SECTOR_BYTES * _BYTE + (columns - 1) * _GAP
    boxes = []
    for index, (sector, spans) in enumerate(sectors.items()):
        x = index % columns * (SECTOR_BYTES * _BYTE + _GAP)
        y = index // columns * _ROW
        boxes.append(
            {
                "x": x,
                "y": y + _LABEL,
                "label": f"byte {sector * SECTOR_BYTES:,}",
                "words": [x + word * 4 * _BYTE for word in range(1, SECTOR_BYTES // 4)],
                "spans": [{"x": x + span.start * _BYTE, "width": span.size * _BYTE, "label": span.label} for span in spans],
            }
        )
    rows = -(-len(sectors) // columns)
    return {"boxes": boxes, "width": width, "height": rows * _ROW, "box_width": SECTOR_BYTES * _BYTE, "box_height": _BOX}


class SectorMap(EvidenceDirective, directive="sector-map"):
    """``.. sector-map:: SLUG.KERNEL load|store``: the first global request of a source line.

    ``:match: TEXT`` chooses the line by its text when a kernel has several such lines; ``:size: WxH``
    chooses the size. ``:first: N`` draws the first N sectors only.
    """

    required_arguments = 2
    option_spec = {"match": directives.unchanged_required, "size": directives.unchanged_required, "first": directives.positive_int}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        return [raw_html(self.drawn(evidence)[0])]

    def drawn(self, evidence: Evidence) -> tuple[str, str]:
        """Return the picture and its description. Raises ResultError."""
        slug, kernel = self.kernel_argument(self.arguments[0])
        op = self.arguments[1]
        if op not in ("load", "store"):
            raise ResultError(f"{op!r} is not an access; accepted: load, store")
        size = parse_size(self.options.get("size") or counted_size(evidence.program(slug), kernel))
        line = self._line(evidence, slug, kernel, op, size)
        access = line["first_access"]
        sectors = touched_sectors(access)
        text = evidence.sources(slug).line(line["file"], line["line"]).strip()
        description = describe_access(access, op)
        first = self.options.get("first", len(sectors))
        if first < len(sectors):
            sectors = dict(list(sectors.items())[:first])
            description += f" Drawn are the first {first}."
        html = render(
            "sectors.html",
            pictures=[("wide", layout(sectors, 4)), ("narrow", layout(sectors, 2))],
            description=description,
            kernel=kernel,
            line=line["line"],
            text=text,
            size=size,
            stores=op == "store",
            has_empty=any(sum(span.size for span in spans) < SECTOR_BYTES for spans in sectors.values()),
        )
        return html, description

    def _line(self, evidence: Evidence, slug: str, kernel: str, op: str, size: str) -> dict[str, Any]:
        sources = evidence.sources(slug)
        lines = [
            line
            for line in evidence.counts_row(slug, kernel, size)["counts"]["lines"]
            if line["space"] == "global" and line["op"] == op and line.get("first_access")
        ]
        wanted = self.options.get("match")
        if wanted is not None:
            lines = [line for line in lines if wanted in sources.line(line["file"], line["line"])]
        if len({(line["file"], line["line"]) for line in lines}) != 1:
            found = ", ".join(str(line["line"]) for line in lines) or "none"
            raise ResultError(f"a sector-map wants one line of {slug}.{kernel} with a global {op}; found: {found}")
        return lines[0]
