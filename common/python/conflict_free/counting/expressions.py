"""Expressions over counts: numbers, names, comparisons, and a few functions."""

import ast
import functools
import math
import re
from collections.abc import Mapping
from typing import Any

import simpleeval

_FUNCTIONS = {"min": min, "max": max, "abs": abs, "ceil": math.ceil}


class ExpressionError(ValueError):
    """An expression that cannot be evaluated; the message says why, and what is accepted."""


def _members(expression: str, names: Mapping[str, Any]) -> str:
    """Return the names that an expression may put behind a dot."""
    groups = [name for name, value in names.items() if isinstance(value, Mapping) and re.search(rf"\b{name}\.", expression)]
    return ", ".join(f"{group}.{member}" for group in groups for member in names[group])


@functools.lru_cache(maxsize=1024)
def _parsed(expression: str) -> ast.AST:
    """Return the syntax of an expression. It is kept, because each submission of a class meets the same expressions."""
    return simpleeval.SimpleEval.parse(expression)


def value_of(expression: str, names: Mapping[str, Any]) -> int | float | bool:
    """Return the value of an expression, a number or a truth. A name within another stands behind a dot. Raises ExpressionError."""
    evaluator = simpleeval.SimpleEval(functions=_FUNCTIONS, names=dict(names))
    try:
        value = evaluator.eval(expression, _parsed(expression))
    except simpleeval.NameNotDefined as error:
        raise ExpressionError(f"{expression!r}: {error.name!r} is unknown; accepted: {', '.join(names)}") from error
    except simpleeval.AttributeDoesNotExist as error:
        raise ExpressionError(f"{expression!r}: '.{error.attr}' is unknown; accepted: {_members(expression, names)}") from error
    except ZeroDivisionError as error:
        raise ExpressionError(f"{expression!r}: divides by 0") from error
    except (simpleeval.InvalidExpression, SyntaxError, ArithmeticError, TypeError, ValueError) as error:
        raise ExpressionError(f"{expression!r}: {str(error).splitlines()[0]}") from error
    if not isinstance(value, (bool, int, float)):
        raise ExpressionError(f"{expression!r} is neither a number nor a comparison")
    return value
