# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Prints the table at the end of scripts/book. Arguments: the folder of counts, the folder of results."""

from __future__ import annotations

import sys
from pathlib import Path

from console import Stop, run_main
from evidence import BOOK_MACHINE, CHAPTERS, area, chapters, results
from rich import box
from rich.console import Console
from rich.table import Table

NOTHING = "-"
# The table needs about this width. A narrower terminal breaks its lines, which loses nothing;
# a narrower table would cut its cells.
WIDTH = 132


def _cell(compute, spec: str = "") -> str:
    """What `compute` returns, or a dash where there is nothing to compute it from."""
    try:
        return results.format_number(compute(), spec)
    except (results.ResultError, TypeError):
        return NOTHING


def _shared(counts: dict, name: str) -> int:
    return counts["shared_load"][name] + counts["shared_store"][name]


def _wavefronts(counts: dict) -> float:
    """Shared-memory wavefronts per instruction, loads and stores together."""
    if _shared(counts, "instructions") == 0:
        raise results.ResultError("no shared-memory instruction")
    return _shared(counts, "wavefronts") / _shared(counts, "instructions")


def _passed(rows: list[dict]) -> str:
    outcomes = [row["check"]["passed"] for row in rows]
    outcomes += [e["passed"] for row in rows for e in row.get("expectations", ())]
    return f"{sum(outcomes)} of {len(outcomes)}" if outcomes else NOTHING


def _measured_cells(evidence: results.Evidence, slug: str, kernel: str, machine: str) -> list[str]:
    """Size, GB/s and percent of the copy for the largest measured size; dashes without a result."""
    result = evidence.result(slug, machine)
    rows = [row for row in (result or {"rows": ()})["rows"] if row["kernel"] == kernel and row["time"]]
    row = max(rows, key=area, default=None)
    if row is None:
        return [NOTHING] * 3
    return [
        row["size"] + ("*" if kernel in evidence.stale(slug, machine) else ""),
        results.speed(row, spec=",.0f"),
        _cell(lambda: evidence.percent_of_copy(row, "cold", machine), ".1f"),
    ]


def table(evidence: results.Evidence, slugs: list[str], machines: list[str]) -> Table:
    """One line for each kernel: the largest size that was counted, the largest that was measured."""
    shown = Table(box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    shown.add_column("kernel", no_wrap=True)
    shown.add_column("counted at", justify="right", no_wrap=True)
    for title in ("sectors\nper load\nrequest", "sectors\nper store\nrequest",
                  "wavefronts\nper shared\ninstruction", "bank\nconflicts"):
        shown.add_column(title, justify="right")
    shown.add_column("checks\npassed", justify="right", no_wrap=True)
    for name in machines:
        shown.add_column(f"measured\non {name}", justify="right", no_wrap=True)
        shown.add_column("GB/s", justify="right")
        shown.add_column("% of\ncopy", justify="right")
    for slug in slugs:
        counted = evidence.program(slug)["rows"]
        measured = [evidence.result(slug, name) or {"rows": ()} for name in machines]
        everything = [*counted, *(row for result in measured for row in result["rows"])]
        for kernel in dict.fromkeys(row["kernel"] for row in everything):
            rows = [row for row in counted if row["kernel"] == kernel]
            largest = max((row for row in rows if row["counts"]), key=area, default=None)
            counts = largest["counts"] if largest else None
            cells = [
                kernel,
                largest["size"] if largest else NOTHING,
                _cell(lambda: results.counts_metric(counts, "global_load.sectors_per_request")),
                _cell(lambda: results.counts_metric(counts, "global_store.sectors_per_request")),
                _cell(lambda: _wavefronts(counts)),
                _cell(lambda: _shared(counts, "conflicts")),
                _passed(rows),
            ]
            for name in machines:
                cells += _measured_cells(evidence, slug, kernel, name)
            shown.add_row(*cells)
        shown.add_section()
    return shown


def main() -> int:
    counts, folder = map(Path, sys.argv[1:])
    evidence = results.Evidence(chapters=CHAPTERS, results=folder, counts=counts, machine=BOOK_MACHINE)
    machines = [name for name in (BOOK_MACHINE, results.LOCAL) if any((folder / name).glob("*.json"))]
    out = Console(highlight=False)
    out.width = max(out.width, WIDTH)
    try:
        shown = table(evidence, chapters(), machines)
    except results.ResultError as error:
        raise Stop(str(error)) from error
    out.print(shown)
    if any("*" in str(cell) for column in shown.columns for cell in column.cells):
        out.print("*: the kernel's text has changed since; scripts/measure makes new results")
    if results.LOCAL not in machines:
        out.print("For a column of your own GPU: scripts/measure, then scripts/book again")
    return 0


if __name__ == "__main__":
    run_main(main)
