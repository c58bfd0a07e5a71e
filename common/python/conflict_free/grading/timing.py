"""The check `fast`: times a submission and the solution on the GPU in turns, each in processes of its own.

Only submissions that have passed the gates are timed. The check judges the ratio of two medians of one run, never a time.
"""

import os
import shutil
import statistics
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from conflict_free.console import NO_GPU, ROOT, Stop

from . import facts, sandbox
from .assignment import Assignment
from .cases import DrawnCase
from .comparing import difference
from .finding import Finding, passed
from .running import read_outputs

_TRIAL = ("common/harness/src/trial.cpp", "common/harness/src/error.cpp")
_INCLUDES = ("common/harness/include", "common/model/include")
_ROUNDS = 4
_SAMPLES = 10  # of each program in each round
#: nvcc writes large intermediate files. A program on a GPU also holds the memory of NVIDIA's driver.
_COMPILE_LIMITS = sandbox.Limits(seconds=300, memory_megabytes=8192, output_kilobytes=256, file_megabytes=1024, processes=64)
_MEGABYTES_OF_DRIVER = 8192
_SECONDS_OF_DRIVER = 60
_MEGABYTES_OF_FILES = 16  # besides the outputs
#: Variables that a program on a GPU keeps: the place of the driver's library, and the chosen GPU.
_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES")
_HELP = "Compare the accesses of both to global and shared memory, and the threads that work at a time."


@dataclass(frozen=True)
class Gpu:
    """The tools for timing: nvcc, and the device files that a confined program may use."""

    nvcc: Path
    devices: tuple[Path, ...]

    @classmethod
    def here(cls, nvcc: Path) -> "Gpu":
        """Return the tools of this machine."""
        return cls(nvcc, tuple(path for path in sorted(Path("/dev").glob("nvidia*")) if not path.is_dir()))


@dataclass(frozen=True)
class _Timed:
    """The record of one timed process: its times in milliseconds, and what is wrong with its end or its output, if anything."""

    times_ms: tuple[float, ...] = ()
    complaint: str = ""
    difference: str = ""


def fast(
    assignment: Assignment, text: str, case: DrawnCase, gpu: Gpu, folder: Path, *, confined: bool, progress: Callable[[str], None]
) -> Finding:
    """Return the finding of the check. Raises Stop if there is no GPU, or if the solution itself fails."""
    wanted = f"at least {assignment.minimum_gpu_ratio:g} of the solution's speed (case {case.name}: {case.sizes})"
    programs = {}
    for who, source in (("solution", assignment.solution()), ("submission", text)):
        progress(f"compiling the {who} for the GPU")
        program, complaint = _compile(assignment, source, gpu, folder / who, confined=confined)
        if complaint:
            _blame(who, f"does not compile for the GPU: {complaint}")
            return Finding(
                False, f"it does not compile for the GPU: {complaint}", wanted, "nvcc accepts less than the model here: mend what it names."
            )
        programs[who] = program
    given = folder / "timed"
    case.write(given)
    times: dict[str, list[float]] = {who: [] for who in programs}
    for turn in range(_ROUNDS):
        for who, program in programs.items():
            progress(f"timing on the GPU, round {turn + 1} of {_ROUNDS}")
            found = _time(program, assignment, case, gpu, given, folder / "left", confined=confined)
            if found.complaint or found.difference:
                _blame(who, found.complaint or found.difference)
                return Finding(
                    False,
                    found.complaint or found.difference,
                    wanted,
                    "What is right under the model must be right on a GPU too.",
                    case=case.name,
                )
            times[who] += found.times_ms
    return _judged(statistics.median(times["solution"]) / statistics.median(times["submission"]), assignment, wanted)


def _judged(ratio: float, assignment: Assignment, wanted: str) -> Finding:
    seen = f"{ratio:.2f} of the solution's speed"
    return replace(passed(seen), wanted=wanted) if ratio >= assignment.minimum_gpu_ratio else Finding(False, seen, wanted, _HELP)


def _blame(who: str, complaint: str) -> None:
    """Raise Stop if the solution is the one that fails."""
    if who == "solution":
        raise Stop(f"the solution fails on this machine's GPU: {complaint}")


def _compile(assignment: Assignment, text: str, gpu: Gpu, folder: Path, *, confined: bool) -> tuple[Path, str]:
    """Return the path of a program for this machine's GPU, and the compiler's first error or ""."""
    folder.mkdir()
    source, program = folder / assignment.source.name, folder / "program"
    source.write_text(text, encoding="utf-8")
    ours = [ROOT / name for name in _TRIAL]
    toolkit = gpu.nvcc.resolve().parents[1]
    headers = [ROOT / name for name in _INCLUDES]
    done = sandbox.run(
        [
            gpu.nvcc.resolve(),
            "-std=c++20",
            "-O3",
            "-arch=native",
            "-w",
            *(f"-I{path}" for path in headers),
            "-o",
            program,
            assignment.driver,
            source,
            *ours,
        ],
        readable=[toolkit, *headers, assignment.driver, *ours],
        writable=folder,
        limits=_COMPILE_LIMITS,
        confined=confined,
        devices=gpu.devices,
    )
    if done.returncode == 0:
        return program, ""
    first = facts.read(text, done, assignment, folder / "text", confined=confined).messages[0]
    return program, f"line {first.line}: {first.text}" if first.line else first.text


def _time(program: Path, assignment: Assignment, case: DrawnCase, gpu: Gpu, given: Path, left: Path, *, confined: bool) -> _Timed:
    left.mkdir()
    limits = sandbox.Limits(
        seconds=assignment.limits.seconds + _SECONDS_OF_DRIVER,
        memory_megabytes=assignment.limits.memory_megabytes + _MEGABYTES_OF_DRIVER,
        output_kilobytes=assignment.limits.output_kilobytes,
        processes=1,
        file_megabytes=_MEGABYTES_OF_FILES + sum(values.nbytes for values in case.expected.values()) // (1 << 20),
    )
    done = sandbox.run(
        [program, given, left, "--samples", str(_SAMPLES)],
        readable=[program, given],
        writable=left,
        limits=limits,
        confined=confined,
        devices=gpu.devices,
        environment={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ},
    )
    if done.returncode == NO_GPU:
        raise Stop(f"no GPU: {done.stderr.strip().removeprefix('error: ')}", NO_GPU)
    timed = _read(assignment, case, left, done)
    shutil.rmtree(left)
    return timed


def _read(assignment: Assignment, case: DrawnCase, left: Path, done: sandbox.Done) -> _Timed:
    try:
        outcome = (left / "outcome.txt").read_text(encoding="utf-8").strip()
        times = tuple(map(float, (left / "times.txt").read_text(encoding="ascii").split()))
    except (OSError, ValueError):
        return _Timed(complaint=f"on the GPU it was ended by {done.stopped_by or f'exit code {done.returncode}'}")
    if outcome != "finished" or done.returncode or len(times) != _SAMPLES:
        return _Timed(complaint=f"on the GPU: {outcome.rpartition('failed: ')[2]}")
    wrong = difference(case, read_outputs(left, case), assignment.reference.TOLERANCE)
    return _Timed(times, difference=f"on the GPU, {wrong.seen}" if wrong else "")
