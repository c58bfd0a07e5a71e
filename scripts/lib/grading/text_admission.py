# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What a submission may contain of text: its own tokens, before any preprocessor has seen them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from grading import words
from grading.refusal import Refusal
from grading.tokens import Directive, Token, oddities, read

_RESERVED_NAME = re.compile(r"__|_[A-Z]")
_ADMITTED_RESERVED = re.compile(words.RESERVED_PATTERN)
_NO_MACRO = re.compile(words.NO_MACRO_PATTERN)
_HEADER = re.compile(r'<([^>]*)>|"([^"]*)"')

_HELP = {
    "inline assembly": "Write it in CUDA C++: the model counts no instruction that it does not know.",
    "a compiler attribute": "Leave it out: code is compiled in one way for everybody.",
    "an exception": "Return an error code instead: kernels have no exceptions, and the driver catches none.",
    "a module": "Include a header instead.",
    "a name of the grader": "Choose another name: the ones of the model and the grader are theirs.",
    "a thread-local variable": "Use a local variable.",
    "a coroutine": "Use a function.",
    "run-time type information": "Use a template.",
    "a virtual function": "Use a template.",
    "a call back into host code": "Call the function after cudaDeviceSynchronize().",
    "a launch through a function pointer": "Write kernel<<<grid, block, shared_bytes, stream>>>(arguments).",
    "a reserved name": "Names that begin with two underscores, or with one and a capital letter, are the compiler's; choose another.",
}
_HELP_OTHERWISE = "Leave it out: a submission computes with the memory that it is given, and does nothing else."


def _refusal(line: int, kind: str, seen: str) -> Refusal:
    return Refusal(line, kind.partition(" ")[2] if kind.startswith(("a ", "an ")) else kind, f"line {line} has {kind}: {seen}",
                   _HELP.get(kind, _HELP_OTHERWISE))


def examine_text(text: str) -> list[Refusal]:
    """What in the submission's own text is not admitted, in the order of its lines."""
    code, directives = read(text)
    found = [Refusal(line, name.partition(" ")[2], f"line {line} has {name}", "Leave it out: compilers do not agree on how to read it.")
             for line, name in oddities(text)]
    found += _sequences(code)
    for token, behind in zip_longest(code, code[1:]):
        found += _word(token, behind)
    for directive in directives:
        found += _directive(directive)
    # One of a kind on a line is enough.
    return sorted({(each.line, each.kind): each for each in reversed(found)}.values(), key=lambda each: (each.line or 0, each.kind))


def _word(token: Token, behind: Token | None) -> Iterator[Refusal]:
    """What there is to say against one word."""
    if token.kind != "word":
        return
    name = token.text
    if kind := words.FORBIDDEN.get(name):
        if name not in words.ONLY_CALLED or (behind is not None and behind.text == "("):
            yield _refusal(token.line, kind, f"`{name}`")
    elif name.startswith("simt_"):
        yield _refusal(token.line, "a name of the grader", f"`{name}`")
    elif _RESERVED_NAME.match(name) and name not in words.RESERVED and not _ADMITTED_RESERVED.fullmatch(name):
        yield _refusal(token.line, "a reserved name", f"`{name}`")


def _sequences(tokens: Sequence[Token]) -> Iterator[Refusal]:
    """What only several tokens together tell."""
    texts = [token.text if token.kind != "string" else "" for token in tokens]
    for index, token in enumerate(tokens):
        behind, before = texts[index + 1:index + 3], texts[index - 1] if index else ""
        if token.kind == "word" and token.text == "main" and behind[:1] == ["("] and before not in (".", "->", "::"):
            yield _refusal(token.line, "a main function", "the driver has the only one")
        if token.text == "namespace" and behind[:1] in (["std"], ["cooperative_groups"], ["cuda"]) and before != "using":
            yield _refusal(token.line, "a namespace of others", f"`namespace {behind[0]}`")
        if token.text == "[" and behind[:1] == ["["]:
            yield from _attribute(tokens, index)
        if token.text == "##":
            yield _refusal(token.line, "a pasted token", "`##`")


def _attribute(tokens: Sequence[Token], index: int) -> Iterator[Refusal]:
    depth = 0
    for token in tokens[index:]:
        depth += {"[": 1, "]": -1}.get(token.text, 0)
        if depth <= 0:
            return
        if (token.kind == "word" and token.text not in words.ATTRIBUTES) or token.text == "::":
            yield _refusal(token.line, "a compiler attribute", f"`[[{token.text}]]`")
            return


def _directive(directive: Directive) -> Iterator[Refusal]:
    handlers: dict[str, Callable[[Directive], Iterator[Refusal]]] = {
        "include": _include, "define": _macro, "undef": _macro, "pragma": _pragma}
    if not directive.name:
        return
    if directive.name not in words.DIRECTIVES:
        yield _refusal(directive.line, "a directive that is not admitted", f"`#{directive.name}`")
        return
    yield from handlers.get(directive.name, lambda _: iter(()))(directive)
    if directive.name in ("error", "warning", "include"):
        return
    body = directive.tokens[1:]
    yield from _sequences(body)
    for token, behind in zip_longest(body, body[1:]):
        yield from _word(token, behind)


def _include(directive: Directive) -> Iterator[Refusal]:
    found = _HEADER.fullmatch(directive.rest)
    if found is None:
        yield _refusal(directive.line, "an include that is not admitted", "the name of the header does not stand there itself")
        return
    name = found[1] or found[2] or ""
    if name not in words.HEADERS:
        yield Refusal(directive.line, "include that is not admitted", f"line {directive.line} includes `{name}`",
                      "Include only headers of CUDA and of what computes in C++, such as <algorithm>; a submission is one file.")


def _macro(directive: Directive) -> Iterator[Refusal]:
    name = directive.tokens[1].text if len(directive.tokens) > 1 else ""
    if name in words.KEYWORDS or _NO_MACRO.fullmatch(name) or _RESERVED_NAME.match(name):
        yield Refusal(directive.line, "macro in the place of a name of CUDA or C++", f"line {directive.line} has `#{directive.name} {name}`",
                      "Give the macro a name of your own: others use this one.")


def _pragma(directive: Directive) -> Iterator[Refusal]:
    name = directive.tokens[1].text if len(directive.tokens) > 1 else ""
    if name not in words.PRAGMAS:
        yield _refusal(directive.line, "a pragma that is not admitted", f"`#pragma {name}`")
