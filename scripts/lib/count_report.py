# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What scripts/count prints: the counts of each kernel, its source with the counts in the margin, the hazards."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich import box
from console import say
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

# Without a terminal there is no width to fit into.
UNBOUNDED_WIDTH = 240
SECTOR_BYTES = 32

# Lines shown around counted lines, where the function that they stand in cannot be made out.
CONTEXT_LINES = 2
# More lines without counts than this are left out of a listing.
LONGEST_GAP = 24


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


SHARED = Measure("instructions", "wavefronts", "ideal_wavefronts",
                 ("instructions", "wavefronts", "at best", "conflicts", "wavefronts each"))
GLOBAL = Measure("requests", "sectors", "ideal_sectors",
                 ("requests", "sectors", "at best", "bytes asked", "bytes moved", "sectors each", "efficiency"))
CONSTANT = Measure("instructions", "words", "", ("instructions", "words", "words each"))
TEXTURE = Measure("requests", "bytes", "", ("requests", "bytes asked", "bytes each"))
MEASURES = {"shared": SHARED, "global": GLOBAL, "local": GLOBAL, "constant": CONSTANT, "texture": TEXTURE}
OPERATIONS = ("load", "store", "atomic", "async_copy", "bulk_copy")


def _counts_of(kernel: dict, space: str, operation: str) -> dict | None:
    """The counts of one operation in one space. Copies touch two spaces and are counted by themselves."""
    if operation == "async_copy":
        return kernel.get(operation, {}).get(space)
    if operation == "bulk_copy":
        return kernel.get(operation) if space == "global" else None
    return kernel.get(f"{space}_{operation}")


@dataclass
class Launches:
    """Launches of one kernel with one configuration. `counts` are of each launch, or of all if they differ."""

    counts: dict
    number: int = 1
    differ: bool = False
    others: list[dict] = field(default_factory=list)


# --- folding launches --------------------------------------------------------------------------


def _same_but_for_place(kernel: dict) -> dict:
    return {key: value for key, value in kernel.items() if key not in ("launch", "partitions")}


def _add(total: dict, more: dict) -> dict:
    """Sums of all counts that both have; what is no count stays."""
    sums = dict(total)
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(total.get(key), dict) and key not in ("first_access", "partitions"):
            sums[key] = _add(total[key], value)
        elif isinstance(value, int) and key not in ("launch", "line", "shared_bytes", "stopped", "exact") and isinstance(total.get(key), int):
            sums[key] = total[key] + value
    return sums


def _place(line: dict) -> tuple:
    return line["file"], line["line"], line["space"], line["op"], json.dumps(line.get("inlined_from", []))


def _without_calls(lines: Iterable[dict]) -> list[dict]:
    """The counts of lines that stand in several places of a kernel, of all places together."""
    found: dict[tuple, dict] = {}
    for line in lines:
        key = (line["file"], line["line"], line["space"], line["op"])
        found[key] = _add(found[key], line) if key in found else line
    return list(found.values())


def _sum_of(kernels: Sequence[dict]) -> dict:
    total = kernels[0]
    lines = {_place(line): line for line in total["lines"]}
    for kernel in kernels[1:]:
        total = _add(total, kernel)
        for line in kernel["lines"]:
            place = _place(line)
            lines[place] = _add(lines[place], line) if place in lines else line
    return {**total, "lines": [lines[place] for place in sorted(lines)]}


def fold(kernels: Iterable[dict]) -> list[Launches]:
    """Launches of the same kernel and configuration together, in the order of the first of each; stopped ones by themselves."""
    groups: dict[tuple, list[dict]] = {}
    for kernel in kernels:
        key = (kernel["name"], *kernel["grid"], *kernel["block"], kernel["shared_bytes"], kernel.get("stopped", False))
        groups.setdefault(key, []).append(kernel)
    folded = []
    for group in groups.values():
        first = _same_but_for_place(group[0])
        differ = any(_same_but_for_place(kernel) != first for kernel in group[1:])
        folded.append(Launches(_sum_of(group) if differ else group[0], len(group), differ))
    return folded


