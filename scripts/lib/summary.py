# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Prints the table at the end of scripts/book. Arguments: the folder of counts, the folder of results."""

from __future__ import annotations

import sys
from pathlib import Path

import results
from console import run_main
from rich import box
from rich.console import Console
from rich.table import Table

NOTHING = "-"


def number(value: float | None, digits: int = 0) -> str:
    """A number for a cell: as few digits after the point as it needs, at most `digits`."""
    if value is None:
        return NOTHING
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _wavefronts(counts: dict | None) -> float | None:
    """Shared-memory wavefronts per instruction, loads and stores together."""
    spaces = [counts[space] for space in ("shared_load", "shared_store")] if counts else []
    instructions = sum(space["instructions"] for space in spaces)
    return sum(space["wavefronts"] for space in spaces) / instructions if instructions else None


def _conflicts(counts: dict | None) -> int | None:
    if not counts:
        return None
    return counts["shared_load"]["conflicts"] + counts["shared_store"]["conflicts"]


def _passed(rows: list[dict]) -> str:
    checks = [row["check"]["passed"] for row in rows]
    checks += [expectation["passed"] for row in rows for expectation in row.get("expectations", ())]
    return f"{sum(checks)} of {len(checks)} passed" if checks else NOTHING


def table(counts: dict[str, dict], machines: dict[str, dict[str, dict]], order: list[str]) -> Table:
    """One line for each kernel: the largest size that was counted, the largest that was measured.

    `counts` and each of `machines` map slugs to the contents of their files.
    """
    shown = Table(box=box.ASCII2, pad_edge=False, title="Counted on the model, measured on the GPU",
                  title_justify="left")
    shown.add_column("kernel", no_wrap=True)
    shown.add_column("counted at", justify="right", no_wrap=True)
    for title in ("sectors per\nload request", "sectors per\nstore request",
                  "wavefronts per\ninstruction", "bank\nconflicts"):
        shown.add_column(title, justify="right")
    shown.add_column("checks", justify="right", no_wrap=True)
    for name in machines:
        shown.add_column(f"{name}\nat", justify="right", no_wrap=True)
        shown.add_column(f"{name}\nGB/s", justify="right")
        shown.add_column(f"{name}\n% of copy", justify="right")
    for slug in order:
        sources = [counts.get(slug, {}), *(machine.get(slug, {}) for machine in machines.values())]
        for kernel in results.kernels_of(*sources):
            rows = results.rows_of(sources[0], kernel)
            counted = max((r for r in rows if r.get("counts")), key=results.area, default=None)
            found = counted["counts"] if counted else None
            cells = [
                kernel,
                counted["size"] if counted else NOTHING,
                number(results.ratio(found, "global_load", "sectors", "requests"), 2),
                number(results.ratio(found, "global_store", "sectors", "requests"), 2),
                number(_wavefronts(found), 2),
                number(_conflicts(found)),
                _passed(rows),
            ]
            for machine in machines.values():
                timed = [r for r in results.rows_of(machine.get(slug, {}), kernel) if r["time"]]
                largest = max(timed, key=results.area, default=None)
                cells += [
                    largest["size"] if largest else NOTHING,
                    number(results.gigabytes_per_second(largest) if largest else None),
                    number(results.percent_of_copy(largest, machine) if largest else None, 1),
                ]
            shown.add_row(*cells)
        shown.add_section()
    return shown


def main() -> int:
    counts_folder, results_folder = map(Path, sys.argv[1:])
    machines = {}
    for name in (results.BOOK_MACHINE, results.LOCAL):
        found = results.load_folder(results_folder / name)
        if found:
            machines[name] = found
    out = Console(highlight=False)
    if not out.is_terminal:
        # A file or a pipe has no width; the table is not to be broken for one that was made up.
        out.width = 200
    counts = results.load_folder(counts_folder)
    order = results.chapters()
    order += [slug for slug in counts if slug not in order]
    out.print(table(counts, machines, order))
    if results.LOCAL not in machines:
        out.print("Your own GPU's column: run scripts/measure, then scripts/book again.")
    return 0


if __name__ == "__main__":
    run_main(main)
