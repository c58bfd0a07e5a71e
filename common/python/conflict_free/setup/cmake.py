"""Configuring, building and testing with the tools that the set-up has found. Standard library only."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conflict_free.console import ROOT, step

from . import compiler_warnings
from .folders import VENV, only_one, read, remove

CMAKE_MINIMUM = (3, 24)
PRESET = "default"
#: The build folder of all scripts, so that nothing is compiled twice.
BUILD = ROOT / "build"


@dataclass(frozen=True)
class Tools:
    """The tools that the set-up has found or installed."""

    python: Path
    cmake: Path
    nvcc: Path

    @property
    def ctest(self) -> Path:
        return self.cmake.with_name("ctest")


def version_of(command: Sequence[str | os.PathLike]) -> tuple[int, ...]:
    """Return the first dotted number that `command` prints; () if it fails or prints none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.search(r"\d+(?:\.\d+)+", done.stdout)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def _cached(cache: str, name: str) -> str | None:
    found = re.search(rf"^{re.escape(name)}:[A-Z]+=(.*)$", cache, re.MULTILINE)
    return found.group(1) if found else None


def compiler_of(build: Path) -> Path | None:
    """Return the CUDA compiler that a build folder was configured with; None if there is none."""
    found = _cached(read(build / "CMakeCache.txt"), "CMAKE_CUDA_COMPILER")
    return Path(found) if found else None


def configure(tools: Tools) -> Path:
    """Configure the build folder with the tools of the set-up, if that has not been done, and return it.

    Ninja runs CMake by itself when one of CMake's files has changed.
    """
    found = [VENV.exists(), shutil.which("mpicxx"), shutil.which("doxygen")]
    wanted = json.dumps([str(tools.cmake), str(tools.nvcc), str(ROOT), *found, read(ROOT / "CMakePresets.json")])
    stamp = BUILD / "configured.stamp"
    if read(stamp) == wanted and (BUILD / "build.ninja").exists():
        return BUILD
    cache = read(BUILD / "CMakeCache.txt")
    # CMake cannot change the compiler or the source folder of an existing build folder.
    if cache and (
        _cached(cache, "CMAKE_CUDA_COMPILER") not in (None, str(tools.nvcc)) or _cached(cache, "CMAKE_HOME_DIRECTORY") != str(ROOT)
    ):
        (BUILD / "CMakeCache.txt").unlink()
        remove(BUILD / "CMakeFiles")
    step("Configure", [tools.cmake, "--preset", PRESET, f"-DCMAKE_CUDA_COMPILER={tools.nvcc}"])
    stamp.write_text(wanted, encoding="utf-8")
    return BUILD


def _build_progress(line: str) -> str | None:
    return line if line.startswith("[") else None


def build(tools: Tools, what: str, *targets: str) -> None:
    """Build the named targets, or all. `what` names them on the terminal."""
    with only_one("build"):
        lines = step(
            f"Build {what}", [tools.cmake, "--build", "--preset", PRESET, "--target", *(targets or ("all",))], progress=_build_progress
        )
        compiler_warnings.keep(BUILD, lines)


def begin_build(tools: Tools) -> None:
    """Configure the build folder, and compile the largest part of the model, which needs no Python package."""
    configure(tools)
    build(tools, "the interpreter", "simt_interpreter")


def test(tools: Tools, *arguments: str) -> int:
    """Run CTest and return its exit code. An empty selection is an error."""
    command = [str(tools.ctest), "--preset", PRESET, "--no-tests=error", *arguments]
    sys.stdout.flush()
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL).returncode
