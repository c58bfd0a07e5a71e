"""``step-figures`` (what one step changes, in one strip) and ``kernel-table`` (all kernels of a page, a row each)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.counts import NUMBERS
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import MEASURED, counted_size, is_of_arrays, parse_size, pretty_size, rate_unit
from conflict_free.evidence.names import CEILING, CEILING_SLUG, PEERS, ResultError
from conflict_free.evidence.values import Value, describe_all

from ..changes import BEFORE_CHANGE
from ..project import EvidenceDirective, shown

#: The size at which a step of matrices is timed, far larger than any L2.
TIMED_SIZE = "16384x16384"

#: The most rows of a kernel-table: more cannot be taken in at a glance.
MOST_ROWS = 12

#: Formats of a kernel-table where rows that differ would look alike.
SPECS = {"percent_of_memcpy": ".1f"}

#: The unit of figures that would otherwise have too many digits to read, and their format.
SCALED = {"instructions": (1e9, ".2f")}

#: What an access costs: metric of the counts, words for a strip, words for the head of a column.
COSTS = {
    "global_load.sectors_per_request": ("sectors per global load", "sectors per load"),
    "global_store.sectors_per_request": ("sectors per global store", "sectors per store"),
    "shared_load.wavefronts_per_instruction": ("wavefronts per shared load", "wavefronts per load"),
    "shared_store.wavefronts_per_instruction": ("wavefronts per shared store", "wavefronts per store"),
}

#: Words of all metrics that a strip may show.
WORDS = {metric: words for metric, (words, _) in COSTS.items()} | {
    **{name: name.replace("_", " ") for name in NUMBERS},
    "shared_load.instructions_per_block": "shared loads of a block",
    "shared_load.wavefronts_per_block": "wavefronts of these loads",
    "shared_load.conflicts_per_block": "conflicts of these loads",
    "shared_store.instructions_per_block": "shared stores of a block",
    "shared_store.wavefronts_per_block": "wavefronts of these stores",
    "shared_store.conflicts_per_block": "conflicts of these stores",
    "shared_bytes": "bytes of shared memory per block",
    "launches": "launches",
    "blocks": "blocks",
    "threads_per_block": "threads per block",
    "shared_load.instructions": "shared loads",
    "shared_load.wavefronts": "wavefronts of shared loads",
    "shared_load.conflicts": "conflicts of shared loads",
    "shared_store.wavefronts": "wavefronts of shared stores",
    "shared_store.conflicts": "conflicts of shared stores",
    "global_load.requests": "requests of global loads",
    "global_load.sectors": "sectors of global loads",
    "global_store.requests": "requests of global stores",
    "global_store.sectors": "sectors of global stores",
    "partitions_per_step.load": "partitions that concurrent blocks load from",
    "partitions_per_step.store": "partitions that concurrent blocks store to",
    "percent_of_issue_limit": "% of the issue limit",
    "percent_of_issue_slots": "% of issue slots taken",
    "percent_of_shared_cycles": "% of cycles that shared memory is busy",
    "instructions_per_pair": "instructions per pair",
    "instructions": "billion instructions of all warps",
    "ms": "ms",
}


def timed_size(evidence: Evidence, slug: str, given: str | None) -> str:
    """Return the size whose times a page compares: the given one, else 16384 × 16384, for arrays the longest."""
    if given:
        return parse_size(given)
    result = evidence.result(slug)
    if result is None or not is_of_arrays(result):
        return TIMED_SIZE
    return max((row for row in result["rows"] if row["time"]), key=lambda row: row["width"])["size"]


def counted_value(evidence: Evidence, slug: str, kernel: str, metric: str) -> Value | None:
    """Return a counted metric of a kernel at the size of its counts; None if it makes no such access, or is not counted."""
    program = evidence.program(slug)
    if not any(row["kernel"] == kernel and row["counts"] for row in program["rows"]):
        return None
    try:
        return evidence.value(f"{slug}.{kernel}.{counted_size(program, kernel)}.{metric}")
    except ResultError:
        if metric in COSTS:
            return None
        raise


def timed_value(evidence: Evidence, slug: str, kernel: str, size: str, metric: str) -> Value:
    """Return a measured metric of a kernel; the ceiling's comes from the chapter that measures it."""
    value = evidence.value(f"{CEILING_SLUG if kernel == CEILING else slug}.{kernel}.{size}.{metric}")
    if metric not in SCALED:
        return value
    one, spec = SCALED[metric]
    return replace(value, number=value.number / one, default_format=spec)


def rate_metrics(evidence: Evidence, slug: str, kernel: str, size: str) -> dict[str, str]:
    """Return the measure of a kernel's speed: metric, and its unit for readers."""
    row = evidence.measured_row(CEILING_SLUG if kernel == CEILING else slug, kernel, size)
    of_copy = {} if row.get("work") or is_of_arrays(evidence.result(slug)) else {"percent_of_memcpy": "% of cudaMemcpy"}
    return dict([rate_unit(row)]) | of_copy


