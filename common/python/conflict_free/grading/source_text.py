# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Finds the lines of a submission that declare, define, launch or use a name of a message.

No compiler is involved, and no verdict depends on it: a text that is not understood gives a message without a line.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import words
from .tokens import Token, read

_CLOSE = 0.75
_SCOPES = ("namespace", "struct", "class", "extern", "union")
_ON_DEVICE = ("__global__", "__device__")
#: Words that declare a variable that outlives a call, and signs that end its name.
_KEPT = ("static", "__device__", "__managed__")
_ENDS_OF_DECLARATOR = ("(", "=", ";", "[", "{", ",", ")")


@dataclass(frozen=True)
class Function:
    """A function at the outermost scope, or in a namespace or class. ``head`` is its text before the body or the semicolon.

    ``line`` is the line of its name. ``tokens`` are those of the head, ``body`` those between the braces; a declaration has None.
    """

    name: str
    line: int
    head: str
    tokens: tuple[Token, ...]
    body: tuple[Token, ...] | None

    @property
    def is_host(self) -> bool:
        """Whether the function runs on the host alone."""
        return not any(token.text in _ON_DEVICE for token in self.tokens)


def functions(text: str) -> list[Function]:
    """Return the functions of a source in their order."""
    code, _ = read(text)
    lines = text.split("\n")
    found, start, at = [], 0, 0
    while at < len(code):
        sign = code[at].text
        if sign in ("{", ";", "}"):
            end = at
            head = code[start:at]
            name = _name_of_function(head)
            if sign == "{" and not any(token.text in _SCOPES for token in head if name is None):
                end = _closing(code, at)
            if name is not None and sign != "}":
                shown = _written(lines, head)
                found.append(Function(name.text, name.line, shown, tuple(head), tuple(code[at + 1 : end]) if sign == "{" else None))
            start = at = end + 1
            continue
        at += 1
    return found


def _name_of_function(head: Sequence[Token]) -> Token | None:
    """Return the name in `type name(parameters)`, or None."""
    depth = 0
    for before, token in zip(head, head[1:]):
        depth += {"<": 1, ">": -1}.get(token.text, 0)
        if depth > 0:  # the parameters of a template
            continue
        if token.text == "=":
            return None
        if (
            token.text == "("
            and before.kind == "word"
            and before.text not in ("__launch_bounds__", "__align__", "alignas", "__attribute__")
        ):
            return before
    return None


def _closing(code: Sequence[Token], at: int) -> int:
    depth = 0
    for number in range(at, len(code)):
        depth += {"{": 1, "}": -1}.get(code[number].text, 0)
        if depth == 0:
            return number
    return len(code)


def _written(lines: Sequence[str], head: Sequence[Token]) -> str:
    """Return the source text of some tokens, up to the last closing parenthesis, in one line."""
    text = " ".join(line.strip() for line in lines[head[0].line - 1 : head[-1].line])
    return re.split(r"[{};]\s*", text[: text.rfind(")") + 1])[-1]


def simple_name(name: str) -> str:
    """Return the bare name of a function or variable that the linker writes with scopes, types and parameters."""
    found = re.search(r"(\w+)(?:<[^()]*>)?(?:\[abi:\w+\])?\(", name)
    return found[1] if found else re.split(r"::|\s", name.strip())[-1]


def declaration(text: str, name: str) -> Function | None:
    """Return the declaration of a function without a body, or None."""
    return next((function for function in functions(text) if function.name == name and function.body is None), None)


def lines_with(text: str, name: str) -> list[int]:
    """Return the lines whose code has a name."""
    return list(dict.fromkeys(token.line for token in read(text)[0] if token.kind == "word" and token.text == name))


def launches(text: str, kernel: str) -> list[int]:
    """Return the lines that launch a kernel."""
    name = re.escape(kernel.partition("<")[0])
    return [text.count("\n", 0, found.start()) + 1 for found in re.finditer(rf"\b{name}\b\s*(?:<[^;{{}}]*?>)?\s*<<<", text)]


def shared_arrays(text: str) -> list[int]:
    """Return the lines that declare shared memory of a fixed size."""
    code, _ = read(text)
    return list(
        dict.fromkeys(
            token.line
            for before, token in zip([None, *code], code)
            if token.text == "__shared__" and (before is None or before.text != "extern")
        )
    )


def kept_variables(text: str) -> list[int]:
    """Return the lines that declare variables that keep their values between calls: static ones, and those of the device."""
    code, _ = read(text)
    lines = []
    for at, token in enumerate(code):
        if token.text in _KEPT:
            declared = list(itertools.takewhile(lambda each: each.text not in _ENDS_OF_DECLARATOR, code[at:]))
            end = code[at + len(declared)].text if at + len(declared) < len(code) else "("
            if end != "(" and not any(each.text in ("const", "constexpr", "operator") for each in declared):
                lines.append(token.line)
    return list(dict.fromkeys(lines))


def host_accesses(text: str) -> list[int]:
    """Return the lines of host functions that index or dereference one of their pointer parameters."""
    return list(dict.fromkeys(line for function in functions(text) if function.body and function.is_host for line in _accesses(function)))


def _accesses(function: Function) -> Iterator[int]:
    pointers = {name.text for star, name in zip(function.tokens, function.tokens[1:]) if star.text == "*" and name.kind == "word"}
    body = (Token(";", "sign", 0), *function.body, Token(";", "sign", 0))
    for before, star, token, behind in zip(body, body[1:], body[2:], body[3:]):
        is_indexed = token.text in pointers and behind.text == "["
        is_dereferenced = token.text in pointers and star.text == "*" and before.kind == "sign" and before.text not in (")", "]")
        if is_indexed or is_dereferenced:
            yield token.line


def similar(name: str, names: Sequence[str]) -> str | None:
    """Return the name that is closest to a misspelled one, or None if none is close."""
    return next(iter(difflib.get_close_matches(name, [each for each in dict.fromkeys(names) if each != name], 1, _CLOSE)), None)


def meant(text: str, name: str) -> str | None:
    """Return the name of CUDA or of the source that is closest to an unknown name, or None."""
    own = [token.text for token in read(text)[0] if token.kind == "word" and token.text != name]
    return similar(name, [*words.CUDA_NAMES, *own])
