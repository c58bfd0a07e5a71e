# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Builds the program of a submission: nvcc compiles it and links it with the assignment's driver, in the sandbox."""

import contextlib
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conflict_free.console import ROOT, Stop

from . import kept_files, sandbox, source_text
from .assignment import Assignment
from .command_line import TOOLCHAIN
from .sources import printable

KEPT = ROOT / "build" / "grade"
KEPT_DRIVERS = 4  # of one assignment, for several build folders and versions
KEPT_PROGRAMS = 1024  # a tenth of a megabyte each; a submission that is graded again is not compiled again

COMPILE_LIMITS = sandbox.Limits(seconds=30, memory_megabytes=2048, output_kilobytes=256, file_megabytes=64, processes=32)
#: The options with which submissions and the chapters are compiled for the model.
OPTIONS = ("-std=c++20", "-lineinfo", "-cudart", "shared", "-gencode", "arch=compute_90,code=compute_90", "-w")
#: A line of a compiler's output. It is matched from its beginning, so that a long line takes linear time.
_MESSAGE = re.compile(
    r"(?P<file>[^\s:(][^:(]*)(?:\((?P<line>\d+)\)|:(?P<host_line>\d+)(?::\d+)?):\s*(?:catastrophic |fatal )?error(?: #[\w-]+)?:\s*(?P<text>.*)"
)
_AT_END = re.compile(r"At end of source: error(?: #[\w-]+)?: (?P<text>.*)")
_UNDEFINED = re.compile(r"undefined reference to [`'](?P<name>[^'\n]{0,1000})'")
_UNKNOWN = re.compile(r'identifier "(?P<name>\w+)" is undefined')
#: Words of the compiler's messages, and the help that goes with them.
_HELP = (
    ("__global__ function call must be configured", "Say how many blocks and threads run the kernel: kernel<<<grid, block>>>(arguments)."),
    ('expected a ";"', "The end of the line before may lack it."),
    ("expected a declaration", "A brace before it may be one too many, or one before that may be missing."),
)
_TWICE = re.compile(r"multiple definition of [`'](?P<name>[^'\n]{0,1000})'")


