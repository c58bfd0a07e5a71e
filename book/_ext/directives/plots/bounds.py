# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""``bounds``: what limits each kernel by the model's counts, and how much of the measured time that explains."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.counting.bound import NAMES, bound_of
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import counted_size, parse_size, pretty_size, sample
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.values import describe

from ..project import EvidenceDirective, picture, render

#: Launches of this chapter repeat their work: the counts are those of two repetitions, the times those of one.
REPETITIONS = {"timing": 2}


def measured_cycles(row: dict[str, Any] | None) -> float | None:
    """Return the cycles of a measured row with the data where the launch before left them; None if they are not known."""
    if row is None or not row["time"] or "warm" not in row["time"] or not row.get("sm_mhz"):
        return None
    return sample(row, "warm")["median_ms"] * 1e3 * row["sm_mhz"]


def bound_row(evidence: Evidence, slug: str, kernel: str, size: str) -> dict[str, Any]:
    """Return what the template shows of a kernel: what limits it, the fewest cycles, and the percent of its cycles that these are.

    Raises ResultError for a kernel that has no bound at this size.
    """
    counted = evidence.counts_row(slug, kernel, size)["counts"]
    bound = bound_of(counted, evidence.program(slug)["machine"]) if counted else None
    if bound is None or not bound.limited_by:
        raise ResultError(f"{slug}.{kernel} has no bound at {pretty_size(size)}")
    least = bound.cycles_at_least / REPETITIONS.get(slug, 1)
    result = evidence.result(slug)
    rows = result["rows"] if result else []
    taken = measured_cycles(next((row for row in rows if (row["kernel"], row["size"]) == (kernel, size)), None))
    return {
        "name": kernel,
        "limit": NAMES[bound.limited_by],
        "least": f"{least:,.0f}",
        "taken": f"{taken:,.0f}" if taken else "",
        "percent": round(100 * least / taken) if taken else None,
        "stale": bool(result) and kernel in evidence.stale(slug, evidence.machine),
    }


class Bounds(EvidenceDirective, directive="bounds"):
    """``.. bounds::``: a bar for each line ``SLUG.KERNEL``: the bound, as a part of the measured cycles.

    The size is the one that the chapter counts, or ``:size:``, where kernels are also timed, warm.
    """

    has_content = True
    option_spec = {"size": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        kernels = [self.kernel_argument(line.strip()) for line in self.content if line.strip()]
        slug, kernel = kernels[0]
        size = parse_size(self.options.get("size") or counted_size(evidence.program(slug), kernel))
        rows = [bound_row(evidence, *each, size) for each in kernels]
        said = " ".join(
            f"{row['name']} takes at least {row['least']} cycles, by {row['limit']}"
            + (f": {row['percent']} % of the {row['taken']} that the GPU takes." if row["taken"] else ".")
            for row in rows
        )
        result = evidence.result(slug)
        told = describe(result["provenance"]) if result else ""
        return picture(render("bounds.html", rows=rows, size=size, provenance=told, description=said), said)
