# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What scripts/count prints: the counts of each kernel, its source with the counts in the margin, the hazards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from conflict_free.console import say

from .launches import Launches, fold, without_calls
from .shown_lines import shown_numbers

# Without a terminal there is no width to fit into.
UNBOUNDED_WIDTH = 240
SECTOR_BYTES = 32


@dataclass(frozen=True)
class Measure:
    """How the counts of one memory space are named and judged."""

    number: str  # key of the number of warp-level instructions
    cost: str  # key of what they took
    ideal: str  # key of what they would take at best; empty where nothing is known of that
    headings: tuple[str, ...]

    def each(self, counts: dict) -> float:
        """What one instruction takes on average."""
        return counts[self.cost] / counts[self.number]

    def is_ideal(self, counts: dict) -> bool:
        return not self.ideal or counts[self.cost] <= counts[self.ideal]


SHARED = Measure(
    "instructions", "wavefronts", "ideal_wavefronts", ("instructions", "wavefronts", "at best", "conflicts", "wavefronts each")
)
GLOBAL = Measure(
    "requests", "sectors", "ideal_sectors", ("requests", "sectors", "at best", "bytes asked", "bytes moved", "sectors each", "efficiency")
)
CONSTANT = Measure("instructions", "words", "", ("instructions", "words", "words each"))
TEXTURE = Measure("requests", "bytes", "", ("requests", "bytes asked", "bytes each"))
MEASURES = {"shared": SHARED, "global": GLOBAL, "local": GLOBAL, "constant": CONSTANT, "texture": TEXTURE}
OPERATIONS = ("load", "store", "atomic", "async_copy", "bulk_copy")


def counts_of(kernel: dict, space: str, operation: str) -> dict | None:
    """The counts of one operation in one space. Copies touch two spaces and are counted by themselves."""
    if operation == "async_copy":
        return kernel.get(operation, {}).get(space)
    if operation == "bulk_copy":
        return kernel.get(operation) if space == "global" else None
    return kernel.get(f"{space}_{operation}")


def _size(extent: Sequence[int]) -> str:
    """Such as 64 x 64, without trailing ones."""
    shown = list(extent)
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return " x ".join(f"{n:,}" for n in shown)


def row_of(space: str, counts: dict) -> list[str]:
    measure = MEASURES[space]
    cells = [f"{counts[key]:,}" for key in (measure.number, measure.cost, measure.ideal) if key]
    if not measure.ideal:
        return [*cells, f"{measure.each(counts):.2f}"]
    if measure is SHARED:
        return [*cells, f"{counts['conflicts']:,}", f"{measure.each(counts):.2f}"]
    moved = SECTOR_BYTES * counts["sectors"]
    efficiency = f"{100 * counts['bytes'] / moved:.0f}%" if moved else ""
    return [*cells, f"{counts['bytes']:,}", f"{moved:,}", f"{measure.each(counts):.2f}", efficiency]


def _space_table(kernel: dict, space: str) -> Table | None:
    """The counts of one space; None if the kernel has not touched it."""
    measure = MEASURES[space]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(space)
    for heading in measure.headings:
        table.add_column(heading, justify="right")
    for operation in OPERATIONS:
        counts = counts_of(kernel, space, operation)
        if counts and counts[measure.number]:
            table.add_row(operation.replace("_", " "), *row_of(space, counts), style="" if measure.is_ideal(counts) else "yellow")
    return table if table.row_count else None


def heading_of(launches: Launches) -> list[str]:
    """What tells launches of one kernel from others of it."""
    kernel = launches.counts
    parts = [f"grid {_size(kernel['grid'])}", f"block {_size(kernel['block'])}"]
    if kernel["shared_bytes"]:
        parts.append(f"{kernel['shared_bytes']:,} bytes of shared memory")
    if launches.number > 1:
        what = "sums of" if launches.differ else "counts of each of"
        parts.append(f"{what} {launches.number:,} launches")
    if launches.of_number > launches.number:
        parts.append(f"{launches.number:,} of {launches.of_number:,} launches counted")
    if "counted_blocks" in kernel:
        parts.append(f"{kernel['counted_blocks']:,} of {kernel['blocks']:,} blocks counted")
    if kernel.get("stopped"):
        parts.append("stopped before its end, counted until then")
    return parts


