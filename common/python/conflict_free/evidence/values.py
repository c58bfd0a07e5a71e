"""Numbers with their provenance, and comparisons of numbers."""

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .metrics import format_number
from .names import ResultError


@dataclass(frozen=True)
class Value:
    """A number or word with its provenance.

    ``default_format`` is used when the caller gives none; ``provenance`` is one line for a reader. ``stale`` says that it was
    measured with another text of the kernel.
    """

    number: float | str
    provenance: str
    default_format: str = ""
    stale: bool = False

    def text(self, spec: str = "") -> str:
        """Return the value for readers. Raises ResultError if the format does not fit."""
        if isinstance(self.number, str):
            if spec:
                raise ResultError(f"format {spec!r} given for {self.number!r}, which is not a number")
            return self.number
        return format_number(self.number, spec or self.default_format)


@dataclass(frozen=True)
class Comparison:
    """Two values side by side: whether ``left`` and ``right`` stand as ``sign`` says, and one line of provenance.

    ``stale`` tells that one of them was measured with another text of the kernel.
    """

    holds: bool
    left: str
    sign: str
    right: str
    provenance: str
    stale: bool = False

    @property
    def values(self) -> str:
        """Return the two values with the sign between them."""
        return f"{self.left} {self.sign} {self.right}"

    @property
    def shown(self) -> str:
        """Return the values and their provenance."""
        return f"{self.values}. {self.provenance}"


def describe(provenance: dict[str, Any]) -> str:
    """Return one line that names the machine, its software, the date and the commit of a result."""
    several = f"{provenance['gpus']} × " if "gpus" in provenance else ""
    nccl = f"NCCL {provenance['nccl']}, " if "nccl" in provenance else ""
    return (
        f"{several}{provenance['gpu']}, driver {provenance['driver']}, CUDA {provenance['toolkit']}, {nccl}"
        f"{provenance['date'][:10]}, commit {provenance['commit'][:10]}"
    )


def describe_all(provenances: Iterable[dict[str, Any]]) -> str:
    """Return one line that names the machines of several results, each machine with all dates and commits."""
    runs: dict[tuple[str, str], list[str]] = {}
    for provenance in provenances:
        line = describe(provenance)
        run = f"{provenance['date'][:10]}, commit {provenance['commit'][:10]}"
        runs.setdefault(line.removesuffix(run), []).append(run)
    return "; ".join(machine + " and ".join(sorted(set(found))) for machine, found in runs.items())


def where_it_ran(row: dict[str, Any], provenance: dict[str, Any]) -> str:
    """Return where a row ran, if that was not the GPU."""
    if "ranks" in row["time"]:
        return "the slowest GPU of each sample"
    return f"on the host, {provenance.get('cpu', 'its processor unknown')}" if "host" in row["time"] else ""


#: Comparisons of a claim, longest first so that ``>=`` is not read as ``>``.
COMPARISONS = {">=": operator.ge, "<=": operator.le, "==": operator.eq, ">": operator.gt, "<": operator.lt}
