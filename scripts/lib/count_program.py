# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""From a CUDA source file to a program of the counting model, which is kept until a file that it is made of changes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from console import ROOT, USAGE, Stop
from count import TOOLCHAIN

CACHE = ROOT / "build" / "count"
KEPT_PROGRAMS = 32
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Program:
    """A program that is ready to run, and the reader's own files that it is made of."""

    path: Path
    sources: tuple[Path, ...]


@dataclass(frozen=True)
class Toolchain:
    """What CMake says about building for the model; see common/simt/cmake/AddModelExecutable.cmake."""

    translator: str
    machines: str
    compiler: str
    compile_options: list[str]
    include_folders: list[str]
    link_options: list[str]

    @classmethod
    def of(cls, build: Path) -> Toolchain:
        return cls(**json.loads((build / TOOLCHAIN).read_text(encoding="utf-8")))

    def own_files(self) -> list[str]:
        """Our own files that a program is made with."""
        return [__file__, self.translator, *(option for option in self.link_options if option.endswith(".a"))]


def machine_names(toolchain: Toolchain) -> list[str]:
    """The machines that the model knows, the default first."""
    done = subprocess.run([toolchain.machines], capture_output=True, text=True, check=True)
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


def _digest(path: str | os.PathLike) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


def _key(toolchain: Toolchain, source: Path, options: Sequence[str]) -> str:
    parts = [str(source), os.getcwd(), list(options), vars(toolchain), [_digest(path) for path in toolchain.own_files()]]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def _kept(folder: Path) -> Program | None:
    """The program in a folder of the cache, if all that it was made of is as it was."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if any(_digest(path) != digest for path, digest in manifest["files"].items()):
        return None
    with contextlib.suppress(OSError):
        os.utime(folder)  # it was used just now
    return Program(folder / "program", tuple(map(Path, manifest["sources"])))


def _prerequisites(rule: Path) -> list[str]:
    """The prerequisites in a Makefile rule, as compilers write it."""
    text = rule.read_text(encoding="utf-8").replace("\\\n", " ").split(": ", 1)[1]
    words = text.replace("\\ ", "\0").split()
    return [word.replace("\0", " ").replace("\\#", "#").replace("$$", "$") for word in words]


@contextlib.contextmanager
def _workplace() -> Iterator[Path]:
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".making-", dir=CACHE))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _translate(toolchain: Toolchain, source: Path, folders: Sequence[Path], folder: Path) -> list[str]:
    """Translates into `folder`; returns the reader's files that were read."""
    search = [word for each in folders for word in ("-I", str(each))]
    rule = folder / "translated.d"
    done = subprocess.run(
        [toolchain.translator, *search, "--depfile", rule, source, folder / "program.cpp"],
        stderr=subprocess.PIPE, text=True, errors="replace",
    )
    if done.returncode:
        sys.stderr.write(done.stderr)
        raise Stop(f"{source} cannot be translated for the counting model", USAGE)
    return _prerequisites(rule)


def _run_compiler(source: Path, command: Sequence[str | os.PathLike]) -> None:
    """Runs the compiler; its messages go to stderr."""
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace")
    sys.stderr.write(done.stderr)
    if done.returncode:
        raise Stop(f"{source} does not compile for the counting model; the compiler's messages are above", USAGE)


def _link(source: Path, command: Sequence[str | os.PathLike]) -> None:
    """Runs the linker. What every beginner forgets once is said in one line."""
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace")
    if done.returncode and "undefined reference to `main'" in done.stderr:
        raise Stop(f"{source} has no main function: the model runs a whole program", USAGE)
    sys.stderr.write(done.stderr)
    if done.returncode:
        raise Stop(f"{source} cannot be linked for the counting model; the linker's messages are above", USAGE)


def _compile(toolchain: Toolchain, source: Path, options: Sequence[str], folder: Path) -> list[str]:
    """Compiles and links in `folder`; returns all files that were read, but for the system's."""
    color = ["-fdiagnostics-color=always"] if sys.stderr.isatty() else []
    # The columns of the translation are not those of the source.
    # Where C++ has changed since the standard that nvcc takes for granted, the reader is not to blame.
    messages = [*color, "-Wno-volatile", "-fno-diagnostics-show-caret", "-fno-show-column", "-fmax-errors=20"]
    model = [f"-I{path}" for path in toolchain.include_folders]
    rule, compiled = folder / "program.d", folder / "program.o"
    _run_compiler(source, [
        toolchain.compiler, *toolchain.compile_options, *messages, *model, "-iquote", source.parent, *options,
        "-MMD", "-MF", rule, "-c", "-o", compiled, folder / "program.cpp"])
    # The options that compile would link the compiler's own hooks.
    _link(source, [toolchain.compiler, "-o", folder / "program", compiled, *toolchain.link_options])
    compiled.unlink()
    return _prerequisites(rule)


def _forget_old_programs() -> None:
    folders = sorted((path for path in CACHE.glob("[0-9a-f]*") if path.is_dir()), key=lambda path: path.stat().st_mtime)
    for folder in folders[:-KEPT_PROGRAMS]:
        shutil.rmtree(folder, ignore_errors=True)


def make(toolchain: Toolchain, source: Path, definitions: Sequence[str], folders: Sequence[Path]) -> Program:
    """Makes the program of a source file, unless it is there already.

    Raises Stop with exit code 2, after the messages on stderr, if it does not translate or compile.
    """
    options = [f"-D{each}" for each in definitions] + [f"-I{each}" for each in folders]
    kept = CACHE / _key(toolchain, source, options)
    if program := _kept(kept):
        return program
    with _workplace() as folder:
        sources = _translate(toolchain, source, folders, folder)
        read = _compile(toolchain, source, options, folder)
        files = dict.fromkeys([*sources, *(path for path in read if not path.startswith(f"{folder}/"))])
        manifest = {"sources": sources, "files": {path: _digest(path) for path in files}}
        (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
        shutil.rmtree(kept, ignore_errors=True)
        with contextlib.suppress(OSError):  # another scripts/count made the same one just now
            folder.rename(kept)
    _forget_old_programs()
    program = _kept(kept)
    if program is None:
        raise Stop(f"{source} changed while it was compiled; run it again")
    return program
