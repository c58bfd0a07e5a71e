# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What tests of the grader share: its tools, the first assignment, and copies of it to change."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from conftest import REPOSITORY

from conflict_free.grading import assignment, sandbox
from conflict_free.grading.assignment import Assignment
from conflict_free.grading.building import Toolchain
from conflict_free.grading.judging import grade
from conflict_free.grading.result import Result

PADDING = REPOSITORY / "chapters" / "padding" / "assignment"
CONFINED = sandbox.available() is None


@functools.cache
def build_folder() -> Path:
    """The build folder whose tools are used, with the tools in it."""
    build = os.environ.get("CONFLICT_FREE_BUILD")
    assert build, "CONFLICT_FREE_BUILD is not set; CTest sets it to a build folder with the model"
    subprocess.run(["cmake", "--build", build, "--target", "grading_toolchain"], check=True, stdout=subprocess.DEVNULL)
    return Path(build)


@functools.cache
def padding() -> Assignment:
    """The first assignment."""
    return assignment.load("padding")


@functools.cache
def _answers() -> tempfile.TemporaryDirectory:
    """A folder with all answers of the first assignment but for cheats, until the tests end."""
    folder = tempfile.TemporaryDirectory(prefix="answers_")
    for answer in padding().answers:
        if not answer.is_cheat:
            Path(folder.name, f"{answer.name}.cu").write_text(padding().text_of(answer.name), encoding="utf-8")
    return folder


def answer_file(name: str) -> Path:
    """The file of an answer of the first assignment, whole."""
    return Path(_answers().name, f"{name}.cu")


def graded(path: Path, task: Assignment | None = None, **options) -> Result:
    """Grades a file."""
    return grade(task or padding(), path, tools=Toolchain.of(build_folder()), confined=CONFINED, **options)


def changed_copy(folder: Path, old: str = "", new: str = "", file: str = "task.toml") -> Path:
    """A copy of the first assignment's folder in which a text of a file is replaced."""
    made = folder / "assignment"
    shutil.copytree(PADDING, made)
    text = (made / file).read_text(encoding="utf-8")
    assert old in text
    (made / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return made
