# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What a submission may contain: of its own text, and of what the compiler made of it.

Text admission reads the tokens of the submission before any preprocessor does. Object admission reads what the compiler
made: nothing in it may leave the functions that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grading.sandbox import Done

#: What the compiler needs to be told so that object admission can tell what code does. Options of the model besides.
COMPILE_OPTIONS: tuple[str, ...] = ()


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


def examine_text(text: str) -> list[Refusal]:
    """What in the submission's own text is not admitted, in the order of its lines."""
    return []


def confine(assembly: Path, confined: Path, function: str, run: Callable[[Sequence[str]], Done]) -> list[Refusal]:
    """Object admission: from what the compiler wrote with `-S` to an object that is ready to be linked with the driver.

    `function` is the name of the function that the driver calls. `run` runs a command in the sandbox, in the folder of
    both files. Refusals, or none; then `confined` is there.
    """
    done = run(["c++", "-c", "-o", str(confined), str(assembly)])
    return [] if done.returncode == 0 else [Refusal(None, "assembly", done.stderr.strip().splitlines()[0], "Report this: it is not your fault.")]
