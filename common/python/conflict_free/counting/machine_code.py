# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The machine code that ptxas makes of PTX, as nvdisasm shows it. Standard library only."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import packaged

ARCHITECTURE = "sm_90"


class NoMachineCode(Exception):
    """An error for machine code that cannot be made or read; its text gives the reason in one line."""


def _near(nvcc: Path, name: str) -> str | None:
    beside = nvcc.parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def find_nvdisasm(nvcc: Path) -> str | None:
    """Return nvdisasm: beside the compiler, in the search path, or in the wheel of the virtual environment."""
    wheels = (folder / "bin" / "nvdisasm" for folder in packaged.cuda_of_wheels())
    return _near(nvcc, "nvdisasm") or next((str(path) for path in wheels if path.exists()), None)


def output_of(command: Sequence[str | os.PathLike]) -> str:
    """Return the stdout of a tool. Raises NoMachineCode if the tool fails."""
    name = Path(command[0]).name
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=600)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoMachineCode(f"{name} cannot be run: {error}") from error
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()[0]
        raise NoMachineCode(f"{name} ended with exit code {done.returncode}: {said}")
    return done.stdout


def disassemble(ptx: Path, nvcc: Path, options: Sequence[str] = ()) -> str:
    """Return nvdisasm's output for the machine code that ptxas makes of a file. Raises NoMachineCode."""
    ptxas, nvdisasm = _near(nvcc, "ptxas"), find_nvdisasm(nvcc)
    if ptxas is None or nvdisasm is None:
        raise NoMachineCode(f"no {'ptxas' if ptxas is None else 'nvdisasm'} here")
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder) / "code.cubin"
        # A target with a suffix runs only on that architecture.
        target = next(
            (
                line.split()[1].rstrip(",")
                for line in ptx.read_text(encoding="utf-8", errors="replace").splitlines()
                if line.startswith(".target")
            ),
            "",
        )
        architecture = target if target == ARCHITECTURE + "a" else ARCHITECTURE
        command = [ptxas, f"-arch={architecture}", "-lineinfo", *options, str(ptx), "-o", str(code)]
        try:
            output_of(command)
        except NoMachineCode:
            # Functions of other files are linked later.
            output_of([*command, "-c"])
        return output_of([nvdisasm, "-c", "-gp", str(code)])
