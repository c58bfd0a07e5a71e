"""The printed report: the counts of each kernel, its source with the counts in the margin, the hazards."""

import itertools
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from conflict_free.console import say
from conflict_free.counts import GROUPS, MEASURES, NUMBERS, Measure

from .bound import NAMES, Bound, bound_of, clock_mhz, with_largest_bound
from .launches import Launches, accesses_of, fold, own_place, place_text, within_of
from .mending import Mending, what_to_mend
from .next_step import next_step
from .shown_lines import shown_numbers
from .shown_names import shown_name

# The lines of libraries that a listing shows below the line that calls them.
_SHOWN_WITHIN = 3
# Stands behind a cost that is not the least possible, for readers who see no colors.
MARK = "*"
# Without a terminal the width is not limited.
UNBOUNDED_WIDTH = 240
SECTOR_BYTES = 32


# Titles of columns whose count has another name.
_TITLES = {"ideal_wavefronts": "at best", "ideal_sectors": "at best", "bytes": "bytes asked"}


def _moves_sectors(measure: Measure) -> bool:
    return {"sectors", "bytes"} <= set(measure.keys)


def headings_of(space: str) -> list[str]:
    """Return the titles of the columns of row_of()."""
    measure = MEASURES[space]
    titles = [_TITLES.get(key, key.replace("_", " ")) for key in measure.keys]
    if _moves_sectors(measure):
        return [*titles, "bytes moved", f"{measure.cost} each", "efficiency"]
    return [*titles, f"{measure.cost} each"]


def _size(extent: Sequence[int]) -> str:
    """Return the size of a grid or a block, such as 64 x 64, without trailing ones."""
    shown = list(extent)
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return " x ".join(f"{n:,}" for n in shown)


def row_of(space: str, counts: Mapping[str, int]) -> list[str]:
    """Return the counts of one operation in a space, as text."""
    measure = MEASURES[space]
    cells, each = [f"{counts[key]:,}" for key in measure.keys], f"{measure.each(counts):.2f}"
    if not _moves_sectors(measure):
        return [*cells, each]
    moved = SECTOR_BYTES * counts["sectors"]
    # If lanes share bytes, more bytes can be asked for than are moved, and the ratio says nothing.
    efficiency = f"{100 * counts['bytes'] / moved:.0f}%" if counts["bytes"] <= moved > 0 else ""
    return [*cells, f"{moved:,}", each, efficiency]


def rows_of_space(kernel: Mapping[str, Any], space: str) -> list[tuple[list[str], bool]]:
    """Return the operations of a launch in a space: the operation and its counts as text, and whether the cost is the least possible."""
    return [
        ([group.operation.replace("_", " "), *row_of(space, counts)], group.measure.is_ideal(counts))
        for group in GROUPS.values()
        if group.space == space and (counts := group.of(kernel)).get(group.measure.number)
    ]


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], left: Container[str] = (), styles: Iterable[str] = ()) -> Table:
    """Return a table that shows each cell whole, however narrow the terminal is. Columns of the headings ``left`` begin at the left."""
    rows = list(rows)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column, heading in enumerate(headings):
        widest = max((len(row[column]) for row in rows), default=0)
        table.add_column(heading, justify="left" if heading in left else "right", min_width=widest)
    for row, style in itertools.zip_longest(rows, styles, fillvalue=""):
        table.add_row(*row, style=style)
    return table


def _paragraph(out: Console, content: Any, **options: bool) -> None:
    """Print something, and an empty line below it."""
    out.print(content, **options)
    out.print()


def _show_table(out: Console, table: Table) -> None:
    if table.row_count:
        _paragraph(out, table, crop=False)


def _space_table(kernel: dict, space: str) -> Table:
    """Return a table of the counts of one space, without rows if the kernel has no access to it."""
    rows = rows_of_space(kernel, space)
    headings = (space, *headings_of(space))
    return _table(headings, (cells for cells, _ in rows), [space], ("" if is_ideal else "yellow" for _, is_ideal in rows))


