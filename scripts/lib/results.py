# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Reads counts and measured results, and computes what the tables show of them. Standard library only."""

from __future__ import annotations

import json
import re
from pathlib import Path

from console import ROOT, Stop

RESULTS = ROOT / "book" / "results"
CHAPTERS = ROOT / "chapters"

# Not machines: the schema's folder of published figures, and what is measured where the book is read.
HISTORICAL = "historical"
LOCAL = "local"
# The machine whose results the book and the README show.
BOOK_MACHINE = "h200"

# The ceiling of every bandwidth table.
CEILING_CHAPTER, CEILING_KERNEL = "copy", "copy_plain"


def chapters() -> list[str]:
    """The slugs of chapters/CMakeLists.txt, in its order."""
    listing = (CHAPTERS / "CMakeLists.txt").read_text(encoding="utf-8")
    listing = re.sub(r"#.*", "", listing)
    return re.findall(r"add_subdirectory\(\s*([a-z0-9_]+)\s*\)", listing)


def load(path: Path) -> dict:
    """A JSON file; raises Stop with one line if it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Stop(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise Stop(f"{path} is not JSON: {error}") from error


def load_folder(folder: Path) -> dict[str, dict]:
    """The JSON files of a folder by slug; {} if there is no such folder."""
    return {path.stem: load(path) for path in sorted(folder.glob("*.json"))}


def gigabytes_per_second(row: dict, temperature: str = "cold") -> float | None:
    """Useful bytes over the median time, in 10^9 bytes a second; None if the row was not timed."""
    time = row.get("time")
    if not time or not time.get(temperature) or not time[temperature]["median_ms"]:
        return None
    return row["bytes"] / time[temperature]["median_ms"] / 1e6


def percent_of_copy(row: dict, machine: dict[str, dict], temperature: str = "cold") -> float | None:
    """The row's bandwidth over the plain copy's at the same size on the same machine, in percent."""
    own = gigabytes_per_second(row, temperature)
    for other in machine.get(CEILING_CHAPTER, {}).get("rows", ()):
        if (other["kernel"], other["size"]) == (CEILING_KERNEL, row["size"]):
            ceiling = gigabytes_per_second(other, temperature)
            return 100 * own / ceiling if own and ceiling else None
    return None


def ratio(counts: dict | None, space: str, above: str, below: str) -> float | None:
    """For example wavefronts per instruction; None if there is nothing to divide by."""
    found = (counts or {}).get(space)
    return found[above] / found[below] if found and found[below] else None


def area(row: dict) -> int:
    return row["width"] * row["height"]


def rows_of(data: dict, kernel: str) -> list[dict]:
    return [row for row in data.get("rows", ()) if row["kernel"] == kernel]


def kernels_of(*sources: dict) -> list[str]:
    """The kernels of several files of one chapter, each once, in the order in which they first appear."""
    return list(dict.fromkeys(row["kernel"] for data in sources for row in data.get("rows", ())))
