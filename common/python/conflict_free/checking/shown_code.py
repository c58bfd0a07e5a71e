"""scripts/check --html: compares the code in the rendered book with the tested sources, in both directions.

Every function of a chapter that runs on the GPU stands on the chapter's page, and every block of code on a page stands
in a tested source. Of each shell command the script, its options, files and presets must exist. A command that starts a chapter's
program is run under the model, in the build folder of the book.
"""

import functools
import hashlib
import html.parser
import json
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from conflict_free.console import ROOT
from conflict_free.counting import model_runtime
from conflict_free.evidence.places import source_files
from conflict_free.grading import assignment

_CODE = ("highlight-cuda", "highlight-c++", "highlight-cpp")
_SHELL = ("highlight-sh", "highlight-bash", "highlight-shell")
#: Blocks that a directive makes from a run of the model or the machine code of the same build, from a result file (the timed call of a library), or from what
#: was recorded of a program that is not here.
_MADE = ("count-report", "library-call", "recorded-run", "machine-code")

#: The start of a function that runs on the GPU.
_DEVICE = re.compile(r"^(?:template\s*<[^\n]*>\s*\n)?[^\n/#]*__(?:global|device)__[^\n;=]*\(", re.MULTILINE)
#: The most spaces before a part of a kernel that is listed by itself.
_DEEPEST = 16
#: A folder of the build folder. It has a file for each command that succeeded, named by the hash of the program and its arguments.
RAN_WELL = "commands_that_ran"
_PROGRAM = re.compile(r"build/chapters/(\w+)/\1")


@dataclass
class Block:
    """A block of code on a page: its classes, and its lines. A line has the mark of a diff, an empty mark, or 'gap' for left out lines."""

    page: str
    classes: list[str]
    lines: list[tuple[str, str]] = field(default_factory=list)

    def text(self, without: str = "") -> str:
        """Return the block's lines, except those with a mark."""
        return _plain("\n".join(line for mark, line in self.lines if mark != "gap" and (not mark or mark != without)))

    def parts(self, without: str) -> list[str]:
        """Return the text in parts, divided where the block leaves out lines."""
        cut = [[]]
        for mark, line in self.lines:
            if mark == "gap":
                cut.append([])
            elif not mark or mark != without:
                cut[-1].append(line)
        return [_plain("\n".join(lines)) for lines in cut]


class _Blocks(html.parser.HTMLParser):
    """A parser that collects the blocks of code of a page, without their margins."""

    def __init__(self, page: str, text: str) -> None:
        super().__init__()
        self.page, self.found = page, []
        self._open: list[tuple[str, list[str]]] = []
        self._text: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        classes = (dict(attributes).get("class") or "").split()
        if tag == "pre":
            outer = [name for _, names in self._open for name in names]
            self.found.append(Block(self.page, outer))
            self._text = []
        if tag in ("div", "pre", "span", "figure"):
            self._open.append((tag, classes))

    def handle_endtag(self, tag):
        if tag in ("div", "pre", "span", "figure") and self._open:
            self._open.pop()
        if tag == "pre":
            marks, line = "", ""
            for mark, data in self._text:
                for number, part in enumerate(data.split("\n")):
                    if number:
                        self.found[-1].lines.append((marks, line))
                        marks, line = "", ""
                    marks, line = mark or marks, line + part
            self.found[-1].lines.append((marks, line))

    def handle_data(self, data):
        names = [name for _, classes in self._open for name in classes]
        if any(tag == "pre" for tag, _ in self._open) and not {"margin", "mark"} & set(names):
            self._text.append((next((mark for mark in ("del", "ins", "gap") if mark in names), ""), data))


