"""Grades a folder of submissions on all cores: scripts/grade run-all.

Each result is written at once, under a name that is a digest of all inputs. So an interrupted run continues where it stopped, and
a second run grades only what has changed. The order of grading has no effect.
"""

import collections
import contextlib
import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from conflict_free.console import FAILED, INTERRUPTED, ROOT, USAGE, Stop, say
from conflict_free.whole_files import write_asked

from . import exports, sources
from .assignment import Assignment
from .building import Toolchain
from .handed_in import Submission
from .result import Result, ResultFormatError
from .shards import Part
from .sources import Source
from .workers import carry_out_all

#: Results are kept here between runs: a folder for each assignment, a file for each result.
KEPT = ROOT / "build" / "grades"
_HEARTBEAT_SECONDS = 10.0
_SOURCE_SUFFIXES = (".cu", ".cuh", ".cpp", ".hpp", ".h", ".py", ".json", ".toml", ".map")
_LONGEST_NAME = 200


@dataclass(frozen=True)
class Settings:
    """How to grade. ``gpu`` is the nvcc for timing, or None. ``grader`` is "module:function"; it is called with these settings as
    JSON and one order. Tests have graders of their own.
    """

    name: str
    build: Path
    secret: str = ""
    confined: bool = True
    gpu: str | None = None
    grader: str = "conflict_free.grading.order:grade_order"

    def to_json(self) -> dict[str, Any]:
        """Return the settings that a grader receives."""
        return {"name": self.name, "build": str(self.build), "secret": self.secret, "confined": self.confined, "gpu": self.gpu}

    def shared(self) -> dict[str, Any]:
        """Return the settings that must agree on all machines that grade shares of a class."""
        return {"name": self.name, "secret": self.secret, "confined": self.confined, "timed": self.gpu is not None}


@dataclass
class Graded:
    """The outcome for a class: results and errors of the grader by student, and how many results are from an earlier run."""

    results: dict[str, Result] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    kept: int = 0


# --- what is kept --------------------------------------------------------------------------------


def state_of_grader(assignment: Assignment) -> str:
    """Return a digest of all sources that a result depends on: assignment, grader, harness, model. It is the same on all machines."""
    digest = hashlib.sha256()
    folders = (assignment.folder, Path(__file__).parent, *(ROOT / "common" / name for name in ("harness", "model")))
    for number, folder in enumerate(folders):
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            if path.suffix in _SOURCE_SUFFIXES and not {"tests", "__pycache__"} & set(inside.parts) and path.is_file():
                digest.update(f"{number} {inside.as_posix()}\0{_digest(path)}\n".encode())
    digest.update(_digest(ROOT / "requirements.lock").encode())
    return digest.hexdigest()


