"""conflict-free nvcc: nvcc with the options for a program whose memory accesses can be counted. Standard library only."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from conflict_free.console import USAGE, Stop

from . import packaged

ARCHITECTURES = ("-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code")
RUNTIMES = ("-cudart", "--cudart")
_MACHINE_CODE = ("-cubin", "--cubin")
_DEBUG = ("-G", "--device-debug")
# With these options nvcc only answers a question.
_QUESTIONS = ("--version", "-V", "--help", "-h", "--list-gpu-arch", "--list-gpu-code", "-arch-ls", "-code-ls")


def values(options: Sequence[str], names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the values of some options, and the arguments without these options.

    A value is the next word, or stands behind an equals sign.
    """
    found, rest = [], []
    words = iter(options)
    for word in words:
        name, equals, value = word.partition("=")
        if name in names:
            found.append(value if equals else next(words, ""))
        else:
            rest.append(word)
    return found, rest


def with_ptx(options: Sequence[str]) -> list[str]:
    """Return nvcc's options, changed so that the program has PTX that the model runs and links the model's runtime.

    The model runs compute_90, or compute_90a if the options name it; other architectures are replaced. A file of machine code gets
    PTX, which the model's driver takes in its place.
    """
    architectures, rest = values(options, ARCHITECTURES)
    if any(word in _MACHINE_CODE for word in rest):
        stems = [Path(word).stem for word in rest if word.endswith(".cu") and not any(word.startswith("-o") for word in rest)]
        rest = [
            "-ptx",
            *(word for stem in stems for word in ("-o", f"{stem}.cubin")),
            *(word for word in rest if word not in _MACHINE_CODE),
        ]
    _, rest = values(rest, RUNTIMES)
    architecture = "compute_90a" if any("90a" in value for value in architectures) else "compute_90"
    lines = [] if any(word in _DEBUG for word in rest) else ["-lineinfo"]
    return [*lines, "-cudart", "shared", "-gencode", f"arch={architecture},code={architecture}", *rest]


def nvcc() -> Path:
    """Return the nvcc that builds programs. Without one, raises Stop with the command that installs it."""
    found = packaged.nvcc()
    if found is None:
        raise Stop(packaged.NO_NVCC if packaged.is_installed() else "no nvcc here; conflict-free count FILE.cu installs one", USAGE)
    return found


def main(words: Sequence[str]) -> NoReturn:
    compiler = str(nvcc())
    arguments = list(words) if any(word in _QUESTIONS for word in words) else with_ptx(words)
    os.execv(compiler, [compiler, *arguments])
