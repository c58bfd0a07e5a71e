"""Splits a C++ file into tokens as a compiler's first phases do: lines spliced, digraphs replaced, comments removed. An unusual
spelling of a word gives the same token as the usual one.
"""

import bisect
import functools
import re
from collections import namedtuple
from collections.abc import Iterator, Sequence

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


class Token(namedtuple("Token", ("text", "kind", "line", "at"), defaults=(0,))):
    """A token: its text without splices, its kind (word, number, string, character or sign), and its line from 1.

    ``at`` is its place in ``Code.text``.
    """

    __slots__ = ()


class Directive(namedtuple("Directive", ("tokens", "rest", "line"))):
    """A line of the preprocessor: its tokens after the `#`, and the text after its name."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return self.tokens[0].text if self.tokens else ""


class Code(namedtuple("Code", ("text", "tokens", "directives"))):
    """A source: its text without splices, the tokens of its code, and its directives with tokens of their own."""

    __slots__ = ()


def _spliced(text: str) -> tuple[str, list[int]]:
    """Return the text with spliced lines joined, and the places in it at which the line number grows by one."""
    pieces, steps, length, at = [], [], 0, 0
    for splice in (*_SPLICE.finditer(text), None):
        piece = text[at : splice.start() if splice else len(text)]
        steps += (length + newline.end() for newline in re.finditer("\n", piece))
        pieces.append(piece)
        length += len(piece)
        if splice:
            steps.append(length)
            at = splice.end()
    return "".join(pieces), steps


def _character(found: re.Match[str]) -> str:
    """Return the character that a universal character name stands for, or the name itself if it stands for none."""
    number = int(next(filter(None, found.groups())), 16)
    return chr(number) if number < 0xD800 or 0xDFFF < number < 0x110000 else found[0]


def _tokens(joined: str, steps: Sequence[int]) -> Iterator[Token]:
    """Yield all tokens, and newlines as signs."""
    at = 0
    while at < len(joined):
        found = _TOKEN.match(joined, at)
        assert found is not None and found.end() > at
        kind, piece = found.lastgroup or "sign", found.group()
        kind = "string" if found["raw"] else kind
        if kind == "sign" and joined.startswith("<::", at) and joined[at + 3 : at + 4] not in (":", ">"):
            piece = "<"
        if kind not in ("space", "comment"):
            text = _UNIVERSAL.sub(_character, piece) if kind == "word" else _DIGRAPHS.get(piece, piece) if kind == "sign" else piece
            yield Token(text, "sign" if kind == "newline" else kind, bisect.bisect_right(steps, at) + 1, at)
        at += len(piece)


@functools.lru_cache(maxsize=4)
def read(text: str) -> Code:
    """Return the tokens of a source. The tokens of the last sources are kept, because many checks read the same one."""
    joined, steps = _spliced(text.replace("\r\n", "\n"))
    code: list[Token] = []
    directives: list[Directive] = []
    line_of_directive: list[Token] | None = None
    begins_line, hash_line = True, 0
    for token in (*_tokens(joined, steps), Token("\n", "sign", 0)):
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
    return Code(joined, tuple(code), tuple(directives))