def fingerprint(assignment: Assignment, build: Path) -> str:
    """Return a digest of the sources and the built tools that a result on this machine depends on."""
    state = [state_of_grader(assignment)]
    try:
        tools = Toolchain.of(build)
        built = (tools.judge, *map(Path, tools.libraries), *sorted(tools.runtime.iterdir()))
        state += [*tools.marks(), *(f"{path.name} {_digest(path)}" for path in built)]
    except (OSError, ValueError, KeyError) as error:
        raise Stop(f"--build-dir {build}: its tools cannot be read: {error}", USAGE) from error
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()


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
    """The kept results of one assignment in one state of the grader."""

    def __init__(self, folder: Path, settings: Settings, state: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._settings, self._state = folder, settings, state

    def place(self, student: str, source: Source) -> Path:
        """Return the file for a result. Its name changes whenever an input changes."""
        key = json.dumps([self._state, self._settings.to_json(), student, source.name, source.sha256, source.wrong])
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"

    def get(self, place: Path) -> Result | None:
        """Return the result if it is kept."""
        try:
            return Result.from_json(json.loads(place.read_text(encoding="utf-8")))
        except (OSError, ValueError, ResultFormatError):
            return None


# --- grading -------------------------------------------------------------------------------------


def grade_class(assignment: Assignment, submissions: Iterable[Submission], settings: Settings, jobs: int, kept: Path = KEPT) -> Graded:
    """Grade the submissions without a kept result, in any order. Ctrl+C raises Stop; finished results stay kept."""
    store = Store(kept / assignment.name, settings, fingerprint(assignment, settings.build))
    graded, places, orders = Graded(), {}, []
    for submission in submissions:
        source = submission.read()
        place = places[submission.student] = store.place(submission.student, source)
        if result := store.get(place):
            graded.results[submission.student] = result
        else:
            orders.append({"submission": submission.to_json(), "place": str(place), "sha256": source.sha256, "wrong": source.wrong})
    graded.kept = len(graded.results)
    answers = carry_out_all(settings.grader, settings.to_json(), orders, jobs)
    try:
        with contextlib.closing(answers), _progress(len(places), graded.kept) as advance:
            for answer in answers:
                student = answer.order["submission"]["student"]
                result = None if answer.error else store.get(places[student])
                if result:
                    graded.results[student] = result
                else:
                    graded.errors[student] = answer.error or "its result is gone"
                advance(f"{student}: {result.points} of {result.max_points}" if result else f"{student}: not graded")
    except KeyboardInterrupt:
        done = sum(store.get(place) is not None for place in places.values())
        raise Stop(f"interrupted; {done} of {len(places)} results are kept, and the same command goes on from there", INTERRUPTED) from None
    return graded


@contextlib.contextmanager
def _progress(total: int, completed: int) -> Iterator:
    """Yield a function to call after each submission. It moves a bar on a terminal, and else prints a line now and then."""
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


def csv_text(submissions: Iterable[Submission], graded: Graded, part: Part | None = None) -> str:
    """Return the CSV of a class by student; that of a share has one more column for merging."""
    rows, checks = [], {}
    for submission in sorted(submissions, key=lambda submission: submission.student):
        result = graded.results.get(submission.student)
        if result:
            row = {**exports.class_row(result), "submission": submission.shown}
            checks |= dict.fromkeys(check.name for check in result.checks)
        else:
            seen = graded.errors[submission.student]
            row = {"student": submission.student, "submission": submission.shown, "status": "error", "seen": seen}
        rows.append({**row, part.header: part.places[submission.student]} if part else row)
    return exports.class_csv(rows, [*checks, *([part.header] if part else [])])


def same_files(files: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a line for each file that several students have handed in. ``files`` are pairs of student and digest."""
    same = collections.defaultdict(list)
    for student, digest in files:
        same[digest].append(student)
    for digest, students in sorted(same.items()):
        if len(students) > 1 and digest not in ("", sources.NOTHING):
            yield f"the same file: {', '.join(students)}"


def summary(graded: Graded) -> Iterator[str]:
    """Yield the last lines of a run: how many were graded, which checks failed, which files are equal, what was not graded."""
    results = graded.results
    if results:
        most = next(iter(results.values())).max_points
        mean = sum(result.points for result in results.values()) / len(results)
        yield f"{len(results)} graded, {graded.kept} of them before; mean {mean:.1f} of {most} points"
    failed = collections.Counter(result.first_failed.name if result.first_failed else "" for result in results.values())
    if failed:
        first = results[next(iter(results))].checks
        yield "first failed check: " + ", ".join(
            f"{name or 'none'} {failed[name]}" for name in ("", *(check.name for check in first)) if failed[name]
        )
    yield from same_files((student, results[student].sha256) for student in sorted(results))
    for student, message in sorted(graded.errors.items()):
        yield f"not graded: {student}: {message}"


def _file_name(student: str) -> str:
    """Return the student's name as the name of a file, with room for a suffix."""
    data = student.encode()
    if len(data) <= _LONGEST_NAME:
        return student
    return data[:_LONGEST_NAME].decode("utf-8", "ignore") + "~" + hashlib.sha256(data).hexdigest()[:8]


def write(
    submissions: Iterable[Submission],
    graded: Graded,
    *,
    csv: Path,
    json_dir: Path | None = None,
    gradescope_dir: Path | None = None,
    junit: Path | None = None,
    part: Part | None = None,
) -> None:
    """Write the files that the options name. The CSV comes last: if it exists, all other files do. Raises Stop."""
    results = {_file_name(student): graded.results[student] for student in sorted(graded.results)}
    files: dict[Path, str] = {}
    if json_dir:
        files |= {json_dir / f"{name}.json": result.to_text() for name, result in results.items()}
    if gradescope_dir:
        files |= {gradescope_dir / name / "results.json": exports.gradescope(result) for name, result in results.items()}
    if junit:
        files[junit] = exports.junit(results.values(), graded.errors)
    files[csv] = csv_text(submissions, graded, part)
    for path, text in files.items():
        write_asked(path, text)


def exit_code(graded: Graded) -> int:
    """Return 0 if every submission was graded, whatever its points; 1 if the grader failed on one."""
    return FAILED if graded.errors else 0
