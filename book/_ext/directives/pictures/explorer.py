"""``bank-explorer``, ``fragment-explorer`` and ``sector-explorer``: interactive maps of an access that the reader chooses.

The scripts ``_static/bank_explorer.js``, ``fragment_explorer.js`` and ``sector_explorer.js`` ask the model's rules, which
``_static/bank_rule.js`` and ``_static/sector_rule.js`` hold as modules of WebAssembly; the tests of ``book/tests/browser`` compare them
with the model. The machines are data that the model wrote in this build. Without JavaScript a map of a real run stands in their place.
"""

import json
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError

from ..project import EvidenceDirective, picture, raw_html, render
from . import lane_tile
from .banks import drawn, figure, in_words
from .sectors import SectorMap
from .traces import Panel, load

#: The script that the scripts of all explorers need; the page runs it first.
PARTS = "explorer_parts.js"

Choices = dict[str, tuple[str, tuple[str, ...], str]]
Numbers = dict[str, tuple[str, int, int, int]]

#: The modeled machines that are offered, and the one that the reader's numbers make.
MACHINES, OWN = ("sm_90", "gt200"), "own"

#: The reader's choices, and the initial choice.
CHOICES: Choices = {
    "machine": ("Machine", (*MACHINES, OWN), "sm_90"),
    "access": ("Access of the warp", ("column", "row", "stride", "one"), "column"),
}

#: The numbers that the reader sets: label, least, most, and initial value.
NUMBERS: Numbers = {
    "columns": ("Columns of the tile", 1, 64, 32),
    "rows": ("Rows of the tile", 1, 32, 32),
    "padding": ("Columns of padding", 0, 32, 0),
    "stride": ("Stride, in elements", 0, 64, 1),
    "lanes": ("Lanes that take part", 1, 32, 32),
    "size": ("Bytes of an element", 1, 32, 4),
    "first": ("First column, or row", 0, 63, 0),
    "banks": ("Banks", 1, 64, 32),
    "bank_width": ("Bytes of a bank", 1, 16, 4),
    "request_lanes": ("Lanes served together", 1, 32, 32),
}

#: The words for choices that are not names.
WORDS = {
    **{
        "column": "load of columns",
        "row": "store of rows",
        "stride": "load with a stride",
        "one": "load of one element",
        "gt200": "gt200: of 2008, with 16 banks",
        OWN: "one of your own",
    },
    **{"pairs": "plain, 4 bytes by rows", "halves": "plain, 2 bytes by columns"},
    **{bytes_: f"pattern for rows of {bytes_} bytes" for bytes_ in ("32", "64", "128")},
}

#: The choices and numbers of a tile of halves, likewise.
FRAGMENT_CHOICES: Choices = {
    "access": ("Loads of 16 × 16 halves", ("ldmatrix", "pairs", "halves"), "ldmatrix"),
    "pattern": ("Swizzle", ("none", "32", "64", "128"), "none"),
}
FRAGMENT_NUMBERS: Numbers = {"stride": ("Bytes from row to row", 16, 512, 128), "step": ("Row step (1: every row)", 1, 8, 1)}

#: The numbers of an access to global memory, likewise.
SECTOR_NUMBERS: Numbers = {
    "stride": ("Stride, in elements", 0, 65536, 1),
    "bytes": ("Bytes of an element", 1, 32, 4),
    "offset": ("First byte of lane 0", 0, 4096, 0),
    "lanes": ("Lanes that take part", 1, 32, 32),
}


class Explorer(EvidenceDirective):
    """An interactive picture: its controls, and the still picture in its place without JavaScript."""

    template: str
    #: In the order in which a page runs them, after PARTS.
    scripts: tuple[str, ...]
    choices: Choices = {}
    numbers: Numbers = {}
    #: The names of choices and numbers that stand in a fold.
    rare: tuple[str, ...] = ()

    def made(self, fallback: str, description: str, **values: Any) -> list[nodes.Node]:
        """Return the nodes of the picture. ``values`` are further values of the template."""
        html = render(
            self.template,
            choices=[self._choice(name) for name in self.choices],
            numbers=[self._number(name) for name in self.numbers],
            rare=self.rare,
            fallback=fallback,
            **values,
        )
        made = picture(html, description)
        made[0]["still"], made[0]["explorer"] = fallback, self.scripts
        return made

    def _choice(self, name: str) -> dict[str, Any]:
        label, values, chosen = self.choices[name]
        chosen = self.options.get(name, chosen)
        if chosen not in values:
            raise ResultError(f":{name}: {chosen!r} is not offered; accepted: {', '.join(values)}")
        options = [{"value": value, "label": WORDS.get(value, value), "chosen": value == chosen} for value in values]
        return {"name": name, "label": label, "options": options}

    def _number(self, name: str) -> dict[str, Any]:
        label, least, most, chosen = self.numbers[name]
        given = self.options.get(name, str(chosen))
        if not given.isdecimal() or not least <= int(given) <= most:
            raise ResultError(f":{name}: {given!r} is not offered; accepted: {least} to {most}")
        return {"name": name, "label": label, "least": least, "most": most, "value": given}


