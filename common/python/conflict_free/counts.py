"""The counts of a launch, as the schema of the model's reports lists them. Standard library only.

Reports, expressions, differences and margins take their lists from here, so a count that the model gains stands in the schema alone.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .model_files import REPORT_SCHEMA

_DEFINITIONS = json.loads(REPORT_SCHEMA.read_text(encoding="utf-8"))["$defs"]
_KERNEL = _DEFINITIONS["kernel"]["properties"]
_LINE = _DEFINITIONS["line"]["properties"]

#: The memory spaces and the operations of a line, in the order of reports.
SPACES: tuple[str, ...] = tuple(_LINE["space"]["enum"])
OPERATIONS: tuple[str, ...] = tuple(_LINE["op"]["enum"])
#: The demands of blocks on multiprocessors, for the bound.
WORK: tuple[str, ...] = tuple(_DEFINITIONS["work"]["required"])
#: Numbers of a launch about its configuration and counting, not its work.
CONFIGURATION = ("launch", "shared_bytes", "counted_blocks")


@dataclass(frozen=True)
class Measure:
    """The counts of accesses to one kind of memory, by their keys in a report.

    The schema lists the number of warp-level instructions first, and what they cost second.
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


def _kind(shape: Mapping[str, Any]) -> str:
    """Return the definition that a part of the schema refers to; empty if it refers to none."""
    return shape.get("$ref", "").rpartition("/")[2]


def _measures() -> Iterator[tuple[str, str]]:
    """Yield each memory space with the definition of its counts."""
    for rule in _DEFINITIONS["line"]["allOf"]:
        condition = rule["if"]["properties"]["space"]
        for space in condition.get("enum") or [condition["const"]]:
            yield space, _kind(rule["then"])


_KIND_OF_SPACE = dict(_measures())
_MEASURE_OF_KIND = {kind: Measure(tuple(_DEFINITIONS[kind]["required"])) for kind in _KIND_OF_SPACE.values()}
#: How the accesses of each memory space are counted.
MEASURES = {space: _MEASURE_OF_KIND[_KIND_OF_SPACE[space]] for space in SPACES}


def _groups() -> Iterator[Group]:
    for name, shape in _KERNEL.items():
        # A copy touches two spaces, or is counted in a space that its name does not have.
        for path, part in [((name,), shape), *(((name, space), inner) for space, inner in shape.get("properties", {}).items())]:
            kind = _kind(part)
            if kind in _MEASURE_OF_KIND:
                space, _, operation = name.partition("_")
                found = (space, operation) if space in SPACES and operation in OPERATIONS else (kind, name)
                yield Group(path, *found, _MEASURE_OF_KIND[kind])


#: All groups of counts by their names, in the order of the schema.
GROUPS = {group.name: group for group in _groups()}
#: Counts of a launch that belong to no memory space, such as barriers.
NUMBERS = tuple(name for name, shape in _KERNEL.items() if _kind(shape) == "count" and name not in CONFIGURATION)
#: The keys of all counts of accesses.
KEYS = tuple(dict.fromkeys(key for measure in MEASURES.values() for key in measure.keys))
