"""An assignment as its folder ``chapters/SLUG/assignment`` describes it in ``task.toml`` (task.schema.json)."""

import functools
import importlib.util
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from conflict_free.console import ROOT, USAGE, Stop
from conflict_free.schemas import Schema

from . import answer_texts, limit_numbers, refusals, regions
from .answer_texts import CHANGES, SOLUTION, STARTER, Change, ChangeError, tomllib
from .command_line import assignment_names as names
from .parts import Answer, Case, KernelWork, Limits, Movement, Outcome, Range, Threshold
from .result import COUNTS, FAST, GATES

CHAPTERS = ROOT / "chapters"
FOLDER = "assignment"
TASK = "task.toml"
SCHEMA = Path(__file__).with_name("task.schema.json")
DEFAULT_MACHINE = "sm_90"

#: Every assignment folder has these files beside task.toml, its source and its answers.
DRIVER, TRY, REFERENCE, BRIEF = "driver.cu", "try.cu", "reference.py", "brief.rst"
#: The task done without its lessons, with which the trials fill their templates.
SLOW = "slow.cu"


class AssignmentError(Stop):
    """An assignment is missing or malformed. The message is one line: what, given, accepted."""

    def __init__(self, message: str) -> None:
        super().__init__(message, USAGE)


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
    cheats: Mapping[str, Any]
    minimum_gpu_ratio: float | None
    gpu_case: Case | None

    @property
    def driver(self) -> Path:
        """The assignment's host program, which calls the submission's function."""
        return self.folder / DRIVER

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers of all limits, by ``THRESHOLD.NAME`` and ``kernels.NAME``."""
        whole = {name: int(limit) for name, limit in vars(self.kernels).items() if str(limit).isdigit()}
        of_parts = {"kernels": whole | self.kernels.numbers} | {threshold.name: threshold.numbers for threshold in self.thresholds}
        return {f"{part}.{name}": number for part, numbers in of_parts.items() for name, number in numbers.items()}

    def brief(self) -> str:
        """Return the text of the brief, with the numbers of the limits. Raises AssignmentError."""
        try:
            text = (self.folder / BRIEF).read_text(encoding="utf-8")
            return limit_numbers.brief(text.replace(refusals.PLACE, refusals.SENTENCE), self.numbers)
        except limit_numbers.NumberError as error:
            raise AssignmentError(f"{BRIEF} of assignment {self.name}: {error}") from error

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
        if answer.text is not None:
            return answer.text
        if name not in self.changes:
            path = _answer_file(name, self.folder)
            try:
                return path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise AssignmentError(f"{path.name} of assignment {self.name}: {error}") from error
        change = self.changes[name]
        try:
            return answer_texts.changed(change, self.text_of(change.base))
        except ChangeError as error:
            raise AssignmentError(f"{CHANGES} of assignment {self.name}: {error}") from error

    @functools.cached_property
    def reference(self) -> ModuleType:
        """The module reference.py: inputs(case, random), outputs(case, inputs), TOLERANCE. Raises AssignmentError."""
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


def checks_of(thresholds: Iterable[str]) -> list[str]:
    """Return the first failed checks that an answer can have, "" for none, of an assignment with these thresholds."""
    return ["", *GATES, *(COUNTS + name for name in thresholds), FAST]


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
    for complaint in _missing_answers(task, changes, folder):
        raise AssignmentError(f"{TASK} of assignment {name}: {complaint}")
    for complaint in _unfit_changes(task, changes, folder):
        raise AssignmentError(f"{CHANGES} of assignment {name}: {complaint}")
    try:
        made = _made_of(task, changes, folder, name)
    except limit_numbers.NumberError as error:
        raise AssignmentError(f"{TASK} of assignment {name}: {error}") from error
    for change in changes:
        made.text_of(change)
    made.brief()
    return made


# --- what task.toml may say ----------------------------------------------------------------------


def _misshapen(task: Any) -> Iterator[str]:
    for misfit in Schema.of(SCHEMA).misfits(task):
        yield f"{misfit.at('.')}: {misfit.text}"


def _contradictions(task: dict[str, Any]) -> Iterator[str]:
    """Yield the contradictions that the schema cannot express."""
    if task["function"] not in task["declaration"]:
        yield f"declaration: {task['declaration']!r} given, one of the function {task['function']} is accepted"
    sizes = {name: _parameters(case) for name, case in task["cases"].items()}
    parameters = [tuple(sorted(each)) for each in (*sizes.values(), *([task["gpu"]] if "gpu" in task else []))]
    if len(set(parameters)) != 1:
        yield "cases: parameters that differ given, the same ones in every case (and in [gpu]) are accepted"
    if {case.get("visible", False) for case in task["cases"].values()} != {True, False}:
        yield "cases: at least one visible and one hidden case are needed"
    for case, given in sizes.items():
        for name, value in given.items():
            if isinstance(value, dict) and value["to"] < value["from"]:
                yield f"cases.{case}.{name}: to = {value['to']} given, from = {value['from']} or more is accepted"
    earlier: list[str] = []
    for name, threshold in task["thresholds"].items():
        if "after" in threshold and threshold["after"] not in earlier:
            yield f"thresholds.{name}.after: {threshold['after']!r} given, an earlier threshold is accepted"
        earlier.append(name)
    if task["points"].get("fast") and not ("gpu" in task and "minimum_gpu_ratio" in task):
        yield "points.fast: given without [gpu] and minimum_gpu_ratio"
    checks = checks_of(task["thresholds"])
    for entry in (task["starter"], *task["answers"].values()):
        if entry.get("fails", "") not in checks:
            yield f"fails: {entry['fails']!r} given, one of {', '.join(map(repr, checks))} is accepted"


def _missing_files(task: dict[str, Any], folder: Path) -> Iterator[str]:
    for name in (task["source"], DRIVER, TRY, REFERENCE, BRIEF, SLOW):
        if not (folder / name).is_file():
            yield f"there is no file {name} beside it"
    for path in sorted((folder / "answers").glob("*")):
        if path.suffix != ".cu" or path.stem not in task["answers"]:
            yield f"answers/{path.name} is not listed in it"


def _missing_answers(task: dict[str, Any], changes: Mapping[str, Change], folder: Path) -> Iterator[str]:
    for name in task["answers"]:
        if name not in changes and not _answer_file(name, folder).is_file():
            yield f"answers.{name}: given, a file answers/{name}.cu or a change [{name}] of {CHANGES} is missing"


def _unfit_changes(task: dict[str, Any], changes: Mapping[str, Change], folder: Path) -> Iterator[str]:
    """Yield changes that task.toml does not list, and names that are used twice."""
    for name in sorted(changes.keys() - task["answers"].keys()):
        yield f"[{name}] is not listed in {TASK}"
    yield from answer_texts.misplaced(changes, {name for name in task["answers"] if _answer_file(name, folder).is_file()})


# --- from text to objects ------------------------------------------------------------------------


def _parameters(case: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in case.items() if name != "visible"}


def _case(name: str, entry: dict[str, Any]) -> Case:
    parameters = {
        key: Range(value["from"], value["to"], value.get("step", 1)) if isinstance(value, dict) else value
        for key, value in _parameters(entry).items()
    }
    return Case(name, parameters, entry.get("visible", False))


def _threshold(name: str, entry: dict[str, Any]) -> Threshold:
    is_upper = "at_most" in entry
    numbers = entry.get("numbers", {})
    limit = limit_numbers.limit(entry["at_most" if is_upper else "at_least"], numbers)
    after = COUNTS + entry["after"] if "after" in entry else None
    return Threshold(name, entry["count"], limit, is_upper, entry["points"], entry["help"], after, numbers)


def _kernels(entry: dict[str, Any]) -> KernelWork:
    numbers = entry.get("numbers", {})
    limits = {name: limit_numbers.limit(limit, numbers) for name, limit in entry.items() if isinstance(limit, str)}
    return KernelWork(**entry | limits)


def _outcome(entry: dict[str, Any]) -> Outcome:
    return Outcome(entry["points"], entry.get("fails", ""), entry.get("says", ""))


def _answer_file(name: str, folder: Path) -> Path:
    return folder / "answers" / f"{name}.cu"


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
        kernels=_kernels(task.get("kernels", {})),
        cases=tuple(_case(*case) for case in task["cases"].items()),
        thresholds=tuple(_threshold(*threshold) for threshold in task["thresholds"].items()),
        hints=tuple(hint["text"].strip() for hint in task["hints"]),
        starter_expected=_outcome(task["starter"]),
        answers=tuple(Answer(answer, None, _outcome(entry)) for answer, entry in task["answers"].items()),
        changes=changes,
        cheats=task.get("cheats", {}),
        minimum_gpu_ratio=task.get("minimum_gpu_ratio"),
        gpu_case=_case("gpu", task["gpu"]) if "gpu" in task else None,
    )
