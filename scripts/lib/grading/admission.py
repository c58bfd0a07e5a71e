# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What a submission may contain: of its own text, and of what the compiler made of it.

Text admission reads the tokens of the submission before any preprocessor does. Object admission reads what the compiler
made: nothing in it may leave the functions that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from grading.refusal import Refusal
from grading.sandbox import Done
from grading.text_admission import examine_text

__all__ = ["COMPILE_OPTIONS", "Refusal", "confine", "examine_text"]

#: What the compiler needs to be told so that object admission can tell what code does. Options of the model besides.
COMPILE_OPTIONS: tuple[str, ...] = ()


def confine(assembly: Path, confined: Path, function: str, run: Callable[[Sequence[str]], Done]) -> list[Refusal]:
    """Object admission: from what the compiler wrote with `-S` to an object that is ready to be linked with the driver.

    `function` is the name of the function that the driver calls. `run` runs a command in the sandbox, in the folder of
    both files. Refusals, or none; then `confined` is there.
    """
    done = run(["c++", "-c", "-o", str(confined), str(assembly)])
    return [] if done.returncode == 0 else [Refusal(None, "assembly", done.stderr.strip().splitlines()[0], "Report this: it is not your fault.")]
