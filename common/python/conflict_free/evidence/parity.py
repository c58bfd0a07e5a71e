"""The comparison of the model's counts with the GPU's counters, and the places where they may differ. Needs no Sphinx.

Where the compiler fuses or splits accesses, the GPU executes other instructions than the source has. Each such difference
is an entry of ``parity_exceptions.json`` with its reason. An entry that is not needed is an error, so that the list stays short.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conflict_free.schemas import Schema

from .metrics import COUNTERS
from .names import ResultError

EXCEPTIONS = "parity_exceptions.json"

_SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["slug", "kernel", "counters", "why"],
        "properties": {
            "slug": {"type": "string"},
            "kernel": {"type": "string"},
            "counters": {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"enum": list(COUNTERS)}},
            "why": {"type": "string", "minLength": 20},
        },
    },
}


@dataclass(frozen=True)
class ParityException:
    """Counters of one kernel that differ from the model's counts, and the reason. ``why`` is a sentence for a reader."""

    slug: str
    kernel: str
    counters: tuple[str, ...]
    why: str


def load_exceptions(results: Path) -> list[ParityException]:
    """Return the exceptions listed in the results folder. Raises ResultError for a malformed file."""
    path = results / EXCEPTIONS
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except ValueError as error:
        raise ResultError(f"{path}: {error}") from None
    for misfit in Schema(_SCHEMA).misfits(data):
        raise ResultError(f"{path}: at {misfit.at()}: {misfit.text}")
    return [ParityException(entry["slug"], entry["kernel"], tuple(entry["counters"]), entry["why"]) for entry in data]


def model_counters(counts: dict[str, Any]) -> dict[str, int]:
    """Return the model's values of the six counters, from the counts of a row.

    The GPU counts what asynchronous copies read among the loads of global memory.
    """
    copied = counts.get("async_copy", {}).get("global", {})
    return {
        name: counts[access][count] + (copied.get(count, 0) if access == "global_load" else 0) for name, (access, count) in COUNTERS.items()
    }


def compare(slug: str, kernel: str, counters: dict[str, int], model: dict[str, int], exceptions: Iterable[ParityException]) -> list[str]:
    """Return the findings, a phrase each: unexplained differences, and exceptions without a difference."""
    explained = {name for entry in exceptions if (entry.slug, entry.kernel) == (slug, kernel) for name in entry.counters}
    wrong = []
    for name in COUNTERS:
        differs = counters[name] != model[name]
        if differs and name not in explained:
            wrong.append(f"{name} is {counters[name]:,} on the GPU and {model[name]:,} in the model")
        if not differs and name in explained:
            wrong.append(f"{name} agrees now: remove it from {EXCEPTIONS}")
    return wrong


def check_folder(folder: Path, counts: Path | None, exceptions: list[ParityException]) -> Iterable[tuple[str, int]]:
    """Compare a machine's result files with the model, and yield (finding, 0) or ("", launches compared).

    ``counts`` is a folder with the counts of a build; without it, the model's counts are those stored with the counters.
    The order of the yields is that of the files.
    """
    for path in sorted(folder.glob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        built = _built(counts, path.stem)
        compared = 0
        for row in result["rows"]:
            model = built.get((row["kernel"], row["size"]), row["model"])
            if not (row["counters"] and model):
                continue
            compared += 1
            for finding in compare(path.stem, row["kernel"], row["counters"], model, exceptions):
                yield f"{path.parent.name}/{path.name}: {row['kernel']} at {row['size']}: {finding}", 0
        yield "", compared


def _built(counts: Path | None, slug: str) -> dict[tuple[str, str], dict[str, int]]:
    """Return the six counters of each counted row of a chapter in a build."""
    if counts is None or not (counts / f"{slug}.json").exists():
        return {}
    rows = json.loads((counts / f"{slug}.json").read_text(encoding="utf-8"))["rows"]
    return {(row["kernel"], row["size"]): model_counters(row["counts"]) for row in rows if row["counts"]}
