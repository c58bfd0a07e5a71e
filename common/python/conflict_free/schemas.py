"""JSON schemas, and the parts of a value that a schema does not accept."""

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs

from .counts import report_schema

#: The name by which other schemas refer to that of the model's reports.
REPORT = "urn:conflict-free-cuda:report.schema"


@dataclass(frozen=True, order=True)
class Misfit:
    """A part of a value that a schema does not accept: the keys and indices that lead to it, and one line on the error."""

    place: tuple[str, ...]
    text: str

    def at(self, between: str = "/") -> str:
        """Return the place in words."""
        return between.join(self.place) or "the top level"


class Schema:
    """A JSON schema of draft 2020-12."""

    def __init__(self, schema: dict[str, Any]) -> None:
        """Compile a schema, which may refer to the schema of reports as REPORT. Raises ``jsonschema_rs.ValidationError`` if it is invalid."""
        self._validator = jsonschema_rs.Draft202012Validator(schema, retriever=_retrieve)

    @classmethod
    @functools.cache
    def of(cls, path: Path) -> "Schema":
        """Return the schema in a file. Each file is read once."""
        return cls(json.loads(path.read_text(encoding="utf-8")))

    def misfits(self, data: Any) -> list[Misfit]:
        """Return the parts of a value that the schema does not accept, the outermost first."""
        try:
            found = [_reason(error) for error in self._validator.iter_errors(data)]
        except ValueError as error:  # JSON has no such value, for example a date of TOML
            return [Misfit((), str(error))]
        return sorted(Misfit(tuple(map(str, error.instance_path)), _short(error.message)) for error in found)


def _retrieve(name: str) -> dict[str, Any]:
    if name != REPORT:
        raise LookupError(f"a schema refers to {name!r}; accepted: {REPORT}")
    return report_schema()


def _short(message: str) -> str:
    """Return a message as one line. A long message loses its middle, which repeats the value."""
    line = " ".join(message.split())
    return line if len(line) <= 300 else f"{line[:150]} … {line[-145:]}"


def _reason(error: jsonschema_rs.ValidationError) -> jsonschema_rs.ValidationError:
    """Return the error of the alternative that fits a value best: its error is the innermost, and is not about the type."""
    return max(_inner(error), key=lambda inner: (len(inner.instance_path), inner.kind.name != "type"), default=error)


def _inner(error: jsonschema_rs.ValidationError) -> Iterator[jsonschema_rs.ValidationError]:
    for alternative in getattr(error.kind, "context", ()):
        for inner in alternative:
            deeper = list(_inner(inner))
            yield from deeper or [inner]
