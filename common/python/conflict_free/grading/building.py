"""Builds the program of a submission: nvcc compiles it and links it with the assignment's driver, in the sandbox."""

import contextlib
import json
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conflict_free.console import ROOT, Stop
from conflict_free.counting.machine_code import resources_in

from . import kept_files, sandbox
from .assignment import Assignment
from .command_line import TOOLCHAIN

KEPT = ROOT / "build" / "grade"
KEPT_DRIVERS = 4  # of one assignment, for several build folders and versions
KEPT_PROGRAMS = 1024  # a tenth of a megabyte each; a submission that is graded again is not compiled again

COMPILE_LIMITS = sandbox.Limits(seconds=30, memory_megabytes=2048, output_kilobytes=256, file_megabytes=64, processes=32)
#: <cmath> of g++ reads Bessel functions and their like from a header that takes a seventh of the time of compiling. Defining that header's
#: guard leaves it out. Programs rely on two headers that it includes, so these stay in.
WITHOUT_SPECIAL_FUNCTIONS = ("-D_GLIBCXX_BITS_SPECFUN_H", "-include", "bits/stl_algobase.h", "-include", "limits")
#: The options with which submissions are compiled for the model: those of the chapters, with changes that make compiling quicker.
OPTIONS = (
    *("-std=c++20", "-lineinfo", "-cudart", "shared", "-gencode", "arch=compute_90,code=compute_90", "-w"),
    *WITHOUT_SPECIAL_FUNCTIONS,
)
#: With these, ptxas makes machine code of the same PTX, and reports the registers of each function.
MACHINE_CODE = ("-gencode", "arch=compute_90,code=sm_90", "-Xptxas", "-v")


@dataclass(frozen=True)
class Toolchain:
    """The tools that build and run a submission. CMake writes their places; see common/cmake/AddAssignment.cmake."""

    build: Path
    nvcc: Path
    include_folders: Sequence[str]
    libraries: Sequence[str]
    #: The folder of the model's own CUDA libraries.
    runtime: Path
    judge: Path

    @classmethod
    def of(cls, build: Path) -> "Toolchain":
        """Return the toolchain of a build folder."""
        told = json.loads((build / TOOLCHAIN).read_text(encoding="utf-8"))
        return cls(
            build, Path(told["nvcc"]).resolve(), told["include_folders"], told["libraries"], Path(told["runtime"]), Path(told["judge"])
        )

    def version(self) -> str:
        """Return the compiler's output for --version. Raises Stop if the compiler cannot be run."""
        try:
            return subprocess.run([self.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            raise Stop(f"{self.nvcc} --version: {error}") from error

    def marks(self) -> list[str]:
        """Return texts that differ from those of any other compiler."""
        state = self.nvcc.stat()
        return [str(self.nvcc), str(state.st_size), str(state.st_mtime_ns)]

    def readable(self) -> list[Path]:
        """Return the paths outside of the system's folders that compiling and linking read."""
        return [Path(path) for path in (self.nvcc.parent.parent, *self.include_folders, *self.libraries)]


@dataclass(frozen=True)
class Built:
    """A program and the registers and spilled bytes of its functions, or the end of the compiler that failed to make it."""

    program: Path | None = None
    resources: Mapping[str, Sequence[int]] = field(default_factory=dict)
    failed: sandbox.Done | None = None


def build(tools: Toolchain, assignment: Assignment, text: str, folder: Path, *, confined: bool) -> Built:
    """Build the program of a submission in ``folder``, or copy the kept one of the same text, driver and tools.

    Raises Stop if the driver cannot be built.
    """
    driver = driver_object(tools, assignment)
    source, program = folder / assignment.source.name, folder / "program"
    parts = [*OPTIONS, *MACHINE_CODE, *tools.marks(), str(confined), source.name, text]
    kept = KEPT / "programs" / kept_files.name_of(parts, [driver, *map(Path, tools.libraries)])
    kept_resources = KEPT / "resources" / kept.name
    if (known := kept_files.text_of(kept_resources)) and kept_files.taken(kept, program):
        return Built(program, json.loads(known))
    source.write_text(text, encoding="utf-8")
    done = compile_with(driver, tools, source, program, confined=confined)
    if done.returncode or done.stopped_by:
        return Built(failed=done)
    resources = resources_in(done.stderr)
    with contextlib.suppress(OSError):  # grading works without a kept program
        kept_files.keep(program, kept, "*", KEPT_PROGRAMS)
        kept_files.keep_text(json.dumps(resources), kept_resources, KEPT_PROGRAMS)
    return Built(program, resources)


def compile_with(driver: Path, tools: Toolchain, source: Path, program: Path, *, confined: bool) -> sandbox.Done:
    """Compile a text and link it with an assignment's driver. ``program`` lies in the folder of ``source``, the only one that is written to.

    The output for standard error has the registers of the machine code. What ptxas refuses is compiled without it: the model says more.
    """

    def compile_(*options: str) -> sandbox.Done:
        return sandbox.run(
            # Each kernel is compiled whole: a link of device code would find nothing, and costs as much as reading the text.
            [tools.nvcc, *OPTIONS, *options, "-nodlink", "-o", program, source.name, driver, *tools.libraries],
            readable=[*tools.readable(), driver],
            writable=source.parent,
            limits=COMPILE_LIMITS,
            confined=confined,
        )

    done = compile_(*MACHINE_CODE)
    return compile_() if done.returncode and re.search("ptxas (error|fatal)", done.stderr) else done


# --- the driver ----------------------------------------------------------------------------------


def driver_object(tools: Toolchain, assignment: Assignment) -> Path:
    """Return the compiled driver of an assignment. It is compiled again when one of its sources or the compiler changes. Raises Stop."""
    folders = [f"-I{folder}" for folder in tools.include_folders]
    headers = [path for folder in tools.include_folders for path in sorted(Path(folder).rglob("*.hpp"))]
    command = [str(tools.nvcc), *OPTIONS, "-c", *folders]
    name = kept_files.name_of([*command, *tools.marks()], [assignment.driver, *headers])
    kept = KEPT / f"{assignment.name}-{name}.o"
    if kept.exists():
        return kept
    with tempfile.TemporaryDirectory(prefix="conflict_free_") as scratch:
        compiled = Path(scratch) / "driver.o"
        done = sandbox.run(
            [*command, "-o", compiled, assignment.driver], readable=(), writable=Path(scratch), limits=COMPILE_LIMITS, confined=False
        )
        if done.returncode:
            reason = (done.stderr.strip() or f"the compiler was ended ({done.stopped_by or done.returncode})").splitlines()[0]
            raise Stop(f"the driver of assignment {assignment.name} cannot be built: {reason}")
        try:
            kept_files.keep(compiled, kept, f"{assignment.name}-*.o", KEPT_DRIVERS)
        except OSError as error:
            raise Stop(f"the driver of assignment {assignment.name} cannot be kept in {KEPT}: {error.strerror}") from error
    return kept
