"""Draws the sizes and the data of an assignment's cases from one seed."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy

from .assignment import Assignment, AssignmentError
from .parts import Case, Range

CASE_FILE = "case.txt"
#: How many cases, from the first of the drawn order on, are repeated at the end with other data.
_COME_AGAIN = 1
_DIGITS_OF_SEED = 32


def seed_of(assignment: str, student: str | None, secret: str) -> str:
    """Return the seed as a hexadecimal digest. Different arguments never give the same digested text."""
    return _digest("conflict_free/seed/1", assignment, student or "", secret)


def _digest(*parts: str) -> str:
    text = b"".join(len(part.encode()).to_bytes(8, "little") + part.encode() for part in parts)
    return hashlib.sha256(text).hexdigest()


def _drawn(value: int | Range, *parts: str) -> int:
    """Return a parameter. A drawn one depends only on the seed and on the names of the case and the parameter."""
    if not isinstance(value, Range):
        return value
    choices = (value.last - value.first) // value.step + 1
    return value.first + value.step * (int(_digest("size", *parts), 16) % choices)


@dataclass(frozen=True)
class DrawnCase:
    """A case with its sizes and data. ``before`` is the initial content of the outputs: random bytes.

    ``comes_again`` says that the case repeats the sizes of an earlier one with other data.
    """

    case: Case
    parameters: Mapping[str, int]
    inputs: Mapping[str, numpy.ndarray]
    expected: Mapping[str, numpy.ndarray]
    before: Mapping[str, numpy.ndarray]
    comes_again: bool = False

    @property
    def key(self) -> tuple:
        """The identity of the case for a verdict: its name, its sizes and whether it is a repetition."""
        return self.name, self.comes_again, *self.parameters.items()

    @property
    def name(self) -> str:
        """Name of the case."""
        return self.case.name

    @property
    def sizes(self) -> str:
        """The parameters in words: ``width 57, height 31``."""
        return ", ".join(f"{name} {value}" for name, value in self.parameters.items())

    def write(self, folder: Path) -> None:
        """Write the files that the judge reads into a new folder."""
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
    """Return a case with its sizes and data. With ``again`` the sizes are the same and the data differ.

    Raises AssignmentError if the reference fails.
    """
    parameters = {name: _drawn(value, seed, case.name, name) for name, value in case.parameters.items()}
    generator = numpy.random.Generator(
        numpy.random.PCG64(int(_digest("data again" if again else "data", seed, case.name)[:_DIGITS_OF_SEED], 16))
    )
    reference = assignment.reference
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
    """Return all cases but the one for timing on a GPU, in the drawn order in which one process serves them.

    The first case is repeated at the end, with other data of the same sizes.
    """
    order = sorted(assignment.cases, key=lambda case: _digest("order", seed, case.name))
    return [*(draw(assignment, case, seed) for case in order), *(draw(assignment, case, seed, again=True) for case in order[:_COME_AGAIN])]


def in_order(assignment: Assignment, cases: Sequence[DrawnCase]) -> Sequence[DrawnCase]:
    """Return drawn cases in the order of task.toml, which is the order of messages."""
    place = {case.name: number for number, case in enumerate(assignment.cases)}
    return sorted(cases, key=lambda case: (place[case.name], case.comes_again))
