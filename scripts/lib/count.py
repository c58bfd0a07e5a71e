# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""scripts/count before its first count: arguments, set-up, the model's library. Standard library only.

What builds the program, runs it and reports is in counting.py, in the virtual environment.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.util
import os
import re
import sys
from pathlib import Path

import setup
from console import ROOT, USAGE, OneLineParser, Stop

PRESET = "programs"
TARGET = "model_toolchain"
TOOLCHAIN = "model_toolchain.json"


def _definition(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*(\([\w\s,.]*\))?(=.*)?", text, re.DOTALL):
        raise argparse.ArgumentTypeError(f"{text!r} given, NAME or NAME=VALUE is accepted")
    return text


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} given, a folder that exists is accepted")
    return Path(text)


def _source(text: str) -> Path:
    try:
        with open(text, "rb"):
            return Path(text)
    except OSError as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} given, a CUDA source file is accepted ({error.strerror})") from error


def _output(text: str) -> Path:
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text!r} given, a file in a folder that can be written is accepted")
    return path


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} given, a number of seconds above 0 is accepted")
    return seconds


def parse(arguments: list[str]) -> argparse.Namespace:
    """The options; what follows the first `--` is in `arguments`."""
    own, program = arguments, []
    if "--" in arguments:
        at = arguments.index("--")
        own, program = arguments[:at], arguments[at + 1:]
    parser = OneLineParser(
        prog="scripts/count",
        usage="scripts/count FILE.cu [--machine NAME] [--json OUT] [--timeout SECONDS] [-D NAME[=VALUE]]... "
        "[-I FOLDER]... [-- program arguments]",
        description="Runs a CUDA program of one file on the CPU, under the counting model, and shows for each kernel "
        "what it asked of shared and global memory, line by line, and what is wrong with it. Exit code: the program's "
        "own; 1 if there is a hazard; 2 for wrong arguments and for a source that does not compile.",
    )
    add = parser.add_argument
    add("file", metavar="FILE.cu", type=_source, help="the program, with a main function of its own")
    add("--machine", metavar="NAME", help="the GPU whose rules apply (default: sm_90)")
    add("--json", metavar="OUT", type=_output, help="also write the counts and hazards to this file")
    add("--timeout", metavar="SECONDS", type=_seconds, help="how much processor time one kernel may take (default: 60)")
    add("-D", dest="definitions", metavar="NAME[=VALUE]", type=_definition, action="append", default=[],
        help="define a macro; may be repeated")
    add("-I", dest="folders", metavar="FOLDER", type=_folder, action="append", default=[],
        help="look for included files there; may be repeated")
    add("--build-dir", metavar="DIR", type=_folder,
        help="take the model from this build folder and build nothing of it")
    options = parser.parse_args(own)
    options.arguments = program
    if options.build_dir and not (options.build_dir / TOOLCHAIN).exists():
        parser.error(f"argument --build-dir: {str(options.build_dir)!r} given, a build folder of this repository is accepted")
    return options


def state_of(*places: str) -> str:
    """Changes whenever one of some files, or of the files in some folders, of the repository does; tests aside."""
    state = hashlib.sha256()
    for path in sorted(path for place in places for path in (ROOT / place, *(ROOT / place).rglob("*"))):
        if path.is_file() and "tests" not in path.parts:
            found = path.stat()
            state.update(f"{path} {found.st_size} {found.st_mtime_ns}\n".encode())
    return state.hexdigest()


def build_model() -> Path:
    """The build folder with the model's library, which is built if it is not there or not new."""
    build = ROOT / "build" / PRESET
    stamp = build / "model.stamp"
    state = state_of("common/simt")
    with contextlib.suppress(OSError):
        if stamp.read_text(encoding="utf-8") == state and (setup.VENV / "bin" / "python").exists():
            return build
    # The program's output is what belongs on stdout.
    with contextlib.redirect_stdout(sys.stderr):
        tools = setup.set_up()
        setup.configure(tools, PRESET)
        setup.build(tools, PRESET, "the counting model", TARGET)
    stamp.write_text(state, encoding="utf-8")
    return build


def main() -> int:
    arguments = sys.argv[1:]
    options = parse(arguments)
    if not options.build_dir:
        arguments = ["--build-dir", str(build_model()), *arguments]
    python = setup.VENV / "bin" / "python"
    if not python.exists():
        python = Path(sys.executable)
        if importlib.util.find_spec("rich") is None:
            raise Stop("no Python package rich here; without --build-dir it is installed", USAGE)
    counting = Path(__file__).with_name("counting.py")
    sys.stdout.flush()
    os.execv(python, [str(python), str(counting), *arguments])
