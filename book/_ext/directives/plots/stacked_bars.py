"""``stacked-bars``: the parts of one figure in several cases, as bars on one scale."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import format_number
from conflict_free.evidence.names import ResultError

from ..project import EvidenceDirective, pictured

#: Units of the picture: the longest bar, height of a bar with its words above it, width of a digit, of a small one, and of the space beside small ones.
LONGEST, ROW, DIGIT, SMALL_DIGIT, SPACE = 500, 38, 9.6, 6.2, 3
#: More parts would not be told apart.
MOST_PARTS = 4


def bar_of(numbers: Sequence[float], frame: float, scale: float, spec: str = ",.0f") -> dict[str, Any]:
    """Return the places of a bar's parts, with their numbers, small ones if need be, where there is room, and of the frame around it."""
    parts = []
    for number, end in zip(numbers, accumulate(numbers), strict=True):
        width, written = number * scale, format(number, spec)
        part = {"x": end * scale - width, "width": width, "small": width < DIGIT * len(written)}
        parts.append({**part, "number": written if width >= SMALL_DIGIT * len(written) + SPACE else ""})
    return {"parts": parts, "frame": frame * scale}


class StackedBars(EvidenceDirective, directive="stacked-bars"):
    """``.. stacked-bars:: WHAT IS SHOWN``: a line of the body is ``NAME | KEY | KEY …``, for each part a key of the role ``val`` or a number.

    ``:parts: WORDS; WORDS`` names the parts. With ``:frame: WORDS``, a further key is the whole that contains the parts, drawn as a frame,
    and the share that they fill stands behind the name. With ``:sum: UNIT``, the sum of the parts stands there. With ``:unit: WORD``, a
    last key is written above the bar's right end. ``:shades: N …`` gives each part a shade, 0 to 3, as parts of the same name have it in
    other pictures. ``:mark: WORDS | KEY`` draws a dashed line through each bar at a key. With ``:keys: KEY | KEY …``, a line is ``NAME | WORD | WORD …``, and its keys are these
    with its words in place of ``{0}``, ``{1}``, …. ``:format:`` is that of the parts and their frame.
    """

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = dict.fromkeys(("parts", "frame", "sum", "unit", "keys", "shades", "mark", "format"), directives.unchanged_required)

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        parts = [words.strip() for words in self.options.get("parts", "").split(";") if words.strip()]
        if not 0 < len(parts) <= MOST_PARTS:
            raise ResultError(f":parts: names {len(parts)} parts; accepted: 1 to {MOST_PARTS}, with ; between")
        frame, unit, spec = self.options.get("frame", ""), self.options.get("unit", ""), self.options.get("format", ",.0f")
        rows, sources = [], []
        for line in filter(str.strip, self.content):
            name, *keys = (text.strip() for text in line.split(" | "))
            if "keys" in self.options:
                keys = self.options["keys"].format(*keys).split(" | ")
            if len(keys) != len(parts) + bool(frame) + bool(unit):
                raise ResultError(f"{line!r} is not NAME and {len(parts) + bool(frame) + bool(unit)} keys, with | between")
            found = [key if key.isdecimal() else evidence.value(key) for key in keys]
            sources += [one.provenance for one in found if not isinstance(one, str)]
            rows.append((name, [float(one if isinstance(one, str) else one.number) for one in found]))
        mark, at = "", 0.0
        if "mark" in self.options:
            mark, separator, key = (text.strip() for text in self.options["mark"].partition("|"))
            if not (mark and separator and key):
                raise ResultError(f":mark: {self.options['mark']!r} is not WORDS | KEY")
            found_mark = evidence.value(key)
            sources.append(found_mark.provenance)
            at = float(found_mark.number)
        count = len(parts)
        shades = [int(one) for one in self.options.get("shades", " ".join(map(str, range(count)))).split()]
        if len(shades) != count or max(shades) >= MOST_PARTS:
            raise ResultError(f":shades: names {len(shades)} shades; accepted: {count} numbers from 0 to {MOST_PARTS - 1}")
        scale = LONGEST / max(at, *(max(sum(numbers[:count]), numbers[count] if frame else 0) for _, numbers in rows))
        bars, said = [], []
        for name, numbers in rows:
            figure = f"{numbers[-1]:,.0f} {unit}" if unit else ""
            filled = sum(numbers[:count])
            if frame:
                name = f"{name}: {filled:{spec}} of {numbers[count]:{spec}} ({format_number(filled / numbers[count], '.0%')})"
            elif "sum" in self.options:
                name = f"{name}: {filled:{spec}} {self.options['sum']}"
            bars.append({"name": name, "figure": figure, **bar_of(numbers[:count], numbers[count] if frame else 0, scale, spec)})
            listed = [f"{words} {number:{spec}}" for words, number in zip([*parts, *([frame] if frame else [])], numbers, strict=False)]
            said.append(f"{name}: {', '.join([*listed, *([figure] if figure else [])])}")
        if mark:
            said.append(f"{mark}: {at:,.0f}")
        description = f"{self.arguments[0]}. {'; '.join(said)}."
        return pictured(
            "stacked_bars.html",
            description,
            bars=bars,
            what=self.arguments[0],
            parts=list(zip(parts, shades, strict=True)),
            shades=shades,
            frame=frame,
            mark=f"{mark}: {at:,.0f}" if mark else "",
            at=at * scale,
            provenance="; ".join(dict.fromkeys(sources)),
            width=LONGEST,
            row=ROW,
        )
