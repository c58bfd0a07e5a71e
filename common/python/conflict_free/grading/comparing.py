"""Compares the outputs of a run with those of the reference."""

from collections.abc import Mapping

import numpy

from .cases import DrawnCase
from .finding import Finding


def _is_wrong(actual: numpy.ndarray, expected: numpy.ndarray, tolerance: float) -> numpy.ndarray:
    """Return where two arrays differ. With a tolerance of 0 every bit counts except the sign of zero."""
    if tolerance == 0:
        return ~(actual == expected)
    with numpy.errstate(all="ignore"):
        return ~(numpy.abs(actual - expected) <= tolerance * numpy.abs(expected))


def _written(value: object) -> str:
    return repr(value.item() if isinstance(value, numpy.generic) else value)


def difference(case: DrawnCase, outputs: Mapping[str, numpy.ndarray | None], tolerance: float) -> Finding | None:
    """Return the first difference between the outputs of a case and the expected ones, or None. ``tolerance`` is relative."""
    for name, expected in case.expected.items():
        actual = outputs[name]
        if actual is None:
            return Finding(False, f"no {name} of the right size", f"{expected.size:,} elements", "The driver could not keep the output.")
        wrong = _is_wrong(actual, expected, tolerance)
        if wrong.any():
            return _described(name, actual, expected, case.before[name], wrong)
    return None


def _described(name: str, actual: numpy.ndarray, expected: numpy.ndarray, before: numpy.ndarray, wrong: numpy.ndarray) -> Finding:
    first = tuple(int(at[0]) for at in numpy.nonzero(wrong))
    element = name + "".join(f"[{at}]" for at in first)
    untouched = wrong & (actual.view(_bits(actual)) == before.view(_bits(before)))
    of_all = f"of {wrong.size:,} elements of {name}"
    wanted = f"{element} is {_written(expected[first])}"
    if untouched.sum() == wrong.sum():
        return Finding(
            False,
            f"{int(wrong.sum()):,} {of_all} were never written; the first is {element}",
            wanted,
            f"Which thread should write {element}?",
        )
    value = "was never written" if untouched[first] else f"is {_written(actual[first])}"
    return Finding(
        False,
        f"{int(wrong.sum()):,} {of_all} are wrong; the first, {element}, {value}",
        wanted,
        f"Follow {element} by hand: which thread writes it, and what does it read?",
    )


def _bits(array: numpy.ndarray) -> numpy.dtype:
    """Return the type of unsigned integers that are as wide as the elements."""
    return numpy.dtype(f"u{array.dtype.itemsize}")
