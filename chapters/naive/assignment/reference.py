# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Inputs of the assignment, and what its output should be."""

import numpy

TOLERANCE = 0


def inputs(case, random):
    """Small whole numbers: their sums are exact in any order of the additions."""
    return {"matrix": random.integers(-8, 9, (case["height"], case["width"])).astype(numpy.float32)}


def outputs(case, inputs):
    return {"sums": inputs["matrix"].sum(axis=1, dtype=numpy.float32)}