def heading_of(launches: Launches) -> list[str]:
    """Return the heading that tells a kernel's launches apart."""
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
        parts.append("stopped before its end; counted until then")
    return parts


def _remainder(kernel: dict) -> str:
    """Return the counts that have no table of their own."""
    shown = [_plural(kernel[name], name.removesuffix("s").replace("_", " ")) for name in NUMBERS if kernel.get(name)]
    for operation in ("load", "store"):
        use = kernel.get("partitions", {}).get(operation)
        if use and use["steps"]:
            shown.append(f"{operation}s spread over {use['mean']:.1f} of {kernel['partitions']['count']} partitions at a time")
    return ", ".join(shown)


# --- the listing -------------------------------------------------------------------------------


def margin_of(line: dict) -> tuple[str, str, str, bool]:
    """Return the accesses of a line: space and operation, how often, the mean cost of one, and whether that cost is the least possible."""
    measure = MEASURES[line["space"]]
    each = f"{measure.each(line):.2f}" if line[measure.number] else ""
    return f"{line['space']} {line['op'].replace('_', ' ')}", f"{line[measure.number]:,}", each, measure.is_ideal(line)


def _listing(file: str, source: Path, counted: dict[int, list[dict]], width: int) -> Table:
    """Return the source of the counted lines with their counts in the margin."""
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
        notes = [margin_of(line) for line in counted.get(number, ())] or [("", "", "", True)]
        for place, (*cells, is_ideal) in enumerate(notes):
            cells[-1] += "" if not cells[-1] else " " if is_ideal else MARK
            source_cells = (str(number), Text(lines[number - 1])) if place == 0 else ("", "")
            table.add_row(*(Text(cell, style="" if is_ideal else "yellow") for cell in cells), *source_cells)
        if within := within_of(counted.get(number, ())):
            more = f" and {_plural(len(within) - _SHOWN_WITHIN, 'more line')}" if len(within) > _SHOWN_WITHIN else ""
            table.add_row("", "", "", "", Text(f"    in {', '.join(within[:_SHOWN_WITHIN])}{more}", style="dim"))
    return table


def counted_by_file(kernel: dict, sources: Mapping[str, Path]) -> dict[str, dict[int, list[dict]]]:
    """Return the counted accesses of a kernel by file and line, where the file is one of ``sources``."""
    found: dict[str, dict[int, list[dict]]] = {}
    for line in accesses_of(kernel["lines"], sources):
        if line["file"] in sources and line["line"] > 0:
            found.setdefault(line["file"], {}).setdefault(line["line"], []).append(line)
    return found


# --- hazards -----------------------------------------------------------------------------------


def _quote(place: dict, sources: dict[str, Path]) -> str:
    """Return the text of a source line; empty for a file that is not the reader's."""
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
    where = f" in {shown_name(hazard['kernel'])}, block {_point(hazard['block'])}"
    if threads:
        where += f", thread{'s' if len(hazard['threads']) > 1 else ''} {threads}"
    out.print(Text(name, style="bold red").append(where, style="not bold default"))
    out.print(_indented(hazard["message"]))
    places = [place_text(place, sources) for place in hazard["lines"]]
    widest = max(map(len, places), default=0)
    for place, shown in zip(hazard["lines"], places):
        out.print(
            Text(f"  {shown:<{widest}}  {_quote(own_place(place, sources), sources)}", style="cyan"), no_wrap=True, overflow="ellipsis"
        )
    if hazard["help"]:
        out.print(_indented(hazard["help"]))
    out.print()


# --- all of it ---------------------------------------------------------------------------------


def _plural(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's' if not name.endswith('ch') else 'es'}"


def exactness_of(kernel: dict) -> str:
    """Return why a kernel's counts may differ from a GPU's; empty if they do not."""
    if kernel.get("stopped"):
        return "not the whole launch: it was stopped, and the counts end there"
    if "counted_blocks" in kernel:
        return "not the whole launch: the counts are those of some of its blocks"
    if not kernel.get("exact", True):
        unknown = any("not compared" in note["why"] for note in kernel.get("fused", ()))
        return (
            "not compared: whether a GPU makes the same accesses is not known"
            if unknown
            else ("not exact: the accesses on a GPU differ from the counted ones")
        )
    return ""


