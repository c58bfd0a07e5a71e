# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""``specimen``: a program that shows an error of the classics, and what the model reports of it."""

from __future__ import annotations

import json
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from .code import highlight_lines
from .project import EvidenceDirective, raw_html, render
from .results import ACCESSES, Evidence, ResultError
from .source import read_source, region

#: The folder of the specimens, under the chapters and under the counts.
FOLDER = "errata"


def findings(report: dict[str, Any]) -> list[str]:
    """Return what the model says of one program: a phrase for each hazard, or the shared-memory counts of a launch."""
    said = []
    for hazard in report["hazards"]:
        numbers = sorted({place["line"] for place in hazard["lines"]})
        where = f"line{'s' if len(numbers) > 1 else ''} {' and '.join(map(str, numbers))}"
        said.append(f"{hazard['kind'].replace('_', ' ')} at {where}: {hazard['message']}")
    if said:
        return said
    for key in ("shared_load", "shared_store"):
        access = report["kernels"][0][key]
        if access["instructions"]:
            said.append(
                f"{ACCESSES[key]}: {access['instructions']:,} instructions, {access['wavefronts']:,} wavefronts, "
                f"{access['conflicts']:,} conflicts"
            )
    return ["no hazard", *said]


class Specimen(EvidenceDirective):
    """``.. specimen:: NAME``: the kernel of ``chapters/errata/NAME.cu``, its verdict on its output, and the model's."""

    required_arguments = 1

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        name = self.arguments[0]
        source = evidence.chapters / FOLDER / f"{name}.cu"
        counted = evidence.counts / FOLDER / f"{name}.json"
        for path in (source, counted):
            evidence.on_read(path)
        part = region(read_source(source), name, source)
        try:
            report = json.loads(counted.read_text(encoding="utf-8"))
        except OSError:
            raise ResultError(f"there is no report {counted}; the CMake target 'counts' makes it") from None
        lines = [
            {"html": html, "notes": []}
            for html in highlight_lines(part.text)
        ]
        listing = render(
            "listing.html", name=name, file=f"chapters/{FOLDER}/{name}.cu", first=part.first_line, last=part.last_line,
            lines=lines, machine="", excess=False, size="",
        )
        verdict = "The program finds its output wrong." if report["exit_code"] else "The program finds no fault in its output."
        found = nodes.bullet_list("", *[nodes.list_item("", nodes.paragraph("", text)) for text in findings(report)])
        return [raw_html(listing), nodes.paragraph("", f"{verdict} The model says:"), found]


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("specimen", Specimen)
