# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Which partitions of memory the first step of a launch goes to. As plain text and as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_BAR = 40  # characters of the longest bar
_CELL, _ROW, _LEFT, _TOP, _EDGE = 12, 20, 100, 48, 12
_BUSY, _IDLE = "█", "·"
_STYLE = "text{font:12px sans-serif;fill:#1a1a1a}.l{text-anchor:end}.b{fill:#f2b84b;stroke:#8a5a00}"


@dataclass(frozen=True)
class Queues:
    """How many requests each partition gets, and words above the picture."""

    heading: tuple[str, ...]
    requests: tuple[int, ...]

    def _length(self, requests: int) -> int:
        """A partition that gets anything has a bar."""
        return -(-requests * _BAR // max(self.requests))

    def to_text(self) -> str:
        """Return the picture as lines of text."""
        rows = (
            f"partition {number}  {_BUSY * self._length(requests) or _IDLE} {requests}" for number, requests in enumerate(self.requests)
        )
        return "\n".join((*self.heading, "", *rows))

    def to_svg(self) -> str:
        """Return the picture with a bar for each partition."""
        width, height = _LEFT + (_BAR + 6) * _CELL + _EDGE, _TOP + _ROW * len(self.requests) + _EDGE
        svg = xml.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "role": "img",
                "viewBox": f"0 0 {width} {height}",
                "width": str(width),
                "height": str(height),
            },
        )
        xml.SubElement(svg, "title").text = " ".join(self.heading)
        xml.SubElement(svg, "style").text = _STYLE
        xml.SubElement(svg, "rect", {"width": str(width), "height": str(height), "fill": "#fff"})
        for number, line in enumerate(self.heading):
            _text(svg, line, _EDGE, 18 + 16 * number)
        for number, requests in enumerate(self.requests):
            top, length = _TOP + number * _ROW, self._length(requests) * _CELL
            _text(svg, f"partition {number}", _LEFT - 6, top + 14, "l")
            xml.SubElement(svg, "rect", {"x": str(_LEFT), "y": str(top), "width": str(length), "height": str(_ROW - 4), "class": "b"})
            _text(svg, str(requests), _LEFT + length + 6, top + 14)
        xml.indent(svg, " ")
        return xml.tostring(svg, encoding="unicode") + "\n"


def _text(svg: xml.Element, text: str, x: int, y: int, kind: str = "") -> None:
    xml.SubElement(svg, "text", {"x": str(x), "y": str(y), **({"class": kind} if kind else {})}).text = text


def picture_of(kernels: Sequence[Mapping[str, Any]], op: str, wanted: float) -> Queues | None:
    """Return the picture of the launch whose first load or store goes to the fewest partitions; None unless these are
    fewer than wanted: then other steps are to blame, and the report does not have them one by one."""
    used = [
        (sum(map(bool, steps)), kernel["name"], steps)
        for kernel in kernels
        if "partitions" in kernel and any(steps := kernel["partitions"][op]["first_step"])
    ]
    if not used or min(used)[0] >= wanted:
        return None
    number, kernel, steps = min(used)
    heading = (
        f"The first {op} of the blocks of {kernel} that run together:",
        f"{sum(steps):,} requests, to {number} of {len(steps)} partitions. How many each of them gets:",
    )
    return Queues(heading, tuple(steps))
