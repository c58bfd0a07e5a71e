"""Shared parts of the grader's tests: the built tools, the assignment padding, changed copies of it, and the command."""

import functools
import os
import shutil
import subprocess
import sys
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
#: The command scripts/grade.
GRADE = (sys.executable, str(REPOSITORY / "scripts" / "grade"))


def build_folder() -> Path:
    """Return the build folder, in which the target `grading_toolchain` is built."""
    build = os.environ.get("CONFLICT_FREE_BUILD")
    assert build, "CONFLICT_FREE_BUILD is not set; CTest sets it to a build folder with the model"
    return Path(build)


def tools() -> list[object]:
    """Return the options of scripts/grade that name the built tools. Without a sandbox, they say so: the submissions are our own."""
    return ["--build-dir", build_folder(), *([] if CONFINED else ["--no-sandbox"])]


def run_grade(*arguments: object, code: int | None = None, **options) -> subprocess.CompletedProcess:
    """Run scripts/grade, and compare its exit code with `code` if it is given."""
    done = subprocess.run([*GRADE, *map(str, arguments)], capture_output=True, text=True, **options)
    assert code in (None, done.returncode), done.stderr
    return done


@functools.cache
def padding() -> Assignment:
    """Return the assignment that most tests use."""
    return assignment.load("padding")


@functools.cache
def _answers() -> tempfile.TemporaryDirectory:
    """Write all answers of padding into a folder that exists until the tests end."""
    folder = tempfile.TemporaryDirectory(prefix="answers_")
    for answer in padding().answers:
        Path(folder.name, f"{answer.name}.cu").write_text(padding().text_of(answer.name), encoding="utf-8")
    return folder


def answer_file(name: str) -> Path:
    """Return the file of an answer of padding."""
    return Path(_answers().name, f"{name}.cu")


def graded(path: Path, task: Assignment | None = None, **options) -> Result:
    """Grade a file with the built tools."""
    return grade(task or padding(), path, tools=Toolchain.of(build_folder()), confined=CONFINED, **options)


def changed_copy(folder: Path, old: str = "", new: str = "", file: str = "task.toml") -> Path:
    """Return a copy of padding's folder in which a text of a file is replaced."""
    made = folder / "assignment"
    shutil.copytree(PADDING, made)
    text = (made / file).read_text(encoding="utf-8")
    assert old in text
    (made / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return made
