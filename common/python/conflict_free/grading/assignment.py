# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""An assignment as its folder ``chapters/SLUG/assignment`` describes it in ``task.toml`` (task.schema.json)."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from conflict_free.console import ROOT, USAGE, Stop
from conflict_free.schemas import Schema

from . import answer_texts, regions
from .answer_texts import CHANGES, SOLUTION, STARTER, Change, ChangeError, tomllib
from .command_line import assignment_names as names
from .result import COUNTS, FAST, GATES

CHAPTERS = ROOT / "chapters"
FOLDER = "assignment"
TASK = "task.toml"
SCHEMA = Path(__file__).with_name("task.schema.json")
#: Templates of submissions for every assignment, see ``Answer.is_cheat``. Those in the folder itself try to forge a verdict. Those
#: by meaning obey the letter of the checks without doing the task; they are filled with the assignment's ``slow.cu``.
CHEATS = Path(__file__).with_name("cheats")
CHEATS_BY_MEANING = CHEATS / "by_meaning"
DEFAULT_MACHINE = "sm_90"

#: Every assignment folder has these files beside task.toml, its source and its answers.
DRIVER, TRY, REFERENCE, BRIEF = "driver.cu", "try.cu", "reference.py", "brief.rst"
#: The task done without its lessons. An assignment that lists a cheat by meaning needs this file.
SLOW = "slow.cu"


class AssignmentError(Stop):
    """An assignment is missing or malformed. The message is one line: what, given, accepted."""

    def __init__(self, message: str) -> None:
        super().__init__(message, USAGE)


@dataclass(frozen=True)
class Limits:
    """The resources that one case of a submission may use."""

    seconds: float = 10.0
    memory_megabytes: int = 1024
    output_kilobytes: int = 64


@dataclass(frozen=True)
class Movement:
    """How many bytes may move in one case without a kernel's accesses to memory.

    ``bytes_to_host``, ``bytes_to_device`` and ``bytes_within_device`` limit copies, ``bytes_set`` limits cudaMemset, and
    ``parameter_bytes`` limits the arguments of one launch.
    """

    bytes_to_host: int = 0
    bytes_to_device: int = 1024
    bytes_within_device: int = 0
    bytes_set: int = 1024
    parameter_bytes: int = 256


@dataclass(frozen=True)
class KernelWork:
    """What kernels have to do themselves, as expressions of a case's parameters.

    ``loads`` says by the input's name how many of its bytes kernels have to load; an input that it does not name is loaded whole.
    ``memory_instructions`` is the largest number of warp-level instructions that access memory: a program with more of them lets
    few lanes take part in each. ``atomics`` is the largest number of atomic operations among them. ``busiest_instructions`` is the
    largest number of such instructions of one multiprocessor, if blocks are spread evenly: a program with more of them leaves
    multiprocessors without work.
    """

    loads: Mapping[str, str] = field(default_factory=dict)
    memory_instructions: str | None = None
    busiest_instructions: str | None = None
    atomics: str = "64"


@dataclass(frozen=True)
class Range:
    """The whole numbers from which one is drawn: ``first``, ``first + step`` and so on, none above ``last``."""

    first: int
    last: int
    step: int = 1


@dataclass(frozen=True)
class Case:
    """The sizes of one run. Students see the sizes of a visible case, and only the number of the hidden ones."""

    name: str
    parameters: Mapping[str, int | Range]
    visible: bool = False


@dataclass(frozen=True)
class Threshold:
    """The largest (``is_upper``) or smallest value of ``count`` that passes, in every case. Both sides are expressions.

    ``after`` is the check of an earlier threshold, or None. Where that check fails, this one is not made.
    """

    name: str
    count: str
    limit: str
    is_upper: bool
    points: int
    help: str
    after: str | None = None

    @property
    def check(self) -> str:
        """Name of its check."""
        return COUNTS + self.name


@dataclass(frozen=True)
class Outcome:
    """What a submission must score: its points, its first failed check or "", and words that this check's message must contain."""

    points: int
    fails: str
    says: str = ""


@dataclass(frozen=True)
class Answer:
    """A submission whose outcome is known: a file of the assignment, a change in answers.toml, or a cheat."""

    name: str
    #: None for a change.
    path: Path | None
    is_cheat: bool
    expected: Outcome


