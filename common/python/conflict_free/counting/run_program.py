"""The part of conflict-free run before the first count: arguments, and whether the program can be counted. Standard library only."""

import argparse
import mmap
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from conflict_free import cuda_version
from conflict_free.console import OneLineParser, Stop

from . import command_line, count

_CANNOT_RUN = 126  # the exit codes of shells
_NOT_FOUND = 127


def _parser() -> OneLineParser:
    parser = OneLineParser(
        prog="conflict-free run",
        usage="conflict-free run [options] PROGRAM [arguments]",
        description="Runs a program that uses CUDA on the CPU under the counting model, and shows for each kernel its accesses to "
        "memory, line by line, and its hazards. Build it with PTX and a shared runtime: nvcc -lineinfo -cudart shared "
        "-gencode arch=compute_90,code=compute_90, or conflict-free nvcc, which adds these by itself. Exit code: the program's own; "
        "1 if there is a hazard; 2 for wrong arguments; 126 or 127 for a program that cannot be run.",
    )
    command_line.add_to(parser)
    parser.add_argument("program", metavar="PROGRAM", help="the program; a name without a folder is searched in PATH")
    parser.add_argument("arguments", metavar="arguments", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace:
    parser = _parser()
    options = parser.parse_args(words)
    count.check_build_folder(parser, options)
    options.program = find(options.program)
    check_runtime(options.program)
    return options


def check_runtime(program: Path) -> None:
    """Raise Stop for a program that takes the CUDA runtime of another version from a shared library."""
    with open(program, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return
        with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as content:
            found = [int(version) for version in re.findall(rb"\0libcudart\.so\.(\d+)\0", content)]
    if found and cuda_version.MAJOR not in found:
        raise Stop(
            f"argument PROGRAM: '{program.name}' of CUDA {found[0]} given, a program of CUDA {cuda_version.MAJOR} is accepted: rebuild it, and "
            f"the libraries of yours that it loads, with 'conflict-free nvcc' or another nvcc of CUDA {cuda_version.MAJOR}",
            _CANNOT_RUN,
        )


def find(name: str) -> Path:
    """Return the program of a name. Raises Stop, with a shell's exit code, if it cannot be run."""
    path = Path(os.path.abspath(name if os.sep in name else shutil.which(name) or name))
    if not path.exists():
        raise Stop(f"argument PROGRAM: {name!r} given, a program that exists is accepted", _NOT_FOUND)
    if path.is_dir() or not os.access(path, os.X_OK):
        raise Stop(f"argument PROGRAM: {name!r} given, a file that can be executed is accepted", _CANNOT_RUN)
    return path