# --- the tables --------------------------------------------------------------------------------


def _size(extent: Sequence[int]) -> str:
    """Such as 64 x 64, without trailing ones."""
    shown = list(extent)
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return " x ".join(f"{n:,}" for n in shown)


def _row(space: str, counts: dict) -> list[str]:
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
        counts = _counts_of(kernel, space, operation)
        if counts and counts[measure.number]:
            table.add_row(operation.replace("_", " "), *_row(space, counts), style="" if measure.is_ideal(counts) else "yellow")
    return table if table.row_count else None


def _heading(launches: Launches) -> Text:
    kernel = launches.counts
    text = Text(kernel["name"], style="bold")
    parts = [f"grid {_size(kernel['grid'])}", f"block {_size(kernel['block'])}"]
    if kernel["shared_bytes"]:
        parts.append(f"{kernel['shared_bytes']:,} bytes of shared memory")
    if launches.number > 1:
        what = "sums of" if launches.differ else "counts of each of"
        parts.append(f"{what} {launches.number:,} launches")
    if kernel.get("stopped"):
        parts.append("stopped before its end, counted until then")
    return text.append("   " + " · ".join(parts), style="not bold")


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


def _function_around(lines: Sequence[str], numbers: Sequence[int]) -> range:
    """The lines of the function that holds the numbered lines, counted from 1, as far as indentation shows."""
    first, last = min(numbers), max(numbers)
    begin, end = max(1, first - CONTEXT_LINES), min(len(lines), last + CONTEXT_LINES)
    for number in range(min(first, len(lines)), 0, -1):
        if re.search(r"\b__(global|device)__\b", lines[number - 1]):
            begin = number
            break
        if lines[number - 1].startswith("}"):
            break
    opening = int(begin > 1 and lines[begin - 2].startswith("template"))
    if begin == last and 0 < lines[begin - 1].count("{") == lines[begin - 1].count("}"):
        return range(begin - opening, begin + 1)
    for number in range(last, min(len(lines), last + 40) + 1):
        if re.match(r"\s*}", lines[number - 1]) and _indent(lines[number - 1]) <= _indent(lines[begin - 1]):
            end = number
            break
    return range(begin - opening, end + 1)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _ranges(lines: Sequence[str], numbers: Iterable[int]) -> list[range]:
    """The functions that hold the numbered lines, in order and apart from each other."""
    found: list[range] = []
    for number in sorted(set(numbers)):
        if found and number in found[-1]:
            continue
        around = _function_around(lines, [number])
        if found and around.start < found[-1].stop:
            found[-1] = range(found[-1].start, max(around.stop, found[-1].stop))
        else:
            found.append(around)
    return found


def _shown_numbers(lines: Sequence[str], counted: Iterable[int]) -> list[int | None]:
    """The numbers of the lines to show; None where some are left out."""
    counted = set(counted)
    shown: list[int | None] = []
    for around in _ranges(lines, counted):
        if shown:
            shown.append(None)
        marks = sorted({around.start, *(n for n in counted if n in around), around.stop - 1})
        for mark, following in zip(marks, [*marks[1:], marks[-1]]):
            between = range(mark + 1, following)
            shown += [mark, *(between if len(between) <= LONGEST_GAP else [None])]
    return shown


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
    for number in _shown_numbers(lines, counted):
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
    for line in _without_calls(kernel["lines"]):
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


def _show_launches(out: Console, launches: Launches, sources: dict[str, Path]) -> None:
    kernel = launches.counts
    out.print(_heading(launches))
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
    for launches in fold(data["kernels"]):
        _show_launches(out, launches, sources)
    for hazard in data["hazards"]:
        _show_hazard(out, hazard, sources)
    for error in data.get("errors", ()):
        out.print(Text(error, style="bold red"))
    parts = [_plural(len(data["kernels"]), "launch"), _plural(len(data["hazards"]), "hazard"), f"the program's exit code {data['exit_code']}"]
    out.print(", ".join(parts))


__all__ = ["Launches", "fold", "show"]
