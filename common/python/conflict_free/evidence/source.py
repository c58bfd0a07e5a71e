"""The source files of a program, their tagged regions, and the hash of a kernel's text.

A program is a ``.cu`` file and the headers ``*.cuh`` that it includes: those beside it by ``#include "NAME.cuh"``, and those of
other chapters by ``#include <CHAPTER/NAME.cuh>``. A region is
the text between the lines ``// [NAME]`` and ``// [/NAME]``. Each marker stands alone on its line. Regions are balanced and
do not overlap, and each name stands once in all files of the program: a region may move from one of them to another.

This module needs nothing but the standard library, so that scripts can import it without Sphinx.
"""

import functools
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

#: Regions that are shared by all kernels of a program and belong to each kernel's hash, in this order
#: around the kernel itself.
BEFORE_KERNEL = ("constants",)
AFTER_KERNEL = ("launch",)

_MARKER = re.compile(r"//\s*\[(?P<close>/?)(?P<name>[A-Za-z_]\w*)\]\s*$")

#: A constant at file scope, which begins its line.
_CONSTANT = re.compile(r"^(?:(?:inline|static) )*constexpr [^=;(){}]*?(?P<name>[A-Za-z_]\w*) ?(?:=|\{|\[)", re.MULTILINE)

_HEADER = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"(?P<name>[^"\n]+\.cuh)"|<(?P<elsewhere>\w+/\w+\.cuh)>)', re.MULTILINE)

#: White space that a formatter may put in or take out.
_BESIDE_SIGN = re.compile(r"(?<!\w) | (?!\w)")

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

    ``first_line`` is the 1-based number, in the whole file ``path``, of the first line of ``text``.
    """

    name: str
    first_line: int
    text: str
    path: Path

    @property
    def lines(self) -> list[str]:
        """Return the lines of the region, without line ends."""
        return self.text.splitlines()

    @property
    def last_line(self) -> int:
        """Return the 1-based number of the last line of ``text``; ``first_line - 1`` for an empty region."""
        return self.first_line + len(self.lines) - 1

    @property
    def file(self) -> str:
        """Return the name of the region's file for readers, such as ``chapters/copy/copy.cu``."""
        return shown_path(self.path)


def shown_path(path: Path) -> str:
    """Return the name of a program's file for readers, such as ``chapters/copy/copy.cu``."""
    return path.relative_to(path.parents[2]).as_posix()


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

    ``path`` is for the messages. Raises SourceError for a marker that is not alone on its line, and for a
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
                raise SourceError(f"{where}: region [{name}] opens inside [{open_name}] of line {open_line}; regions may not overlap")
            if name in regions:
                raise SourceError(f"{where}: region [{name}] is defined twice, first at line {regions[name].first_line - 1}")
            open_name, open_line, body = name, number, []
        else:
            if open_name != name:
                found = f"[{open_name}] of line {open_line} is open" if open_name else "no region is open"
                raise SourceError(f"{where}: [/{name}] closes a region that is not open; {found}")
            regions[name] = Region(name, open_line + 1, "".join(part + "\n" for part in body), Path(path))
            open_name = None
    if open_name is not None:
        raise SourceError(f"{path}:{open_line}: region [{open_name}] is never closed by [/{open_name}]")
    return regions


def strip_comments(text: str) -> str:
    """Return C++ ``text`` with each comment replaced by one blank; strings keep what looks like comments."""

    def replace(match: re.Match[str]) -> str:
        return " " if match.lastgroup in ("line_comment", "block_comment") else match[0]

    return _TOKEN.sub(replace, text)


@dataclass(frozen=True)
class SourceFile:
    """One file of a program."""

    path: Path
    text: str

    @functools.lru_cache(maxsize=1024)  # noqa: B019  a file is a value: one with the same text is the same
    def headers(self) -> tuple[tuple[int, Path], ...]:
        """Return the line and the path of each header that the file includes.

        A header in angle brackets is looked for in the folder of chapters, and may not exist: it may be one of a library.
        Raises SourceError for another one that is not beside the file.
        """
        found = []
        for match in _HEADER.finditer(self.text):
            line = self.text.count("\n", 0, match.start()) + 1
            if match["elsewhere"]:
                found.append((line, self.path.parent.parent / match["elsewhere"]))
                continue
            if "/" in match["name"]:
                raise SourceError(
                    f'{self.path}:{line}: "{match["name"]}" is included; a header .cuh is accepted if it lies in the same folder'
                )
            found.append((line, self.path.with_name(match["name"])))
        return tuple(found)


