# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""A folder of submissions, graded on all cores: scripts/grade run-all.

Each result is kept as soon as it is there, under a name made of all that it depends on. A run that was interrupted goes
on where it was, a second run grades what is new, and neither asks in which order the first one came by.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import json
import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from console import FAILED, INTERRUPTED, ROOT, USAGE, Stop, say

from . import exports
from .assignment import Assignment
from .result import Result, ResultFormatError
from .workers import carry_out_all

#: Where results are kept between runs. A folder for each assignment, a file for each result.
KEPT = ROOT / "build" / "grades"
_HEARTBEAT_SECONDS = 10.0
_SOURCE_SUFFIXES = (".cu", ".cpp", ".hpp", ".h", ".ipp", ".py", ".json", ".toml")


@dataclass(frozen=True)
class Submission:
    """A student's file. ``shown`` is its path inside the folder; the file need not exist."""

    student: str
    path: Path
    shown: str


@dataclass(frozen=True)
class Settings:
    """How to grade. ``gpu`` is the nvcc to time with, or None. ``grader`` is "module:function", called with these settings as
    JSON and one order; tests have their own.
    """

    name: str
    build: Path
    secret: str = ""
    confined: bool = True
    gpu: str | None = None
    grader: str = "grading.order:grade_order"

    def to_json(self) -> dict[str, Any]:
        """Return what a grader is told."""
        return {"name": self.name, "build": str(self.build), "secret": self.secret, "confined": self.confined, "gpu": self.gpu}


@dataclass
class Graded:
    """What became of a class: results and errors of the grader by student, and how many results were there before."""

    results: dict[str, Result] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    kept: int = 0


# --- what is handed in ---------------------------------------------------------------------------


def find(folder: Path, source: str) -> list[Submission]:
    """Return the submissions in a folder, by student: FOLDER/STUDENT.cu, or FOLDER/STUDENT/ with one .cu somewhere in it.

    In a student's folder with more than one, ``source`` is the name that counts. A student without a file has a
    submission that does not exist. Links are passed over: they could lead to the answers. Raises Stop.
    """
    found: dict[str, Submission] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.is_symlink():
            continue
        if path.is_dir():
            file = _file_of(path, source)
            student = path.name
        elif path.suffix == ".cu":
            file, student = path, path.stem
        else:
            continue
        student = _readable(student)
        submission = Submission(student, file, _readable(file.relative_to(folder).as_posix()))
        if student in found:
            raise Stop(f"student {student!r}: {found[student].shown} and {submission.shown} given, one of them is accepted", USAGE)
        found[student] = submission
    if not found:
        raise Stop(f"DIR: {str(folder)!r} given, a folder with STUDENT.cu or STUDENT/….cu is accepted", USAGE)
    return [found[student] for student in sorted(found)]


def _file_of(folder: Path, source: str) -> Path:
    files = [
        Path(place) / name
        for place, _, names in os.walk(folder) for name in sorted(names)
        if name.endswith(".cu") and not name.startswith(".") and stat.S_ISREG((Path(place) / name).lstat().st_mode)
    ]
    named = [path for path in files if path.name == source]
    for choice in (named, files):
        if len(choice) == 1:
            return choice[0]
    return folder / source


def _readable(name: str) -> str:
    """Return a name of the file system as text: what is no text in it is replaced."""
    return os.fsencode(name).decode("utf-8", "replace")


# --- what is kept --------------------------------------------------------------------------------


def fingerprint(assignment: Assignment, build: Path) -> str:
    """Return a digest of all that a result depends on beside the submission: assignment, grader, harness, model, compiler."""
    digest = hashlib.sha256()
    folders = (assignment.folder, Path(__file__).parent, ROOT / "common" / "include", ROOT / "common" / "src", ROOT / "common" / "simt")
    for number, folder in enumerate(folders):
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if path.suffix in _SOURCE_SUFFIXES and not {"tests", "__pycache__"} & set(inside.parts) and path.is_file():
                digest.update(f"{number} {inside.as_posix()}\0{_digest(path)}\n".encode())
    for path in (*sorted(build.glob("*_toolchain.json")), ROOT / "scripts" / "lib" / "count_program.py", ROOT / "requirements.lock"):
        digest.update(f"{path.name}\0{_digest(path)}\n".encode())
    digest.update(_state_of_compiler(build).encode())
    return digest.hexdigest()


def _state_of_compiler(build: Path) -> str:
    """Changes when the compiler of a build folder is another one; this machine's, as what is kept is."""
    try:
        compiler = shutil.which(json.loads((build / "model_toolchain.json").read_text(encoding="utf-8"))["compiler"])
        found = Path(compiler or "").resolve().stat()
        return f"{found.st_size} {found.st_mtime_ns}"
    except (OSError, ValueError, KeyError):
        return ""


