"""Makes the texts of answers that are a change of another text.

``answers.toml`` of an assignment (answers.schema.json) has the changes:

    [unpadded]
    from = "padded_by_one"
    about = "Right, but a column of the tile lies in one bank."
    replace = [["tile[TILE_DIM][TILE_DIM + 1]", "tile[TILE_DIM][TILE_DIM]"]]

Without ``from`` it is a change of the solution. A replacement is a pair: the old text and the new one. The replacements are made one after
another. Each old text must stand exactly once in the text that the earlier replacements have left. ``about`` replaces the first comment below the licence.
"""

import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conflict_free.schemas import Schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CHANGES = "answers.toml"
SCHEMA = Path(__file__).with_name("answers.schema.json")
STARTER, SOLUTION = "starter", "solution"
_COLUMNS = 120
_LICENCE = re.compile(r"(?:// SPDX-[^\n]*\n)*")
_COMMENT = re.compile(r"^(?://[^\n]*\n)+", re.MULTILINE)


class ChangeError(Exception):
    """A change cannot be made. The message is one line: what, given, accepted."""


@dataclass(frozen=True)
class Change:
    """An answer that is a change of the solution or of another answer."""

    name: str
    base: str
    about: str
    replacements: tuple[tuple[str, str], ...]


def read_changes(folder: Path) -> dict[str, Change]:
    """Return the changes of an assignment by name; an assignment without the file has none. Raises ChangeError."""
    path = folder / CHANGES
    if not path.exists():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ChangeError(str(error)) from error
    for misfit in Schema.of(SCHEMA).misfits(data):
        raise ChangeError(f"{misfit.at('.')}: {misfit.text}")
    return {name: _change(name, entry) for name, entry in data.items()}


def _change(name: str, entry: Mapping[str, Any]) -> Change:
    return Change(name, entry.get("from", SOLUTION), entry["about"], tuple((old, new) for old, new in entry["replace"]))


def misplaced(changes: Mapping[str, Change], files: set[str]) -> Iterator[str]:
    """Yield the errors in the names of changes and in their bases. ``files`` are the names of the answers that are files."""
    for name, change in changes.items():
        if name in (STARTER, SOLUTION) or name in files:
            yield f"{name}: given, a name that nothing else has is accepted"
            continue
        if change.base != SOLUTION and change.base not in changes and change.base not in files:
            others = ", ".join(sorted({SOLUTION, *changes, *files} - {name}))
            yield f"{name}.from: {change.base!r} given, one of {others} is accepted"
        passed, at = {name}, change.base
        while at in changes and at not in passed:
            passed.add(at)
            at = changes[at].base
        if at == name:
            yield f"{name}.from: {change.base!r} given, which is a change of {name}; a text that is none is accepted"


def changed(change: Change, text: str) -> str:
    """Return a text with a change applied. Raises ChangeError."""
    comment = textwrap.fill(
        change.about, _COLUMNS, initial_indent="// ", subsequent_indent="// ", break_long_words=False, break_on_hyphens=False
    )
    licence = _LICENCE.match(text).end()
    first = _COMMENT.search(text, licence)
    before, after = (text[: first.start()], text[first.end() :]) if first else (text[:licence] + "\n", text[licence:])
    text = f"{before}{comment}\n{after}"
    for number, (old, new) in enumerate(change.replacements, start=1):
        times = sum(1 for _ in re.finditer(f"(?={re.escape(old)})", text))
        if times != 1:
            raise ChangeError(
                f"{change.name}.replace, number {number}: old: {_short(old)} given, which stands {times} times in {change.base}; "
                "a text that stands there once is accepted"
            )
        text = text.replace(old, new)
    return text


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else f"{line[:40]} … {line[-15:]}")