def shown_metrics(options: dict[str, Any]) -> list[str]:
    """Return the metrics that ``:show:`` names, none without it. Raises ResultError for one that has no words."""
    wanted = options.get("show", "").split()
    for metric in wanted:
        if metric not in WORDS:
            raise ResultError(f":show: {metric!r} is not offered; accepted: {', '.join(WORDS)}")
    return wanted


def counted_sizes(evidence: Evidence, kernels: Iterable[tuple[str, str]]) -> str:
    """Return the sizes at which kernels are counted, for readers; nothing for kernels that are not counted."""
    sizes = []
    for slug, kernel in kernels:
        program = evidence.program(slug)
        if any(row["kernel"] == kernel and row["counts"] for row in program["rows"]):
            sizes.append(pretty_size(counted_size(program, kernel)))
    return " and ".join(dict.fromkeys(sizes))


def read_on_the_gpu(metrics: Iterable[str], size: str) -> str:
    """Return the sentence that tells which of some metrics the GPU's counters gave, and at which size; nothing if none did."""
    words = [WORDS[metric] for metric in metrics if metric in MEASURED and not MEASURED[metric][0]]
    return f" From the GPU's counters at {pretty_size(size)}: {', '.join(words)}." if words else ""


def shown_value(evidence: Evidence, slug: str, kernel: str, metric: str, size: str | None) -> Value | None:
    """Return a metric of a kernel, measured at ``size`` or the size that a page compares, or counted."""
    if metric in MEASURED:
        return timed_value(evidence, slug, kernel, timed_size(evidence, slug, size), metric)
    return counted_value(evidence, slug, kernel, metric)


class StepFigures(EvidenceDirective, directive="step-figures"):
    """``.. step-figures:: SLUG.BEFORE SLUG.AFTER``: what a step changes: counts, then speed, before and after.

    Shown are the costs of an access that differ; ``:show:`` names other metrics, counted or measured, in their order, in
    place of these. ``:size: WxH`` chooses the size that is timed, 16384 × 16384 or the longest array without it;
    ``:untimed:`` leaves the times out. One kernel alone is shown without a before. ``:percent-of: PEER | WORDS`` adds the
    speed in percent of a library's, which readers know by the words.
    """

    required_arguments = 1
    optional_arguments = 1
    option_spec = {
        "show": directives.unchanged_required,
        "size": directives.unchanged_required,
        "percent-of": directives.unchanged_required,
        "untimed": directives.flag,
    }

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        kernels = [self.kernel_argument(argument) for argument in self.arguments]
        size = timed_size(evidence, kernels[-1][0], self.options.get("size"))
        counted = self._counted(evidence, kernels)
        cells = counted + ([] if "untimed" in self.options else self._timed(evidence, kernels, size))
        if not cells:
            raise ResultError(f"no count of {' and '.join(self.arguments)} differs; :show: names what to show")
        return [shown("figures_strip.html", cells=cells, caption=self._caption(evidence, kernels, size, bool(counted)))]

    def _counted(self, evidence: Evidence, kernels: list[tuple[str, str]]) -> list[dict[str, Any]]:
        wanted = shown_metrics(self.options)
        cells = []
        for metric in wanted or COSTS:
            values = [shown_value(evidence, slug, kernel, metric, self.options.get("size")) for slug, kernel in kernels]
            cell = _cell(WORDS[metric], values)
            if cell["after"] and (wanted or cell["before"] != cell["after"]):
                cells.append(cell)
        return cells

    def _timed(self, evidence: Evidence, kernels: list[tuple[str, str]], size: str) -> list[dict[str, Any]]:
        cells = []
        for metric, unit in rate_metrics(evidence, *kernels[-1], size).items():
            cells.append(_cell(unit, [timed_value(evidence, slug, kernel, size, metric) for slug, kernel in kernels]))
        if "percent-of" in self.options:
            cells.append(self._percent_of_library(evidence, kernels, size))
        return cells

    def _percent_of_library(self, evidence: Evidence, kernels: list[tuple[str, str]], size: str) -> dict[str, Any]:
        peer, _, words = (part.strip() for part in self.options["percent-of"].partition("|"))
        if not (peer and words):
            raise ResultError(f":percent-of: {self.options['percent-of']!r} is not 'PEER | WORDS'")
        rate = next(iter(rate_metrics(evidence, *kernels[-1], size)))
        values = [evidence.value(f"{slug}.{kernel}.{size}.{rate} / {slug}.{PEERS}.{peer}.{size}.{rate} * 100") for slug, kernel in kernels]
        return _cell(f"% of {words}", [replace(value, default_format=".0f") for value in values])

    def _caption(self, evidence: Evidence, kernels: list[tuple[str, str]], size: str, counted: bool) -> str:
        names = " → ".join(kernel for _, kernel in kernels)
        wanted = shown_metrics(self.options)
        at = counted_sizes(evidence, kernels) if counted and any(metric not in MEASURED for metric in wanted or COSTS) else ""
        older = f" for {evidence.program(kernels[-1][0])['machine']}" if ":" in kernels[-1][0] else ""
        said = f" Counted by the model{older} at {at}." if at else ""
        said += read_on_the_gpu(wanted, size)
        if "untimed" not in self.options:
            gpu = evidence.result(kernels[-1][0])["provenance"]["gpu"]
            said += f" Timed on an {gpu} at {pretty_size(size)}, cold."
        return f"{names}.{said}"