@dataclass(frozen=True)
class Assignment:
    """One assignment. ``name`` is the chapter's slug; see task.schema.json for the other fields."""

    name: str
    folder: Path
    title: str
    summary: str
    minutes: int
    source: Path
    function: str
    declaration: str
    machine: str
    points: Mapping[str, int]
    limits: Limits
    movement: Movement
    kernels: KernelWork
    cases: tuple[Case, ...]
    thresholds: tuple[Threshold, ...]
    hints: tuple[str, ...]
    starter_expected: Outcome
    answers: tuple[Answer, ...]
    changes: Mapping[str, Change]
    minimum_gpu_ratio: float | None
    gpu_case: Case | None

    @property
    def driver(self) -> Path:
        """The assignment's host program, which calls the submission's function."""
        return self.folder / DRIVER

    @property
    def max_points(self) -> int:
        """The points of a solution that is graded without a GPU."""
        return sum(self.points[name] for name in GATES) + sum(threshold.points for threshold in self.thresholds)

    def starter(self) -> str:
        """Return the source that students receive."""
        return self._made(regions.starter)

    def solution(self) -> str:
        """Return the source with the solution."""
        return self._made(regions.solution)

    def outcomes(self) -> dict[str, Outcome]:
        """Return what the starter, the solution and each answer must score."""
        return {
            STARTER: self.starter_expected,
            SOLUTION: Outcome(self.max_points, ""),
            **{answer.name: answer.expected for answer in self.answers},
        }

    def text_of(self, name: str) -> str:
        """Return the text of the starter, the solution or an answer. Raises AssignmentError."""
        if name in (STARTER, SOLUTION):
            return self.starter() if name == STARTER else self.solution()
        answer = next((answer for answer in self.answers if answer.name == name), None)
        if answer is None:
            raise AssignmentError(f"answer of assignment {self.name}: {name!r} given, one of {', '.join(self.outcomes())} is accepted")
        if answer.is_cheat:
            return self.filled(answer.path)
        if answer.path:
            try:
                return answer.path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise AssignmentError(f"{answer.path.name} of assignment {self.name}: {error}") from error
        change = self.changes[name]
        try:
            return answer_texts.changed(change, self.text_of(change.base))
        except ChangeError as error:
            raise AssignmentError(f"{CHANGES} of assignment {self.name}: {error}") from error

    def filled(self, cheat: Path) -> str:
        """Return the text of a cheat for this assignment. Raises AssignmentError."""
        return answer_texts.filled(
            cheat.read_text(encoding="utf-8"),
            declaration=self.declaration,
            function=self.function,
            solution=self.solution(),
            slow=self.folder / SLOW,
        )

    def reference(self) -> ModuleType:
        """Return the module reference.py: inputs(case, random), outputs(case, inputs), TOLERANCE. Raises AssignmentError."""
        path = self.folder / REFERENCE
        spec = importlib.util.spec_from_file_location(f"conflict_free_reference_{self.name}", path)
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # reference.py may raise anything
            raise AssignmentError(f"{path.name} of assignment {self.name}: {type(error).__name__}: {error}") from error
        for name in ("inputs", "outputs", "TOLERANCE"):
            if not hasattr(module, name):
                raise AssignmentError(f"{path.name} of assignment {self.name} has no {name}; inputs, outputs and TOLERANCE are needed")
        return module

    def _made(self, make) -> str:
        try:
            return make(self.source.read_text(encoding="utf-8"), self.source.name)
        except regions.RegionError as error:
            raise AssignmentError(f"assignment {self.name}: {error}") from error


def load(name: str) -> Assignment:
    """Return the assignment of a chapter. Raises AssignmentError."""
    known = names()
    if name not in known:
        raise AssignmentError(f"assignment: {name!r} given, one of {', '.join(known) or 'none yet'} is accepted")
    return load_folder(CHAPTERS / name / FOLDER, name)