def resources_of(kernel: dict) -> str:
    """Return a line on a kernel's registers and on the warps that a multiprocessor holds; nothing where the compiler reported none."""
    resources = kernel.get("resources")
    if not resources:
        return ""
    spilled = resources["spilled_store_bytes"], resources["spilled_load_bytes"]
    spills = f" and spills, {spilled[0]:,} bytes stored and {spilled[1]:,} loaded" if any(spilled) else ""
    return (
        f"{resources['registers']} registers a thread{spills}; {resources['warps']} of {resources['most_warps']} warps on a multiprocessor, "
        f"limited by {' and '.join(resources['limited_by'])}"
    )


def _show_exactness(out: Console, kernel: dict) -> None:
    """Print the differences between the machine code and the counted PTX."""
    notes = kernel.get("fused", ())
    exact = kernel.get("exact", True)
    text = exactness_of(kernel)
    if text:
        out.print(Text(text, style="yellow"))
    for note in notes:
        place = f"{note['file']}:{note['line']}: " if note["line"] else ""
        change = " -> ".join(word for word in (note["ptx"], note["sass"]) if word)
        out.print(Text(f"  {place}{change}: {note['why']}" if change else f"  {place}{note['why']}", style="" if exact else "yellow"))
    if notes or text:
        out.print()


def _number_of_launches(counted: int, uncounted: Iterable[dict]) -> str:
    missing = sum(tally["launches"] - tally["counted"] for tally in uncounted)
    return f"{counted:,} of {_plural(counted + missing, 'launch')} counted" if missing else _plural(counted, "launch")


def not_counted(uncounted: Iterable[dict]) -> list[str]:
    """Return a line for each kernel and configuration that has no counted launch."""
    return [
        f"{shown_name(tally['name'])}   grid {_size(tally['grid'])} · block {_size(tally['block'])} · 0 of {_plural(tally['launches'], 'launch')} counted"
        for tally in uncounted
        if not tally["counted"]
    ]


NO_LINES = "no source lines: the program was built without -lineinfo"


def unchecked(data: dict) -> str:
    """Return the remark behind a machine's name; empty if a GPU has confirmed its rules."""
    return ", as published: they were not checked on a GPU" if data.get("unchecked") else ""


def has_no_lines(data: dict) -> bool:
    """Whether kernels have counted accesses, and none of them has a source line."""
    lines = [line["line"] for kernel in data["kernels"] for line in kernel["lines"]]
    return bool(lines) and not any(lines)


LINK_HEADINGS = ("link", "bytes", "sectors")


def rows_of_links(data: dict) -> list[tuple[str, str, str]]:
    """Return the bytes sent from device to device, for each pair; an empty list if there are none."""
    return [(f"device {link['from']} to {link['to']}", f"{link['bytes']:,}", f"{link['sectors']:,}") for link in data.get("links", ())]


_BAR = 20


def bounded(launches: Launches, machine: str) -> tuple[Mapping[str, Any], str]:
    """Return the launch whose bound is shown, and a line that says which one it is if launches differ, because a bound is of one launch."""
    if not launches.differ:
        return launches.counts, ""
    kernel = with_largest_bound(launches.each, machine)
    bound = bound_of(kernel, machine)
    return kernel, f"Launch {kernel['launch']}, which has the largest bound of these:" if bound and bound.cycles else ""


def clock_of(bound: Bound) -> str:
    """Return a line on the clock of a bound; empty if it holds for all clocks."""
    return (
        f"L2 and DRAM as at {clock_mhz():,} MHz, the highest clock: at a lower one they take fewer cycles" if bound.depends_on_clock else ""
    )


