"""Runs a submission's program on cases. The program and the judge are two processes, each in a sandbox of its own.

The program gets a socket to the judge and no data. The judge has the data of the cases, the device memory, the interpreter of
kernels and the counters. It writes the outputs and the report of each case.
"""

import json
import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from conflict_free.console import Stop
from conflict_free.schemas import Schema

from . import sandbox, scratch
from .assignment import Assignment
from .building import Built, Toolchain
from .cases import DrawnCase

_TOLD, _TRACE, _RESOURCES = ("outcome", "calls", "report"), "trace.json", "resources.json"
FINISHED = "finished"
#: Seconds beyond a case's limit, so that the model stops an endless kernel first: its message says more.
_SECONDS_MORE = 3
_FILE_MEGABYTES = 64
_SCHEMA = Path(__file__).with_name("judged.schema.json")
#: A larger report of the judge is not read.
_MOST_JSON_BYTES = 64 << 20
#: The end of both processes, for a case after which they went on.
_WENT_ON = sandbox.Done(0, "", "", None)
#: How many threads interpret blocks. More would not help a class, of which several submissions are graded at a time.
_THREADS = 4


@dataclass(frozen=True)
class Run:
    """The record of one case. Only `done` is an observation of the submission's own process; the judge wrote the rest.

    `done` and `judged` say how the program and the judge ended, if they ended in this case. `report` is the model's report.
    `outcome` is "finished", "failed", "ended", "broken" or "memory" (see simt_judge). `failure` is the error line of a program
    that failed, `message` the model's message about one that is broken. `calls` are the runtime calls that moved or set memory.
    """

    case: DrawnCase
    done: sandbox.Done
    judged: sandbox.Done
    report: Mapping[str, Any] | None
    outcome: str | None
    failure: str
    message: Mapping[str, Any]
    calls: Mapping[str, Any]
    outputs: Mapping[str, numpy.ndarray | None]
    trace: list[dict[str, Any]]

    @property
    def finished(self) -> bool:
        """Whether the driver ended without an error."""
        return self.outcome == FINISHED and self.report is not None and self.done.returncode == 0 and not self.done.stopped_by

    @property
    def is_out_of_time(self) -> bool:
        """Whether a kernel or the host code was stopped at the end of its time."""
        codes = [error["code"] for error in (self.report or {}).get("errors", ())]
        return "kernel_does_not_end" in codes or "time" in (self.done.stopped_by, self.judged.stopped_by)


def allowed_seconds(assignment: Assignment, cases: Sequence[DrawnCase]) -> float:
    """Return the real time that all runs on some cases may take together, including those that repeat a case alone."""
    return (assignment.limits.seconds + _SECONDS_MORE) * len(cases)


def run_all(
    tools: Toolchain,
    built: Built,
    assignment: Assignment,
    cases: Sequence[DrawnCase],
    folder: Path,
    *,
    confined: bool,
    deadline: float,
    traced: bool = False,
) -> list[Run]:
    """Run the program of ``built`` on cases, one after another in one process, in ``folder``, which is created and removed.

    ``deadline`` is the time of ``time.monotonic()`` at which the run is stopped. With ``traced`` the run records each access. Returns
    the runs of the cases that were begun. If a case ended the process, its run is the last. Raises Stop if the judge does not work.
    """
    given, left, own = folder / "cases", folder / "left", folder / "own"
    for each in (folder, given, left, own):
        each.mkdir()
    for number, case in enumerate(cases):
        case.write(given / str(number))
    (given / _RESOURCES).write_text(json.dumps({"resources": built.resources}), encoding="utf-8")
    environment = {
        "SIMT_MACHINE": assignment.machine,
        "SIMT_TIMEOUT": f"{assignment.limits.seconds:g}",
        "SIMT_EXACTNESS": str(given / _RESOURCES),
    }
    if traced:
        environment["SIMT_TRACE"] = str(left / _TRACE)
    seconds = max(deadline - time.monotonic(), 0)
    judged, done = _run_both(tools, built.program, assignment, given, len(cases), left, own, environment, seconds, confined=confined)
    if judged.returncode and not judged.stopped_by and not (left / "0").exists():
        names = ", ".join(dict.fromkeys(case.name for case in cases))
        raise Stop(f"the judge of assignment {assignment.name}, {names}, failed: {(judged.stderr.strip() or 'exit code').splitlines()[-1]}")
    trace = _read_json(left / _TRACE) or [] if traced else []
    try:
        return list(_runs(cases, left, done, judged, trace))
    finally:
        scratch.remove(folder)


