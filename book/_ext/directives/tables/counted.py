"""``counted-table``, ``parity-table`` and ``partition-table``: the model's counts, and their comparison with a GPU's counters."""

from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives

from conflict_free.counts import GROUPS
from conflict_free.evidence import parity
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import counted_size, format_number, parse_size
from conflict_free.evidence.names import ACCESSES, COUNTED_SIZE, ResultError

from ..changes import BEFORE_CHANGE
from ..project import EvidenceDirective, shown


def counted_rows(counts: dict[str, Any]) -> list[dict[str, str]]:
    """Return the rows of one kernel: one for each kind of access it makes, then its barriers."""
    rows = []
    for key, words in ACCESSES.items():
        access, measure = counts[key], GROUPS[key].measure
        number, many = access[measure.number], measure.cost
        if not number:
            continue
        per = measure.each(access)
        excess = access[many] - access[measure.ideal]
        rows.append(
            {
                "access": words,
                "count": f"{number:,}",
                "one": measure.number if number != 1 else measure.one,
                "per": format_number(per),
                "ideal": format_number(access[measure.ideal] / number),
                "unit": many.removesuffix("s") if per == 1 else many,
                "excess": f"{excess:,}",
                "excess_unit": "conflicts" if "conflicts" in measure.keys else many,
                "wasteful": excess > 0,
            }
        )
    return rows


def confirmed(evidence: Evidence, slug: str, kernel: str, size: str, counts: dict[str, Any]) -> bool:
    """Return whether the counters of the book's GPU equal ``counts``.

    False if they were not read, or differ where ``parity_exceptions.json`` says so. Raises ResultError if they differ
    elsewhere.
    """
    result = evidence.result(slug)
    if result is None or kernel in evidence.stale(slug):
        return False
    for row in result["rows"]:
        if row["kernel"] == kernel and row["size"] == size and row["counters"]:
            exceptions = parity_exceptions(evidence)
            wrong = parity.compare(slug, kernel, row["counters"], parity.model_counters(counts), exceptions)
            if wrong:
                raise ResultError(f"{slug}.{kernel}.{size}: {'; '.join(wrong)}")
            return not any((entry.slug, entry.kernel) == (slug, kernel) for entry in exceptions)
    return False


def parity_exceptions(evidence: Evidence) -> list[parity.ParityException]:
    """Return the listed differences between counters and counts."""
    evidence.on_read(evidence.results / parity.EXCEPTIONS)
    return parity.load_exceptions(evidence.results)


class ParityTable(EvidenceDirective, directive="parity-table"):
    """``.. parity-table::``: the model's counts against the counters of the book's GPU, a row a kernel.

    A chapter that the model cannot run has no counts to compare, and no row. Unexplained differences fail the build; explained ones are shown with their reason.
    """

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        exceptions = parity_exceptions(evidence)
        rows = []
        for path in sorted((evidence.results / evidence.machine).glob("*.json")):
            result = evidence.result(path.stem)
            for row in result["rows"]:
                if row["counters"] and evidence.program(path.stem)["rows"]:
                    rows.append(_parity_row(evidence, path.stem, row, exceptions))
        if not rows:
            raise ResultError(f"no counters in {evidence.results / evidence.machine}")
        gpu = result["provenance"]
        return [shown("parity.html", rows=rows, gpu=gpu, total=sum("stale" not in row for row in rows))]


def _parity_row(evidence: Evidence, slug: str, row: dict[str, Any], exceptions: list[parity.ParityException]) -> dict[str, Any]:
    """Return one row of the parity table: how many of the six counters are equal, and why others are not.

    Counters of a kernel whose text has changed since are those of another kernel, and are not compared.
    """
    if row["kernel"] in evidence.stale(slug):
        return {"kernel": row["kernel"], "size": row["size"], "stale": BEFORE_CHANGE}
    counts = evidence.counts_row(slug, row["kernel"], row["size"])["counts"]
    model = parity.model_counters(counts)
    wrong = parity.compare(slug, row["kernel"], row["counters"], model, exceptions)
    if wrong:
        raise ResultError(f"{slug}.{row['kernel']}.{row['size']}: {'; '.join(wrong)}")
    return {
        "kernel": row["kernel"],
        "size": row["size"],
        "equal": sum(row["counters"][name] == model[name] for name in model),
        "of": len(model),
        "events": f"{sum(model.values()):,}",
        "different": [
            {"name": name.replace("_", " "), "gpu": f"{row['counters'][name]:,}", "model": f"{model[name]:,}", "why": entry.why}
            for entry in exceptions
            if (entry.slug, entry.kernel) == (slug, row["kernel"])
            for name in entry.counters
        ],
    }


