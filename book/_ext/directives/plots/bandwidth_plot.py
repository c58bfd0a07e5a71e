"""``bandwidth-plot``: the bandwidth of every measured kernel at one size, as bars with their spread."""

from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import gbps, parse_size, pretty_size
from conflict_free.evidence.names import CEILING, LOCAL, ResultError
from conflict_free.evidence.values import describe_all

from ..project import EvidenceDirective
from ..prose.beside import gpu_name
from .speedup_plot import Dot, Line, explained, marked, plot


def bandwidth_rows(evidence: Evidence, size: str, kernels: list[str] | None = None) -> list[dict[str, Any]]:
    """Return a row per kernel measured on the book's machine at ``size``, the highest bandwidth first.

    ``here`` is the dot of the reader's GPU, None where that GPU has none.
    ``kernels`` chooses among them. Raises ResultError if there is none, one of ``kernels`` is not measured, or a kernel
    is stale or failed its check.
    """
    rows: dict[str, dict[str, Any]] = {}
    for path in sorted((evidence.results / evidence.machine).glob("*.json")):
        slug = path.stem
        for row in evidence.result(slug)["rows"]:
            if row["size"] == size and (not kernels or row["kernel"] in kernels):
                row = evidence.measured_row(slug, row["kernel"], size)
                dot, here = _dot(evidence, row), _here(evidence, slug, row["kernel"], size)
                rows[row["kernel"]] = {"kernel": row["kernel"], "stale": row.get("stale"), "slug": slug, "dot": dot, "here": here}
    missing = [kernel for kernel in kernels or () if kernel not in rows]
    if missing or not rows:
        names = f" for {', '.join(missing)}" if missing else ""
        raise ResultError(f"no result at {size} in {evidence.results / evidence.machine}{names}")
    return sorted(rows.values(), key=lambda row: -row["dot"].value)


def _dot(evidence: Evidence, row: dict[str, Any], machine: str | None = None) -> Dot:
    return Dot(gpu_name(evidence, machine), *(gbps(row, which=which) for which in ("median_ms", "p90_ms", "p10_ms")))


def _here(evidence: Evidence, slug: str, kernel: str, size: str) -> Dot | None:
    """Return the dot of the reader's GPU; None if the kernel was not measured there, or had another text."""
    try:
        return _dot(evidence, evidence.measured_row(slug, kernel, size, LOCAL), LOCAL)
    except ResultError:
        return None


class BandwidthPlot(EvidenceDirective, directive="bandwidth-plot"):
    """``.. bandwidth-plot::``: the measured kernels of the book's machine, cold.

    ``:size: WxH`` chooses the size, ``:kernels:`` chooses among the kernels.
    """

    option_spec = {"size": directives.unchanged_required, "kernels": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        size = parse_size(self.options.get("size", "16384"))
        rows = bandwidth_rows(evidence, size, self.options.get("kernels", "").split())
        old = {row["kernel"] for row in rows if row["stale"]}
        lines = [
            Line(
                marked(row["kernel"], old),
                [dot for dot in (row["dot"], row["here"]) if dot],
                "bar gray" if row["kernel"] == CEILING else "bar",
            )
            for row in rows
        ]
        provenances = [evidence.result(row["slug"])["provenance"] for row in rows]
        title = f"Effective bandwidth at {pretty_size(size)} in GB/s, cold."
        ceiling = "; gray: cudaMemcpy, the ceiling" if any(row["kernel"] == CEILING for row in rows) else ""
        caption = f"{title} Bar: median, whisker: p10–p90{ceiling}. {describe_all(provenances)}.{explained(old)}"
        return plot(lines, gpu_name(evidence), title, caption, "", numbers=True)
