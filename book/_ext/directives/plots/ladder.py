"""``ladder`` and ``rung``: the kernels of one task from the slowest to the fastest, whole, and as a strip at a chapter's head.

``ladder.json`` in the book's folder lists the ladders. A ladder has a size, and its rungs, the slowest first: the
pages that climb to a rung, the first of which it links to, a kernel as in a claim on speeds, and words. The first of those ``beside``
the ladder is what the others are compared with. With ``"scale": "logarithmic"`` the bars of a strip begin at a power of ten.
"""

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import parse_size, pretty_size, rate_unit
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.values import describe_all

from ..filled_late import fill_late
from ..project import EvidenceDirective, shown
from ..prose.beside import reading_order
from ..prose.course import facts

LIST = "ladder.json"


def speed_of(evidence: Evidence, listed: dict[str, Any]) -> tuple[str, str]:
    """Return the metric of a ladder's speeds, and its unit for readers. Raises ResultError."""
    return rate_unit(evidence.measured_row(*listed["rungs"][0]["row"].split("."), listed["size"]))


def first_power(speeds: list[float]) -> float:
    """Return the power of ten below the slowest of some speeds: where the bars of a logarithmic scale begin."""
    return float(10 ** (math.ceil(math.log10(min(speeds))) - 1))


def heights_of(speeds: list[float], begin: float | None) -> list[float]:
    """Return the height of each bar in percent of the highest, by a logarithmic scale that begins at ``begin``, or by a linear one."""
    if begin is None:
        return [round(100 * speed / max(speeds), 1) for speed in speeds]
    return [round(100 * math.log(speed / begin) / math.log(max(speeds) / begin), 1) for speed in speeds]


def rungs_of(evidence: Evidence, listed: dict[str, Any], which: str) -> list[dict[str, Any]]:
    """Return the templates' data for each rung in ``listed[which]``. Raises ResultError."""
    behind = f"{listed['size']}.{speed_of(evidence, listed)[0]}"
    ceiling = evidence.value(f"{listed['beside'][0]['row']}.{behind}").number
    found = []
    for one in listed[which]:
        value = evidence.value(f"{one['row']}.{behind}")
        percent = 100 * float(value.number) / float(ceiling)
        found.append(
            {
                "pages": one["pages"],
                "words": one["words"],
                "number": float(value.number),
                "speed": value.text(),
                "width": round(percent, 1),
                "percent": f"{percent:.0f}",
                "provenance": value.provenance,
                "stale": value.stale,
            }
        )
    return found


def ladder_of(listed: list[dict[str, Any]], page: str) -> dict[str, Any]:
    """Return the ladder that a page climbs or stands beside; the first one for a page of none."""
    return next((one for one in listed if any(page in rung["pages"] for rung in one["rungs"] + one["beside"])), listed[0])


class ladder(nodes.General, nodes.Element):
    """A ladder, filled in when the page is written: ``rungs`` and ``beside``, the texts of the templates, and whether it is a ``strip``."""


class Ladder(EvidenceDirective, directive="ladder"):
    """``.. ladder::``: the rungs of the first ladder from the lowest to the highest, each a link to its page, and what libraries reach."""

    strip = False

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        path = Path(self.config.conflict_free_book) / LIST
        self.env.note_dependency(str(path))
        if not path.is_file():
            raise ResultError(f"{path} is missing; it lists the rungs")
        ladders = json.loads(path.read_text(encoding="utf-8"))["ladders"]
        listed = ladder_of(ladders, self.env.docname) if self.strip else ladders[0]
        also = self.options.get("also", "")
        row, separator, words = (text.strip() for text in also.partition("|"))
        if also and not (row and separator and words):
            raise ResultError(f":also: {also!r} is not SLUG.KERNEL | WORDS")
        if also:
            listed = {**listed, "rungs": [*listed["rungs"], {"pages": [], "row": row, "words": words}]}
        parts = {which: rungs_of(evidence, listed, which) for which in ("rungs", "beside")}
        if also:
            parts["rungs"].sort(key=lambda rung: rung["number"])
        slugs = dict.fromkeys(one["row"].partition(".")[0] for which in parts for one in listed[which])
        strip = [*parts["rungs"], parts["beside"][0]]
        speeds = [one["number"] for one in strip]
        begin = first_power(speeds) if listed.get("scale") == "logarithmic" else None
        for one, height in zip(strip, heights_of(speeds, begin), strict=True):
            one["height"] = height
        ran = describe_all(evidence.some_result(slug)["provenance"] for slug in slugs)
        texts = {
            "of": listed["of"],
            "unit": speed_of(evidence, listed)[1],
            "size": pretty_size(parse_size(listed["size"])),
            "scale": f"{begin:g}" if begin else "",
            "ceiling": listed["beside"][0]["words"].partition(",")[0],
        }
        node = ladder(strip=self.strip, ran=ran, texts=texts, **parts)
        self.set_source_info(node)
        return [node]


class Rung(Ladder, directive="rung"):
    """``.. rung::``: the page's ladder as a strip, with the rungs of this page marked, and the minutes that the page takes to read.

    ``:also: SLUG.KERNEL | WORDS`` puts a kernel among the rungs that is none of them.
    """

    strip = True
    option_spec = {"also": directives.unchanged_required}


def _fill(app: Sphinx, node: ladder, docname: str) -> list[nodes.Node]:
    """Return the HTML of a ladder, whose links depend on the page."""

    def linked(rung: dict[str, Any]) -> dict[str, Any]:
        uri = app.builder.get_relative_uri(docname, rung["pages"][0]) if rung["pages"] else ""
        return {**rung, "uri": uri, "here": docname in rung["pages"]}

    parts = {which: [linked(rung) for rung in node[which]] for which in ("rungs", "beside")}
    if not node["strip"]:
        order = reading_order(app.env)
        pairs = [
            (below, above) for below, above in pairwise(parts["rungs"]) if order.index(above["pages"][0]) < order.index(below["pages"][0])
        ]
        turned = [(below["words"], above["words"]) for below, above in pairs]
        return [shown("ladder.html", ran=node["ran"], turned=turned, **node["texts"], **parts)]
    on_ladder = any(rung["here"] for which in parts.values() for rung in which)
    minutes = facts(app.env)[docname].reading
    return [shown("rung.html", minutes=minutes, on_ladder=on_ladder, rungs=[*parts["rungs"], parts["beside"][0]], **node["texts"])]


def minutes(env: BuildEnvironment) -> dict[str, int]:
    """Return the minutes that each page takes to read."""
    return {name: found.reading for name, found in facts(env).items()}


def setup(app: Sphinx) -> None:
    """Register the node."""
    fill_late(app, ladder, minutes, _fill)
