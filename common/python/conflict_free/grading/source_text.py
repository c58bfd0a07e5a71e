"""Finds the lines of a submission that declare, define, launch or use a name of a message.

No compiler is involved, and no verdict depends on it: a text that is not understood gives a message without a line. All functions
take a time that grows with the length of the text and not with its square.
"""

import re
from collections import namedtuple
from collections.abc import Iterator, Sequence

from . import words
from .tokens import Token, read

_CLOSE = 0.75
#: A longer name is not compared with others. The second number limits the names that a name is compared with.
_LONGEST_NAME, _MOST_NAMES = 64, 4096
_SCOPES = ("namespace", "struct", "class", "extern", "union")
_ON_DEVICE = ("__global__", "__device__")
#: Words that declare a variable that outlives a call, and signs that end its name.
_KEPT = ("static", "__device__", "__managed__")
_ENDS_OF_DECLARATOR = ("(", "=", ";", "[", "{", ",", ")")


class Function(namedtuple("Function", ("name", "line", "head", "tokens", "body"))):
    """A function at the outermost scope, or in a namespace or class. ``head`` is its text before the body or the semicolon.

    ``line`` is the line of its name. ``tokens`` are those of the head, ``body`` those between the braces; a declaration has None.
    """

    __slots__ = ()

    @property
    def is_host(self) -> bool:
        """Whether the function runs on the host alone."""
        return not any(token.text in _ON_DEVICE for token in self.tokens)


def functions(text: str) -> list[Function]:
    """Return the functions of a source in their order."""
    source = read(text)
    code = source.tokens
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
                found.append(Function(name.text, name.line, _written(source.text, head), head, code[at + 1 : end] if sign == "{" else None))
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


def _written(text: str, head: Sequence[Token]) -> str:
    """Return the source text of some tokens, up to the last closing parenthesis, in one line."""
    last = next((token for token in reversed(head) if token.text == ")"), head[-1])
    return " ".join(text[head[0].at : last.at + len(last.text)].split())


def simple_name(name: str) -> str:
    """Return the bare name of a function or variable that the linker writes with scopes, types and parameters."""
    found = re.search(r"(\w+)(?:<[^()]*>)?(?:\[abi:\w+\])?\(", name)
    return found[1] if found else re.split(r"::|\s", name.strip())[-1]


def declarations(text: str) -> dict[str, Function]:
    """Return the first declaration without a body of each function by its name."""
    return {function.name: function for function in reversed(functions(text)) if function.body is None}


def first_lines(text: str) -> dict[str, int]:
    """Return the line of the first use of each word of the code."""
    return {token.text: token.line for token in reversed(read(text).tokens) if token.kind == "word"}


def launches(text: str) -> list[tuple[str, int]]:
    """Return the name of the kernel that each launch names, without template arguments, and its line."""
    code, found, at = read(text).tokens, [], 0
    named: list[Token] = []  # the words whose template arguments are open
    before: Token | None = None  # the token before this one, or the word before the template arguments that end there
    while at < len(code):
        token = code[at]
        if [each.text for each in code[at : at + 3]] == ["<", "<", "<"]:
            if before:
                found.append((before.text, before.line))
            at += 3
            before = None
            continue
        if token.text in ("{", "}", ";"):
            named.clear()
        elif token.text == "<" and before:
            named.append(before)
        before = named.pop() if token.text == ">" and named else token
        at += 1
    return found


def calls(text: str, *prefixes: str) -> list[tuple[str, int]]:
    """Return the name and the line of each call of a function whose name begins with one of the prefixes."""
    code = read(text).tokens
    return [(token.text, token.line) for token, behind in zip(code, code[1:]) if behind.text == "(" and token.text.startswith(prefixes)]


def shared_arrays(text: str) -> list[int]:
    """Return the lines that declare shared memory of a fixed size."""
    code = read(text).tokens
    return list(
        dict.fromkeys(
            token.line
            for before, token in zip([None, *code], code)
            if token.text == "__shared__" and (before is None or before.text != "extern")
        )
    )


def kept_variables(text: str) -> list[int]:
    """Return the lines that declare variables that keep their values between calls: static ones, and those of the device."""
    code, lines, at = read(text).tokens, [], 0
    while at < len(code):
        if code[at].text in _KEPT:
            end = next((number for number in range(at, len(code)) if code[number].text in _ENDS_OF_DECLARATOR), len(code))
            is_variable = end < len(code) and code[end].text != "("
            if is_variable and not any(each.text in ("const", "constexpr", "operator") for each in code[at:end]):
                lines.append(code[at].line)
            at = end
        at += 1
    return list(dict.fromkeys(lines))


def unclosed_brace(text: str) -> int:
    """Return the line of a `{` without a `}`, or 0. Indentation tells which of several open braces was not closed."""
    braces = [token for token in read(text).tokens if token.text in ("{", "}")]
    if 2 * sum(token.text == "{" for token in braces) <= len(braces):
        return 0
    columns = [len(line) - len(line.lstrip()) for line in text.split("\n")]
    open_lines: list[int] = []
    for token in braces:
        if token.text == "{":
            open_lines.append(token.line)
        elif open_lines:
            if columns[token.line - 1] < columns[open_lines[-1] - 1]:
                return open_lines[-1]
            open_lines.pop()
    return open_lines[-1]


def host_loops(text: str) -> list[int]:
    """Return the lines of the loops in host functions."""
    bodies = (function.body for function in functions(text) if function.body and function.is_host)
    return list(dict.fromkeys(token.line for body in bodies for token in body if token.text in ("for", "while", "do")))


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
    if len(name) > _LONGEST_NAME:
        return None
    import difflib  # imported here, because few texts need it

    others = [each for each in dict.fromkeys(names) if each != name and len(each) <= 2 * len(name)]
    return next(iter(difflib.get_close_matches(name, others[:_MOST_NAMES], 1, _CLOSE)), None)


def meant(text: str, name: str) -> str | None:
    """Return the name of CUDA or of the source that is closest to an unknown name, or None."""
    own = [token.text for token in read(text).tokens if token.kind == "word" and token.text != name]
    return similar(name, [*words.CUDA_NAMES, *own])