def _digest(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            digest = hashlib.sha256()
            while block := file.read(1 << 20):
                digest.update(block)
            return digest.hexdigest()
    except OSError:
        return ""


class Store:
    """Results that are kept, for one assignment and one state of all that grades it."""

    def __init__(self, folder: Path, settings: Settings, state: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._settings, self._state = folder, settings, state

    def place(self, submission: Submission) -> Path:
        """Return the file for a result: another one as soon as anything that it depends on is another."""
        key = json.dumps([self._state, self._settings.to_json(), submission.student, submission.path.name, _digest(submission.path)])
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"

    def get(self, submission: Submission) -> Result | None:
        """Return the result if it is kept."""
        try:
            return Result.from_json(json.loads(self.place(submission).read_text(encoding="utf-8")))
        except (OSError, ValueError, ResultFormatError):
            return None


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all. Raises OSError."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


# --- grading -------------------------------------------------------------------------------------


def grade_class(
    assignment: Assignment, submissions: Iterable[Submission], settings: Settings, jobs: int, kept: Path = KEPT
) -> Graded:
    """Grade what is not kept, in any order. Ctrl+C ends it with Stop; what has been graded until then stays kept."""
    submissions = list(submissions)
    store = Store(kept / assignment.name, settings, fingerprint(assignment, settings.build))
    graded = Graded({submission.student: result for submission in submissions if (result := store.get(submission))})
    graded.kept = len(graded.results)
    missing = {submission.student: submission for submission in submissions if submission.student not in graded.results}
    orders = [
        {"student": student, "path": str(submission.path.absolute()), "place": str(store.place(submission))}
        for student, submission in missing.items()
    ]
    answers = carry_out_all(settings.grader, settings.to_json(), orders, jobs)
    try:
        with contextlib.closing(answers), _progress(len(submissions), graded.kept) as advance:
            for answer in answers:
                student = answer.order["student"]
                result = None if answer.error else store.get(missing[student])
                if result:
                    graded.results[student] = result
                else:
                    graded.errors[student] = answer.error or "it changed while it was graded"
                advance(f"{student}: {result.points} of {result.max_points}" if result else f"{student}: not graded")
    except KeyboardInterrupt:
        done = sum(store.get(submission) is not None for submission in submissions)
        raise Stop(f"interrupted; {done} of {len(submissions)} results are kept, and the same command goes on from there",
                   INTERRUPTED) from None
    return graded


@contextlib.contextmanager
def _progress(total: int, completed: int) -> Iterator:
    """Yield what to call after each submission: a bar on a terminal, else a line now and then."""
    out = Console()
    if out.is_terminal:
        columns = (TextColumn("Grade"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
        with Progress(*columns, console=out, transient=True) as progress:
            task = progress.add_task("", total=total, completed=completed)
            yield lambda last: progress.update(task, advance=1, description=last)
        return
    said, done = time.monotonic(), completed

    def advance(last: str) -> None:
        nonlocal said, done
        done += 1
        if time.monotonic() - said >= _HEARTBEAT_SECONDS:
            say(f"  {done} of {total} graded")
            said = time.monotonic()

    yield advance


# --- what is written -----------------------------------------------------------------------------


def csv_text(submissions: Iterable[Submission], graded: Graded) -> str:
    """Return the CSV of a class, by student."""
    rows, checks = [], {}
    for submission in sorted(submissions, key=lambda submission: submission.student):
        result = graded.results.get(submission.student)
        if result:
            rows.append({**exports.class_row(result), "submission": submission.shown})
            checks |= dict.fromkeys(check.name for check in result.checks)
        else:
            seen = graded.errors[submission.student]
            rows.append({"student": submission.student, "submission": submission.shown, "status": "error", "seen": seen})
    return exports.class_csv(rows, checks)


def summary(graded: Graded) -> Iterator[str]:
    """Yield the lines that are said at the end: how many, where they failed, who handed in the same, what was not graded."""
    results = graded.results
    if results:
        most = next(iter(results.values())).max_points
        mean = sum(result.points for result in results.values()) / len(results)
        yield f"{len(results)} graded, {graded.kept} of them before; mean {mean:.1f} of {most} points"
    failed = collections.Counter(result.first_failed.name if result.first_failed else "" for result in results.values())
    if failed:
        first = results[next(iter(results))].checks
        yield "first failed check: " + ", ".join(
            f"{name or 'none'} {failed[name]}" for name in ("", *(check.name for check in first)) if failed[name])
    same = collections.defaultdict(list)
    for student in sorted(results):
        same[results[student].sha256].append(student)
    for digest, students in sorted(same.items()):
        if len(students) > 1 and digest != hashlib.sha256(b"").hexdigest():
            yield f"the same file: {', '.join(students)}"
    for student, message in sorted(graded.errors.items()):
        yield f"not graded: {student}: {message}"


def write(submissions: list[Submission], graded: Graded, *, csv: Path, json_dir: Path | None = None,
          gradescope_dir: Path | None = None, junit: Path | None = None) -> None:
    """Write what was asked for: the CSV last, so that who has it has all of it. Raises Stop."""
    results = [graded.results[student] for student in sorted(graded.results)]
    files: dict[Path, str] = {}
    if json_dir:
        files |= {json_dir / f"{result.student}.json": result.to_text() for result in results}
    if gradescope_dir:
        files |= {gradescope_dir / str(result.student) / "results.json": exports.gradescope(result) for result in results}
    if junit:
        files[junit] = exports.junit(results, graded.errors)
    files[csv] = csv_text(submissions, graded)
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text)
        except OSError as error:
            raise Stop(f"{path}: cannot be written: {error.strerror}", USAGE) from error


def exit_code(graded: Graded) -> int:
    """0 if every submission was graded, whatever its points; 1 if the grader failed on one."""
    return FAILED if graded.errors else 0
