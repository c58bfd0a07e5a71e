# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Kernels as they stand in the tested source: ``kernel-listing`` and ``full-source``."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from .code import highlight_lines
from .project import EvidenceDirective, raw_html, render
from .results import Evidence, ResultError, access_metric, counted_size, format_number, parse_size
from .source import parse_regions, region

#: Regions that every chapter may have, and that no other page links to.
HELPERS = ("constants", "launch", "entry")


def margin(counts: dict[str, Any], file: str) -> dict[int, list[dict[str, Any]]]:
    """Return the notes of a listing's margin by line number of ``file``.

    A note says what one warp instruction of the line takes on average: sectors for global memory,
    wavefronts for shared memory. ``excess`` tells whether that is more than the ideal, ``factor`` how many
    times as much, ``title`` says all of it in words.
    """
    sums: dict[tuple[int, str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for line in counts["lines"]:
        if line["file"].rsplit("/", 1)[-1] != file:
            continue
        total = sums[line["line"], line["space"], line["op"]]
        for key, number in line.items():
            if isinstance(number, int) and key != "line":
                total[key] += number
    notes: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for (number, space, op), total in sorted(sums.items()):
        if space == "global":
            many, one, unit = "sectors", "request", "sector"
        else:
            many, one, unit = "wavefronts", "instruction", "wavefront"
        if not total[one + "s"]:
            continue
        per = access_metric(total, f"{many}_per_{one}")
        ideal = access_metric(total, f"ideal_{many}_per_{one}")
        excess = per > ideal
        words = f"{space} {op}: {format_number(per)} {unit if per == 1 else many} a {one}, ideal {format_number(ideal)}"
        notes[number].append(
            {
                "op": op,
                "text": f"{format_number(per)} {unit if per == 1 else many}",
                "excess": excess,
                "factor": f"{format_number(per / ideal)}×" if excess and ideal else "",
                "title": words,
            }
        )
    return notes


def anchor(env: BuildEnvironment, name: str) -> str:
    """Return the anchor of a kernel's text on the page being read, which ``:ref:`kernel-NAME``` finds.

    It is an empty text if the page has one, or another page has: the first listing is what is meant.
    """
    label = f"kernel-{name}"
    labels = env.get_domain("std").anonlabels
    if label in labels:
        return ""
    labels[label] = env.docname, label
    return label


class KernelListing(EvidenceDirective):
    """``.. kernel-listing:: SLUG.KERNEL``: the kernel's region, by name.

    ``:counts:`` adds the margin of the model's counts per source line; ``:size: WxH`` chooses the size.
    The name may be that of any region, such as ``constants``; only kernels have counts. A function that kernels call
    has those of one of them, which ``:of:`` names.
    """

    required_arguments = 1
    option_spec = {
        "counts": directives.flag,
        "size": directives.unchanged_required,
        "of": directives.unchanged_required,
    }

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug, name = self.kernel_argument(self.arguments[0])
        path = evidence.source_path(slug)
        part = region(evidence.source(slug), name, path)
        notes: dict[int, list[dict[str, Any]]] = {}
        counted, size = "", ""
        if "counts" in self.options:
            kernel = self.options.get("of", name)
            size = parse_size(self.options.get("size") or counted_size(evidence.program(slug), kernel))
            row = evidence.counts_row(slug, kernel, size)
            notes = margin(row["counts"], path.name)
            counted = evidence.program(slug)["machine"]
        lines = [
            {"html": html, "notes": notes.get(number, [])}
            for number, html in enumerate(highlight_lines(part.text), start=part.first_line)
        ]
        if "counts" in self.options and not any(line["notes"] for line in lines):
            raise ResultError(f"no access of {slug}.{name} at {size} lies in lines {part.first_line}-{part.last_line}")
        return [
            raw_html(
                render(
                    "listing.html",
                    name=name,
                    file=f"chapters/{path.stem}/{path.name}",
                    first=part.first_line,
                    last=part.last_line,
                    lines=lines,
                    machine=counted,
                    excess=any(note["excess"] for line in lines for note in line["notes"]),
                    size=size,
                    of=self.options.get("of", ""),
                    anchor=anchor(self.env, name) if name not in HELPERS else "",
                )
            )
        ]


def folded_source(
    directive: EvidenceDirective, path: Path, text: str, anchors: Mapping[int, str] = MappingProxyType({})
) -> list[nodes.Node]:
    """Return the whole of a source file, folded, with a link to download it; ``anchors`` by the number of their line."""
    lines = highlight_lines(text)
    for number, mark in anchors.items():
        lines[number - 1] = f'<span id="{mark}"></span>{lines[number - 1]}'
    file = path.relative_to(path.parents[2]).as_posix()
    opening = raw_html(render("full_source.html", file=file, count=len(lines), lines=lines))
    # The role takes a path relative to the page.
    page = Path(directive.env.doc2path(directive.env.docname))
    target = Path(os.path.relpath(path, page.parent)).as_posix()
    download = StringList([f":download:`Download {path.name} <{target}>`"], source=directive.get_source_info()[0])
    holder = nodes.container(classes=["full-source-download"])
    directive.state.nested_parse(download, directive.content_offset, holder)
    return [opening, holder]


class FullSource(EvidenceDirective):
    """``.. full-source:: SLUG``: the chapter's whole source file, folded, with a link to download it."""

    required_arguments = 1

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug = self.arguments[0]
        text = evidence.source(slug)
        anchors = {}
        for name, number in self._places(evidence, slug, text).items():
            mark = anchor(self.env, name)
            if mark:
                anchors[number] = mark
        return folded_source(self, evidence.source_path(slug), text, anchors)

    def _places(self, evidence: Evidence, slug: str, text: str) -> dict[str, int]:
        """Return the line at which each kernel begins; functions of the host may share a region, or have none."""
        regions = parse_regions(text, evidence.source_path(slug))
        places = {name: part.first_line for name, part in regions.items() if name not in HELPERS}
        for row in evidence.program(slug)["rows"]:
            found = re.search(rf"\b{row['kernel']}\(", text)
            if row["kernel"] not in places and found:
                places[row["kernel"]] = text.count("\n", 0, found.start()) + 1
        return places


def setup(app: Sphinx) -> None:
    """Register the directives."""
    app.add_directive("kernel-listing", KernelListing)
    app.add_directive("full-source", FullSource)
