#!/usr/bin/env python3
"""Writes the GPU's counts into docs/model.md, between the markers.

Without --write it only says whether the page is up to date.
"""

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE = HERE / "h200_access.json"
PAGE = HERE.parents[3] / "docs" / "model.md"
BEGIN, END = "<!-- truth: begin, written by truth_table.py -->", "<!-- truth: end -->"
ALL_LANES = "ffffffff"
SIZES = [4, 8, 16]
KINDS = [("shared", "load"), ("shared", "store"), ("global", "load"), ("global", "store")]


def key_of(row):
    return " ".join(str(part) for part in row[:5])


def summary(table):
    """How many cases there are of each kind, and how many are open."""
    is_open = set(table["open"]["cases"])
    yield "| access | bytes a lane | cases | of these with inactive lanes | open |"
    yield "|---|---:|---:|---:|---:|"
    for space, operation in KINDS:
        for size in SIZES:
            rows = [row for row in table["rows"] if row[:3] == [space, operation, size]]
            partial = sum(row[4] != ALL_LANES for row in rows)
            opened = sum(key_of(row) in is_open for row in rows)
            yield f"| {space} {operation} | {size} | {len(rows)} | {partial} | {opened} |"
    yield f"| all | | {len(table['rows'])} | {sum(row[4] != ALL_LANES for row in table['rows'])} | {len(is_open)} |"


def patterns(table):
    """The counts of each pattern that has a name and all lanes active."""
    seen = {}
    for space, operation, size, name, active, _, counts in table["rows"]:
        if active == ALL_LANES and not name.startswith(("random_", "merging_", "partners_")):
            seen.setdefault(name, {})[space, operation, size] = counts[-1]
    yield "| pattern | shared load | shared store | global load | global store |"
    yield "|---|---|---|---|---|"
    for name, counts in seen.items():
        cells = [" / ".join(str(counts[space, operation, size]) for size in SIZES) for space, operation in KINDS]
        yield f"| {name.replace('_', ' ')} | " + " | ".join(cells) + " |"


def open_cases(table):
    """The open cases and the GPU's counts for them."""
    if not table["open"]["cases"]:
        yield "None: the model counts what the GPU counted in every case."
        return
    counts = {key_of(row): row[6] for row in table["rows"]}
    yield table["open"]["note"]
    yield ""
    yield "| case | mask of active lanes | wavefronts |"
    yield "|---|---|---:|"
    for case in table["open"]["cases"]:
        *words, active = case.split()
        yield f"| {' '.join(words)} | `{active}` | {counts[case][0]} |"


def block(table):
    """The text between the markers."""
    where = table["provenance"]
    return "\n".join(
        [
            BEGIN,
            "",
            f"Counted on an {where['gpu']}, driver {where['driver']}, {where['toolkit']}, {where['profiler']}, {where['date']}.",
            "",
            *summary(table),
            "",
            "The named patterns with all lanes active: wavefronts (shared) and sectors (global) for 4 / 8 / 16 bytes a lane.",
            "",
            *patterns(table),
            "",
            "### Open cases",
            "",
            *open_cases(table),
            "",
            END,
        ]
    )


def updated(page, table):
    """The page with its block written anew."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name} lacks the markers {BEGIN!r} and {END!r}")
    return before + block(table) + after


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Keep the table of docs/model.md right.")
    parser.add_argument("--write", action="store_true", help="write the page")
    options = parser.parse_args(arguments)
    page = PAGE.read_text(encoding="utf-8")
    new = updated(page, json.loads(TABLE.read_text(encoding="utf-8")))
    if options.write:
        PAGE.write_text(new, encoding="utf-8")
    elif page != new:
        print(f"truth_table: {PAGE.name} is out of date; run {Path(__file__).name} --write", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
