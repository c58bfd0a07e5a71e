# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""From a submission to a program: translated, compiled and linked with the assignment's driver, all in the sandbox."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from console import ROOT, Stop
from count_program import Toolchain as ModelToolchain
from grade_arguments import TOOLCHAIN

from . import admission, sandbox
from .assignment import Assignment

KEPT = ROOT / "build" / "grade"
KEPT_DRIVERS = 4  # of one assignment: that many build folders and versions stay quick
KEPT_PRELUDES = 2  # of some 50 MB each

COMPILE_LIMITS = sandbox.Limits(seconds=30, memory_megabytes=1024, output_kilobytes=256, file_megabytes=64, processes=32)
#: The columns of a translation are not those of the source, and nvcc takes an older standard for granted.
_MESSAGES = ("-Wno-volatile", "-fno-diagnostics-show-caret", "-fno-show-column", "-fdiagnostics-color=never", "-fmax-errors=20", "-w")
_MESSAGE = re.compile(r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)?\s*(?:fatal )?error:\s*(?P<text>.*)")
_TRANSLATOR = re.compile(r"(?P<file>[^\s:][^:]*):(?P<line>\d+): (?P<text>.*)")
_UNDEFINED = re.compile(r"undefined reference to [`'](?P<name>[^']*)'")


@dataclass(frozen=True)
class Toolchain:
    """What CMake says about building a submission; see common/cmake/AddAssignment.cmake."""

    model: ModelToolchain
    include_folders: Sequence[str]
    libraries: Sequence[str]

    @classmethod
    def of(cls, build: Path) -> Toolchain:
        """Return the toolchain of a build folder."""
        return cls(ModelToolchain.of(build), **json.loads((build / TOOLCHAIN).read_text(encoding="utf-8")))

    def readable(self) -> list[Path]:
        """Return all of ours that compiling and linking read."""
        files = [self.model.translator, *self.model.include_folders, *self.include_folders, *self.libraries]
        return [Path(path) for path in (*files, *self.model.link_options) if Path(path).exists()]

    def compile_command(self, source: Path, product: Path, options: Sequence[str] = ()) -> list[str]:
        """Return the command that compiles a translated file."""
        folders = [f"-I{folder}" for folder in self.model.include_folders]
        return [self.model.compiler, *self.model.compile_options, *_MESSAGES, *folders, *options, "-o", str(product), str(source)]


@dataclass(frozen=True)
class Message:
    """What a tool has to say about a line; 0 if it names none."""

    line: int
    text: str


@dataclass(frozen=True)
class Built:
    """A program, or why there is none: what the tools say, or what was refused of that which has compiled."""

    program: Path | None = None
    messages: tuple[Message, ...] = ()
    refusals: tuple[admission.Refusal, ...] = ()


def build(tools: Toolchain, assignment: Assignment, text: str, folder: Path, *, confined: bool) -> Built:
    """Build the program of a submission in ``folder``. Raises Stop if our own part cannot be built."""
    driver, start = driver_object(tools, assignment), prelude(tools)
    source = folder / assignment.source.name
    source.write_text(text, encoding="utf-8")
    translated, assembly, confined_object, program = (folder / name for name in ("translated.cpp", "submission.s", "submission.o", "program"))

    def run(command: Sequence[str | Path], *more: Path) -> sandbox.Done:
        return sandbox.run(command, readable=[*tools.readable(), start.parent, *more], writable=folder, limits=COMPILE_LIMITS, confined=confined)

    for command in ([tools.model.translator, str(source), str(translated)],
                    tools.compile_command(translated, assembly, ["-S", *admission.COMPILE_OPTIONS, "-include", str(start)])):
        done = run(command)
        if done.returncode or done.stopped_by:
            return Built(messages=tuple(_messages(done, source.name)))
    if refusals := admission.confine(assembly, confined_object, assignment.function, run):
        return Built(refusals=tuple(refusals))
    done = run(_link_command(tools, driver, confined_object, program), driver)
    if done.returncode or done.stopped_by:
        return Built(messages=tuple(_link_messages(done, assignment)))
    return Built(program)


def _link_command(tools: Toolchain, driver: Path, compiled: Path, program: Path) -> list[str]:
    return [tools.model.compiler, "-o", str(program), str(driver), str(compiled), *tools.libraries, *tools.model.link_options]


