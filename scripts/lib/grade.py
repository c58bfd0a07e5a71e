# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""scripts/grade before it grades: set-up, the model's library. Standard library only.

What grades is the package grading, in the virtual environment; its command line is grading/main.py.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from pathlib import Path

import setup
from console import ROOT, USAGE, Stop
from count import state_of

PRESET = "cpu"
TARGET = "grading_toolchain"
PACKAGE = "grading"

#: Commands that need nothing that is built.
UNBUILT = ("list", "release", "hint", "new-assignment")


def _once(stamp: Path, state: str, work) -> None:
    """Does `work`, unless it was done in the same state."""
    with contextlib.suppress(OSError):
        if stamp.read_text(encoding="utf-8") == state and (setup.VENV / "bin" / "python").exists():
            return
    # What is reported is what belongs on stdout.
    with contextlib.redirect_stdout(sys.stderr):
        work()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(state, encoding="utf-8")


def _build() -> None:
    tools = setup.set_up(cuda=False)
    setup.configure(tools, PRESET)
    setup.build(tools, PRESET, "the grader's tools", TARGET)


def _set_up() -> None:
    setup.set_up(cuda=False)


def main() -> int:
    arguments = sys.argv[1:]
    locks = state_of("requirements.lock")
    if "--build-dir" not in arguments and not {"--help", "-h"} & set(arguments):
        if arguments[:1] and arguments[0] in UNBUILT:
            _once(ROOT / "build" / "logs" / "grade.stamp", locks, _set_up)
        elif arguments:
            build = ROOT / "build" / PRESET
            _once(build / "grading.stamp", locks + state_of("common"), _build)
            arguments = [*arguments, "--build-dir", str(build)]
    python = setup.VENV / "bin" / "python"
    if not python.exists():
        python = Path(sys.executable)
        if importlib.util.find_spec("simpleeval") is None:
            raise Stop("no Python package simpleeval here; scripts/grade list installs it", USAGE)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "PYTHONDONTWRITEBYTECODE": "1"}
    sys.stdout.flush()
    os.execve(python, [str(python), "-m", f"{PACKAGE}.main", *arguments], environment)
