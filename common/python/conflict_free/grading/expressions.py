"""Evaluates the expressions of task.toml: numbers, names of counts and parameters, and a few functions."""

from collections.abc import Mapping
from typing import Any

from conflict_free.counting import expressions

from .assignment import AssignmentError


def value_of(expression: str, names: Mapping[str, Any], where: str) -> int | float:
    """Return the value of an expression of task.toml. ``where`` is its name in error messages. Raises AssignmentError."""
    try:
        value = expressions.value_of(expression, names)
    except expressions.ExpressionError as error:
        raise AssignmentError(f"{where}: {error}") from error
    if isinstance(value, bool):
        raise AssignmentError(f"{where}: {expression!r} is {value!r}, a number is accepted")
    return value
