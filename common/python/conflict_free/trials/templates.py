"""Makes the cheats: submissions that fit every assignment. They are templates, filled with the parts of an assignment.

The templates in ``cheats`` itself try to forge a verdict. Those in ``cheats/by_meaning`` obey the letter of the checks without doing the
task, and are filled with the assignment's ``slow.cu``. A template by meaning is a file, or a change in an ``answers.toml`` like an
assignment's. ``expected.toml`` names the cheats that every assignment is graded with.
"""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

from conflict_free.grading import answer_texts, assignment
from conflict_free.grading.answer_texts import tomllib
from conflict_free.grading.assignment import SLOW, Assignment, AssignmentError, checks_of
from conflict_free.grading.parts import LIMITS, Answer, Outcome
from conflict_free.grading.result import GATES

FORGED = Path(__file__).with_name("cheats")
BY_MEANING = FORGED / "by_meaning"
#: The templates by meaning that are changes of another template, by name.
CHANGES = answer_texts.read_changes(BY_MEANING)
#: The first failed check of each cheat that assignments are graded with, and words of that check's message.
EXPECTED = tomllib.loads((FORGED / "expected.toml").read_text(encoding="utf-8"))
#: The text that stands before the task of an assignment in a cheat.
_COMMON_TASK = FORGED / "task.cuh"
#: Words in a template that are replaced by parts of the assignment.
_DECLARATION, _SOLUTION, _TASK, _FUNCTION = "GRADED_DECLARATION", "GRADED_SOLUTION", "GRADED_TASK", "GRADED_FUNCTION"


def text_of(name: str) -> str:
    """Return the text of a template."""
    if name in CHANGES:
        return answer_texts.changed(CHANGES[name], text_of(CHANGES[name].base))
    meant = BY_MEANING / f"{name}.cu"
    return (meant if meant.is_file() else FORGED / f"{name}.cu").read_text(encoding="utf-8")


def filled(task: Assignment, name: str) -> str:
    """Return the text of a cheat with the parts of an assignment filled in."""
    cheat = text_of(name)
    if _TASK in cheat:
        common, slow = (path.read_text(encoding="utf-8") for path in (_COMMON_TASK, task.folder / SLOW))
        cheat = cheat.replace(_TASK, common + slow)
    return cheat.replace(_DECLARATION, task.declaration).replace(_SOLUTION, task.solution()).replace(_FUNCTION, task.function)


def cheats(task: Assignment) -> Iterator[Answer]:
    """Yield the cheats that an assignment is graded with. A cheat scores the points of the checks before the one that fails.

    Raises AssignmentError if the table ``[cheats]`` of its task.toml names a cheat or a check that does not exist.
    """
    checks = (*checks_of(threshold.name for threshold in task.thresholds), LIMITS)
    for name in task.cheats.keys() - EXPECTED.keys():
        raise AssignmentError(f"assignment {task.name}: cheats: {name!r} given, one of {', '.join(EXPECTED)} is accepted")
    for name, expected in (EXPECTED | task.cheats).items():
        if not expected:
            continue
        if (fails := expected["fails"]) not in checks:
            accepted = ", ".join(map(repr, checks))
            raise AssignmentError(f"assignment {task.name}: cheats.{name}.fails: {fails!r} given, one of {accepted} is accepted")
        before = GATES[: GATES.index(fails)] if fails in GATES else GATES
        points = sum(task.points[gate] for gate in before)
        yield Answer(name, filled(task, name), Outcome(points, fails, expected["says"]))


def with_cheats(task: Assignment) -> Assignment:
    """Return an assignment with the cheats added to its answers. Raises AssignmentError."""
    return dataclasses.replace(task, answers=(*task.answers, *cheats(task)))


def load(name: str) -> Assignment:
    """Return the assignment of a chapter, with the cheats added to its answers. Raises AssignmentError."""
    return with_cheats(assignment.load(name))
