# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Inputs of the assignment, and what its output should be."""

import numpy

TOLERANCE = 0


def inputs(case, random):
    return {"input": random.standard_normal((case["height"], case["width"]))}


def outputs(case, inputs):
    return {"output": numpy.ascontiguousarray(inputs["input"].T)}
