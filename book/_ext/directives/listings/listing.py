"""Listings of kernels from the tested source: ``kernel-listing`` and ``full-source``."""

import os
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from conflict_free.counts import MEASURES
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import access_metric, counted_size, failures, format_number, parse_size
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.source import Region, SourceFile, Sources, shown_path

from .. import changes
from ..project import EvidenceDirective, shown
from .code import highlight_lines
from .folds import fold

#: Regions that every chapter may have, and that no other page links to.
HELPERS = ("constants", "launch", "entry")


def margin(counts: dict[str, Any], file: str) -> dict[int, list[dict[str, Any]]]:
    """Return the notes of a listing's margin by line number of ``file``.

    A note says what one warp instruction of the line costs on average, such as sectors for global memory. ``excess`` tells
    whether that is more than the ideal, ``factor`` how many times as much, ``title`` says all of it in words.
    """
    sums: dict[tuple[int, str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for line in counts["lines"]:
        # An access of another file stands where its function is called.
        for place in (line, *line.get("inlined_from", ())):
            if place["file"].rsplit("/", 1)[-1] == file:
                for key in MEASURES[line["space"]].keys:
                    sums[place["line"], line["space"], line["op"]][key] += line[key]
                break
    notes: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for (number, space, op), total in sorted(sums.items()):
        measure = MEASURES[space]
        if not total[measure.number]:
            continue
        per = measure.each(total)
        ideal = access_metric(total, f"{measure.ideal}_per_{measure.one}") if measure.ideal else None
        cost = f"{format_number(per)} {measure.cost.removesuffix('s') if per == 1 else measure.cost}"
        least = "" if ideal is None else f", ideal {format_number(ideal)}"
        excess = ideal is not None and per > ideal
        notes[number].append(
            {
                "op": op.replace("_", " ") if space in ("global", "shared") else f"{space} {op}",
                "text": cost,
                "excess": excess,
                "factor": f"{format_number(per / ideal)}×" if excess and ideal else "",
                "title": f"{space} {op.replace('_', ' ')}: {cost} {'an' if measure.one[0] in 'aeiou' else 'a'} {measure.one}{least}",
            }
        )
    return notes


def anchor(env: BuildEnvironment, slug: str, name: str) -> str:
    """Return the anchor of a kernel's text on the page being read, which ``:ref:`kernel-NAME``` finds.

    It is an empty text unless this is the chapter's own page, and its first listing of the kernel.
    """
    label = f"kernel-{name}"
    labels = env.get_domain("std").anonlabels
    if env.docname != slug or label in labels:
        return ""
    labels[label] = env.docname, label
    return label


def lines_between(region: Region, begin: str, end: str) -> Region:
    """Return the lines of a region from the first with the text ``begin`` to the next with the text ``end``, without their common indentation.

    Raises ResultError if there are none.
    """
    lines = region.lines
    first = next((number for number, line in enumerate(lines) if begin in line), len(lines))
    last = next((number for number in range(first, len(lines)) if end in lines[number]), None)
    if last is None:
        raise ResultError(f"region [{region.name}] has no line with {begin!r} and one with {end!r} at or below it")
    return replace(region, first_line=region.first_line + first, text=dedent("\n".join(lines[first : last + 1])))


def listing(name: str, part: Region, lines: list[dict[str, Any]], **more: str | None) -> nodes.Node:
    """Return the listing of a region, from the HTML of its lines with their notes; ``more`` are fields of the template."""
    excess = any(note["excess"] for line in lines for note in line["notes"])
    fields = {"machine": "", "anchor": ""} | more
    return shown(
        "listing.html", name=name, file=part.file, first=part.first_line, last=part.last_line, lines=lines, excess=excess, **fields
    )


def kernel_listing(
    directive: EvidenceDirective,
    evidence: Evidence,
    slug: str,
    name: str,
    counted: bool,
    size: str | None = None,
    of: str | None = None,
    between: tuple[str, str] = ("", ""),
) -> list[nodes.Node]:
    """Return the nodes of a region's listing, with the margin of counts if ``counted``.

    ``size`` and ``of`` are the options of ``kernel-listing``, and ``between`` are its ``from`` and ``to``. Raises ResultError or
    SourceError.
    """
    part = evidence.sources(slug).region(name)
    if any(between):
        part = lines_between(part, *between)
    notes: dict[int, list[dict[str, Any]]] = {}
    machine, shown_size = "", ""
    if counted:
        kernel = of or name
        shown_size = parse_size(size or counted_size(evidence.program(slug), kernel))
        notes = margin(evidence.counts_row(slug, kernel, shown_size)["counts"], part.path.name)
        machine = evidence.program(slug)["machine"]
    lines = [
        {"html": html, "notes": notes.get(number, [])} for number, html in enumerate(highlight_lines(part.text), start=part.first_line)
    ]
    if counted and not any(line["notes"] for line in lines):
        raise ResultError(f"no access of {slug}.{name} at {shown_size} lies in lines {part.first_line}-{part.last_line}")
    label = anchor(directive.env, slug, name) if name not in HELPERS else ""
    made = listing(name, part, lines, machine=machine, size=shown_size, of=of, anchor=label)
    return [made, *(_failures(evidence, slug, of or name) if counted else [])]


def _failures(evidence: Evidence, slug: str, kernel: str) -> list[nodes.Node]:
    """Return a note for each expectation of the chapter that the model's counts of a kernel do not meet."""
    rows = [row for row in evidence.program(slug)["rows"] if row["kernel"] == kernel]
    return [changes.notice(f"{text}.") for row in rows for text in failures(row)]


class KernelListing(EvidenceDirective, directive="kernel-listing"):
    """``.. kernel-listing:: SLUG.KERNEL``: the kernel's region, by name.

    ``:counts:`` adds the margin of the model's counts per source line; ``:size: WxH`` chooses the size.
    The name may be that of any region, such as ``constants``; only kernels have counts. A function that kernels call
    has those of one of them, which ``:of:`` names. ``:folded:`` folds it away below its name. ``:from: TEXT`` and ``:to: TEXT``
    show its lines from the first that has the one text to the next that has the other.
    """

    required_arguments = 1
    option_spec = {
        "counts": directives.flag,
        "size": directives.unchanged_required,
        "of": directives.unchanged_required,
        "folded": directives.flag,
        "from": directives.unchanged_required,
        "to": directives.unchanged_required,
    }

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug, name = self.kernel_argument(self.arguments[0])
        between = (self.options.get("from", ""), self.options.get("to", ""))
        if any(between) and not all(between):
            raise ResultError(":from: and :to: are given together or not at all")
        counted = "counts" in self.options
        made = kernel_listing(self, evidence, slug, name, counted, self.options.get("size"), self.options.get("of"), between)
        return [fold(f"The whole kernel, {name}", made, code=True)] if "folded" in self.options else made


def folded_sources(
    directive: EvidenceDirective, sources: Sources, anchors: Mapping[tuple[Path, int], str] = MappingProxyType({})
) -> list[nodes.Node]:
    """Return each source file of a program, whole and folded, with a link to download it.

    ``anchors`` are given by file and number of their line.
    """
    made = []
    for file in sources.files:
        marks = {number: mark for (path, number), mark in anchors.items() if path == file.path}
        made += _folded(directive, file, marks)
    return made


def _folded(directive: EvidenceDirective, source: SourceFile, anchors: dict[int, str]) -> list[nodes.Node]:
    """Return one file, folded, with its link."""
    path, lines = source.path, highlight_lines(source.text)
    for number, mark in anchors.items():
        lines[number - 1] = f'<span id="{mark}"></span>{lines[number - 1]}'
    opening = shown("full_source.html", file=shown_path(path), count=len(lines), lines=lines)
    # The role takes a path relative to the page.
    page = Path(directive.env.doc2path(directive.env.docname))
    target = Path(os.path.relpath(path, page.parent)).as_posix()
    download = StringList([f":download:`Download {path.name} <{target}>`"], source=directive.get_source_info()[0])
    holder = nodes.container(classes=["full-source-download"])
    directive.state.nested_parse(download, directive.content_offset, holder)
    return [opening, holder]


class FullSource(EvidenceDirective, directive="full-source"):
    """``.. full-source:: SLUG``: each of the chapter's source files, whole and folded, with a link to download it.

    ``:uncounted:`` is for a chapter whose kernels are not counted: its measured kernels get the anchors.
    """

    required_arguments = 1
    option_spec = {"uncounted": directives.flag}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug = self.arguments[0]
        sources = evidence.sources(slug)
        anchors = {}
        for name, place in self._places(evidence, slug, sources).items():
            mark = anchor(self.env, slug, name)
            if mark:
                anchors[place] = mark
        return folded_sources(self, sources, anchors)

    def _places(self, evidence: Evidence, slug: str, sources: Sources) -> dict[str, tuple[Path, int]]:
        """Return the file and line at which each kernel begins; functions of the host may share a region, or have none."""
        places = {name: (part.path, part.first_line) for name, part in sources.regions.items() if name not in HELPERS}
        told = evidence.result(slug) if "uncounted" in self.options else evidence.program(slug)
        for row in (told or {"rows": ()})["rows"]:
            for file in sources.files:
                found = re.search(rf"\b{row['kernel']}\(", file.text)
                if row["kernel"] not in places and found:
                    places[row["kernel"]] = file.path, file.text.count("\n", 0, found.start()) + 1
        return places


def _forget_anchors(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Forget the anchors of pages that are about to be read: a kernel may have moved from one page to another."""
    labels = env.get_domain("std").anonlabels
    for label, (page, _) in list(labels.items()):
        if label.startswith("kernel-") and page in docnames:
            del labels[label]


def setup(app: Sphinx) -> None:
    """Register the directives."""
    app.connect("env-before-read-docs", _forget_anchors)
