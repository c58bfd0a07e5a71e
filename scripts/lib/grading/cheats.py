# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The cheats: submissions that try to forge a verdict. Each is a template that fits every assignment."""

from __future__ import annotations

from pathlib import Path

from .assignment import CHEATS, Assignment

_DECLARATION, _SOLUTION = "GRADED_DECLARATION", "GRADED_SOLUTION"


def names() -> list[str]:
    """Return the names of all cheats."""
    return sorted(path.stem for path in CHEATS.glob("*.cu"))


def made_for(task: Assignment, name: str) -> str:
    """Return the text of a cheat for an assignment: with the declaration of its function, or the whole solution, in place."""
    text = (CHEATS / f"{name}.cu").read_text(encoding="utf-8")
    return text.replace(_DECLARATION, task.declaration).replace(_SOLUTION, task.solution())


def write(task: Assignment, name: str, folder: Path) -> Path:
    """Write the cheat for an assignment into ``folder``; returns the file."""
    path = folder / f"{name}.cu"
    path.write_text(made_for(task, name), encoding="utf-8")
    return path
