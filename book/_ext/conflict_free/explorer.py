# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""``bank-explorer``: an interactive bank map of a tile that the reader chooses.

The script ``_static/bank_explorer.js`` applies the model's rules of shared memory; ``book/tests/browser/test_explorer.py``
holds it against the model. The machines are data that the model wrote in this build. Without JavaScript there is a bank map
of a real run in its place.
"""

from __future__ import annotations

import json
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from .banks import drawn, figure, in_words
from .project import EvidenceDirective, picture, raw_html, render
from .results import Evidence, ResultError
from .traces import Panel, load

SCRIPT = "bank_explorer.js"

#: What the reader chooses from, and the choice to begin with.
CONTROLS: dict[str, tuple[str, tuple[int | str, ...], int | str]] = {
    "machine": ("Machine", ("sm_90", "gt200"), "sm_90"),
    "columns": ("Columns of the tile", (8, 16, 24, 31, 32, 48, 64), 32),
    "rows": ("Rows of the tile", (8, 16, 32), 32),
    "padding": ("Columns of padding", (0, 1, 2, 3, 4, 8), 0),
    "size": ("Bytes of an element", (4, 8, 16), 4),
    "access": ("Access of the warp", ("column", "row", "one"), "column"),
}

#: The words for the accesses.
ACCESSES = {"column": "load of columns", "row": "store of rows", "one": "load of one element"}


class BankExplorer(EvidenceDirective):
    """``.. bank-explorer:: [MACHINE:]SLUG.KERNEL load|store …``: choose a tile, and step through its wavefronts.

    The argument is that of a ``bank-map``, which stands here without JavaScript. The options choose what the picture
    begins with: ``:machine:``, ``:columns:``, ``:rows:``, ``:padding:``, ``:size:`` and ``:access:``.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {name: directives.unchanged_required for name in CONTROLS}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        rules = load(evidence, "machines")
        panels = [drawn(evidence, Panel.parse(self.arguments[0]), small=False)]
        machines = {name: rules[name] for name in CONTROLS["machine"][1]}
        fallback = figure(panels, small=False)
        html = render(
            "explorer.html", controls=[self._control(name) for name in CONTROLS], machines=json.dumps(machines), fallback=fallback
        )
        made = picture(html, in_words(panels))
        made[0]["without_scripts"] = fallback
        return made

    def _control(self, name: str) -> dict[str, Any]:
        label, values, chosen = CONTROLS[name]
        chosen = self.options.get(name, str(chosen))
        if chosen not in map(str, values):
            raise ResultError(f":{name}: {chosen!r} is not offered; accepted: {', '.join(map(str, values))}")
        options = [{"value": value, "label": ACCESSES.get(str(value), value), "chosen": str(value) == chosen} for value in values]
        return {"name": name, "label": label, "options": options}


class DropControls(SphinxPostTransform):
    """Leaves the fallback alone in the EPUB, whose readers run no scripts."""

    default_priority = 199
    builders = ("epub",)

    def run(self) -> None:
        """Replace each interactive picture."""
        for node in list(self.document.findall(nodes.raw)):
            if "without_scripts" in node:
                node.replace_self(raw_html(node["without_scripts"]))


def _add_script(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Load the script on the pages that need it."""
    if doctree is not None and any("without_scripts" in node for node in doctree.findall(nodes.raw)):
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("bank-explorer", BankExplorer)
    app.add_post_transform(DropControls)
    app.connect("html-page-context", _add_script)
