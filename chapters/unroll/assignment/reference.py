# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Inputs of the assignment, and what its output should be."""

import numpy

TOLERANCE = 0


def inputs(case, random):
    """``offset`` bytes that do not count, then ``count`` values, ``different`` of which differ."""
    first = random.integers(0, 256)
    values = first + random.integers(0, case["different"], case["count"])
    before = random.integers(0, 256, case["offset"])
    return {"values": (numpy.concatenate((before, values)) % 256).astype(numpy.uint8)}


def outputs(case, inputs):
    values = inputs["values"][case["offset"] :]
    return {"bins": numpy.bincount(values, minlength=256).astype(numpy.uint32)}
