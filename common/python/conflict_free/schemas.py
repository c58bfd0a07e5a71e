# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""JSON schemas, and what of a value they do not accept."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs

from .model_files import REPORT_SCHEMA

#: The name by which other schemas refer to that of the model's reports.
REPORT = "urn:conflict-free-cuda:report.schema"


@dataclass(frozen=True, order=True)
class Misfit:
    """A part of a value that a schema does not accept: the names and numbers that lead to it, and what is wrong, in one line."""

    place: tuple[str, ...]
    text: str

    def at(self, between: str = "/") -> str:
        """Return the place in words."""
        return between.join(self.place) or "the top level"


class Schema:
    """A schema of the draft of 2020."""

    def __init__(self, schema: dict[str, Any]) -> None:
        """Raise ``jsonschema_rs.ValidationError`` if it is none. It may refer to the schema of the model's reports, by REPORT."""
        self._validator = jsonschema_rs.Draft202012Validator(schema, retriever=_retrieve)

    @classmethod
    @functools.cache
    def of(cls, path: Path) -> Schema:
        """Return the schema of a file, which is read once."""
        return cls(json.loads(path.read_text(encoding="utf-8")))

    def misfits(self, data: Any) -> list[Misfit]:
        """Return what the schema does not accept, what is nearest to the top level first."""
        try:
            found = [_reason(error) for error in self._validator.iter_errors(data)]
        except ValueError as error:  # a value that JSON does not have, such as a date of TOML
            return [Misfit((), str(error))]
        return sorted(Misfit(tuple(map(str, error.instance_path)), _short(error.message)) for error in found)


def _retrieve(name: str) -> dict[str, Any]:
    if name != REPORT:
        raise LookupError(f"a schema refers to {name!r}; accepted: {REPORT}")
    return json.loads(REPORT_SCHEMA.read_text(encoding="utf-8"))


def _short(message: str) -> str:
    """A message in one line, without the middle of a long one, where the value stands."""
    line = " ".join(message.split())
    return line if len(line) <= 300 else f"{line[:150]} … {line[-145:]}"


def _reason(error: jsonschema_rs.ValidationError) -> jsonschema_rs.ValidationError:
    """Of a value that no alternative accepts, what the alternative says that comes furthest, and of those one that has its type."""
    return max(_inner(error), key=lambda inner: (len(inner.instance_path), inner.kind.name != "type"), default=error)


def _inner(error: jsonschema_rs.ValidationError) -> Iterator[jsonschema_rs.ValidationError]:
    for alternative in getattr(error.kind, "context", ()):
        for inner in alternative:
            deeper = list(_inner(inner))
            yield from deeper or [inner]
