# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The role ``claim``: a sentence that compares results, true on the book's machine or the build fails.

Where the reader's own GPU has results, the sentence is marked "holds here" or "differs here".
"""

from __future__ import annotations

import dataclasses
import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from .project import evidence
from .results import LOCAL, Evidence, ResultError
from .source import SourceError
from .values import value

_PARTS = re.compile(r"(?P<sentence>.+?)\s*\[(?P<expression>[^\[\]]+)\]\Z", re.DOTALL)


class ClaimRole(SphinxRole):
    """``:claim:`SENTENCE [A > B]```; see ``results.Evidence.holds`` for the expression."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the sentence, or an error with the page's file and line."""
        found = evidence(self.env)
        try:
            match = _PARTS.match(self.text)
            if match is None:
                raise ResultError(f"{self.text!r} is not a sentence with a comparison in brackets at its end")
            expression = " ".join(match["expression"].split())
            true, shown = found.holds(expression)
            if not true:
                raise ResultError(f"the claim {match['sentence']!r} is false on {found.machine}: {shown}")
        except (ResultError, SourceError) as error:
            message = self.inliner.reporter.error(f":claim: {error}", line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        made: list[nodes.Node] = [nodes.inline("", match["sentence"], classes=["claim"])]
        verdict = self._here(found, expression)
        if verdict is not None:
            holds, shown = verdict
            words = "holds here" if holds else "differs here"
            tip_id = f"claim-{self.env.new_serialno('conflict-free-claim')}"
            mark = value("", words, provenance=shown, tip_id=tip_id, classes=["holds" if holds else "differs"])
            made += [nodes.Text(" "), mark]
        return made, []

    def _here(self, found: Evidence, expression: str) -> tuple[bool, str] | None:
        """Return the verdict of the reader's own GPU, None if it cannot be had."""
        if found.machine == LOCAL:
            return None
        here = dataclasses.replace(found, machine=LOCAL)
        try:
            return here.holds(expression)
        except ResultError:
            return None


def setup(app: Sphinx) -> None:
    """Register the role."""
    app.add_role("claim", ClaimRole())
