"""Writes pictures as SVG."""

import xml.etree.ElementTree as xml
from collections.abc import Sequence

_STYLE = (
    "text{font:12px sans-serif;fill:#1a1a1a}.n{font-size:10px;text-anchor:middle}.l{text-anchor:end}"
    ".b{fill:#f2b84b;stroke:#8a5a00}.i{fill:#fff;stroke:#c8c8c8}"
)


class Svg:
    """A picture of a size in pixels. Its ``heading`` starts at ``left`` and is also its title."""

    def __init__(self, width: int, height: int, heading: Sequence[str], left: int) -> None:
        size = {"width": str(width), "height": str(height)}
        namespace = {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "viewBox": f"0 0 {width} {height}"}
        self._root = xml.Element("svg", namespace | size)
        xml.SubElement(self._root, "title").text = " ".join(heading)
        xml.SubElement(self._root, "style").text = _STYLE
        xml.SubElement(self._root, "rect", size | {"fill": "#fff"})
        for number, line in enumerate(heading):
            self.text(line, left, 18 + 16 * number)

    def text(self, text: str, x: int, y: int, kind: str = "") -> None:
        """Write text that starts at ``x``. Kind ``l`` ends there; kind ``n`` is small and centered there."""
        xml.SubElement(self._root, "text", {"x": str(x), "y": str(y), **({"class": kind} if kind else {})}).text = text

    def box(self, x: int, y: int, width: int, height: int, kind: str) -> None:
        """Draw a box. Kind ``b`` is busy, kind ``i`` is idle."""
        place = {"x": x, "y": y, "width": width, "height": height}
        xml.SubElement(self._root, "rect", {**{name: str(value) for name, value in place.items()}, "class": kind})

    def to_text(self) -> str:
        """Return the picture as the text of a file."""
        xml.indent(self._root, " ")
        return xml.tostring(self._root, encoding="unicode") + "\n"
