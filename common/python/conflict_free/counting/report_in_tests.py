# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""A report as tests look at it: the launches of a kernel together, and counts as attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import failing, launches, saved_report


class Counts(Mapping):
    """Counts, by their names in the report, as keys and as attributes: ``counts.shared_load.conflicts``."""

    def __init__(self, values: Mapping[str, Any]):
        self._values = {name: Counts(value) if isinstance(value, Mapping) else value for name, value in values.items()}

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"{name!r} is not counted; accepted: {', '.join(self.__dict__.get('_values', ()))}") from None

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Counts({self._values!r})"


@dataclass(frozen=True)
class Report:
    """What a program did.

    ``data`` is the report as ``--json`` writes it, ``hazards`` its hazards and ``errors`` what kept the program from its end;
    ``exit_code`` is the program's own, ``output`` what it and the command have printed.
    """

    data: dict
    output: str

    @property
    def exit_code(self) -> int:
        return self.data["exit_code"]

    @property
    def hazards(self) -> list[dict]:
        return self.data["hazards"]

    @property
    def errors(self) -> list[dict]:
        return self.data.get("errors", [])

    @property
    def launches(self) -> list[Counts]:
        """Each launch that was counted, in order."""
        return [Counts(failing.names_of(kernel)) for kernel in self.data["kernels"]]

    def kernel(self, name: str) -> Counts:
        """Return the sums of all launches of a kernel. Raises KeyError, with the names that there are, if there was none."""
        found = [kernel for kernel in self.data["kernels"] if kernel["name"] == name]
        if not found:
            names = ", ".join(sorted({kernel["name"] for kernel in self.data["kernels"]}))
            raise KeyError(f"no launch of {name!r} was counted; launched: {names or 'nothing'}")
        return Counts(failing.names_of(launches.sum_of(found)))


def read(path: Path, output: str) -> Report:
    """Return the report in a file. Raises Stop if it is none."""
    return Report(saved_report.read(path), output)
