# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Configures, builds and tests with what the set-up has found. Standard library only."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conflict_free.console import ROOT, step

from .folders import read, remove

CMAKE_MINIMUM = (3, 24)


@dataclass(frozen=True)
class Tools:
    """What the set-up found or made."""

    python: Path
    cmake: Path
    nvcc: Path

    @property
    def ctest(self) -> Path:
        return self.cmake.with_name("ctest")


def version_of(command: Sequence[str | os.PathLike]) -> tuple[int, ...]:
    """The first dotted number that `command` prints; () if it fails or prints none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.search(r"\d+(?:\.\d+)+", done.stdout)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def _cached(cache: str, name: str) -> str | None:
    found = re.search(rf"^{re.escape(name)}:[A-Z]+=(.*)$", cache, re.MULTILINE)
    return found.group(1) if found else None


def configure(tools: Tools, preset: str, *definitions: str) -> Path:
    """Configures a preset with the tools of the set-up; returns its build folder."""
    build = ROOT / "build" / preset
    arguments = [*definitions, f"-DCMAKE_CUDA_COMPILER={tools.nvcc}"]
    cache = read(build / "CMakeCache.txt")
    # CMake cannot change the compiler or the source folder of a build folder that is there.
    if cache and (
        _cached(cache, "CMAKE_CUDA_COMPILER") not in (None, str(tools.nvcc)) or _cached(cache, "CMAKE_HOME_DIRECTORY") != str(ROOT)
    ):
        (build / "CMakeCache.txt").unlink()
        remove(build / "CMakeFiles")
    step(f"Configure (preset {preset})", [tools.cmake, "--preset", preset, *arguments])
    return build


def _build_progress(line: str) -> str | None:
    return line if line.startswith("[") else None


def build(tools: Tools, preset: str, what: str, *targets: str) -> None:
    """Builds targets of a configured preset, all if none is named; `what` is what they are called on the terminal."""
    step(
        f"Build {what} (preset {preset})",
        [tools.cmake, "--build", "--preset", preset, "--target", *(targets or ("all",))],
        progress=_build_progress,
    )


def test(tools: Tools, preset: str, *arguments: str) -> int:
    """Runs CTest on a built preset and returns its exit code; an empty selection is an error."""
    command = [str(tools.ctest), "--preset", preset, "--no-tests=error", *arguments]
    sys.stdout.flush()
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL).returncode