def blocks(folder: Path) -> list[Block]:
    """Return all blocks of code of the rendered book."""
    return [
        block
        for path in sorted([*folder.glob("*.html"), *folder.glob("assignments/*.html")])
        for block in _Blocks(path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")).found
    ]


def _plain(text: str) -> str:
    """Return code for a comparison, without empty lines: a diff does not show them."""
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def _stands_in(text: str, source: str) -> bool:
    """Return whether code is a part of a source. A listing of a part of a kernel has lost the indentation that its lines have in common."""
    # One line turns down nearly all sources.
    longest = max(text.split("\n"), key=len)
    return longest in source and any(textwrap.indent(text, " " * spaces) in source for spaces in range(0, _DEEPEST + 1, 4))


def device_functions(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first line and the text of each function that runs on the GPU."""
    for match in _DEVICE.finditer(text):
        depth, at = 0, match.end()
        code = re.sub(r"//[^\n]*", lambda comment: " " * len(comment[0]), text)
        while at < len(code):
            depth += {"{": 1, "}": -1}.get(code[at], 0)
            at += 1
            if code[at - 1] == "}" and depth == 0:
                break
        yield text.count("\n", 0, match.start()) + 1, text[match.start() : at]


def unshown_lines(found: list[Block]) -> Iterator[str]:
    """Yield a finding for each function of the GPU whose lines its chapter's page does not show in order."""
    for path in source_files():
        page = f"{path.parent.name}.html"
        texts = [block.text("del") for block in found if block.page == page]
        shown = {line.strip() for text in texts for line in text.splitlines()}
        for first, function in device_functions(path.read_text(encoding="utf-8")):
            if any(_plain(function) in text for text in texts):
                continue
            missing = [number for number, line in enumerate(function.splitlines(), start=first) if line.strip() not in shown]
            where = f"{path.relative_to(ROOT).as_posix()}:{missing[0] if missing else first}"
            which = f"lines {', '.join(map(str, missing))}" if missing else "its lines in their order"
            yield f"{where}: {page} does not show {which} of '{function.splitlines()[0].strip()}'"


def untested_blocks(found: list[Block], build: Path) -> Iterator[str]:
    """Yield a finding for each block of code without a tested source, and for each shell command that cannot work."""
    sources = [
        _plain(path.read_text(encoding="utf-8"))
        for folder in ("chapters", "book/examples", "common/harness/include")
        for path in sorted((ROOT / folder).rglob("*.*"))
        if path.suffix in (".cu", ".cuh", ".hpp", ".h")
    ]
    sources += [_plain(assignment.load(name).starter()) for name in assignment.names()]
    for block in found:
        made = released_folders(other for other in found if other.page == block.page)
        first = next((line.strip() for _, line in block.lines if line.strip()), "")
        if any(name in block.classes for name in _SHELL):
            for line in block.text().splitlines():
                yield from (f"{block.page}: '{line.strip()}': {wrong}" for wrong in wrong_command(line, build, made))
        elif any(name in block.classes for name in _MADE):
            continue
        elif not any(name in block.classes for name in _CODE):
            yield f"{block.page}: a block of code that no directive has made from a tested source: '{first}'"
        else:
            for without in ("del", "ins"):
                if not all(any(_stands_in(text, source) for source in sources) for text in block.parts(without)):
                    yield f"{block.page}: code that stands in no tested source: '{first}'"
                    break


def released_folders(blocks: Iterable[Block]) -> tuple[str, ...]:
    """Return the folders that `scripts/grade release` makes on a page. A reader has the files in them."""
    lines = [line for block in blocks if any(name in block.classes for name in _SHELL) for line in block.text().splitlines()]
    return tuple(f"{match[1]}/" for line in lines if (match := re.match(r"\s*scripts/grade release \w+ (\S+)", line)))


@functools.cache
def _help(script: Path, command: str = "") -> str:
    """Return the help of a script, or of one of its commands."""
    words = [sys.executable, script, *([command] if command else []), "--help"]
    return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout


def wrong_command(line: str, build: Path, made: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield what is wrong with a line of shell: a name that does not exist and is in none of the folders `made`.

    A chapter's program is run in the build folder.
    """
    for command in re.split(r"&&|\|(?=\s)", line.split(" #")[0]):
        words = shlex.split(command.split("# ")[0])
        while words and re.match(r"\w+=", words[0]) or words[:1] == ["export"]:
            words.pop(0)
        if not words:
            continue
        program = words[0]
        if program.startswith("scripts/"):
            yield from _wrong_script(words, made)
        elif program in ("cmake", "ctest"):
            told = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))
            kind = "testPresets" if program == "ctest" else "buildPresets" if "--build" in words else "configurePresets"
            named = [after for word, after in zip(words, words[1:]) if word == "--preset"]
            if not named or not {preset["name"] for preset in told[kind]} >= set(named):
                yield "the command names no preset of CMakePresets.json"
        elif _PROGRAM.fullmatch(program):
            yield from _wrong_program(words, build)
        elif program not in ("cuobjdump", "grep"):
            yield f"{program} is not a program of this repository"


def _wrong_program(words: list[str], build: Path) -> Iterator[str]:
    """Yield what is wrong with the run of a program. Runs under the model are deterministic, so a success is not repeated."""
    program = build.joinpath(*Path(words[0]).parts[1:])
    try:
        model = b"".join(path.read_bytes() for path in sorted(model_runtime.libraries(build).glob("*")))
        key = hashlib.sha256(program.read_bytes() + model + json.dumps(words).encode()).hexdigest()
        ran = build / RAN_WELL / key
        if ran.exists():
            return
        done = subprocess.run(
            [program, *words[1:]],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=300,
            env=model_runtime.environment(build),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        yield f"does not run: {error}"
        return
    if done.returncode:
        yield f"ends with exit code {done.returncode}: {done.stderr.strip()}"
        return
    ran.parent.mkdir(exist_ok=True)
    ran.write_text(shlex.join(words) + "\n", encoding="utf-8")


def _wrong_script(words: list[str], made: tuple[str, ...]) -> Iterator[str]:
    script = ROOT / words[0]
    if not script.is_file():
        yield f"there is no {words[0]}"
        return
    ours = words[1 : words.index("--")] if "--" in words else words[1:]
    command = ours[0] if ours and re.fullmatch(r"[a-z-]+", ours[0]) else ""
    for word in ours:
        if word.startswith("--") and not re.search(rf"{re.escape(word)}\b", _help(script) + (_help(script, command) if command else "")):
            yield f"{words[0]} has no option {word}"
        # A word like 3/8 is a share, the third of eight.
        if "/" in word and not word.startswith(("-", *made)) and not re.fullmatch(r"\d+/\d+", word) and not (ROOT / word).exists():
            yield f"there is no {word}"


def check_shown_code(folder: Path) -> Iterator[str]:
    """Yield all findings in a rendered book. A folder without pages is a finding."""
    found = blocks(folder)
    if not found:
        yield f"{folder}: no page with code; the CMake target 'book' makes them"
        return
    yield from unshown_lines(found)
    yield from untested_blocks(found, folder.resolve().parent)