def _remainder(kernel: dict) -> str:
    """The counts that need no table."""
    names = {"barriers": "barrier", "warp_barriers": "warp barrier"}
    shown = [_plural(kernel[key], name) for key, name in names.items() if kernel.get(key)]
    for operation in ("load", "store"):
        use = kernel.get("partitions", {}).get(operation)
        if use and use["steps"]:
            shown.append(f"{operation}s spread over {use['mean']:.1f} of {kernel['partitions']['count']} partitions at a time")
    return ", ".join(shown)


# --- the listing -------------------------------------------------------------------------------


def _margin(line: dict) -> tuple[str, str, str, str]:
    """What, how often, what each took, and the style of it."""
    measure = MEASURES[line["space"]]
    number = line[measure.number]
    each = f"{measure.each(line):.2f}" if number else ""
    return f"{line['space']} {line['op'].replace('_', ' ')}", f"{number:,}", each, "" if measure.is_ideal(line) else "yellow"


def _listing(file: str, source: Path, counted: dict[int, list[dict]], width: int) -> Table:
    """The source of the counted lines with their counts in the margin."""
    lines = source.read_text(encoding="utf-8", errors="replace").expandtabs(4).splitlines()
    lines += [""] * (max(counted) - len(lines))
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim", width=width)
    table.add_column("access", no_wrap=True)
    table.add_column("number", justify="right", no_wrap=True)
    table.add_column("each", justify="right", no_wrap=True)
    table.add_column("line", justify="right", no_wrap=True, style="dim")
    table.add_column(file, no_wrap=True, ratio=1, overflow="ellipsis")
    for number in shown_numbers(lines, counted):
        if number is None:
            table.add_row("", "", "", "...")
            continue
        notes = [_margin(line) for line in counted.get(number, ())] or [("", "", "", "")]
        for place, (what, how_often, each, style) in enumerate(notes):
            source_cells = (str(number), Text(lines[number - 1])) if place == 0 else ("", "")
            table.add_row(Text(what, style=style), Text(how_often, style=style), Text(each, style=style), *source_cells)
    return table


def _listings(kernel: dict, sources: dict[str, Path], width: int) -> Iterable[Table]:
    by_file: dict[str, dict[int, list[dict]]] = {}
    for line in without_calls(kernel["lines"]):
        if line["file"] in sources and line["line"] > 0:
            by_file.setdefault(line["file"], {}).setdefault(line["line"], []).append(line)
    for file, counted in by_file.items():
        yield _listing(file, sources[file], counted, width)


# --- hazards -----------------------------------------------------------------------------------


def _quote(place: dict, sources: dict[str, Path]) -> str:
    """The text of a source line; empty if it is not the reader's."""
    try:
        lines = sources[place["file"]].read_text(encoding="utf-8", errors="replace").splitlines()
        return lines[place["line"] - 1].strip() if place["line"] > 0 else ""
    except (KeyError, IndexError, OSError):
        return ""


def _point(extent: Sequence[int]) -> str:
    return f"({', '.join(map(str, extent))})"


def _indented(text: str) -> Padding:
    return Padding(Text(text), (0, 0, 0, 2))


def _show_hazard(out: Console, hazard: dict, sources: dict[str, Path]) -> None:
    name = hazard["kind"].replace("_", " ")
    threads = " and ".join(_point(thread) for thread in hazard["threads"])
    where = f" in {hazard['kernel']}, block {_point(hazard['block'])}"
    if threads:
        where += f", thread{'s' if len(hazard['threads']) > 1 else ''} {threads}"
    out.print(Text(name, style="bold red").append(where, style="not bold default"))
    out.print(_indented(hazard["message"]))
    places = [f"{place['file']}:{place['line']}" for place in hazard["lines"]]
    widest = max(map(len, places), default=0)
    for place, shown in zip(hazard["lines"], places):
        out.print(Text(f"  {shown:<{widest}}  {_quote(place, sources)}", style="cyan"), no_wrap=True, overflow="ellipsis")
    if hazard["help"]:
        out.print(_indented(hazard["help"]))
    out.print()


