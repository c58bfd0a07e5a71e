"""A report in the form for tests: the launches of a kernel added up, and counts as attributes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import failing, launches, saved_report


class Counts(Mapping):
    """Counts as keys and as attributes, by their names in the report: ``counts.shared_load.conflicts``."""

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
    """The report of a program.

    ``data`` is the report in the form of ``--json``, ``hazards`` its hazards, ``errors`` the errors that ended the program early;
    ``exit_code`` is the program's own, ``output`` the output of the program and of the command.
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
        """Return the counted launches in order."""
        return [Counts(failing.names_of(kernel, self.data["machine"])) for kernel in self.data["kernels"]]

    def kernel(self, name: str) -> Counts:
        """Return the sums over all launches of a kernel. Raises KeyError, with the launched kernels, if there was no launch."""
        found = [kernel for kernel in self.data["kernels"] if kernel["name"] == name]
        if not found:
            names = ", ".join(sorted({kernel["name"] for kernel in self.data["kernels"]}))
            raise KeyError(f"no launch of {name!r} was counted; launched: {names or 'nothing'}")
        # A bound belongs to one launch, and not to a sum.
        machine = self.data["machine"] if len(found) == 1 else ""
        return Counts(failing.names_of(launches.sum_of(found), machine))


def read(path: Path, output: str) -> Report:
    """Return the report in a file. Raises Stop if the file is not a report."""
    return Report(saved_report.read(path), output)
