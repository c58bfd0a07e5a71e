"""Checks of the libraries' results. A check returns the error, or an empty text. numpy only."""

from __future__ import annotations

import math

import numpy as np
from peer_data import bf16, in_parts

# Queries and points of one step of the search: their distances stay in a core's cache.
_QUERIES = 64
_POINTS = 4096
# Rows of a matrix that are compared in one step.
_ROWS = 64


def is_transposed(matrix: np.ndarray, output: np.ndarray) -> str:
    """Return an error unless every element stands at its transposed place, with the same bits."""
    if output.shape != matrix.shape[::-1]:
        return f"the output is {output.shape[0]} by {output.shape[1]}"
    wrong: list[int] = []

    def compare(begin: int, end: int) -> None:
        if not np.array_equal(output[begin:end].view(np.uint32), np.ascontiguousarray(matrix[:, begin:end].T).view(np.uint32)):
            wrong.append(begin)

    in_parts(len(output), compare, _ROWS)
    return f"an element in rows {min(wrong)} to {min(min(wrong) + _ROWS, len(output)) - 1} is not the transpose's" if wrong else ""


def rows_to_check(height: int) -> np.ndarray:
    """Return the rows of a product that are checked: the last of every 64, and the last of all."""
    return np.unique(np.minimum(np.arange(_ROWS - 1, height + _ROWS - 1, _ROWS), height - 1))


def rounded_rows(a: np.ndarray, b: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return rows of the product of whole numbers, rounded to bf16. Floats hold its sums exactly: they are less than 2**24."""
    return bf16(np.ascontiguousarray(a[rows] @ b))


def has_rows(rows: np.ndarray, wanted: np.ndarray, output: np.ndarray) -> str:
    """Return an error unless rows of a product of bf16 have the wanted bits."""
    wrong = np.flatnonzero((output[rows] != wanted).any(axis=1))
    return f"row {rows[wrong[0]]} is not the product's" if len(wrong) else ""


def explained_by_rounding(count: int) -> float:
    """Return the largest error of a sum of `count` random floats that rounding explains; common/harness/peers/sum_cub.cu has the reason."""
    return 2**-24 * math.sqrt(count * 8192)


def is_sum(numbers: np.ndarray, total: float) -> str:
    """Return an error unless the sum is as near to the exact one as rounding allows; a double adds these numbers exactly."""
    exact = float(np.sum(numbers, dtype=np.float64))
    most = explained_by_rounding(len(numbers))
    if abs(total - exact) <= most:
        return ""
    return f"the sum is {total!r}, exactly {exact!r}, and rounding explains {most:.6g}"


def least_squared_distances(points: np.ndarray) -> np.ndarray:
    """Return for each point the squared distance to the nearest other point, in units of 2**-20: whole numbers, so exact."""
    lattice = np.ascontiguousarray(np.rint(points.T * 1024).astype(np.int32))
    count = lattice.shape[1]
    least = np.full(count, np.iinfo(np.int32).max, dtype=np.int32)

    def search(begin: int, end: int) -> None:
        for other in range(0, count, _POINTS):
            squares = np.zeros((end - begin, min(_POINTS, count - other)), dtype=np.int32)
            for axis in lattice:
                difference = axis[begin:end, None] - axis[None, other : other + _POINTS]
                difference *= difference
                squares += difference
            own = np.arange(max(begin, other), min(end, other + _POINTS))
            squares[own - begin, own - other] = np.iinfo(np.int32).max
            np.minimum(least[begin:end], squares.min(axis=1), out=least[begin:end])

    in_parts(count, search, _QUERIES)
    return least


def are_nearest(points: np.ndarray, least: np.ndarray, nearest: np.ndarray) -> str:
    """Return an error unless every index names another point at the least distance.

    Libraries compare distances and not squares, and do not choose between equal distances: squares whose roots are the same float
    count as equal. `least` is the result of least_squared_distances().
    """
    index = np.arange(len(points))
    outside = (nearest < 0) | (nearest >= len(points)) | (nearest == index)
    if outside.any():
        first = int(np.argmax(outside))
        return f"point {first} has neighbor {nearest[first]}, which is itself or no point"
    difference = np.rint(points * 1024).astype(np.int64) - np.rint(points[nearest] * 1024).astype(np.int64)
    found = np.sqrt((difference**2).sum(axis=1).astype(np.float32))
    farther = found != np.sqrt(least.astype(np.float32))
    if not farther.any():
        return ""
    first = int(np.argmax(farther))
    return f"of {farther.sum()} of {len(points)} points the neighbor is not a nearest one, the first of them {first}"
