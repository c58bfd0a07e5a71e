# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The finding of one check, before its points are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .result import Place


@dataclass(frozen=True)
class Finding:
    """See result.Check for the fields."""

    passed: bool
    seen: str = ""
    wanted: str = ""
    help: str = ""
    lines: tuple[Place, ...] = ()
    case: str | None = None
    picture: str | None = None
    drawing: str | None = None

    def words(self) -> dict[str, Any]:
        """Return all fields except ``passed`` by name."""
        return {name: value for name, value in vars(self).items() if name != "passed"}


def passed(seen: str = "") -> Finding:
    """Return the finding of a check that passes."""
    return Finding(True, seen)