def _show_bound(out: Console, kernel: Mapping[str, Any], machine: str) -> None:
    """Print the fewest cycles that a launch takes, by resource, each with a bar."""
    bound = bound_of(kernel, machine)
    if bound is None or not bound.cycles:
        return
    rows = [(f"{cycles:,}", "#" * max(round(_BAR * cycles / bound.cycles_at_least), 1), NAMES[key]) for key, cycles in bound.cycles.items()]
    _show_table(out, _table(("cycles at least", "", "limited by"), rows, ["", "limited by"]))
    if clock := clock_of(bound):
        _paragraph(out, clock)


MENDING_HEADINGS = ("place", "access", "takes", "at best", "in excess", "cycles without", "")


def mending_row(mending: Mending) -> tuple[str, ...]:
    """Return the cells of an access that costs more than it must."""
    without = "" if mending.cycles_without is None else f"{mending.cycles_without:,}" if mending.cycles else "same"
    costs = (f"{mending.takes:,} {mending.unit}", f"{mending.at_best:,}", f"{100 * mending.share:.0f}%", without)
    return mending.place, mending.access, *costs, mending.pattern


def _show_mendings(out: Console, kernel: Mapping[str, Any], machine: str, own: Container[str]) -> None:
    """Print the accesses that cost more than they must, those first that add most to the bound."""
    mendings = what_to_mend(kernel, machine, own)
    if not mendings:
        return
    out.print(Text("What to fix first", style="bold"))
    *headings, _ = MENDING_HEADINGS
    rows = [mending_row(each) for each in mendings]
    _show_table(out, _table(headings, (row[:-1] for row in rows), ["place", "access"]))
    for place, access, *_, pattern in rows:
        out.print(Text(f"{place}, {access}: {pattern}"), soft_wrap=not out.is_terminal)
    out.print()


def _show_launches(out: Console, launches: Launches, sources: dict[str, Path], machine: str, whole_names: bool) -> None:
    kernel = launches.counts
    name = kernel["name"] if whole_names else shown_name(kernel["name"])
    heading = Text(name, style="bold").append("   " + " · ".join(heading_of(launches)), style="not bold")
    _paragraph(out, heading, soft_wrap=not out.is_terminal)
    one, which = bounded(launches, machine)
    if which:
        _paragraph(out, which)
    if step := next_step(one, machine, sources):
        _paragraph(out, Text(step, style="bold"), soft_wrap=not out.is_terminal)
    _show_mendings(out, one, machine, sources)
    _show_bound(out, one, machine)
    tables = [_space_table(kernel, space) for space in MEASURES]
    for table in tables:
        _show_table(out, table)
    if remainder := _remainder(kernel):
        _paragraph(out, remainder)
    if not any(table.row_count for table in tables):
        _paragraph(out, "no access to memory")
    if resources := resources_of(kernel):
        _paragraph(out, resources)
    _show_exactness(out, kernel)
    for file, counted in counted_by_file(kernel, sources).items():
        _paragraph(out, _listing(file, sources[file], counted, out.width))


def show(data: dict, files: Sequence[Path], whole_names: bool = False) -> None:
    """Print the report of a program that was made from `files`; names of kernels have at most 80 characters unless `whole_names`."""
    out = Console(highlight=False, markup=False)
    if out.is_terminal:
        _show(out, data, files, whole_names)
        return
    out.width = UNBOUNDED_WIDTH
    with out.capture() as captured:
        _show(out, data, files, whole_names)
    for line in captured.get().splitlines():
        say(line.rstrip())


def _show(out: Console, data: dict, files: Sequence[Path], whole_names: bool) -> None:
    sources = {file.name: file for file in reversed(files)}
    _paragraph(out, Text(f"Counted by the rules of {data['machine']}{unchecked(data)}", style="bold underline"))
    uncounted = data.get("uncounted", [])
    for launches in fold(data["kernels"], uncounted):
        _show_launches(out, launches, sources, data["machine"], whole_names)
    if has_no_lines(data):
        _paragraph(out, Text(NO_LINES, style="yellow"))
    for text in not_counted(uncounted):
        out.print(Text(text, style="dim"))
    _show_table(out, _table(LINK_HEADINGS, rows_of_links(data), ["link"]))
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
