"""The counts of a launch, as the model's list of them has them. Standard library only.

Reports, their schema, expressions, differences and margins take their lists from here, so a count that the model gains stands in that
list alone.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .model_files import COUNTS, REPORT_SCHEMA

#: The kinds of counts of accesses, as the schema names them.
_KINDS = ("shared", "global", "constant", "texture")


@dataclass(frozen=True)
class _Row:
    """A row of the list: what it lists, its fields, and the comment above it."""

    about: str
    fields: list[str]
    comment: str

    def count(self) -> dict[str, str]:
        """Return the row's number in the schema."""
        return {"$ref": "#/$defs/count"} | ({"description": self.comment} if self.comment else {})


def _rows() -> Iterator[_Row]:
    comment = []
    for line in COUNTS.read_text(encoding="utf-8").splitlines():
        if row := re.fullmatch(r"SIMT_([A-Z_]+)\((.*)\)", line):
            yield _Row(row[1], [field.strip(' "') for field in row[2].split(",")], " ".join(comment))
        comment = [*comment, line.removeprefix("// ")] if line.startswith("//") else []


_ROWS = list(_rows())


def _names(about: str) -> tuple[str, ...]:
    return tuple(row.fields[0] for row in _ROWS if row.about == about)


#: The memory spaces and the operations of a line, in the order of reports.
SPACES, OPERATIONS = _names("SPACE"), _names("OPERATION")
#: The demands of blocks on multiprocessors, for the bound.
WORK = _names("WORK")
#: Counts of a launch that belong to no memory space, such as barriers.
NUMBERS = _names("NUMBER")
#: The kinds of hazards, each with a sentence about it.
HAZARDS = {row.fields[0]: row.comment for row in _ROWS if row.about == "HAZARD"}


@dataclass(frozen=True)
class Measure:
    """The counts of accesses to one kind of memory, by their keys in a report.

    The list has the number of warp-level instructions first, and what they cost second.
    """

    keys: tuple[str, ...]

    @property
    def number(self) -> str:
        """The key of the number of warp-level instructions: ``instructions`` or ``requests``."""
        return self.keys[0]

    @property
    def one(self) -> str:
        """One of ``number``: ``instruction`` or ``request``."""
        return self.number.removesuffix("s")

    @property
    def cost(self) -> str:
        """The key of these instructions' cost, such as ``wavefronts``."""
        return self.keys[1]

    @property
    def ideal(self) -> str:
        """The key of their cost at best; empty where the model does not count that."""
        return f"ideal_{self.cost}" if f"ideal_{self.cost}" in self.keys else ""

    @property
    def per(self) -> str:
        """The name of the cost of one instruction, such as ``wavefronts_per_instruction``."""
        return f"{self.cost}_per_{self.one}"

    def each(self, counts: Mapping[str, int]) -> float:
        """Return the mean cost of one instruction; 0 without instructions."""
        return counts[self.cost] / counts[self.number] if counts[self.number] else 0.0

    def is_ideal(self, counts: Mapping[str, int]) -> bool:
        """Return whether the instructions cost no more than they would at best; true where the model does not count that."""
        return not self.ideal or counts[self.cost] <= counts[self.ideal]


@dataclass(frozen=True)
class Group:
    """The counts of one operation in one memory space; ``path`` has the keys that lead to them in a launch."""

    path: tuple[str, ...]
    space: str
    operation: str
    measure: Measure

    @property
    def name(self) -> str:
        """The name of the group in expressions, such as ``shared_load`` or ``async_copy_shared``."""
        return "_".join(self.path)

    def of(self, kernel: Mapping[str, Any]) -> Mapping[str, int]:
        """Return the counts of the group in a launch; empty where the launch has none."""
        for key in self.path:
            kernel = kernel.get(key, {})
        return kernel


def _rows_of(kind: str) -> list[_Row]:
    """Return the rows of a kind of counts."""
    return [row for row in _ROWS if row.about in (f"{kind.upper()}_COUNT", f"{kind.upper()}_RESULT")]


_MEASURE_OF_KIND = {kind: Measure(tuple(row.fields[0] for row in _rows_of(kind))) for kind in _KINDS}
_TOTALS = [row.fields for row in _ROWS if row.about == "TOTAL"]
_KIND_OF_SPACE = {space: kind for _, _, kind, _, _, _, space, _ in _TOTALS}
#: How the accesses of each memory space are counted.
MEASURES = {space: _MEASURE_OF_KIND[_KIND_OF_SPACE[space]] for space in SPACES}
#: All groups of counts by their names, in the order of the list.
GROUPS = {
    name: Group((parent, key) if parent else (key,), space, operation, _MEASURE_OF_KIND[kind])
    for name, _, kind, parent, key, _, space, operation in _TOTALS
}
#: The keys of all counts of accesses.
KEYS = tuple(dict.fromkeys(key for measure in MEASURES.values() for key in measure.keys))


def report_schema() -> dict[str, Any]:
    """Return the schema of the model's reports, with all counts."""
    schema = json.loads(REPORT_SCHEMA.read_text(encoding="utf-8"))
    kinds = {kind: _rows_of(kind) for kind in _KINDS} | {"work": [row for row in _ROWS if row.about == "WORK"]}
    for kind, rows in kinds.items():
        counts = {row.fields[0]: row.count() for row in rows}
        schema["$defs"][kind] = {"type": "object", "required": list(counts), "properties": counts}
    kernel, line = schema["$defs"]["kernel"], schema["$defs"]["line"]
    line["properties"] |= {"space": {"enum": list(SPACES)}, "op": {"enum": list(OPERATIONS)}}
    line["allOf"] = [
        {"if": {"properties": {"space": {"const": space}}}, "then": {"$ref": f"#/$defs/{kind}"}} for space, kind in _KIND_OF_SPACE.items()
    ]
    for _, _, kind, parent, key, when, _, _ in _TOTALS:
        counts = {key: {"$ref": f"#/$defs/{kind}"}}
        if parent:
            inner = kernel["properties"].setdefault(parent, {"type": "object", "required": [], "properties": {}})
            inner["properties"] |= counts
            inner["required"].append(key)
        else:
            kernel["properties"] |= counts
            kernel["required"] += counts if when == "always" else []
    kernel["properties"] |= {row.fields[0]: row.count() for row in _ROWS if row.about == "NUMBER"}
    kernel["required"] += NUMBERS
    schema["$defs"]["hazard"]["properties"]["kind"] = {"enum": list(HAZARDS)}
    return schema
