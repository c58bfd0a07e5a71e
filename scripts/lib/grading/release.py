# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What students get: the starter, the program that tries it, and the brief."""

from __future__ import annotations

from pathlib import Path

from console import USAGE, Stop

from .assignment import BRIEF, TRY, Assignment


def files(assignment: Assignment) -> dict[str, str]:
    """Return what is handed out, by the file's name."""
    given = {assignment.source.name: assignment.starter()}
    return given | {name: (assignment.folder / name).read_text(encoding="utf-8") for name in (TRY, BRIEF)}


def release(assignment: Assignment, folder: Path) -> list[Path]:
    """Write what is handed out into a new folder; return the files. Raises Stop if there is something."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Stop(f"{str(folder)!r} given, a folder that is new or empty is accepted", USAGE)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        made = []
        for name, text in files(assignment).items():
            made.append(folder / name)
            made[-1].write_text(text, encoding="utf-8")
    except OSError as error:
        raise Stop(f"{str(folder)!r} cannot be written: {error.strerror}", USAGE) from error
    return made
