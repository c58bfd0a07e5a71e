"""The result of grading a submission: checks with points, as objects and as JSON (result.schema.json)."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conflict_free.schemas import Schema

FORMAT = "conflict_free/result/1"
SCHEMA = Path(__file__).with_name("result.schema.json")

#: The checks that every assignment has, in order. Each stops all later ones. Thresholds follow, then FAST.
GATES = ("exists", "compiles", "safe", "correct", "by_kernels")
FAST = "fast"
#: The check of a threshold is called by this prefix and the threshold's name.
COUNTS = "counts."


class ResultFormatError(Exception):
    """A file is no result of this grader. The message is one line: what, given, accepted."""


@dataclass(frozen=True)
class Place:
    """A line of the submission."""

    file: str
    line: int
    text: str = ""


@dataclass(frozen=True)
class Check:
    """One check and its outcome.

    ``passed`` is None if an earlier check stopped this one. ``case`` is the name of the case that decided. ``picture`` is a map of
    one access in plain text. ``drawing`` is the same map as SVG; it is not part of the JSON.
    """

    name: str
    passed: bool | None
    points: int
    max_points: int
    seen: str = ""
    wanted: str = ""
    help: str = ""
    lines: tuple[Place, ...] = ()
    case: str | None = None
    picture: str | None = None
    drawing: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the check as JSON objects."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "drawing"}
        return {**fields, "lines": [vars(place) for place in self.lines]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Check":
        """Return the check from the ``data`` of ``to_json``."""
        return cls(**{**data, "lines": tuple(Place(**place) for place in data["lines"])})


@dataclass(frozen=True)
class Result:
    """The outcome for one submission. It holds no time, date or path, so it is the same bits on every machine."""

    assignment: str
    title: str
    student: str | None
    submission: str
    sha256: str
    seed: str
    machine: str
    checks: tuple[Check, ...]

    @property
    def points(self) -> int:
        """The points of all checks."""
        return sum(check.points for check in self.checks)

    @property
    def max_points(self) -> int:
        """The points that all checks could give."""
        return sum(check.max_points for check in self.checks)

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def first_failed(self) -> Check | None:
        """The first check that did not pass."""
        return next((check for check in self.checks if check.passed is False), None)

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON objects, in the shape of result.schema.json."""
        return {
            "format": FORMAT,
            "assignment": self.assignment,
            "title": self.title,
            "student": self.student,
            "submission": self.submission,
            "sha256": self.sha256,
            "seed": self.seed,
            "machine": self.machine,
            "points": self.points,
            "max_points": self.max_points,
            "checks": [check.to_json() for check in self.checks],
        }

    def to_text(self) -> str:
        """Return the result as the text of a JSON file."""
        return json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, data: Any) -> "Result":
        """Return the result from the ``data`` of ``to_json``.

        Raises ResultFormatError if it has another shape, or if its points are not the sums of those of its checks.
        """
        for misfit in Schema.of(SCHEMA).misfits(data):
            raise ResultFormatError(f"{misfit.at()}: {misfit.text}; a result in the format {FORMAT} is accepted")
        fields = {name: data[name] for name in cls.__dataclass_fields__}
        result = cls(**{**fields, "checks": tuple(map(Check.from_json, data["checks"]))})
        if (result.points, result.max_points) != (data["points"], data["max_points"]):
            raise ResultFormatError(
                f"points: {data['points']} of {data['max_points']} given, the sums of its checks are accepted, "
                f"{result.points} of {result.max_points}"
            )
        return result
