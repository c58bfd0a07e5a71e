# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Tagged regions of a chapter's source file, and the hash of a kernel's text.

A region is the text between the lines ``// [NAME]`` and ``// [/NAME]``. Each marker stands alone on
its line. Regions are balanced, unique and do not overlap.

This module needs nothing but the standard library, so that scripts can import it without Sphinx.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

#: Regions that are shared by all kernels of a file and belong to each kernel's hash, in this order
#: around the kernel itself.
BEFORE_KERNEL = ("constants",)
AFTER_KERNEL = ("launch",)

_MARKER = re.compile(r"//\s*\[(?P<close>/?)(?P<name>[A-Za-z_]\w*)\]\s*$")

_TOKEN = re.compile(
    r"""
      (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s"]{0,16})\(.*?\)(?P=delimiter)")
    | (?P<string>"(?:\\.|[^"\\\n])*")
    | (?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
    | (?P<word>[A-Za-z_]\w*)
    | (?P<character>'(?:\\.|[^'\\\n])*')
    | (?P<line_comment>//(?:\\\r?\n|[^\n])*)
    | (?P<block_comment>/\*.*?(?:\*/|\Z))
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class SourceError(ValueError):
    """A source file breaks the rules of tagged regions. The text is one line: where, what, what is accepted."""


@dataclass(frozen=True)
class Region:
    """The text between two markers, without the markers.

    ``first_line`` is the 1-based number, in the whole file, of the first line of ``text``.
    """

    name: str
    first_line: int
    text: str

    @property
    def lines(self) -> list[str]:
        """The lines of the region, without line ends."""
        return self.text.splitlines()

    @property
    def last_line(self) -> int:
        """The 1-based number of the last line of ``text``; ``first_line - 1`` for an empty region."""
        return self.first_line + len(self.lines) - 1


def read_source(path: Path) -> str:
    """Return the text of a source file. Raises SourceError if it cannot be read as UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SourceError(f"{path}: no such source file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: cannot be read as UTF-8 text: {error}") from None


def parse_regions(text: str, path: str | Path = "source") -> dict[str, Region]:
    """Return all regions of ``text`` by name, in the order of the file.

    ``path`` only serves the messages. Raises SourceError for a marker that is not alone on its line, a
    region that is opened twice, overlaps another, or is not closed.
    """
    regions: dict[str, Region] = {}
    open_name: str | None = None
    open_line = 0
    body: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        marker = _MARKER.search(line)
        if marker is None:
            body.append(line)
            continue
        where = f"{path}:{number}"
        name = marker["name"]
        if line[: marker.start()].strip():
            raise SourceError(f"{where}: marker [{marker['close']}{name}] must stand alone on its line")
        if not marker["close"]:
            if open_name is not None:
                raise SourceError(
                    f"{where}: region [{name}] opens inside [{open_name}] of line {open_line}; regions may not overlap"
                )
            if name in regions:
                raise SourceError(
                    f"{where}: region [{name}] is defined twice, first at line {regions[name].first_line - 1}"
                )
            open_name, open_line, body = name, number, []
        else:
            if open_name != name:
                found = f"[{open_name}] of line {open_line} is open" if open_name else "no region is open"
                raise SourceError(f"{where}: [/{name}] closes a region that is not open; {found}")
            regions[name] = Region(name, open_line + 1, "".join(part + "\n" for part in body))
            open_name = None
    if open_name is not None:
        raise SourceError(f"{path}:{open_line}: region [{open_name}] is never closed by [/{open_name}]")
    return regions


def region(text: str, name: str, path: str | Path = "source") -> Region:
    """Return one region by name. Raises SourceError if it is unknown, naming those that exist."""
    regions = parse_regions(text, path)
    if name not in regions:
        known = ", ".join(regions) or "none"
        raise SourceError(f"{path}: no region [{name}]; it has: {known}")
    return regions[name]


def strip_comments(text: str) -> str:
    """Return C++ ``text`` with each comment replaced by one blank; strings keep what looks like comments."""

    def replace(match: re.Match[str]) -> str:
        return " " if match.lastgroup in ("line_comment", "block_comment") else match[0]

    return _TOKEN.sub(replace, text)


def _named_in(text: str, regions: dict[str, Region]) -> set[str]:
    """Return the names of regions that ``text`` names, such as a function that it calls, and that those name."""
    found: set[str] = set()
    texts = [text]
    while texts:
        words = set(re.findall(r"[A-Za-z_]\w*", strip_comments(texts.pop())))
        new = (words & regions.keys()) - found
        found |= new
        texts += [regions[name].text for name in new]
    return found


def kernel_hash(source_text: str, name: str, path: str | Path = "source") -> str:
    """Return ``"sha256:" + hex`` of what the kernel ``name`` is made of.

    That is the region ``constants`` (if any), the kernel's own region, the regions of the functions that it calls, and
    ``launch`` (if any), without comments and with each run of white space as one blank: rewording a comment does not
    make a result stale, changing an index does. Raises SourceError for an unknown name.
    """
    regions = parse_regions(source_text, path)
    kernel = region(source_text, name, path)
    called = _named_in(kernel.text, regions) - {name, *BEFORE_KERNEL, *AFTER_KERNEL}
    parts = [regions[part].text for part in BEFORE_KERNEL if part in regions]
    parts.append(kernel.text)
    parts += [part.text for part in regions.values() if part.name in called]
    parts += [regions[part].text for part in AFTER_KERNEL if part in regions]
    normal = " ".join(strip_comments("\n".join(parts)).split())
    return "sha256:" + hashlib.sha256(normal.encode("utf-8")).hexdigest()
