# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""``bank-explorer``: an interactive bank map of a tile that the reader chooses.

The script ``_static/bank_explorer.js`` asks the model's rule of shared memory, which ``_static/bank_rule.js`` holds as a module of
WebAssembly; ``book/tests/browser/test_explorer.py`` holds what it shows against the model. The machines are data that the model
wrote in this build. Without JavaScript there is a bank map of a real run in its place.
"""

from __future__ import annotations

import json
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError

from ..project import EvidenceDirective, picture, raw_html, render
from .banks import drawn, figure, in_words
from .traces import Panel, load

#: In the order in which a page runs them.
SCRIPTS = ("bank_rule.js", "bank_explorer.js")

#: The modeled machines that are offered, and the one that the reader's numbers make.
MACHINES, OWN = ("sm_90", "gt200"), "own"

#: The reader's choices, and the initial choice.
CHOICES: dict[str, tuple[str, tuple[str, ...], str]] = {
    "machine": ("Machine", (*MACHINES, OWN), "sm_90"),
    "access": ("Access of the warp", ("column", "row", "one"), "column"),
}

#: The numbers that the reader sets: label, least, most, and initial value.
NUMBERS: dict[str, tuple[str, int, int, int]] = {
    "columns": ("Columns of the tile", 1, 64, 32),
    "rows": ("Rows of the tile", 1, 32, 32),
    "padding": ("Columns of padding", 0, 32, 0),
    "size": ("Bytes of an element", 1, 32, 4),
    "first": ("First column, or row", 0, 63, 0),
    "banks": ("Banks", 1, 64, 32),
    "bank_width": ("Bytes of a bank", 1, 16, 4),
    "request_lanes": ("Lanes served together", 1, 32, 32),
}

#: The words for choices that are not names.
WORDS = {"column": "load of columns", "row": "store of rows", "one": "load of one element", OWN: "one of your own"}


class BankExplorer(EvidenceDirective, directive="bank-explorer"):
    """``.. bank-explorer:: [MACHINE:]SLUG.KERNEL load|store …``: choose a tile, and step through its wavefronts.

    The argument is that of a ``bank-map``, which stands here without JavaScript. The options choose what the picture
    begins with, by the names in ``CHOICES`` and ``NUMBERS``, such as ``:padding:`` and ``:access:``.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {name: directives.unchanged_required for name in (*CHOICES, *NUMBERS)}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        rules = load(evidence, "machines")
        panels = [drawn(evidence, Panel.parse(self.arguments[0]), small=False)]
        machines = {name: rules[name] for name in MACHINES}
        fallback = figure(panels, small=False)
        html = render(
            "explorer.html",
            choices=[self._choice(name) for name in CHOICES],
            numbers=[self._number(name) for name in NUMBERS],
            machines=json.dumps(machines),
            fallback=fallback,
        )
        made = picture(html, in_words(panels))
        made[0]["still"], made[0]["explorer"] = fallback, True
        return made

    def _choice(self, name: str) -> dict[str, Any]:
        label, values, chosen = CHOICES[name]
        chosen = self.options.get(name, chosen)
        if chosen not in values:
            raise ResultError(f":{name}: {chosen!r} is not offered; accepted: {', '.join(values)}")
        options = [{"value": value, "label": WORDS.get(value, value), "chosen": value == chosen} for value in values]
        return {"name": name, "label": label, "options": options}

    def _number(self, name: str) -> dict[str, Any]:
        label, least, most, chosen = NUMBERS[name]
        given = self.options.get(name, str(chosen))
        if not given.isdecimal() or not least <= int(given) <= most:
            raise ResultError(f":{name}: {given!r} is not offered; accepted: {least} to {most}")
        return {"name": name, "label": label, "least": least, "most": most, "value": given}


class DropControls(SphinxPostTransform):
    """Keep only the still picture in the EPUB, whose readers run no scripts and draw no controls."""

    default_priority = 199
    builders = ("epub",)

    def run(self) -> None:
        """Replace each interactive picture."""
        for node in list(self.document.findall(nodes.raw)):
            if "still" in node:
                node.replace_self(raw_html(node["still"]))


def _add_script(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Load the scripts on the pages that need them."""
    if doctree is not None and any("explorer" in node for node in doctree.findall(nodes.raw)):
        for script in SCRIPTS:
            app.add_js_file(script, loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_post_transform(DropControls)
    app.connect("html-page-context", _add_script)
