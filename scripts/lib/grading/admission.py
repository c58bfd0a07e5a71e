# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What a submission may contain: of its own text, and of what the compiler made of it.

Text admission reads the tokens of the submission before any preprocessor does. Object admission reads what the compiler
made: nothing in it may leave the functions that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from grading import assembly as read_assembly
from grading.machine import readable_code
from grading.refusal import Refusal
from grading.sandbox import Done
from grading.text_admission import examine_text

__all__ = ["COMPILE_OPTIONS", "Refusal", "confine", "examine_text"]

#: What the compiler needs to be told so that object admission can tell what code does. Options of the model besides.
COMPILE_OPTIONS: tuple[str, ...] = read_assembly.COMPILE_OPTIONS if readable_code() else ()


def confine(assembly: Path, confined: Path, function: str, run: Callable[[Sequence[str]], Done]) -> list[Refusal]:
    """Object admission: from what the compiler wrote with `-S` to an object that is ready to be linked with the driver.

    `function` is the name of the function that the driver calls. `run` runs a command in the sandbox, in the folder of
    both files. Refusals, or none; then `confined` is there.
    """
    source = assembly
    if readable_code():
        found = read_assembly.Confinement(assembly.read_text(encoding="utf-8", errors="replace"), function)
        if found.refusals:
            return found.refusals
        source = assembly.with_suffix(".confined.s")
        source.write_text(found.text, encoding="utf-8")
    done = run(["c++", "-c", "-o", str(confined), str(source)])
    if done.returncode == 0 and not done.stopped_by:
        return []
    lines = done.stderr.strip().splitlines()
    return [Refusal(None, "code that cannot be assembled", lines[-1] if lines else f"the assembler was stopped: {done.stopped_by}",
                    "Leave out what has unusual names; if there is none, the mistake is ours.")]