def read_sources(path: Path, read: Callable[[Path], str] = read_source) -> "Sources":
    """Return the program whose ``.cu`` file is ``path``; ``read`` returns the text of a file.

    Raises SourceError if a file cannot be read, or a header is not there.
    """
    files: dict[Path, SourceFile] = {}

    def add(path: Path) -> None:
        files[path] = file = SourceFile(path, read(path))
        for line, header in file.headers():
            if header in files:
                continue
            if header.is_file():
                add(header)
            elif header.parent == path.parent:
                raise SourceError(f"{path}:{line}: there is no {header.name} beside it")

    add(Path(path))
    return _program_of(tuple(files.values()))


@dataclass(frozen=True)
class Sources:
    """The files of a program in reading order: the ``.cu`` file, then the headers as they are included."""

    files: tuple[SourceFile, ...]

    @classmethod
    def of_text(cls, text: str, path: str | Path = "source") -> "Sources":
        """Return the program of one file; headers that it includes are left out."""
        return cls((SourceFile(Path(path), text),))

    @functools.cached_property
    def _hashes(self) -> dict[str, str]:
        return {}

    @functools.cached_property
    def regions(self) -> dict[str, Region]:
        """Return all regions by name, in the order of the compiler. Raises SourceError as ``parse_regions``."""
        files = {file.path: file for file in self.files}
        found: dict[str, Region] = {}

        def visit(file: SourceFile) -> None:
            del files[file.path]  # a header is read once
            parts = [(part.first_line, part) for part in parse_regions(file.text, file.path).values()]
            for _, part in sorted([*parts, *file.headers()], key=lambda entry: entry[0]):
                if isinstance(part, Path):
                    if part in files:
                        visit(files[part])
                elif part.name in found:
                    first = found[part.name]
                    raise SourceError(
                        f"{part.path}:{part.first_line - 1}: region [{part.name}] is defined twice, "
                        f"first at {first.path}:{first.first_line - 1}"
                    )
                else:
                    found[part.name] = part

        visit(self.files[0])
        return found

    def region(self, name: str) -> Region:
        """Return one region, with its file and lines. Raises SourceError if it is unknown, naming those that exist."""
        if name not in self.regions:
            known = ", ".join(self.regions) or "none"
            raise SourceError(f"{self.files[0].path}: no region [{name}]; it has: {known}")
        return self.regions[name]

    def line(self, file: str, number: int) -> str:
        """Return the text of a line of the file that the model calls ``file``; an empty text if the program has no such line."""
        for one in self.files:
            if one.path.name == file.rsplit("/", 1)[-1]:
                lines = one.text.splitlines()
                return lines[number - 1] if 1 <= number <= len(lines) else ""
        return ""

    def kernel_hash(self, name: str) -> str:
        """Return ``"sha256:" + hex`` of the texts that make up the kernel ``name``.

        These are the region ``constants`` (if any), the kernel's own region, the regions of the functions and of the constants
        that it names, and ``launch`` (if any), without comments and without white space except between words: rewording a
        comment, formatting and moving a region leave the hash; changing an index does not. Raises SourceError for an
        unknown name.
        """
        if name not in self._hashes:
            self._hashes[name] = self._hash(name, self._named(name))
        return self._hashes[name]

    @functools.cached_property
    def _region_of(self) -> dict[str, str]:
        """Return the region of a name: the one of that name, or the one that declares a constant of that name."""
        constants = {
            match["name"]: region.name for region in self.regions.values() for match in _CONSTANT.finditer(strip_comments(region.text))
        }
        return constants | {name: name for name in self.regions}

    def _named(self, name: str) -> list[str]:
        """Return the regions that a region names, and those that these name: each after those that it names."""
        seen, found = {name, *BEFORE_KERNEL, *AFTER_KERNEL}, []

        def visit(text: str) -> None:
            for word in re.findall(r"[A-Za-z_]\w*", strip_comments(text)):
                region = self._region_of.get(word)
                if region is not None and region not in seen:
                    seen.add(region)
                    visit(self.regions[region].text)
                    found.append(region)

        visit(self.region(name).text)
        return found

    def _hash(self, name: str, named: list[str]) -> str:
        names = [*BEFORE_KERNEL, name, *named, *AFTER_KERNEL]
        text = "\n".join(self.regions[part].text for part in names if part in self.regions)
        normal = _BESIDE_SIGN.sub("", " ".join(strip_comments(text).split()))
        return "sha256:" + hashlib.sha256(normal.encode("utf-8")).hexdigest()


@functools.lru_cache(maxsize=1024)
def _program_of(files: tuple[SourceFile, ...]) -> Sources:
    """Return one object for equal texts. It keeps its regions and the hashes of its kernels, which a book asks for thousands of times."""
    return Sources(files)