def _cell(words: str, values: list[Value | None]) -> dict[str, Any]:
    """Return one figure of a strip: its name, the numbers before and after, and their provenance."""
    texts = [value.text() if value else "" for value in values]
    sources = dict.fromkeys(value.provenance for value in values if value)
    return {
        "words": words,
        "note": BEFORE_CHANGE if any(value and value.stale for value in values) else "",
        "before": texts[0] if len(texts) == 2 else "",
        "after": texts[-1],
        "stale": [bool(value and value.stale) for value in values],
        "provenance": "; ".join(sources),
    }


class KernelTable(EvidenceDirective, directive="kernel-table"):
    """``.. kernel-table::``: a row for each kernel of the body: what its accesses cost, and how fast it is.

    A line of the body is ``SLUG.KERNEL`` or ``SLUG.KERNEL | WORDS``. The argument, if any, is the caption's first sentence,
    which says what to see. ``:size: WxH`` is the size of the times. The costs are those of one warp instruction; ``:show:``
    names other metrics in their place, as in ``step-figures``; ``:untimed:`` leaves the times out. The first row is ``cudaMemcpy``, the ceiling, unless the
    times are of arrays.
    """

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {"show": directives.unchanged_required, "size": directives.unchanged_required, "untimed": directives.flag}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        self.assert_has_content()
        wanted = shown_metrics(self.options)
        asked = [line.partition("|") for line in self.content if line.strip()]
        kernels = [(*self.kernel_argument(name.strip()), words.strip()) for name, _, words in asked]
        size = timed_size(evidence, kernels[0][0], self.options.get("size"))
        untimed = "untimed" in self.options
        rates = {} if untimed else rate_metrics(evidence, *kernels[0][:2], size)
        if "percent_of_memcpy" in rates and (CEILING_SLUG, CEILING) not in [kernel[:2] for kernel in kernels]:
            kernels.insert(0, (CEILING_SLUG, CEILING, ""))
        if len(kernels) > MOST_ROWS:
            raise ResultError(f"a kernel-table has {len(kernels)} rows; {MOST_ROWS} at most can be taken in")
        counts = {
            metric: [shown_value(evidence, slug, name, metric, self.options.get("size")) for slug, name, _ in kernels]
            for metric in wanted or COSTS
        }
        counts = {metric: values for metric, values in counts.items() if any(values)}
        rows = []
        for number, (slug, name, words) in enumerate(kernels):
            cells = [_number(values[number]) for values in counts.values()]
            cells += [_number(timed_value(evidence, slug, name, size, metric), SPECS.get(metric, "")) for metric in rates]
            rows.append({"name": name, "words": words, "ceiling": name == CEILING, "cells": cells})
        spaces = [(space, sum(metric.startswith(space) for metric in counts)) for space in ("global", "shared")]
        return [
            shown(
                "kernel_table.html",
                see=self.arguments[0] if self.arguments else "",
                spaces=[] if wanted else [(f"{space} memory", count) for space, count in spaces if count],
                heads=[WORDS[metric] if wanted else COSTS[metric][1] for metric in counts],
                of="" if wanted else "one warp instruction",
                counted=counted_sizes(evidence, [kernel[:2] for kernel in kernels])
                if any(metric not in MEASURED for metric in counts)
                else "",
                on_the_gpu=read_on_the_gpu(counts, size),
                rates=list(rates.values()),
                rows=rows,
                size=pretty_size(size),
                machine="" if untimed else describe_all(evidence.result(slug)["provenance"] for slug, _, _ in kernels),
            )
        ]


def _number(value: Value | None, spec: str = "") -> dict[str, str]:
    if value is None:
        return {"text": "–", "provenance": "makes no such access", "stale": False}
    provenance = f"{BEFORE_CHANGE}: {value.provenance}" if value.stale else value.provenance
    return {"text": value.text(spec), "provenance": provenance, "stale": value.stale}