class BankExplorer(Explorer, directive="bank-explorer"):
    """``.. bank-explorer:: [MACHINE:]SLUG.KERNEL load|store …``: choose a tile, and step through its wavefronts.

    The argument is that of a ``bank-map``, which stands here without JavaScript. The options choose what the picture
    begins with, by the names in ``CHOICES`` and ``NUMBERS``, such as ``:padding:`` and ``:access:``.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {name: directives.unchanged_required for name in (*CHOICES, *NUMBERS)}
    template, scripts = "explorer.html", ("bank_rule.js", "bank_explorer.js")
    choices, numbers, rare = CHOICES, NUMBERS, ("lanes", "machine", "banks", "bank_width", "request_lanes")

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        rules = load(evidence, "machines")
        panels = [drawn(evidence, Panel.parse(self.arguments[0]), small=False)]
        machines = {name: rules[name] for name in MACHINES}
        return self.made(figure(panels, small=False), in_words(panels), machines=json.dumps(machines))


class FragmentExplorer(Explorer, directive="fragment-explorer"):
    """``.. fragment-explorer:: SLUG.KERNEL load …``: choose a tile of halves, and see where the rows of a matrix lie.

    The argument is that of a panel of a ``lane-tile``, which stands here without JavaScript. The options choose what the picture begins
    with, by the names in ``FRAGMENT_CHOICES`` and ``FRAGMENT_NUMBERS``.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {name: directives.unchanged_required for name in (*FRAGMENT_CHOICES, *FRAGMENT_NUMBERS)}
    template, scripts = "fragment_explorer.html", ("bank_rule.js", "bank_explorer.js", "fragment_explorer.js")
    choices, numbers = FRAGMENT_CHOICES, FRAGMENT_NUMBERS

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        html, description = lane_tile.drawn(evidence, [Panel.parse(self.arguments[0])])
        return self.made(html, description, machine=json.dumps(load(evidence, "machines")["sm_90"]))


class SectorExplorer(Explorer, SectorMap, directive="sector-explorer"):
    """``.. sector-explorer:: SLUG.KERNEL load|store``: choose the addresses of a request, and see the sectors that move.

    Arguments and options are those of a ``sector-map``, which stands here without JavaScript. Further options choose what the picture
    begins with, by the names in ``SECTOR_NUMBERS``; the size of an element is ``:bytes:``.
    """

    option_spec = {**SectorMap.option_spec, **{name: directives.unchanged_required for name in SECTOR_NUMBERS}}
    template, scripts = "sector_explorer.html", ("sector_rule.js", "sector_explorer.js")
    numbers = SECTOR_NUMBERS

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        html, description = self.drawn(evidence)
        return self.made(html, description)


class DropControls(SphinxPostTransform):
    """Keep only the still picture in the EPUB, whose readers run no scripts and draw no controls."""

    default_priority = 199
    builders = ("epub",)

    def run(self) -> None:
        """Replace each interactive picture."""
        for node in list(self.document.findall(nodes.raw)):
            if "still" in node:
                node.replace_self(raw_html(node["still"]))


def _add_scripts(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Load the scripts on the pages that need them."""
    used = [node["explorer"] for node in doctree.findall(nodes.raw) if "explorer" in node] if doctree is not None else []
    for script in dict.fromkeys(script for scripts in used for script in (PARTS, *scripts)):
        app.add_js_file(script, loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register the directives."""
    app.add_post_transform(DropControls)
    app.connect("html-page-context", _add_scripts)
