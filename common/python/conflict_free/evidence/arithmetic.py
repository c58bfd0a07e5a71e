"""Sums and products of values that are named by their keys."""

import ast
import operator
import re
from collections.abc import Callable, Iterator

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

    source = _PART.sub(place, text.strip())
    try:
        tree = ast.parse(source, mode="eval").body
    except SyntaxError:
        raise ResultError(
            f"{text!r} is malformed; accepted: keys and numbers with + - * / between them, with spaces, and parentheses"
        ) from None
    leaves: Iterator[str] = iter(parts)

    def value(node: ast.expr) -> float:
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            left, right = value(node.left), value(node.right)
            if isinstance(node.op, ast.Div) and right == 0:
                raise ResultError(f"a part of {text!r} is 0, so nothing can be divided by it")
            return _OPERATIONS[type(node.op)](left, right)
        if isinstance(node, ast.Name):
            return number_of(next(leaves))
        raise ResultError(f"{text!r} is malformed; accepted: keys and numbers with + - * / between them, with spaces, and parentheses")

    return value(tree)
