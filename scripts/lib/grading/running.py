# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Runs a submission's program on one case, each time in a process and a sandbox of its own, and reads what is left behind."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from . import sandbox
from .assignment import Assignment
from .cases import DrawnCase

_OUTCOME, _FINISHED = "outcome.txt", "finished"
#: What the process gets beyond a case's limit, so that the model, which says more, stops a kernel first.
_SECONDS_MORE = 3
_FILE_MEGABYTES = 64
_SECONDS_TO_DIE = 10


@dataclass(frozen=True)
class Run:
    """What one process left behind: the model's report, the outputs, and how the driver says that it ended."""

    case: DrawnCase
    done: sandbox.Done
    report: Mapping[str, Any] | None
    outcome: str | None
    outputs: Mapping[str, numpy.ndarray | None]
    trace: list[dict[str, Any]]

    @property
    def finished(self) -> bool:
        """Whether the driver came to its end and found nothing wrong."""
        return self.outcome == _FINISHED and self.report is not None and self.done.returncode == 0 and not self.done.stopped_by


def run(program: Path, assignment: Assignment, case: DrawnCase, folder: Path, *, confined: bool, traced: bool = False) -> Run:
    """Run a program on a case in ``folder``, which is made and removed."""
    given, left = folder / "case", folder / "left"
    folder.mkdir()
    case.write(given)
    left.mkdir()
    limits = assignment.limits
    environment = {"SIMT_REPORT": str(left / "report.json"), "SIMT_MACHINE": assignment.machine, "SIMT_TIMEOUT": f"{limits.seconds:g}"}
    if traced:
        environment["SIMT_TRACE"] = str(left / "trace.json")
    done = sandbox.run(
        [program, str(given), str(left)], readable=[program, given], writable=left, environment=environment, confined=confined,
        limits=sandbox.Limits(seconds=limits.seconds + _SECONDS_MORE, memory_megabytes=limits.memory_megabytes,
                              output_kilobytes=limits.output_kilobytes, file_megabytes=_FILE_MEGABYTES, processes=1))
    found = Run(case, done, _read_json(left / "report.json"), _read_line(left / _OUTCOME),
                read_outputs(left, case),
                _read_json(left / "trace.json") or [] if traced else [])
    _remove(folder)
    return found


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


def _read_line(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _read_array(path: Path, like: numpy.ndarray) -> numpy.ndarray | None:
    """The output in a file, if it is there and has the size that it should have."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return numpy.frombuffer(data, like.dtype).reshape(like.shape) if len(data) == like.nbytes else None
