"""``count-report`` (what scripts/count prints of an example), ``access-table`` (the model against a probed GPU), and
``programs-table`` (programs of others against a GPU's counters)."""

import json
from collections import Counter
from typing import Any

from docutils import nodes

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError

from ..project import EvidenceDirective, shown


class CountReport(EvidenceDirective, directive="count-report"):
    """``.. count-report:: EXAMPLE``: the report of ``book/examples/EXAMPLE.cu``, made in this build.

    The report lies beside the counts, in ``reports/EXAMPLE.txt``.
    """

    required_arguments = 1

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        path = evidence.counts.parent / "reports" / f"{self.arguments[0]}.txt"
        evidence.on_read(path)
        try:
            text = path.read_text(encoding="utf-8").rstrip()
        except OSError:
            raise ResultError(f"there is no report {path}; the CMake target 'book' makes it") from None
        block = nodes.literal_block(text, text, language="none", classes=["count-report"])
        return [block]


def summarize(table: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each kind of access of a probed GPU's table: cases, and how many of them are open."""
    columns = {name: number for number, name in enumerate(table["columns"])}
    open_cases = set(table["open"]["cases"])
    cases: Counter = Counter()
    still_open: Counter = Counter()
    for row in table["rows"]:
        kind = (row[columns["space"]], row[columns["op"]], row[columns["bytes"]])
        cases[kind] += 1
        key = " ".join(str(row[columns[name]]) for name in ("space", "op", "bytes", "pattern", "active"))
        still_open[kind] += key in open_cases
    if sum(still_open.values()) != len(open_cases):
        raise ResultError("the table of probed accesses lists an open case that is not one of its rows")
    return [
        {"space": space, "op": op, "bytes": size, "cases": cases[space, op, size], "open": still_open[space, op, size]}
        for space, op, size in sorted(cases)
    ]


def _read_table(evidence: Evidence, name: str) -> dict[str, Any]:
    """Return the content of a file of the repository. Raises ResultError."""
    path = evidence.chapters.parent / name
    evidence.on_read(path)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultError(f"{name}: {error}") from None


class AccessTable(EvidenceDirective, directive="access-table"):
    """``.. access-table:: FILE``: how many probed accesses the model counts as the GPU does.

    FILE is a table made by ``read_probe.py``, relative to the repository. A test compares every row with the model.
    """

    required_arguments = 1

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        table = _read_table(evidence, self.arguments[0])
        rows = summarize(table)
        total, still_open = sum(row["cases"] for row in rows), sum(row["open"] for row in rows)
        return [
            shown(
                "access.html",
                rows=rows,
                gpu=table["provenance"],
                total=total,
                agree=total - still_open,
                note=table["open"]["note"] if still_open else "",
            )
        ]


def _lies_between(difference: dict[str, Any]) -> bool:
    """Return whether the model's count lies between those of two runs on the GPU."""
    seen = sorted((difference["gpu"], difference.get("gpu_again", difference["gpu"])))
    return seen[0] <= difference["model"] <= seen[1]


def summarize_programs(programs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the names of programs whose counts are all equal, and rows of the others.

    A row has the kernels whose counts differ, with the marks that the tool gives them; none where the counts should be equal. It varies if
    each count without a mark lies between the GPU's counts in two runs of the program.
    """
    rows = []
    for program in programs:
        kernels: dict[str, set[str]] = {}
        for difference in program["differences"]:
            kernels.setdefault(difference["kernel"], set()).update(difference["marked"])
        marks = sorted({mark for found in kernels.values() for mark in found})
        if kernels:
            rows.append(
                {
                    "name": program["name"],
                    "kernels": sorted(kernels),
                    "equal": program["equal"],
                    "of": program["counts"],
                    "marked": all(kernels.values()),
                    "marks": marks,
                    "varies": all(one["marked"] or _lies_between(one) for one in program["differences"]),
                }
            )
    return {
        "equal": [program["name"] for program in programs if not program["differences"]],
        "rows": rows,
        "total": len(programs),
        "launches": sum(program["launches"] for program in programs),
        "counts": sum(program["counts"] for program in programs),
        "agree": sum(program["equal"] for program in programs),
    }


class ProgramsTable(EvidenceDirective, directive="programs-table"):
    """``.. programs-table:: FILE``: programs of others, whose counts are all equal to a GPU's counters or not, and why.

    FILE is made by module ``measuring.measured_programs``, relative to the repository.
    """

    required_arguments = 1

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        table = _read_table(evidence, self.arguments[0])
        return [shown("programs.html", gpu=table["gpu"], **summarize_programs(table["programs"]))]
