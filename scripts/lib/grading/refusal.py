# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What admission has to say against a submission."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """One thing that a submission may not contain.

    `line` counts from 1 and is None where there is none; `kind` is what it is called, such as "inline assembly";
    `message` says in one line what was seen; `help` is one sentence for the student.
    """

    line: int | None
    kind: str
    message: str
    help: str
