"""Looks through a submission's text for what will fail, and names the lines. It helps students and protects nothing.

The same code would fail later with a message that says less: the sandbox ends a program that starts another, the judge refuses
memory that it does not own, the linker finds two functions `main`.
"""

import re
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from conflict_free.grading import words
from conflict_free.grading.tokens import Directive, Token, read

_NO_MACRO = re.compile(words.NO_MACRO_PATTERN)
_HEADER = re.compile(r'<([^>]*)>|"([^"]*)"')
_FILE_OF_THE_MACHINE = re.compile(r"/|.*\.\./")
#: A file between quotes that a student may have, and that is not handed in.
_OWN_FILE = re.compile(r".*\.(?:cu|cuh|cpp|hpp|py|inc)$")

_HELP = {
    "a name of the grader": "Choose another name: the model or the grader uses this one.",
    "a main function": "Leave main out: the driver has the only one.",
    "a call back into host code": "Call the function after cudaDeviceSynchronize().",
    "managed memory": "Allocate with cudaMalloc: the function works on device memory alone.",
    "memory of the host for kernels": "Allocate with cudaMalloc: the function works on device memory alone.",
    "a reset of the device": "Leave it out: the driver's memory is on the device, too.",
    "a part of the L2 that is set aside": "Leave it out: all of the L2 is there for every access.",
    "a thread of the host": "Leave it out: a kernel's threads are enough.",
}
_HELP_OTHERWISE = "Leave it out: a submission computes with the memory that it is given, and does nothing else."


class Refusal(namedtuple("Refusal", ("line", "kind", "message", "help"))):
    """One thing that a submission may not contain.

    `line` counts from 1. `kind` is a name such as "reaching files". `message` says in one line what was seen. `help` is one
    sentence for the student.
    """

    __slots__ = ()


def _refusal(line: int, kind: str, seen: str) -> Refusal:
    return Refusal(
        line,
        kind.partition(" ")[2] if kind.startswith(("a ", "an ")) else kind,
        f"line {line} has {kind}: {seen}",
        _HELP.get(kind, _HELP_OTHERWISE),
    )


def examine_text(text: str) -> list[Refusal]:
    """Return what is not admitted in the submission's text, in the order of its lines."""
    code = read(text)
    found = [*_functions(code.tokens), *_words(code.tokens), *_threads(code.tokens)]
    for directive in code.directives:
        found += _directive(directive)
    # Each kind is named once per line.
    return sorted({(each.line, each.kind): each for each in reversed(found)}.values(), key=lambda each: (each.line, each.kind))


def _words(tokens: Sequence[Token]) -> Iterator[Refusal]:
    for token, behind in zip_longest(tokens, tokens[1:]):
        if token is None or token.kind != "word":
            continue
        kind = "a name of the grader" if token.text.startswith("simt_") else words.FORBIDDEN.get(token.text)
        if kind and (token.text not in words.ONLY_CALLED or (behind is not None and behind.text == "(")):
            yield _refusal(token.line, kind, f"`{token.text}`")


def _threads(tokens: Sequence[Token]) -> Iterator[Refusal]:
    """Yield the uses of std::thread and std::async. These names alone are everyday words."""
    for scope, colons, token in zip(tokens, tokens[1:], tokens[2:]):
        if (scope.text, colons.text) == ("std", "::") and token.text in ("thread", "async"):
            yield _refusal(token.line, "a thread of the host", f"`std::{token.text}`")


def _functions(tokens: Sequence[Token]) -> Iterator[Refusal]:
    for before, token, behind in zip(("", *(token.text for token in tokens)), tokens, tokens[1:]):
        if token.kind == "word" and token.text == "main" and behind.text == "(" and before not in (".", "->", "::"):
            yield _refusal(token.line, "a main function", "the driver has the only one")


def _directive(directive: Directive) -> Iterator[Refusal]:
    handlers: dict[str, Callable[[Directive], Iterator[Refusal]]] = {"include": _include, "define": _macro, "undef": _macro}
    yield from handlers.get(directive.name, lambda _: iter(()))(directive)
    if directive.name not in ("error", "warning", "include"):
        body = directive.tokens[1:]
        yield from _functions(body)
        yield from _words(body)


def _include(directive: Directive) -> Iterator[Refusal]:
    found = _HEADER.fullmatch(directive.rest)
    name = (found[1] or found[2] or "") if found else directive.rest
    if found is None or _FILE_OF_THE_MACHINE.match(name) or _OWN_FILE.match(found[2] or ""):
        yield Refusal(
            directive.line,
            "include that is not admitted",
            f"line {directive.line} includes `{name}`",
            "Include only headers of CUDA and of C++, such as <algorithm>; a submission is one file.",
        )


def _macro(directive: Directive) -> Iterator[Refusal]:
    name = directive.tokens[1].text if len(directive.tokens) > 1 else ""
    if name in words.KEYWORDS or _NO_MACRO.fullmatch(name):
        yield Refusal(
            directive.line,
            "macro in the place of a name of CUDA or C++",
            f"line {directive.line} has `#{directive.name} {name}`",
            "Give the macro a name of your own: others use this one.",
        )