def _runs(cases: Sequence[DrawnCase], left: Path, done: sandbox.Done, judged: sandbox.Done, trace: list[dict[str, Any]]) -> Iterator[Run]:
    """Yield the run of each case that the judge has begun. Raises ValueError if its output does not follow ``judged.schema.json``."""
    for number, case in enumerate(cases):
        place = left / str(number)
        told = {name: _read_json(place / f"{name}.json") for name in _TOLD}
        for misfit in Schema.of(_SCHEMA).misfits(told):
            raise ValueError(f"the judge tells of case {case.name}, {misfit.at()}: {misfit.text}")
        came_out = told["outcome"] or {}
        outcome = came_out.get("how")
        went_on = outcome == FINISHED and number + 1 < len(cases)
        yield Run(
            case,
            _WENT_ON if went_on else done,
            _WENT_ON if went_on else judged,
            told["report"],
            outcome,
            came_out.get("failure", ""),
            came_out,
            told["calls"] or {},
            read_outputs(place, case),
            trace,
        )
        if not went_on:
            return


def _run_both(
    tools: Toolchain,
    program: Path,
    assignment: Assignment,
    given: Path,
    number: int,
    left: Path,
    own: Path,
    environment: Mapping[str, str],
    real_seconds: float,
    *,
    confined: bool,
) -> list[sandbox.Done]:
    """Run the judge and the program, connected by a socket, on ``number`` cases. Return how the judge and the program ended."""
    limits = assignment.limits
    seconds = limits.seconds + _SECONDS_MORE
    threads = min(os.cpu_count() or 1, _THREADS)
    ends = socket.socketpair()
    judge = sandbox.Job(
        [tools.judge, *(given / str(each) for each in range(number)), left, "--connection", str(ends[0].fileno())],
        [tools.judge, tools.runtime, given],
        left,
        # Blocks run in parallel, and the processor time of all threads adds up.
        sandbox.Limits(
            seconds * threads * number, limits.memory_megabytes, limits.output_kilobytes * number, _FILE_MEGABYTES * number, processes=2
        ),
        environment={**environment, "LD_LIBRARY_PATH": str(tools.runtime), "SIMT_THREADS": str(threads)},
        descriptors=[ends[0].fileno()],
    )
    submitted = sandbox.Job(
        [program],
        [program, tools.runtime],
        own,
        # Most of the time the program waits for the judge: its own work in all cases is small.
        sandbox.Limits(
            seconds, limits.memory_megabytes, limits.output_kilobytes * number, file_megabytes=1, processes=1, real_seconds=real_seconds
        ),
        environment={"LD_LIBRARY_PATH": str(tools.runtime), "SIMT_REMOTE": str(ends[1].fileno())},
        descriptors=[ends[1].fileno()],
    )

    def leave() -> None:
        """Close both ends here, so that each process sees when the other is gone."""
        for end in ends:
            end.close()

    try:
        return sandbox.run_together([judge, submitted], confined=confined, started=leave)
    finally:
        leave()


def read_outputs(folder: Path, case: DrawnCase) -> dict[str, numpy.ndarray | None]:
    """Return the outputs in a folder; None for an output that is missing or has another size."""
    return {name: _read_array(folder / f"{name}.bin", like) for name, like in case.expected.items()}


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.stat().st_size <= _MOST_JSON_BYTES else None
    except (OSError, ValueError, RecursionError):
        return None


def _read_array(path: Path, like: numpy.ndarray) -> numpy.ndarray | None:
    """Return the output in a file, or None if it is missing or has another size than ``like``."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return numpy.frombuffer(data, like.dtype).reshape(like.shape) if len(data) == like.nbytes else None
