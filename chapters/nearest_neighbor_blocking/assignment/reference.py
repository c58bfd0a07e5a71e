# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Makes points, and finds the four nearest others of each."""

import numpy

TOLERANCE = 0

NEIGHBORS = 4
#: Coordinates are multiples of this, so that a float holds all squared distances exactly, and equal distances compare equal.
STEP = 1 / 1024
#: One point in this many is a copy of another one.
COPIES = 16
#: Points whose distances are computed at a time, so that these need little memory.
ROWS = 256


def inputs(case: dict, random: numpy.random.Generator) -> dict[str, numpy.ndarray]:
    """Return points in the cube from -1 to 1. With ``lattice`` the points have 5 x 5 x 5 places, and most distances are equal."""
    n = case["n"]
    steps = random.integers(-2, 3, size=(n, 3)) * 512 if case["lattice"] else random.integers(-1024, 1024, size=(n, 3))
    copies = random.integers(COPIES, size=n) == 0
    steps[copies] = steps[random.integers(n, size=n)][copies]
    return {"points": (steps * STEP).astype(numpy.float32)}


def outputs(case: dict, inputs: dict[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    """Return four indices for each point, by distance, then by index; -1 stands where there are no more points."""
    points = numpy.rint(inputs["points"] / STEP).astype(numpy.int64)
    n = len(points)
    found = min(NEIGHBORS, n - 1)
    neighbors = numpy.full((n, NEIGHBORS), -1, dtype=numpy.int32)
    for first in range(0, n if found else 0, ROWS):
        some = points[first : first + ROWS]
        differences = some[:, None, :] - points[None, :, :]
        keys = (differences**2).sum(axis=2) * n + numpy.arange(n)  # in the order of distances, and of indices where these are equal
        numpy.fill_diagonal(keys[:, first:], numpy.iinfo(numpy.int64).max)
        neighbors[first : first + ROWS, :found] = numpy.sort(numpy.partition(keys, found - 1, axis=1)[:, :found], axis=1) % n
    return {"neighbors": neighbors}