class CountedTable(EvidenceDirective, directive="counted-table"):
    """``.. counted-table:: SLUG``: the model's counts in this build for each kernel of a chapter.

    The caption says whether the counters of the book's GPU confirm it; if they differ, the build fails.
    ``gt200:SLUG`` shows the counts for another modeled machine.
    ``:kernels:`` chooses and orders kernels; ``:size: WxH`` chooses the size, for all of them.
    """

    required_arguments = 1
    option_spec = {"kernels": directives.unchanged_required, "size": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug = self.arguments[0]
        program = evidence.program(slug)
        names = self.options.get("kernels", "").split() or list(
            dict.fromkeys(row["kernel"] for row in program["rows"] if not row["reference"])
        )
        kernels = []
        for name in names:
            size = parse_size(self.options.get("size") or counted_size(program, name))
            counts = evidence.counts_row(slug, name, size)["counts"]
            kernels.append(
                {
                    "name": name,
                    "size": size,
                    "launches": counts.get("launches", 1),
                    "grid": " × ".join(str(n) for n in _trim(counts["grid"])),
                    "block": " × ".join(str(n) for n in _trim(counts["block"])),
                    "shared": f"{counts['shared_bytes']:,}",
                    "rows": counted_rows(counts),
                    "barriers": f"{counts['barriers']:,}",
                    "confirmed": confirmed(evidence, slug, name, size, counts),
                }
            )
        if not kernels:
            raise ResultError(f"chapter {slug} has no counted kernels")
        result = evidence.result(slug)
        return [
            shown(
                "counted.html",
                kernels=kernels,
                sizes=list(dict.fromkeys(kernel["size"] for kernel in kernels)),
                machine=program["machine"],
                confirmed=[kernel["name"] for kernel in kernels if kernel["confirmed"]],
                gpu=result["provenance"] if result else None,
            )
        ]


class PartitionTable(EvidenceDirective, directive="partition-table"):
    """``.. partition-table:: gt200:SLUG``: how the concurrent blocks of each kernel spread over the partitions of memory.

    ``:kernels:`` chooses and orders kernels; ``:size: WxH`` chooses the size.
    """

    required_arguments = 1
    option_spec = {"kernels": directives.unchanged_required, "size": directives.unchanged_required}

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        slug = self.arguments[0]
        size = parse_size(self.options.get("size", COUNTED_SIZE))
        program = evidence.program(slug)
        names = self.options.get("kernels", "").split() or [
            row["kernel"] for row in program["rows"] if not row["reference"] and row["size"] == size
        ]
        kernels = []
        for name in names:
            counts = evidence.counts_row(slug, name, size)["counts"]
            if "partitions" not in counts:
                raise ResultError(f"{slug}.{name}: the model watches no partitions on {program['machine']}")
            kernels.append({"name": name, **partition_row(counts["partitions"])})
        if not kernels:
            raise ResultError(f"{slug} has no kernel counted at {size}")
        first = counts["partitions"]
        machine, count, wide = program["machine"], first["count"], first["bytes"]
        return [shown("partitions.html", kernels=kernels, size=size, machine=machine, count=count, bytes=wide)]


def partition_row(partitions: dict[str, Any]) -> dict[str, Any]:
    """Return one kernel's line: concurrent blocks, and for each operation the mean and the accesses by partitions used."""
    row: dict[str, Any] = {"blocks": partitions["concurrent_blocks"]}
    for op in ("load", "store"):
        mean, steps = partitions[op]["mean"], partitions[op]["steps"]
        row[op] = {
            "mean": format_number(mean),
            "camped": mean < partitions["count"] / 2,
            "steps": [{"used": used, "number": f"{number:,}"} for used, number in enumerate(steps, start=1) if number],
        }
    return row


def _trim(extent: list[int]) -> list[int]:
    """Return an extent of three without trailing ones, two at least."""
    return extent[:2] if extent[2] == 1 else extent
