# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What is wrong with a run before anybody looks at its output: hazards, crashes, limits, errors of the CUDA runtime."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .assignment import Assignment
from .running import Run


_PLACE = re.compile(r"(?P<file>[\w.-]+\.cu):(?P<line>\d+)")
#: As often as no line is run in the small cases of an assignment, and every line of an endless loop long before the time is up.
_WITHOUT_END = 20_000


#: One sentence of help for each error of the model that has these words.
_HELP_WITH_ERRORS = {
    "was not launched": "Ask the launch for no more threads, blocks and shared memory than a block, a grid and the GPU may have.",
    "ends the program": "The function has to return to its caller: it must not end the program.",
    "which only kernels and copies reach": "Let a kernel do that, or cudaMemcpy: host code sees no device memory.",
    "outside of a kernel": "Launch a __global__ function: only what it calls runs as a thread of a block.",
    "memory that is not its own": "Stay inside your own variables and arrays: check each index and each pointer of the line.",
    "return address": "Stay inside your own variables and arrays: check each index and each pointer of the line.",
    "more memory than": "Allocate what the sizes ask for, and no more.",
}


@dataclass(frozen=True)
class Complaint:
    """What was seen, one sentence of help, and the places in the source as the report names them."""

    seen: str
    help: str
    places: Sequence[Mapping] = ()


def complaint(run: Run, assignment: Assignment) -> Complaint | None:
    """Return what is wrong with a run, the most telling first; None if nothing is."""
    report = run.report or {}
    if report.get("hazards"):
        # Threads that miss a barrier race with those that wait at it: the barrier is the cause.
        return _of_hazard(min(report["hazards"], key=lambda hazard: hazard["kind"] != "divergent_barrier"))
    if run.done.stopped_by:
        return _of_limit(run.done.stopped_by, assignment)
    if report.get("errors"):
        return _of_error(report["errors"][0], report, assignment)
    if run.outcome is None or run.report is None:
        return Complaint(f"the program ended before {assignment.function} returned (exit code {run.done.returncode})",
                         "The function has to return to its caller: it must not end the program.")
    if not run.finished:
        return _of_runtime(run.outcome, run.done.returncode)
    return None


def _of_hazard(hazard: Mapping) -> Complaint:
    kind = hazard["kind"].replace("_", " ")
    where = f"{hazard['kernel']}, block ({', '.join(map(str, hazard['block']))})" if hazard["kernel"] else "host code"
    return Complaint(f"{kind} in {where}: {hazard['message']}", hazard["help"], hazard["lines"])


def _of_limit(stopped_by: str, assignment: Assignment) -> Complaint:
    limits = assignment.limits
    words = {
        "time": (f"it ran for more than {limits.seconds:g} seconds", "Look for a loop whose condition never becomes false."),
        "memory": (f"it wanted more than {limits.memory_megabytes:,} megabytes of memory",
                   "Allocate what the sizes ask for; if you do, look for a loop that never ends, whose accesses fill the memory."),
        "output": (f"it printed more than {limits.output_kilobytes:,} kilobytes", "Take out the printing: nobody reads it here."),
        "files": ("it wrote files", "Take out what writes files: the driver keeps the output."),
    }
    seen, help_ = words.get(stopped_by, (f"it was ended by {stopped_by}", "The program must not end itself, nor be ended."))
    return Complaint(seen, help_)


def _of_error(error: str, report: Mapping, assignment: Assignment) -> Complaint:
    """What kept the program from its end. The model writes the line into its words, where it knows it."""
    if "bad_alloc" in error:
        return _of_limit("memory", assignment)
    if "did not end within" in error:
        return Complaint(error, "Look for a loop whose condition never becomes false.", _repeated(report))
    help_ = next((help_ for words, help_ in _HELP_WITH_ERRORS.items() if words in error), "Look at what the line reads and writes.")
    places = [{"file": found["file"], "line": int(found["line"])} for found in _PLACE.finditer(error)]
    return Complaint(error.removesuffix(f", {assignment.source.name}:{places[-1]['line']}") if places else error, help_, places)


def _repeated(report: Mapping) -> list[Mapping]:
    """The lines that a launch without end has come by without end, so that they do not depend on when it was stopped."""
    lines = report["kernels"][-1]["lines"] if report.get("kernels") else []
    times = [line.get("instructions", line.get("requests", 0)) for line in lines]
    often = max(max(times, default=0) // 2, _WITHOUT_END)
    return sorted((line for line, number in zip(lines, times) if number > often), key=lambda line: line["line"])


def _of_runtime(outcome: str, code: int) -> Complaint:
    reason = outcome.rpartition("failed: ")[2] if outcome != "finished" else f"exit code {code}"
    return Complaint(f"the CUDA runtime reports an error: {reason}",
                     "Check the grid, the block and the sizes of allocations, and what each call of the runtime returns.")
