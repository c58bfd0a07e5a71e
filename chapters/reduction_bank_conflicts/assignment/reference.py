# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Makes numbers for two calls, and finds the smallest of each with its place."""

import numpy

TOLERANCE = 0

LARGEST = numpy.iinfo(numpy.int32).max


def inputs(case: dict, random: numpy.random.Generator) -> dict[str, numpy.ndarray]:
    """Return the numbers of two calls.

    In the first the smallest is there up to three times, at random places. In the second it comes last, or with ``largest``
    all numbers are the largest integer, and the result is that one at place 0.
    """
    first, second = _numbers(case["n"], random), _numbers(case["second_n"], random)
    first[random.integers(len(first), size=3)] = first.min() - 1
    second[-1] = second.min() - 1
    if case["largest"]:
        second[:] = LARGEST
    return {"numbers": first, "second_numbers": second}


def _numbers(n: int, random: numpy.random.Generator) -> numpy.ndarray:
    """Return integers above the smallest one, so that a smaller integer exists."""
    return random.integers(-LARGEST, LARGEST, size=n, endpoint=True, dtype=numpy.int32)


def outputs(case: dict, inputs: dict[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    """Return value and place. argmin returns the first of equal numbers."""
    return {"minimum": _minimum(inputs["numbers"]), "second_minimum": _minimum(inputs["second_numbers"])}


def _minimum(numbers: numpy.ndarray) -> numpy.ndarray:
    place = int(numbers.argmin())
    return numpy.array([numbers[place], place], dtype=numpy.int32)
