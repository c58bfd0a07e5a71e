"""Sums and products of values that are named by their keys."""

import ast
import operator
import re
from collections.abc import Callable

import simpleeval

from .names import ResultError

_OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
#: A word between spaces and parentheses: a key, a number or an operation.
_PART = re.compile(r"[^\s()]+")


def is_single(text: str) -> bool:
    """Return whether a text is one key or one number, and nothing is to be calculated."""
    return re.search(r"\s", text.strip()) is None


def calculate(text: str, number_of: Callable[[str], float]) -> float:
    """Return the value of an expression with ``+ - * /`` between spaces and with parentheses, as Python would; ``number_of`` gives the
    value of a key or number.

    Raises ResultError if the expression is malformed, or divides by 0.
    """
    parts: list[str] = []

    def place(match: re.Match[str]) -> str:
        if match[0] in "+-*/":
            return match[0]
        parts.append(match[0])
        return f"part{len(parts) - 1}"

    evaluator = simpleeval.SimpleEval(operators=_OPERATIONS, functions={}, names=lambda node: number_of(parts[int(node.id[4:])]))
    try:
        return evaluator.eval(_PART.sub(place, text.strip()))
    except ZeroDivisionError:
        raise ResultError(f"a part of {text!r} is 0, so nothing can be divided by it") from None
    except (simpleeval.InvalidExpression, SyntaxError):
        raise ResultError(
            f"{text!r} is malformed; accepted: keys and numbers with + - * / between them, with spaces, and parentheses"
        ) from None
