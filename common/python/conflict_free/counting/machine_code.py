"""The machine code that ptxas makes of PTX, as nvdisasm shows it. Standard library only."""

import functools
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conflict_free.setup import cuda

from . import packaged

ARCHITECTURE = "sm_90"


class NoMachineCode(Exception):
    """An error for machine code that cannot be made or read; its text gives the reason in one line."""


def _places(nvcc: Path) -> Iterator[Path]:
    """Yield the folders that may have NVIDIA's tools, those of the compiler first."""
    yield nvcc.parent
    yield from cuda.tool_folders()
    yield from (folder / "bin" for folder in packaged.cuda_of_wheels())


def _found(nvcc: Path, name: str) -> list[Path]:
    """Return the tools of a name that are here, the compiler's own first."""
    return cuda.present(name, _places(nvcc))


@functools.cache
def _release(tool: Path) -> tuple[int, ...]:
    return cuda.release_of(tool)


def find_nvdisasm(nvcc: Path) -> Path | None:
    """Return the newest nvdisasm here, which reads what any ptxas makes."""
    return max(_found(nvcc, "nvdisasm"), key=_release, default=None)


def find_ptxas(nvcc: Path, text: str) -> Path | None:
    """Return the ptxas for a text of PTX: one of the release whose compiler wrote the text, or else the newest here."""
    found = _found(nvcc, "ptxas")
    version = re.search(r"^\s*\.version\s+(\d+)\.(\d+)", text, re.MULTILINE)
    # CUDA 13.5 writes PTX 9.5.
    wanted = (int(version[1]) + 4, int(version[2])) if version else ()
    return next((path for path in found if _release(path)[:2] == wanted), max(found, key=_release, default=None))


#: By kernel, or by function that kernels call: registers, and the bytes of spilled stores and loads.
Resources = dict[str, tuple[int, int, int]]


@dataclass(frozen=True)
class MachineCode:
    """The machine code of a text: nvdisasm's output, and what of a multiprocessor its functions take."""

    text: str
    resources: Resources


def output_of(command: Sequence[str | os.PathLike], stream: str = "stdout") -> str:
    """Return the stdout or the stderr of a tool. Raises NoMachineCode if the tool fails."""
    name = Path(command[0]).name
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=600)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoMachineCode(f"{name} cannot be run: {error}") from error
    if done.returncode:
        said = next(
            (line for line in [*done.stderr.splitlines(), *done.stdout.splitlines()] if line and " info " not in line), "it said nothing"
        )
        raise NoMachineCode(f"{name} ended with exit code {done.returncode}: {said.strip()}")
    return getattr(done, stream)


def resources_in(said: str) -> Resources:
    """Return the registers, and the bytes of spilled stores and loads, that ptxas -v reports of each kernel and, without registers, of
    each function that kernels call. Where a text has put lines of its own into the output, the most of each.
    """
    found, kernel, function = {}, "", ""

    def use(name: str, *used: int) -> None:
        found[name] = tuple(map(max, used, found.get(name, used)))

    for line in said.splitlines():
        if begins := re.search(r"Compiling entry function '([^']+)'", line):
            kernel = begins[1]
        elif named := re.search(r"Function properties for (\S+)", line):
            function = named[1]
        elif spilled := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            use(function, 0, int(spilled[1]), int(spilled[2]))
        elif (used := re.search(r"Used (\d+) registers", line)) and kernel:
            use(kernel, int(used[1]), 0, 0)
            kernel = ""
    return found


def _target_of(text: str) -> str:
    return next((line.split()[1].rstrip(",") for line in text.splitlines() if line.startswith(".target")), "")


def _architecture_of(text: str) -> str:
    """Return the architecture for whose machine code a text is compared: the usual one, if the text can run there."""
    target = _target_of(text)
    number = re.match(r"sm_(\d+)", target)
    # A target with a suffix runs only on that architecture.
    return target if number and (int(number[1]) > 90 or target == ARCHITECTURE + "a") else ARCHITECTURE


def _assemble(ptxas: Path, architecture: str, options: Sequence[str], ptx: Path, code: Path) -> str:
    """Let ptxas make machine code of a file; return what it says of registers. Raises NoMachineCode."""
    command = [ptxas, "-v", f"-arch={architecture}", "-lineinfo", *options, str(ptx), "-o", str(code)]
    try:
        return output_of(command, "stderr")
    except NoMachineCode as why:
        if newer := re.search(r"Unsupported \.version ([\d.]+)", str(why)):
            release = ".".join(map(str, _release(ptxas)[:2]))
            raise NoMachineCode(
                f"the newest ptxas here is that of CUDA {release}, which cannot read PTX {newer[1]}: name the bin folder of a newer "
                "CUDA in PATH, or install nvidia-cuda-nvcc beside the program's Python packages"
            ) from None
        # Functions of other files are linked later.
        return output_of([*command, "-c"], "stderr")


def disassemble(ptx: Path, nvcc: Path, options: Sequence[str] = ()) -> MachineCode:
    """Return the machine code that ptxas makes of a file. Raises NoMachineCode."""
    text = ptx.read_text(encoding="utf-8", errors="replace")
    ptxas, nvdisasm = find_ptxas(nvcc, text), find_nvdisasm(nvcc)
    if ptxas is None or nvdisasm is None:
        raise NoMachineCode(f"no {'ptxas' if ptxas is None else 'nvdisasm'} here")
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder) / "code.cubin"
        said = _assemble(ptxas, _architecture_of(text), options, ptx, code)
        # Targets of indirect jumps, which nobody reads, would take a quarter of the time.
        return MachineCode(output_of([nvdisasm, "-c", "-gp", "-ndf", str(code)]), resources_in(said))


def is_other(machine: str) -> bool:
    """Whether a machine is not that of the comparison, and ptxas makes machine code for it."""
    return machine.startswith("sm_") and machine != ARCHITECTURE


def resources_on(machine: str, ptx: Path, nvcc: Path, options: Sequence[str] = ()) -> Resources:
    """Return what the functions of a file take of a machine for which it was not written. Raises NoMachineCode."""
    text = ptx.read_text(encoding="utf-8", errors="replace")
    ptxas = find_ptxas(nvcc, text)
    if ptxas is None:
        raise NoMachineCode("no ptxas here")
    target = _target_of(text)
    # What only one architecture has, as the redistribution of registers, others have under their own suffix.
    architecture = machine + "a" if target.endswith("a") and int(machine.removeprefix("sm_")) >= 90 else machine
    with tempfile.TemporaryDirectory() as folder:
        changed = Path(folder) / ptx.name
        changed.write_text(text.replace(f".target {target}", f".target {architecture}", 1), encoding="utf-8")
        return resources_in(_assemble(ptxas, architecture, options, changed, Path(folder) / "code.cubin"))