@dataclass(frozen=True)
class Toolchain:
    """The tools that build and run a submission. CMake writes their places; see common/cmake/AddAssignment.cmake."""

    build: Path
    nvcc: Path
    include_folders: Sequence[str]
    libraries: Sequence[str]
    #: The folder of the model's own CUDA libraries.
    runtime: Path
    judge: Path

    @classmethod
    def of(cls, build: Path) -> "Toolchain":
        """Return the toolchain of a build folder."""
        told = json.loads((build / TOOLCHAIN).read_text(encoding="utf-8"))
        return cls(
            build, Path(told["nvcc"]).resolve(), told["include_folders"], told["libraries"], Path(told["runtime"]), Path(told["judge"])
        )

    def version(self) -> str:
        """Return the compiler's output for --version. Raises Stop if the compiler cannot be run."""
        try:
            return subprocess.run([self.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            raise Stop(f"{self.nvcc} --version: {error}") from error

    def marks(self) -> list[str]:
        """Return texts that differ from those of any other compiler."""
        state = self.nvcc.stat()
        return [str(self.nvcc), str(state.st_size), str(state.st_mtime_ns)]

    def readable(self) -> list[Path]:
        """Return the paths outside of the system's folders that compiling and linking read."""
        return [Path(path) for path in (self.nvcc.parent.parent, *self.include_folders, *self.libraries)]


@dataclass(frozen=True)
class Message:
    """A tool's message about a line (0 if it names none), and what to do about it ("" if the message says enough)."""

    line: int
    text: str
    help: str = ""


@dataclass(frozen=True)
class Built:
    """A program, or the tools' messages about why there is none."""

    program: Path | None = None
    messages: tuple[Message, ...] = ()


def build(tools: Toolchain, assignment: Assignment, text: str, folder: Path, *, confined: bool) -> Built:
    """Build the program of a submission in ``folder``, or copy the kept one of the same text, driver and tools.

    Raises Stop if the driver cannot be built.
    """
    driver = driver_object(tools, assignment)
    source, program = folder / assignment.source.name, folder / "program"
    parts = [*OPTIONS, *tools.marks(), str(confined), source.name, text]
    kept = KEPT / "programs" / kept_files.name_of(parts, [driver, *map(Path, tools.libraries)])
    if kept_files.taken(kept, program):
        return Built(program)
    source.write_text(text, encoding="utf-8")
    done = sandbox.run(
        [tools.nvcc, *OPTIONS, "-o", program, source.name, driver, *tools.libraries],
        readable=[*tools.readable(), driver],
        writable=folder,
        limits=COMPILE_LIMITS,
        confined=confined,
    )
    if done.returncode or done.stopped_by:
        return Built(messages=tuple(_messages(done, text, assignment)))
    with contextlib.suppress(OSError):  # grading works without a kept program
        kept_files.keep(program, kept, "*", KEPT_PROGRAMS)
    return Built(program)


def _messages(done: sandbox.Done, text: str, assignment: Assignment) -> Iterator[Message]:
    """Yield the errors of the compiler or the linker. If some are in the submission's own lines, only those."""
    if done.stopped_by:
        yield Message(0, f"compiling it was stopped: too much {done.stopped_by}", "Look for an include or a template that never ends.")
        return
    # A source can put control characters into the compiler's messages.
    lines = list(map(printable, (done.stderr + done.stdout).split("\n")))
    found = list(filter(None, map(_MESSAGE.match, lines)))
    own = [match for match in found if match["file"].rpartition("/")[2] == assignment.source.name]
    # nvcc compiles kernels and host code one after the other, and may report an error twice.
    errors = dict.fromkeys((int((match["line"] or match["host_line"])[-9:]) if own else 0, match["text"]) for match in own or found)
    for number, (line, what) in enumerate(errors):
        yield Message(line, what) if number else _compiler_message(line, what, text)
        if what.startswith("expected "):  # errors after one of syntax follow from it
            break
    if not found and (at_end := next(filter(None, map(_AT_END.match, lines)), None)):
        yield _compiler_message(len(text.splitlines()), at_end["text"], text)
    elif not found:
        said = "\n".join(lines)
        yield from _link_messages(said, text, assignment) or [
            Message(0, _last_line(said) or f"the compiler ended with exit code {done.returncode}")
        ]


def _compiler_message(line: int, said: str, text: str) -> Message:
    """Return the first error of the compiler, with a suggestion or help if there is one."""
    if opened := source_text.unclosed_brace(text):
        return Message(
            opened, f'a "{{" without a "}}" (the compiler says in line {line}: {said})', "Close the block that begins in this line."
        )
    if unknown := _UNKNOWN.search(said):
        meant = source_text.meant(text, unknown["name"])
        return Message(line, f"{said}; did you mean {meant}?" if meant and "did you mean" not in said else said)
    return Message(line, said, next((help_ for words, help_ in _HELP if words in said), ""))


def _last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if "ld returned" not in line]
    return re.sub(r"^.*?: ", "", lines[-1]) if lines else ""


def _link_messages(said: str, text: str, assignment: Assignment) -> list[Message]:
    undefined = dict.fromkeys(match["name"] for match in _UNDEFINED.finditer(said))
    twice = dict.fromkeys(match["name"] for match in _TWICE.finditer(said))
    return [
        *(
            Message(
                next(iter(source_text.lines_with(text, source_text.simple_name(name))), 0),
                f"{name} is defined, and is the driver's",
                "Leave it out, or give it another name.",
            )
            for name in twice
        ),
        *(_undefined(name, text, assignment) for name in undefined),
    ]


def _undefined(name: str, text: str, assignment: Assignment) -> Message:
    """Return the message about an undefined function: the one that the task asks for, or one that the submission uses."""
    simple = source_text.simple_name(name)
    if simple == assignment.function:
        return _no_function(text, assignment)
    if declared := source_text.declaration(text, simple):
        return Message(
            declared.line, f"`{declared.head}` is declared and nowhere defined", "Define it in this file, with these parameters."
        )
    lines = source_text.lines_with(text, simple)
    return Message(
        lines[0] if lines else 0, f"{name} is used and nowhere defined", "Define it in this file: nothing else is linked with it."
    )


def _no_function(text: str, assignment: Assignment) -> Message:
    """Return the message about a missing function of the task, with the function that may have been meant to be it."""
    defined = [function for function in source_text.functions(text) if function.body is not None]
    same = next((function for function in defined if function.name == assignment.function), None)
    if same:
        return Message(
            same.line,
            f"it defines `{same.head}`, which is not the function that the driver calls",
            f"Define exactly: {assignment.declaration}, neither static nor in a namespace.",
        )
    help_ = f"Define exactly: {assignment.declaration}."
    meant = source_text.similar(assignment.function, [function.name for function in defined])
    if meant:
        line = next(function.line for function in defined if function.name == meant)
        return Message(line, f"it defines no function {assignment.function}; is {meant} meant to be it?", help_)
    return Message(0, f"it defines no function {assignment.function}", help_)


# --- the driver ----------------------------------------------------------------------------------


def driver_object(tools: Toolchain, assignment: Assignment) -> Path:
    """Return the compiled driver of an assignment. It is compiled again when one of its sources or the compiler changes. Raises Stop."""
    folders = [f"-I{folder}" for folder in tools.include_folders]
    headers = [path for folder in tools.include_folders for path in sorted(Path(folder).rglob("*.hpp"))]
    command = [str(tools.nvcc), *OPTIONS, "-c", *folders]
    name = kept_files.name_of([*command, *tools.marks()], [assignment.driver, *headers])
    kept = KEPT / f"{assignment.name}-{name}.o"
    if kept.exists():
        return kept
    with tempfile.TemporaryDirectory(prefix="conflict_free_") as scratch:
        compiled = Path(scratch) / "driver.o"
        done = sandbox.run(
            [*command, "-o", compiled, assignment.driver], readable=(), writable=Path(scratch), limits=COMPILE_LIMITS, confined=False
        )
        if done.returncode:
            reason = (done.stderr.strip() or f"the compiler was ended ({done.stopped_by or done.returncode})").splitlines()[0]
            raise Stop(f"the driver of assignment {assignment.name} cannot be built: {reason}")
        try:
            kept_files.keep(compiled, kept, f"{assignment.name}-*.o", KEPT_DRIVERS)
        except OSError as error:
            raise Stop(f"the driver of assignment {assignment.name} cannot be kept in {KEPT}: {error.strerror}") from error
    return kept
