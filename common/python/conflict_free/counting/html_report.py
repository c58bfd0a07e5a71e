"""A report as one self-contained page: the source with the counts in its margin, and maps of banks and sectors."""

import itertools
import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from conflict_free.counts import SPACES

from .bound import NAMES, bound_of
from .launches import Launches, fold, place_text, within_of
from .mending import what_to_mend
from .next_step import next_step
from .printed_report import (
    LINK_HEADINGS,
    MENDING_HEADINGS,
    bounded,
    clock_of,
    counted_by_file,
    exactness_of,
    heading_of,
    headings_of,
    margin_of,
    mending_row,
    not_counted,
    resources_of,
    rows_of_links,
    rows_of_space,
    unchecked,
)
from .shown_lines import shown_numbers
from .shown_names import shown_name

_TEMPLATE = Path(__file__).with_name("report_page.html")


def _cells(tag: str, values: Iterable[str]) -> str:
    return "".join(f"<{tag}>{escape(value)}</{tag}>" for value in values)


def _tables(kernel: dict) -> Iterator[str]:
    for space in SPACES:
        if rows := rows_of_space(kernel, space):
            yield f"<table><tr>{_cells('th', (space, *headings_of(space)))}</tr>"
            yield from (f"<tr{_style(is_ideal)}>{_cells('td', cells)}</tr>" for cells, is_ideal in rows)
            yield "</table>"


def _style(is_ideal: bool) -> str:
    return "" if is_ideal else ' class="cost"'


def _margin(line: dict, names: Iterator[int]) -> str:
    """Return the cells of margin_of(). A click on an access draws one example of it."""
    what, how_often, each, is_ideal = margin_of(line)
    what, style = escape(what), _style(is_ideal)
    if line.get("first_access") and line["space"] in ("shared", "global"):
        access = escape(json.dumps(line["first_access"], separators=(",", ":")))
        what = f'<button id="b{next(names)}" aria-expanded="false" data-space="{line["space"]}" data-access="{access}">{what}</button>'
    return f"<td{style}>{what}</td><td{style}>{how_often}</td><td{style}>{each}</td>"


def _listing(file: str, text: str, counted: dict[int, list[dict]], names: Iterator[int]) -> Iterator[str]:
    lines = text.expandtabs(4).splitlines()
    lines += [""] * (max(counted) - len(lines))
    yield '<div class="listing"><table>'
    yield f'<tr>{_cells("th", ("access", "number", "each", "line"))}<th class="source">{escape(file)}</th></tr>'
    for number in shown_numbers(lines, counted):
        if number is None:
            yield '<tr><td></td><td></td><td></td><td class="number">…</td><td></td></tr>'
            continue
        accesses = counted.get(number, [])
        margins = [_margin(line, names) for line in accesses] or ["<td></td><td></td><td></td>"]
        for place, margin in enumerate(margins):
            source = (
                f'<td class="number">{number}</td><td class="source">{escape(lines[number - 1])}</td>'
                if place == 0
                else "<td></td><td></td>"
            )
            yield f"<tr>{margin}{source}</tr>"
        if within := within_of(accesses):
            folded = f"<details><summary>in {escape(within[0])}</summary>{escape(', '.join(within[1:]))}</details>"
            yield f'<tr><td></td><td></td><td></td><td></td><td class="source">{folded}</td></tr>'
    yield "</table></div>"


def _bound(kernel: Mapping[str, Any], machine: str, own: Container[str]) -> Iterator[str]:
    """Yield the next step, what to mend first, and the fewest cycles by resource, each with a bar."""
    if step := next_step(kernel, machine, own):
        yield f"<p><strong>{escape(step)}</strong></p>"
    if mendings := what_to_mend(kernel, machine, own):
        yield f"<h3>What to fix first</h3><table><tr>{_cells('th', MENDING_HEADINGS)}</tr>"
        yield from (f"<tr>{_cells('td', mending_row(each))}</tr>" for each in mendings)
        yield "</table>"
    bound = bound_of(kernel, machine)
    if bound and bound.cycles:
        yield f"<table><tr>{_cells('th', ('cycles at least', '', 'limited by'))}</tr>"
        for key, cycles in bound.cycles.items():
            bar = f'<td class="source"><meter value="{cycles}" max="{bound.cycles_at_least}"></meter></td>'
            yield f'<tr><td>{cycles:,}</td>{bar}<td class="source">{escape(NAMES[key])}</td></tr>'
        yield "</table>"
        if clock := clock_of(bound):
            yield f"<p>{escape(clock)}.</p>"


def _kernel(launches: Launches, sources: dict[str, Path], names: Iterator[int], machine: str) -> Iterator[str]:
    kernel = launches.counts
    title = f' title="{escape(kernel["name"])}"' if shown_name(kernel["name"]) != kernel["name"] else ""
    yield f"<h2{title}>{escape(shown_name(kernel['name']))} <small>{escape(' · '.join(heading_of(launches)))}</small></h2>"
    one, which = bounded(launches, machine)
    if which:
        yield f"<p>{escape(which)}</p>"
    yield from _bound(one, machine, sources)
    yield from _tables(kernel)
    if text := resources_of(kernel):
        yield f"<p>{escape(text)}.</p>"
    if text := exactness_of(kernel):
        yield f"<p>{escape(text.capitalize())}.</p>"
    for file, counted in counted_by_file(kernel, sources).items():
        yield from _listing(file, sources[file].read_text(encoding="utf-8", errors="replace"), counted, names)


def _hazard(hazard: dict, own: Container[str]) -> Iterator[str]:
    places = ", ".join(place_text(place, own) for place in hazard["lines"])
    kind, kernel = hazard["kind"].replace("_", " "), shown_name(hazard["kernel"])
    yield f'<div class="hazard"><strong>{escape(kind)}</strong> in {escape(kernel)}, {escape(places)}'
    yield f"<p>{escape(hazard['message'])} {escape(hazard['help'])}</p></div>"


def _links(data: dict) -> Iterator[str]:
    if rows := rows_of_links(data):
        yield f"<h2>Links</h2><table><tr>{_cells('th', LINK_HEADINGS)}</tr>"
        yield from (f"<tr>{_cells('td', row)}</tr>" for row in rows)
        yield "</table>"


def page(data: dict, files: Sequence[Path]) -> str:
    """Return the page of a report; it may show the source `files`."""
    sources = {file.name: file for file in reversed(files)}
    names = itertools.count()
    title = f"Memory accesses, counted by the rules of {data['machine']}{unchecked(data)}"
    body = [f"<h1>{escape(title)}</h1>"]
    for hazard in data["hazards"]:
        body += _hazard(hazard, sources)
    body += [f"<p>{escape(error['message'])} {escape(error['help'])}</p>" for error in data.get("errors", ())]
    uncounted = data.get("uncounted", [])
    for launches in fold(data["kernels"], uncounted):
        body += _kernel(launches, sources, names, data["machine"])
    body += [f"<p>{escape(text)}</p>" for text in not_counted(uncounted)]
    body += _links(data)
    return _TEMPLATE.read_text(encoding="utf-8").replace("@TITLE@", escape(title)).replace("@BODY@", "\n".join(body))
