"""Typed numbers with a unit of measurement in prose. A rule of scripts/check.

Numbers that directives and the roles `val` and `claim` put into a page do not stand in its source, so they are no findings.
book/typed_numbers.json lists the typed numbers that may stand, each with its reason: a published figure with its citation, a
constant of the architecture with its term of the glossary, or somebody else's wrong factor.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from conflict_free.console import ROOT
from conflict_free.schemas import Schema

ALLOWED = ROOT / "book" / "typed_numbers.json"
GLOSSARY = ROOT / "book" / "glossary.rst"
REFERENCES = ROOT / "book" / "references.bib"

_SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["file", "text", "why"],
        "properties": {
            "file": {"type": "string"},
            "text": {"type": "string", "minLength": 2},
            "why": {"type": "string", "minLength": 10},
            "citation": {"type": "string"},
            "term": {"type": "string"},
        },
    },
}

_NUMBER = r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:\s*[–-]\s*\d+(?:\.\d+)?)?"
_WORD = r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|sixteen|twenty|thirty|forty|fifty|hundred|thousand)"
_RATE = r"(?:[KMGTP]i?B|[kMGT]?bytes?|(?:[KMGT]\s?|billion |million )?(?:pairs|elements|points|floats|FLOPS?))\s*(?:/|\ba |\bper )\s*s(?:ec(?:ond)?)?"
_TIME = r"(?:ns|µs|μs|us|ms|(?<=\s)s|(?:nano|micro|milli)?seconds?|minutes?|hours?)"  # '2s' is twice s
_OTHER = r"(?:[kMG]Hz|cycles?|(?:T|G)?FLOP/s|watts?|percent)"
_FASTER = r"\s+times\s+(?:as\s+)?(?:much\s+)?(?:faster|slower|fast|slow|long|quick\w*|the\s+(?:time|speed|bandwidth))"

#: The form of a measurement: a number with a unit, or a factor of speed, in digits or in words.
MEASUREMENT = re.compile(
    rf"{_NUMBER}\s*(?:{_RATE}\b|{_TIME}(?![\w/])|{_OTHER}(?!\w)|(?:\\ )?%)"
    rf"|(?:{_NUMBER}|{_WORD}){_FASTER}\b"
    rf"|{_NUMBER}×(?!\s*\d)"
    rf"|{_NUMBER}\s+×\s+(?:as\b|faster|slower)"
    rf"|{_NUMBER}[-\s]fold\b"
    r"|\b(?:twice|half)\s+as\s+(?:fast|slow|long)\b"
)

# Each match is blanked out. Its line ends stay, so that a finding has the right line number.
_RST_HIDDEN = (
    re.compile(r":(?:val|claim|cite(?::\w+)?|math):`[^`]*`"),
    re.compile(r"``.+?``", re.DOTALL),
    re.compile(r"`__?\b|https?://\S+"),
)
_MARKDOWN_HIDDEN = (
    re.compile(r"<!-- measured table.*?<!-- end of measured table -->", re.DOTALL),
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"^( *)```.*?^\1```", re.DOTALL | re.MULTILINE),
    re.compile(r"``.+?``|`[^`]+`|https?://[^\s)]+", re.DOTALL),
)

#: Directives whose body is not prose.
_NO_PROSE = ("code-block", "raw", "toctree", "math", "bibliography", "literalinclude")
_DIRECTIVE = re.compile(r"^(?P<indent> *)\.\. (?:(?P<name>[\w:-]+)::)?")


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "\0", match[0])


def _without_code(text: str) -> str:
    """Blank out the comments of reStructuredText, the options of directives, and bodies that are not prose."""
    shown: list[str] = []
    hidden_below: int | None = None
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        if hidden_below is not None and line.strip() and indent <= hidden_below:
            hidden_below = None
        start = _DIRECTIVE.match(line)
        if hidden_below is None and start and (start["name"] is None or start["name"] in _NO_PROSE):
            # Footnotes ('.. [name]'), targets ('.. _name:') and comments have no name with two colons either.
            hidden_below = len(start["indent"])
        is_option = re.match(r" +:[\w-]+:(?!`)", line) is not None
        shown.append("" if hidden_below is not None or is_option else line)
    return "\n".join(shown)


def prose(text: str, suffix: str) -> str:
    """Return the prose of a page. Each word keeps its line of the file."""
    if suffix == ".rst":
        text = _without_code(text)
    for hidden in _RST_HIDDEN if suffix == ".rst" else _MARKDOWN_HIDDEN:
        text = hidden.sub(_blank, text)
    return text


@dataclass(frozen=True)
class Measurement:
    """A number with a unit in prose: the file relative to the repository, the line, and the text."""

    file: str
    line: int
    text: str


def find(text: str, file: str) -> Iterator[Measurement]:
    """Yield each number in the prose of a file that looks like a measurement."""
    seen = prose(text, Path(file).suffix)
    for match in MEASUREMENT.finditer(seen):
        yield Measurement(file, seen.count("\n", 0, match.start()) + 1, " ".join(match[0].split()))


def pages() -> Iterator[Path]:
    """Yield the files of the repository that hold prose."""
    for pattern in ("book/*.rst", "book/assignments/*.rst", "chapters/*/assignment/*.rst"):
        yield from sorted(ROOT.glob(pattern))
    yield from (path for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md") if path.exists())
    yield from sorted((ROOT / "docs").glob("*.md"))


def _allowed() -> tuple[list[dict], list[str]]:
    """Return the entries of the list of typed numbers, and its errors."""
    name = ALLOWED.relative_to(ROOT).as_posix()
    if not ALLOWED.exists():
        return [], []
    try:
        entries = json.loads(ALLOWED.read_text(encoding="utf-8"))
    except ValueError as error:
        return [], [f"{name}: {error}"]
    wrong = [f"{name}: at {misfit.at()}: {misfit.text}" for misfit in Schema(_SCHEMA).misfits(entries)]
    if wrong:
        return [], wrong[:1]
    references = REFERENCES.read_text(encoding="utf-8") if REFERENCES.exists() else ""
    glossary = GLOSSARY.read_text(encoding="utf-8") if GLOSSARY.exists() else ""
    for entry in entries:
        if "citation" in entry and f"{{{entry['citation']}," not in references:
            wrong.append(f"{name}: {entry['text']!r} cites {entry['citation']}, which references.bib does not have")
        if "term" in entry and not re.search(rf"^   {re.escape(entry['term'])}$", glossary, re.MULTILINE):
            wrong.append(f"{name}: {entry['text']!r} belongs to {entry['term']!r}, which the glossary does not have")
    return entries, wrong


def naked_numbers(paths: Iterable[Path] | None = None) -> Iterator[str]:
    """Only the numbers of book/typed_numbers.json are typed into prose with a unit, and each entry of that list is used."""
    entries, wrong = _allowed()
    yield from wrong
    allowed = {(entry["file"], entry["text"]) for entry in entries}
    used = set()
    for path in pages() if paths is None else paths:
        for found in find(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()):
            if (found.file, found.text) in allowed:
                used.add((found.file, found.text))
            else:
                yield (
                    f"{found.file}:{found.line}: '{found.text}' is typed; take it from the evidence with :val: or "
                    ":claim:, or list it with its reason in book/typed_numbers.json"
                )
    for file, text in sorted(allowed - used):
        yield f"{ALLOWED.relative_to(ROOT).as_posix()}: '{text}' is not in {file}; remove the entry"
