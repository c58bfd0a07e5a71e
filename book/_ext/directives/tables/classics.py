"""``classic-names``: the classic kernels, and the kernels of this book that do the same, with their counts."""

import json
from pathlib import Path
from typing import Any

from docutils import nodes

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import counted_size, format_number, glance
from conflict_free.evidence.names import ResultError

from ..project import EvidenceDirective, list_table

#: Beside the pages.
FILE = "classic_names.json"

NOTHING = "—"


def load_classics(path: Path) -> list[dict[str, Any]]:
    """Return the rows of the file. Raises ResultError if it is malformed, or names a number or a kernel twice."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    except (OSError, KeyError, ValueError) as error:
        raise ResultError(f"{path}: cannot be read as rows of JSON: {error}") from None
    for index, row in enumerate(rows, start=1):
        unknown = set(row) - {"number", "classic", "source", "kernels"}
        if unknown or not row.get("classic") or not row.get("kernels"):
            raise ResultError(f"{path}: row {index} needs classic and kernels, and may have number and source")
    for what, found in (
        ("number", [row["number"] for row in rows if "number" in row]),
        ("kernel", [kernel for row in rows for kernel in row["kernels"]]),
    ):
        for item in found:
            if found.count(item) > 1:
                raise ResultError(f"{path}: {what} {item} stands there twice")
    return rows


def counted_cells(evidence: Evidence, slug: str, kernel: str) -> list[str]:
    """Return sectors per load and store request in one cell, wavefronts per shared instruction, and conflicts.

    All are a dash for a function of the host. Raises ResultError for a kernel that the chapter does not have.
    """
    program = evidence.program(slug)
    size = counted_size(program, kernel)
    row = next(row for row in program["rows"] if row["kernel"] == kernel and row["size"] == size)
    if row["counts"] is None:
        return [NOTHING] * 3
    load, store, *shared = (NOTHING if number is None else format_number(number) for number in glance(row["counts"]).values())
    return [f"{load} / {store}", *shared]


class ClassicNames(EvidenceDirective, directive="classic-names"):
    """``.. classic-names::``: a row for each kernel of ``classic_names.json``, in its order."""

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        path = Path(self.env.app.confdir) / FILE
        self.env.note_dependency(str(path))
        rows = [["no.", "classic name and source", "kernel here and chapter", "sectors", "wavefronts", "conflicts"]]
        rows += [self._row(evidence, row, kernel) for row in load_classics(path) for kernel in row["kernels"]]
        return [nodes.container("", *self.parsed(list_table(rows, **{"class": "evidence classics"})), classes=["table-holder"])]

    def _row(self, evidence: Evidence, row: dict[str, Any], kernel: str) -> list[str]:
        slug, name = self.kernel_argument(kernel)
        return [
            str(row.get("number", "")),
            row["classic"] + (f"\n\n:cite:t:`{row['source']}`" if "source" in row else ""),
            f":ref:`{name} <kernel-{name}>`\n\n:doc:`{slug.replace('_', ' ')} <{slug}>`",
            *counted_cells(evidence, slug, name),
        ]
