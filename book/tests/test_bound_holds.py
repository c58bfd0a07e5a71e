# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""No recorded time of the book's machine is below the bound that follows from the model's counts."""

from __future__ import annotations

import json

import pytest
from conftest import BOOK

from conflict_free.console import ROOT
from conflict_free.counting.bound import bound_of

COUNTS = ROOT / "build" / "counts"
RESULTS = BOOK / "results" / "h200"
# The kernels of timing repeat their work: their counts are those of two repetitions, their times those of one.
REPETITIONS = {"timing": 2}


def measured(slug: str):
    """Yield a name, the bound and the fewest cycles measured, for each row that was counted and timed at one size."""
    counted = {(row["kernel"], row["size"]): row["counts"] for row in json.loads((COUNTS / f"{slug}.json").read_text())["rows"]}
    for row in json.loads((RESULTS / f"{slug}.json").read_text())["rows"]:
        counts = counted.get((row["kernel"], row["size"]))
        if not counts or not row.get("time") or not row.get("sm_mhz"):
            continue
        for kind, time in row["time"].items():
            if time:
                bound = bound_of(counts, "sm_90")
                yield (
                    f"{row['kernel']} {row['size']} {kind}",
                    bound.cycles_at_least / REPETITIONS.get(slug, 1),
                    time["p10_ms"] * 1e3 * row["sm_mhz"],
                )


SLUGS = sorted(path.stem for path in RESULTS.glob("*.json") if (COUNTS / path.name).exists())


@pytest.mark.parametrize("slug", SLUGS)
def test_no_launch_is_faster_than_its_bound(slug):
    rows = list(measured(slug))
    assert [f"{name}: {cycles:.0f} cycles, at least {least:.0f}" for name, least, cycles in rows if cycles < least] == []


def test_the_bound_is_close_where_a_kernel_is_limited_by_what_is_counted():
    closest = {slug: max((least / cycles for _, least, cycles in measured(slug)), default=0) for slug in SLUGS}
    assert closest["coalesced"] > 0.8 and closest["timing"] > 0.9
