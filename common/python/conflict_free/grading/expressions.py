# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The expressions of task.toml: numbers, names of counts and parameters, and a few functions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import simpleeval

from .assignment import AssignmentError

_FUNCTIONS = {"min": min, "max": max, "abs": abs, "ceil": math.ceil}


def value_of(expression: str, names: Mapping[str, Any], where: str) -> int | float:
    """Return the value of an expression of task.toml; ``where`` names it to its author. Raises AssignmentError."""
    try:
        value = simpleeval.SimpleEval(functions=_FUNCTIONS, names=dict(names)).eval(expression)
    except (simpleeval.InvalidExpression, SyntaxError, ArithmeticError, TypeError, ValueError) as error:
        raise AssignmentError(f"{where}: {expression!r}: {error}") from error
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise AssignmentError(f"{where}: {expression!r} is {value!r}, a number is accepted")
    return value