def load_folder(folder: Path, name: str) -> Assignment:
    """Return the assignment in a folder. Raises AssignmentError."""
    try:
        task = tomllib.loads((folder / TASK).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AssignmentError(f"{TASK} of assignment {name}: {error}") from error
    for complaint in (*_misshapen(task), *_contradictions(task), *_missing_files(task, folder)):
        raise AssignmentError(f"{TASK} of assignment {name}: {complaint}")
    try:
        changes = answer_texts.read_changes(folder)
    except ChangeError as error:
        raise AssignmentError(f"{CHANGES} of assignment {name}: {error}") from error
    for complaint in _unfit_changes(task, changes):
        raise AssignmentError(f"{CHANGES} of assignment {name}: {complaint}")
    made = _made_of(task, changes, folder, name)
    for change in changes:
        made.text_of(change)
    return made


# --- what task.toml may say ----------------------------------------------------------------------


def _misshapen(task: Any) -> Iterator[str]:
    for misfit in Schema.of(SCHEMA).misfits(task):
        yield f"{misfit.at('.')}: {misfit.text}"


def _contradictions(task: dict[str, Any]) -> Iterator[str]:
    """Yield the contradictions that the schema cannot express."""
    if task["function"] not in task["declaration"]:
        yield f"declaration: {task['declaration']!r} given, one of the function {task['function']} is accepted"
    for kind in ("cases", "thresholds"):
        found = [entry["name"] for entry in task[kind]]
        if len(set(found)) != len(found):
            yield f"{kind}: {', '.join(found)} given, names that differ are accepted"
    parameters = [tuple(sorted(_parameters(case))) for case in (*task["cases"], *([task["gpu"]] if "gpu" in task else []))]
    if len(set(parameters)) != 1:
        yield "cases: parameters that differ given, the same ones in every case (and in [gpu]) are accepted"
    if not any(case.get("visible") for case in task["cases"]) or all(case.get("visible") for case in task["cases"]):
        yield "cases: at least one visible and one hidden case are needed"
    for case in task["cases"]:
        for name, value in _parameters(case).items():
            if isinstance(value, dict) and value["to"] < value["from"]:
                yield f"cases.{case['name']}.{name}: to = {value['to']} given, from = {value['from']} or more is accepted"
    earlier: list[str] = []
    for threshold in task["thresholds"]:
        if "after" in threshold and threshold["after"] not in earlier:
            yield f"thresholds.{threshold['name']}.after: {threshold['after']!r} given, an earlier threshold is accepted"
        earlier.append(threshold["name"])
    if task["points"].get("fast") and not ("gpu" in task and "minimum_gpu_ratio" in task):
        yield "points.fast: given without [gpu] and minimum_gpu_ratio"
    checks = ["", *GATES, *(COUNTS + threshold["name"] for threshold in task["thresholds"]), FAST]
    for entry in (task["starter"], *task["answers"]):
        if entry["fails"] not in checks:
            yield f"fails: {entry['fails']!r} given, one of {', '.join(map(repr, checks))} is accepted"


def _missing_files(task: dict[str, Any], folder: Path) -> Iterator[str]:
    answers = [f"answers/{entry['file']}" for entry in task["answers"] if "file" in entry]
    cheats = [_cheat(entry["cheat"]) for entry in task["answers"] if "cheat" in entry]
    slow = [SLOW] if any(path.parent == CHEATS_BY_MEANING for path in cheats) else []
    for name in (task["source"], DRIVER, TRY, REFERENCE, BRIEF, *slow, *answers):
        if not (folder / name).is_file():
            yield f"there is no file {name} beside it"
    for path in cheats:
        if not path.is_file():
            yield f"cheat: {path.stem!r} given, a file of {CHEATS.name}/ without its ending is accepted"
    listed = {Path(name).name for name in answers}
    for path in sorted((folder / "answers").glob("*")):
        if path.name not in listed:
            yield f"answers/{path.name} is not listed in it"


def _unfit_changes(task: dict[str, Any], changes: Mapping[str, Change]) -> Iterator[str]:
    """Yield the names that only one of answers.toml and task.toml has, and names that are used twice."""
    listed = {entry["change"] for entry in task["answers"] if "change" in entry}
    for name in sorted(listed - changes.keys()):
        yield f"there is no [{name}], which {TASK} lists"
    for name in sorted(changes.keys() - listed):
        yield f"[{name}] is not listed in {TASK}"
    yield from answer_texts.misplaced(changes, {Path(entry["file"]).stem for entry in task["answers"] if "file" in entry})


# --- from text to objects ------------------------------------------------------------------------


def _parameters(case: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in case.items() if name not in ("name", "visible")}


def _case(entry: dict[str, Any]) -> Case:
    parameters = {
        name: Range(value["from"], value["to"], value.get("step", 1)) if isinstance(value, dict) else value
        for name, value in _parameters(entry).items()
    }
    return Case(entry["name"], parameters, entry.get("visible", False))


def _threshold(entry: dict[str, Any]) -> Threshold:
    is_upper = "at_most" in entry
    limit = entry["at_most" if is_upper else "at_least"]
    after = COUNTS + entry["after"] if "after" in entry else None
    return Threshold(entry["name"], entry["count"], limit, is_upper, entry["points"], entry["help"], after)


def _outcome(entry: dict[str, Any]) -> Outcome:
    return Outcome(entry["points"], entry["fails"], entry.get("says", ""))


def _cheat(name: str) -> Path:
    """Return the file of a cheat: the one by meaning if it exists, else the one in CHEATS."""
    meant = CHEATS_BY_MEANING / f"{name}.cu"
    return meant if meant.is_file() else CHEATS / f"{name}.cu"


def _answer(entry: dict[str, Any], folder: Path) -> Answer:
    if "cheat" in entry:
        return Answer(entry["cheat"], _cheat(entry["cheat"]), True, _outcome(entry))
    if "change" in entry:
        return Answer(entry["change"], None, False, _outcome(entry))
    path = folder / "answers" / entry["file"]
    return Answer(path.stem, path, False, _outcome(entry))


def _made_of(task: dict[str, Any], changes: Mapping[str, Change], folder: Path, name: str) -> Assignment:
    return Assignment(
        name=name,
        folder=folder,
        source=folder / task["source"],
        **{field: task[field] for field in ("title", "summary", "minutes", "function", "declaration")},
        machine=task.get("machine", DEFAULT_MACHINE),
        points={check: task["points"].get(check, 0) for check in (*GATES, FAST)},
        limits=Limits(**task.get("limits", {})),
        movement=Movement(**task.get("movement", {})),
        kernels=KernelWork(**task.get("kernels", {})),
        cases=tuple(map(_case, task["cases"])),
        thresholds=tuple(map(_threshold, task["thresholds"])),
        hints=tuple(hint["text"].strip() for hint in task["hints"]),
        starter_expected=_outcome(task["starter"]),
        answers=tuple(_answer(entry, folder) for entry in task["answers"]),
        changes=changes,
        minimum_gpu_ratio=task.get("minimum_gpu_ratio"),
        gpu_case=_case({"name": "gpu", **task["gpu"]}) if "gpu" in task else None,
    )
