# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Runs a submission's program on cases, in a process and a sandbox of its own, beside the judge, which has the device.

The program gets a socket to the judge and no data. The judge, in another sandbox, has the data of the cases, the memory of the
device, the interpreter of kernels and the counters, and leaves the outputs and the report of each case.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from conflict_free.console import Stop

from . import sandbox
from .assignment import Assignment
from .building import Toolchain
from .cases import DrawnCase

_OUTCOME, _CALLS, _REPORT, _TRACE = "outcome.json", "calls.json", "report.json", "trace.json"
FINISHED = "finished"
#: What the processes get beyond a case's limit, so that the model, which says more, stops a kernel first.
_SECONDS_MORE = 3
_FILE_MEGABYTES = 64
_SECONDS_TO_DIE = 10
#: How the processes ended in the eyes of a case after which they went on.
_WENT_ON = sandbox.Done(0, "", "", None)
#: Threads that interpret blocks. Of a class, several submissions are graded at a time.
_THREADS = 4


@dataclass(frozen=True)
class Run:
    """What is known of a run on one case. Nothing of it but `done` comes from the submission's own process.

    `done` and `judged` are how that process and the judge ended, if they did in this case; `report` is the model's. `outcome` is how the program came to
    its end in the judge's eyes: "finished", "failed", "ended", "broken" or "memory" (see simt_judge); `failure` is the line of one
    that failed, `message` the model's message on one that is broken. `calls` are those that moved or set memory.
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
        """Whether the driver came to its end and found nothing wrong."""
        return self.outcome == FINISHED and self.report is not None and self.done.returncode == 0 and not self.done.stopped_by


def run(
    tools: Toolchain, program: Path, assignment: Assignment, case: DrawnCase, folder: Path, *, confined: bool, traced: bool = False
) -> Run:
    """Run a program on one case alone; see ``run_all``. ``traced``, each access is written down."""
    return run_all(tools, program, assignment, [case], folder, confined=confined, traced=traced)[0]


def run_all(
    tools: Toolchain,
    program: Path,
    assignment: Assignment,
    cases: Sequence[DrawnCase],
    folder: Path,
    *,
    confined: bool,
    traced: bool = False,
) -> list[Run]:
    """Run a program on cases, one after another in one process, in ``folder``, which is made and removed.

    Returns the runs of the cases that were begun: all of them, unless one brought the process to its end, which then is the
    last. Raises Stop if the judge does not work.
    """
    given, left, own = folder / "cases", folder / "left", folder / "own"
    for each in (folder, given, left, own):
        each.mkdir()
    for number, case in enumerate(cases):
        case.write(given / str(number))
    environment = {"SIMT_MACHINE": assignment.machine, "SIMT_TIMEOUT": f"{assignment.limits.seconds:g}"}
    if traced:
        environment["SIMT_TRACE"] = str(left / _TRACE)
    judged, done = _run_both(tools, program, assignment, given, len(cases), left, own, environment, confined=confined)
    if judged.returncode and not judged.stopped_by:
        names = ", ".join(dict.fromkeys(case.name for case in cases))
        raise Stop(f"the judge of assignment {assignment.name}, {names}, failed: {(judged.stderr.strip() or 'exit code').splitlines()[-1]}")
    trace = _read_json(left / _TRACE) or [] if traced else []
    runs = list(_runs(cases, left, done, judged, trace))
    _remove(folder)
    return runs


def _runs(cases: Sequence[DrawnCase], left: Path, done: sandbox.Done, judged: sandbox.Done, trace: list[dict[str, Any]]) -> Iterator[Run]:
    """What the judge has left of each case that it has begun."""
    for number, case in enumerate(cases):
        place = left / str(number)
        came_out = _read_json(place / _OUTCOME) or {}
        outcome = came_out.get("how")
        went_on = outcome == FINISHED and number + 1 < len(cases)
        yield Run(
            case,
            _WENT_ON if went_on else done,
            _WENT_ON if went_on else judged,
            _read_json(place / _REPORT),
            outcome,
            came_out.get("failure", ""),
            came_out,
            _read_json(place / _CALLS) or {},
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
    *,
    confined: bool,
) -> list[sandbox.Done]:
    """Run the judge and the program on so many cases, connected with each other. Return how they ended."""
    limits = assignment.limits
    seconds = limits.seconds + _SECONDS_MORE
    threads = min(os.cpu_count() or 1, _THREADS)
    ends = socket.socketpair()
    judge = sandbox.Job(
        [tools.judge, *(given / str(each) for each in range(number)), left, "--connection", str(ends[0].fileno())],
        [tools.judge, tools.runtime, given],
        left,
        # Blocks run at the same time, and their processor time adds up.
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
        # It waits for the judge, for the most part: its own work in all cases is small.
        sandbox.Limits(
            seconds,
            limits.memory_megabytes,
            limits.output_kilobytes * number,
            file_megabytes=1,
            processes=1,
            real_seconds=4 * seconds * number,
        ),
        environment={"LD_LIBRARY_PATH": str(tools.runtime), "SIMT_REMOTE": str(ends[1].fileno())},
        descriptors=[ends[1].fileno()],
    )

    def leave() -> None:
        """Either end must see when the other is gone."""
        for end in ends:
            end.close()

    try:
        return sandbox.run_together([judge, submitted], confined=confined, started=leave)
    finally:
        leave()


def _remove(folder: Path) -> None:
    """Remove a folder. What was ended in it dies a moment later, and may write until then."""
    deadline = time.monotonic() + _SECONDS_TO_DIE
    while True:
        try:
            shutil.rmtree(folder)
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def read_outputs(folder: Path, case: DrawnCase) -> dict[str, numpy.ndarray | None]:
    """Return the outputs that a driver left in a folder; None for one that is not there or has another size."""
    return {name: _read_array(folder / f"{name}.bin", like) for name, like in case.expected.items()}


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _read_array(path: Path, like: numpy.ndarray) -> numpy.ndarray | None:
    """The output in a file, if it is there and has the size that it should have."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return numpy.frombuffer(data, like.dtype).reshape(like.shape) if len(data) == like.nbytes else None
