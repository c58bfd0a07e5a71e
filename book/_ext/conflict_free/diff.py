# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""``kernel-diff``: what changes between two kernels, generated from their tested sources."""

from __future__ import annotations

import difflib
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from .code import highlight_lines
from .project import EvidenceDirective, raw_html, render
from .results import Evidence

_KINDS = {"delete": ("del", "−"), "insert": ("ins", "+")}


def diff_lines(old: str, new: str) -> list[dict[str, Any]]:
    """Return the lines of both texts in one listing, each ``same``, ``del`` or ``ins``, with its highlighted HTML."""
    before, after = old.splitlines(), new.splitlines()
    before_html, after_html = highlight_lines(old), highlight_lines(new)
    merged: list[dict[str, Any]] = []

    def add(kind: str, mark: str, htmls: list[str]) -> None:
        merged.extend({"kind": kind, "mark": mark, "html": html} for html in htmls)

    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            add("same", " ", after_html[new_from:new_to])
        else:
            add(*_KINDS["delete"], before_html[old_from:old_to])
            add(*_KINDS["insert"], after_html[new_from:new_to])
    return merged


class KernelDiff(EvidenceDirective):
    """``.. kernel-diff:: SLUG.KERNEL SLUG.KERNEL``: from the first kernel to the second, all lines shown."""

    required_arguments = 2

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        sides = []
        for argument in self.arguments:
            slug, name = self.kernel_argument(argument)
            sides.append((slug, evidence.sources(slug).region(name)))
        (old_slug, old), (new_slug, new) = sides
        lines = diff_lines(old.text, new.text)
        return [
            raw_html(
                render(
                    "diff.html",
                    old=f"{old_slug}.{old.name}" if old_slug != new_slug else old.name,
                    new=f"{new_slug}.{new.name}" if old_slug != new_slug else new.name,
                    lines=lines,
                    removed=sum(line["kind"] == "del" for line in lines),
                    added=sum(line["kind"] == "ins" for line in lines),
                )
            )
        ]


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("kernel-diff", KernelDiff)
