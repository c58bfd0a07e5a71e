# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Inputs of the assignment, and what its output should be."""

import numpy

TOLERANCE = 0


def inputs(case, random):
    return {"input": random.integers(0, 2**32, (case["height"], case["width"]), numpy.uint32)}


def outputs(case, inputs):
    return {"output": numpy.ascontiguousarray(numpy.rot90(inputs["input"], -1))}
