# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Splits a C++ file into tokens as a compiler's first phases do: lines spliced, digraphs replaced, comments removed. An unusual
spelling of a word gives the same token as the usual one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_DIGRAPHS = {"<%": "{", "%>": "}", "<:": "[", ":>": "]", "%:%:": "##", "%:": "#"}
_SPLICE = re.compile(r"\\[ \t\v\f\r]*\n")
_UNIVERSAL = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\u\{([0-9A-Fa-f]+)\}")
_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\v\f\r]+) | (?P<newline>\n)
  | (?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
  | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?(?:\)(?P=mark)"|\Z))
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"?)
  | (?P<number>\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)
  | (?P<character>(?:u8|[uUL])?'(?:\\.|[^'\\\n])*'?)
  | (?P<word>[^\W\d](?:\w|\\[uU]\{?[0-9A-Fa-f]+\}?|\$)*|\\[uU]\{?[0-9A-Fa-f]+\}?(?:\w|\$)*|\$(?:\w|\$)*)
  | (?P<sign>%:%:|<%|%>|<:|:>|%:|\#\#|::|->|.)
""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    """A token: its text without splices, its kind (word, number, string, character or sign), and its line from 1."""

    text: str
    kind: str
    line: int


@dataclass(frozen=True)
class Directive:
    """A line of the preprocessor: its tokens after the `#`, and the text after its name."""

    tokens: tuple[Token, ...]
    rest: str
    line: int

    @property
    def name(self) -> str:
        return self.tokens[0].text if self.tokens else ""


def _spliced(text: str) -> tuple[str, list[int]]:
    """Return the text with spliced lines joined, and the line number of each character."""
    pieces, lines, line, at = [], [], 1, 0
    for splice in _SPLICE.finditer(text):
        piece = text[at : splice.start()]
        pieces.append(piece)
        for character in piece:
            lines.append(line)
            line += character == "\n"
        line += 1
        at = splice.end()
    pieces.append(text[at:])
    for character in text[at:]:
        lines.append(line)
        line += character == "\n"
    return "".join(pieces), [*lines, line]


def _name(text: str) -> str:
    """Return a word with its universal character names replaced by their characters."""
    return _UNIVERSAL.sub(lambda found: chr(int(next(filter(None, found.groups())), 16) % 0x110000), text)


def _tokens(text: str) -> Iterator[Token]:
    """Yield all tokens, and newlines as signs."""
    joined, lines = _spliced(text)
    at = 0
    while at < len(joined):
        found = _TOKEN.match(joined, at)
        assert found is not None and found.end() > at
        kind, piece = found.lastgroup or "sign", found.group()
        kind = "string" if found["raw"] else kind
        if kind == "newline":
            yield Token("\n", "sign", lines[at])
        elif kind == "word":
            yield Token(_name(piece), kind, lines[at])
        elif kind == "sign" and joined.startswith("<::", at) and joined[at + 3 : at + 4] not in (":", ">"):
            piece = "<"
            yield Token(piece, kind, lines[at])
        elif kind not in ("space", "comment"):
            yield Token(_DIGRAPHS.get(piece, piece), kind, lines[at])
        at += len(piece)


def read(text: str) -> tuple[list[Token], list[Directive]]:
    """Return the tokens of the code, and the directives with tokens of their own."""
    text = text.replace("\r\n", "\n")
    code: list[Token] = []
    directives: list[Directive] = []
    line_of_directive: list[Token] | None = None
    begins_line, hash_line = True, 0
    for token in (*_tokens(text), Token("\n", "sign", 0)):
        if token.text == "\n" and token.kind == "sign":
            if line_of_directive is not None:
                rest = "".join(each.text for each in line_of_directive[1:])
                directives.append(Directive(tuple(line_of_directive), rest, hash_line))
            line_of_directive, begins_line = None, True
        elif line_of_directive is not None:
            line_of_directive.append(token)
        elif begins_line and token.text == "#":
            line_of_directive, hash_line, begins_line = [], token.line, False
        else:
            begins_line = False
            code.append(token)
    return code, directives
