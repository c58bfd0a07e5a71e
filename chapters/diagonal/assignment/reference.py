# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""A matrix, and the same matrix with the smallest number of each row subtracted."""

import numpy

TOLERANCE = 0

#: Small enough that a difference of two numbers fits in an integer of 32 bits.
LARGEST = 1_000_000


def inputs(case: dict, random: numpy.random.Generator) -> dict[str, numpy.ndarray]:
    """Return numbers of either sign; the smallest of a row is at a random place."""
    shape = (case["height"], case["width"])
    return {"input": random.integers(-LARGEST, LARGEST, size=shape, endpoint=True, dtype=numpy.int32)}


def outputs(case: dict, inputs: dict[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    """Return each number less the smallest of its row."""
    matrix = inputs["input"]
    return {"output": matrix - matrix.min(axis=1, keepdims=True)}
