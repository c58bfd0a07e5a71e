# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Inputs of the assignment, and what its output should be."""

import numpy

TOLERANCE = 0


def inputs(case, random):
    """Whole numbers that a float holds exactly."""
    return {"matrix": random.integers(0, 2**24, (case["height"], case["width"])).astype(numpy.float32)}


def outputs(case, inputs):
    """Return the blocks that all ranks send, rank by rank, each as it stands in the output of the rank that receives it."""
    transposed, ranks = inputs["matrix"].T, case["ranks"]
    rows, columns = ([count * rank // ranks for rank in range(ranks + 1)] for count in (case["height"], case["width"]))
    blocks = []
    for rank in range(ranks):
        for after in range(1, ranks + 1):
            other = (rank + after) % ranks
            blocks.append(transposed[columns[other] : columns[other + 1], rows[rank] : rows[rank + 1]].ravel())
    return {"sent": numpy.concatenate(blocks)}