# --- all of it ---------------------------------------------------------------------------------


def _plural(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's' if not name.endswith('ch') else 'es'}"


def _show_exactness(out: Console, kernel: dict) -> None:
    """What the machine code has other than the counted PTX."""
    notes = kernel.get("fused", ())
    exact = kernel.get("exact", True)
    if not exact:
        out.print(Text("not exact: a GPU makes other accesses than those that are counted", style="yellow"))
    for note in notes:
        place = f"{note['file']}:{note['line']}: " if note["line"] else ""
        change = " -> ".join(word for word in (note["ptx"], note["sass"]) if word)
        out.print(Text(f"  {place}{change}: {note['why']}" if change else f"  {place}{note['why']}", style="" if exact else "yellow"))
    if notes or not exact:
        out.print()


def _number_of_launches(counted: int, uncounted: Iterable[dict]) -> str:
    missing = sum(tally["launches"] - tally["counted"] for tally in uncounted)
    return f"{counted:,} of {_plural(counted + missing, 'launch')} counted" if missing else _plural(counted, "launch")


def not_counted(uncounted: Iterable[dict]) -> list[str]:
    """The kernels and configurations of which no launch was counted, a line each."""
    return [
        f"{tally['name']}   grid {_size(tally['grid'])} · block {_size(tally['block'])} · 0 of {_plural(tally['launches'], 'launch')} counted"
        for tally in uncounted
        if not tally["counted"]
    ]


LINK_HEADINGS = ("link", "bytes", "sectors")


def rows_of_links(data: dict) -> list[tuple[str, str, str]]:
    """What each device has sent each other; nothing where devices have sent each other nothing."""
    return [(f"device {link['from']} to {link['to']}", f"{link['bytes']:,}", f"{link['sectors']:,}") for link in data.get("links", ())]


def _show_links(out: Console, data: dict) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in LINK_HEADINGS:
        table.add_column(heading, justify="left" if heading == "link" else "right")
    for row in rows_of_links(data):
        table.add_row(*row)
    if table.row_count:
        out.print(table)
        out.print()


def _show_launches(out: Console, launches: Launches, sources: dict[str, Path]) -> None:
    kernel = launches.counts
    out.print(Text(kernel["name"], style="bold").append("   " + " · ".join(heading_of(launches)), style="not bold"))
    out.print()
    tables = [table for space in MEASURES if (table := _space_table(kernel, space))]
    for table in tables:
        out.print(table)
        out.print()
    if remainder := _remainder(kernel):
        out.print(remainder)
        out.print()
    if not tables:
        out.print("no access to memory")
        out.print()
    _show_exactness(out, kernel)
    for listing in _listings(kernel, sources, out.width):
        out.print(listing)
        out.print()


def show(data: dict, files: Sequence[Path]) -> None:
    """Prints the report of a program that was made from `files`."""
    out = Console(highlight=False, markup=False)
    if out.is_terminal:
        _show(out, data, files)
        return
    out.width = UNBOUNDED_WIDTH
    with out.capture() as captured:
        _show(out, data, files)
    for line in captured.get().splitlines():
        say(line.rstrip())


def _show(out: Console, data: dict, files: Sequence[Path]) -> None:
    sources = {file.name: file for file in reversed(files)}
    out.print(Text(f"Counted by the rules of {data['machine']}", style="bold underline"))
    out.print()
    uncounted = data.get("uncounted", [])
    for launches in fold(data["kernels"], uncounted):
        _show_launches(out, launches, sources)
    for text in not_counted(uncounted):
        out.print(Text(text, style="dim"))
    _show_links(out, data)
    for hazard in data["hazards"]:
        _show_hazard(out, hazard, sources)
    for error in data.get("errors", ()):
        out.print(Text(error["message"], style="bold red"))
        if error["help"]:
            out.print(_indented(error["help"]))
    parts = [
        _number_of_launches(len(data["kernels"]), uncounted),
        _plural(len(data["hazards"]), "hazard"),
        f"the program's exit code {data['exit_code']}",
    ]
    out.print(", ".join(parts))