def _messages(done: sandbox.Done, name: str) -> Iterator[Message]:
    """The errors that a translator or compiler names, those of the submission's own lines first."""
    if done.stopped_by:
        yield Message(0, f"compiling it was stopped: too much {done.stopped_by}")
        return
    lines = done.stderr.splitlines()
    found = [match for line in lines if (match := _MESSAGE.match(line))] or [match for line in lines if (match := _TRANSLATOR.match(line))]
    own = [match for match in found if Path(match["file"]).name == name]
    for match in own or found:
        yield Message(int(match["line"]) if own else 0, match["text"])
    if not found:
        yield Message(0, lines[-1] if lines else f"the compiler ended with exit code {done.returncode}")


def _link_messages(done: sandbox.Done, assignment: Assignment) -> Iterator[Message]:
    names = list(dict.fromkeys(match["name"] for match in _UNDEFINED.finditer(done.stderr)))
    for name in names:
        if name.partition("(")[0] == assignment.function:
            yield Message(0, f"it defines no function {name}")
        else:
            yield Message(0, f"{name} is used and nowhere defined")
    if not names:
        lines = [line for line in done.stderr.strip().splitlines() if "ld returned" not in line]
        yield Message(0, re.sub(r"^.*?: ", "", lines[-1]) if lines else f"the linker ended with exit code {done.returncode}")


# --- our own part --------------------------------------------------------------------------------


def _hash_of(parts: Sequence[str], files: Sequence[Path]) -> str:
    state = hashlib.sha256(json.dumps(parts).encode())
    for path in files:
        state.update(hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()[:24]


def _headers_of_model(tools: Toolchain) -> list[Path]:
    return [path for folder in tools.model.include_folders for path in sorted(Path(folder).rglob("*")) if path.is_file()]


def prelude(tools: Toolchain) -> Path:
    """Return a header that includes the model's <cuda_runtime.h>, with what the compiler has made of it beside it.

    Reading that header is most of the work of compiling a submission. GCC takes what is beside this one in its place if the
    options and the compiler are the same, and reads the header otherwise: the code is the same either way. Raises Stop.
    """
    command = tools.compile_command(Path("prelude.hpp"), Path("prelude.hpp.gch"), ["-x", "c++-header", *admission.COMPILE_OPTIONS])
    compiler = Path(shutil.which(tools.model.compiler) or tools.model.compiler).resolve()
    key = _hash_of([*command, str(compiler.stat().st_mtime_ns)], _headers_of_model(tools))
    kept = KEPT / f"prelude-{key}"
    if not kept.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".making-", dir=KEPT) as scratch:
            made = Path(scratch) / "prelude"
            made.mkdir()
            (made / "prelude.hpp").write_text("#include <cuda_runtime.h>\n", encoding="utf-8")
            done = sandbox.run(command, readable=(), writable=made, limits=COMPILE_LIMITS, confined=False)
            if done.returncode:
                raise Stop(f"the model's header cannot be compiled: {done.stderr.strip().splitlines()[0]}")
            with contextlib.suppress(OSError):  # another grader made the same one just now
                made.rename(kept)
        for old in sorted(KEPT.glob("prelude-*"), key=lambda path: path.stat().st_mtime)[:-KEPT_PRELUDES]:
            shutil.rmtree(old, ignore_errors=True)
    return kept / "prelude.hpp"


def driver_object(tools: Toolchain, assignment: Assignment) -> Path:
    """Return the compiled driver of an assignment, which is kept until something that it is made of changes. Raises Stop."""
    folders = [f"-I{folder}" for folder in tools.include_folders]
    headers = [path for folder in tools.include_folders for path in sorted(Path(folder).rglob("*.hpp"))]
    command = tools.compile_command(Path("translated.cpp"), Path("driver.o"), ["-c", *folders])
    key = _hash_of(command, [assignment.driver, Path(tools.model.translator), *headers, *_headers_of_model(tools)])
    kept = KEPT / f"{assignment.name}-{key}.o"
    if kept.exists():
        return kept
    KEPT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=KEPT) as scratch:
        translated, compiled = Path(scratch) / "translated.cpp", Path(scratch) / "driver.o"
        for words in ([tools.model.translator, str(assignment.driver), str(translated)],
                      tools.compile_command(translated, compiled, ["-c", *folders])):
            done = sandbox.run(words, readable=(), writable=Path(scratch), limits=COMPILE_LIMITS, confined=False)
            if done.returncode:
                raise Stop(f"the driver of assignment {assignment.name} cannot be built: {done.stderr.strip().splitlines()[0]}")
        os.replace(compiled, kept)
    for old in sorted(KEPT.glob(f"{assignment.name}-*.o"), key=lambda path: path.stat().st_mtime)[:-KEPT_DRIVERS]:
        old.unlink(missing_ok=True)
    return kept
