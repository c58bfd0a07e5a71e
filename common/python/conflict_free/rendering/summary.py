"""Print the table at the end of scripts/book. Arguments: the folder of counts, the folder of results."""

import sys
from pathlib import Path
from string import ascii_lowercase

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from conflict_free.console import Stop, run_main
from conflict_free.evidence import metrics
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import CEILING, CEILING_SLUG, LOCAL, ResultError
from conflict_free.evidence.places import BOOK_MACHINE, CHAPTERS, chapters, chapters_of_ranks

# Without a limit by the terminal the table has the width that it needs. A narrower terminal breaks lines,
# which loses nothing; a narrower table would cut cells.
WIDEST = 1000

# The reasons for empty cells.
REASONS = {
    "uncounted": "a function of a library or of the host, which the model does not count",
    "unshared": "the kernel has no shared memory",
    "unasked": "the kernel makes no such request; bulk copies are not counted as one",
    "untimed": "one launch of one block is too short to be timed",
    "unmeasured": "no result of that machine; scripts/measure makes it",
    "no_bytes": "its work is not measured in bytes, so it has no percentage of a copy",
    "uncopied": "cudaMemcpy was not measured on that machine",
}
STALE = "*"
LARGEST_COPY = "+"


class Cells:
    """The cells of the table, and the entries of the legend that they need."""

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self.marks: set[str] = set()

    def empty(self, reason: str) -> str:
        """Return an em dash with the letter of a reason. Letters follow the order of first use."""
        if reason not in self.reasons:
            self.reasons.append(reason)
        return f"— {ascii_lowercase[self.reasons.index(reason)]}"

    def marked(self, text: str, mark: str) -> str:
        self.marks.add(mark)
        return text + mark

    def legend(self) -> list[str]:
        lines = [f"— {letter}: {REASONS[reason]}" for letter, reason in zip(ascii_lowercase, self.reasons)]
        if LARGEST_COPY in self.marks:
            lines.append(f"{LARGEST_COPY}: of cudaMemcpy at its largest size, because it was not timed at this one")
        if STALE in self.marks:
            lines.append(f"{STALE}: the kernel's text has changed since; scripts/measure makes new results")
        return lines


def _counted(cells: Cells, counts: dict | None) -> list[str]:
    """Return sectors per load and per store, wavefronts per shared instruction, and bank conflicts."""
    if counts is None:
        return [cells.empty("uncounted")] * 4
    glance = metrics.glance(counts)
    sectors = [
        cells.empty("unasked") if glance[key] is None else metrics.format_number(glance[key]) for key in ("load_sectors", "store_sectors")
    ]
    if glance["wavefronts"] is None:
        return [*sectors, *[cells.empty("unshared")] * 2]
    return [*sectors, *(metrics.format_number(glance[key]) for key in ("wavefronts", "conflicts"))]


def _passed(rows: list[dict]) -> str:
    outcomes = [row["check"]["passed"] for row in rows]
    outcomes += [e["passed"] for row in rows for e in row.get("expectations", ())]
    return f"{sum(outcomes)} of {len(outcomes)}"


def _largest_copy(evidence: Evidence, machine: str) -> dict | None:
    """Return the largest size at which cudaMemcpy was timed."""
    return max((row for row in evidence.rows_of(CEILING_SLUG, CEILING, machine) if row["time"]), key=metrics.area, default=None)


def _percent(cells: Cells, evidence: Evidence, row: dict, machine: str) -> str:
    """Return the percentage of cudaMemcpy at the same size; for an array, which no copy matches in length, at its largest size."""
    if row.get("work"):
        return cells.empty("no_bytes")
    try:
        return metrics.format_number(evidence.percent_of_memcpy(row, "cold", machine), ".1f")
    except ResultError:
        copy = _largest_copy(evidence, machine)
    if copy is None:
        return cells.empty("uncopied")
    return cells.marked(metrics.format_number(100 * metrics.gbps(row) / metrics.gbps(copy), ".1f"), LARGEST_COPY)


def _measured(cells: Cells, evidence: Evidence, slug: str, kernel: str, machine: str) -> list[str]:
    """Return size, speed and percentage of cudaMemcpy for the largest measured size."""
    rows = evidence.rows_of(slug, kernel, machine)
    row = max((row for row in rows if row["time"]), key=metrics.area, default=None)
    if row is None:
        return [cells.empty("untimed" if rows else "unmeasured")] * 3
    size = metrics.pretty_size(row["size"])
    return [
        cells.marked(size, STALE) if kernel in evidence.stale(slug, machine) else size,
        metrics.speed(row, spec="" if row.get("work") else ",.0f"),
        _percent(cells, evidence, row, machine),
    ]


def table(cells: Cells, evidence: Evidence, slugs: list[str], machines: list[str]) -> Table:
    """Return one line for each kernel: the size whose counts the book shows, and the largest measured size."""
    shown = Table(box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    add = shown.add_column
    add("kernel", no_wrap=True)
    add("counted at", justify="right", no_wrap=True)
    for title in (
        "sectors\nper load\nrequest",
        "sectors\nper store\nrequest",
        "wavefronts\nper shared\ninstruction",
        "bank\nconflicts",
        "checks\npassed",
    ):
        add(title, justify="right", no_wrap=True)
    for name in machines:
        add(f"measured\non {name}", justify="right", no_wrap=True)
        add("GB/s", justify="right", no_wrap=True)
        add("% of\ncudaMemcpy", justify="right", no_wrap=True)
    for slug in slugs:
        program = evidence.program(slug)
        measured = [evidence.result(slug, name) or {"rows": ()} for name in machines]
        everything = [*program["rows"], *(row for result in measured for row in result["rows"])]
        for kernel in dict.fromkeys(row["kernel"] for row in everything):
            rows = [row for row in program["rows"] if row["kernel"] == kernel]
            size = metrics.counted_size(program, kernel) if rows else None
            counts = next((row["counts"] for row in rows if row["size"] == size), None)
            line = [kernel, metrics.pretty_size(size) if counts else cells.empty("uncounted"), *_counted(cells, counts), _passed(rows)]
            for name in machines:
                line += _measured(cells, evidence, slug, kernel, name)
            shown.add_row(*line)
        shown.add_section()
    return shown


def main() -> int:
    counts, folder = map(Path, sys.argv[1:])
    evidence = Evidence(chapters=CHAPTERS, results=folder, counts=counts, machine=BOOK_MACHINE)
    machines = [name for name in (BOOK_MACHINE, LOCAL) if any((folder / name).glob("*.json"))]
    out = Console(highlight=False)
    cells = Cells()
    try:
        counted = [slug for slug in chapters() if slug not in chapters_of_ranks()]
        shown = table(cells, evidence, counted, machines)
    except ResultError as error:
        raise Stop(str(error)) from error
    out.width = max(out.width, Measurement.get(out, out.options.update(max_width=WIDEST), shown).maximum)
    out.print(shown)
    for line in cells.legend():
        out.print(line, markup=False, soft_wrap=True)
    if LOCAL not in machines:
        out.print("For a column of your own GPU: scripts/measure, then scripts/book again")
    return 0


if __name__ == "__main__":
    run_main(main)
