"""``value-bars``: one figure of several kernels as bars, with a line that none can pass."""

from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError

from ..changes import BEFORE_CHANGE
from ..project import EvidenceDirective, pictured

#: Units of the picture: the longest bar, room for the figures, height of a bar with its name above it.
LONGEST, FIGURES, ROW = 480, 60, 38


def bars_of(rows: list[tuple[str, float, str]], least: float) -> list[dict[str, Any]]:
    """Return the bars of ``(name, number, text)``; the part of a bar above ``least`` is drawn apart."""
    scale = LONGEST / max(max(number for _, number, _ in rows), least)
    return [{"name": name, "text": text, "width": number * scale, "least": min(number, least) * scale} for name, number, text in rows]


class ValueBars(EvidenceDirective, directive="value-bars"):
    """``.. value-bars:: WHAT IS SHOWN``: lines of the body are ``NAME | KEY`` with the keys of the role ``val``.

    ``:least: NUMBER`` is the least possible value, and ``:because:`` says why; with ``:gain:`` the rest of a bar is a gain, not an excess.
    ``:format:`` is the format of the figures.
    """

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {
        "least": directives.unchanged_required,
        "because": directives.unchanged_required,
        "gain": directives.flag,
        "format": directives.unchanged_required,
    }

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        rows, sources = [], []
        for line in filter(str.strip, self.content):
            name, bar, key = line.partition(" | ")
            if not bar:
                raise ResultError(f"{line!r} is not NAME | KEY")
            found = evidence.value(key.strip())
            label = f"{name.strip()} ({BEFORE_CHANGE})" if found.stale else name.strip()
            rows.append((label, float(found.number), found.text(self.options.get("format", ""))))
            sources.append(found.provenance)
        least = float(self.options.get("least", 0))
        what, because = self.arguments[0], self.options.get("because", "")
        description = f"{what}: " + ", ".join(f"{name} {text}" for name, _, text in rows) + "."
        return pictured(
            "value_bars.html",
            description,
            bars=bars_of(rows, least),
            what=what,
            least=least,
            because=because,
            gain="gain" in self.options,
            provenance="; ".join(dict.fromkeys(sources)),
            width=LONGEST + FIGURES,
            row=ROW,
        )
