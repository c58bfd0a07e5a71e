# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The sizes and the data of an assignment's cases, all of which follow from one seed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy

from .assignment import Assignment, AssignmentError, Case, Range

CASE_FILE = "case.txt"
#: Of an order drawn from a seed, the cases that come again in the end, with other data.
_COME_AGAIN = 1
_DIGITS_OF_SEED = 32


def seed_of(assignment: str, student: str | None, secret: str) -> str:
    """Return the seed as a hexadecimal digest. The parts cannot run into each other."""
    return _digest("conflict_free/seed/1", assignment, student or "", secret)


def _digest(*parts: str) -> str:
    text = b"".join(len(part.encode()).to_bytes(8, "little") + part.encode() for part in parts)
    return hashlib.sha256(text).hexdigest()


def _drawn(value: int | Range, *parts: str) -> int:
    """A parameter; one that is drawn depends on nothing but its names and the seed."""
    if not isinstance(value, Range):
        return value
    choices = (value.last - value.first) // value.step + 1
    return value.first + value.step * (int(_digest("size", *parts), 16) % choices)


@dataclass(frozen=True)
class DrawnCase:
    """A case with its sizes and data. ``before`` is what the memory of the outputs holds at first: random bytes.

    ``comes_again`` is whether it has the sizes of another one, and other data.
    """

    case: Case
    parameters: Mapping[str, int]
    inputs: Mapping[str, numpy.ndarray]
    expected: Mapping[str, numpy.ndarray]
    before: Mapping[str, numpy.ndarray]
    comes_again: bool = False

    @property
    def key(self) -> tuple:
        """What a verdict depends on: the case and its sizes."""
        return self.name, self.comes_again, *self.parameters.items()

    @property
    def name(self) -> str:
        """Name of the case."""
        return self.case.name

    @property
    def sizes(self) -> str:
        """Its parameters for readers: ``width 57, height 31``."""
        return ", ".join(f"{name} {value}" for name, value in self.parameters.items())

    def write(self, folder: Path) -> None:
        """Write what the driver reads."""
        folder.mkdir()
        lines = [f"integer {name} {value}\n" for name, value in self.parameters.items()]
        lines += [f"{kind} {name}\n" for kind, names in (("input", self.inputs), ("output", self.before)) for name in names]
        (folder / CASE_FILE).write_text("".join(lines), encoding="ascii")
        for name, values in {**self.inputs, **self.before}.items():
            (folder / f"{name}.bin").write_bytes(values.tobytes())


def _checked(arrays: object, what: str, assignment: Assignment) -> dict[str, numpy.ndarray]:
    if not isinstance(arrays, dict) or not arrays or not all(isinstance(each, numpy.ndarray) for each in arrays.values()):
        raise AssignmentError(f"reference.py of assignment {assignment.name}: {what}() must return arrays of numpy by name")
    return {name: numpy.ascontiguousarray(values) for name, values in arrays.items()}


def draw(assignment: Assignment, case: Case, seed: str, *, again: bool = False) -> DrawnCase:
    """Return a case with its sizes and data; ``again``, with other data of the same sizes. Raises AssignmentError if the reference fails."""
    parameters = {name: _drawn(value, seed, case.name, name) for name, value in case.parameters.items()}
    generator = numpy.random.Generator(
        numpy.random.PCG64(int(_digest("data again" if again else "data", seed, case.name)[:_DIGITS_OF_SEED], 16))
    )
    reference = assignment.reference()
    try:
        inputs = _checked(reference.inputs(dict(parameters), generator), "inputs", assignment)
        expected = _checked(
            reference.outputs(dict(parameters), {name: values.copy() for name, values in inputs.items()}), "outputs", assignment
        )
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise AssignmentError(f"reference.py of assignment {assignment.name}, case {case.name}: {type(error).__name__}: {error}") from error
    before = {
        name: numpy.frombuffer(generator.bytes(values.nbytes), values.dtype).reshape(values.shape) for name, values in expected.items()
    }
    return DrawnCase(case, parameters, inputs, expected, before, again)


def draw_all(assignment: Assignment, seed: str) -> Sequence[DrawnCase]:
    """Return all cases but the one that is timed on a GPU, in the drawn order in which one process is called with them.

    The first comes again in the end, with other data of the same sizes.
    """
    order = sorted(assignment.cases, key=lambda case: _digest("order", seed, case.name))
    return [*(draw(assignment, case, seed) for case in order), *(draw(assignment, case, seed, again=True) for case in order[:_COME_AGAIN])]


def in_order(assignment: Assignment, cases: Sequence[DrawnCase]) -> Sequence[DrawnCase]:
    """Return drawn cases in the order of task.toml, in which readers are told of them."""
    place = {case.name: number for number, case in enumerate(assignment.cases)}
    return sorted(cases, key=lambda case: (place[case.name], case.comes_again))
