# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The counts of scripts/count: the program is built, run and reported on. Runs in the virtual environment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import count_report
from console import FAILED, USAGE, Stop, run_main
from count import parse
from count_program import Program, Toolchain, machine_names, make

SIGNAL_OFFSET = 128  # of the exit code with which a shell reports a program that a signal ended


def run(program: Program, arguments: list[str], machine: str, timeout: float | None, report: Path) -> int:
    """Runs the program with its output on ours; returns its exit code, as a shell gives it."""
    environment = {**os.environ, "SIMT_REPORT": str(report), "SIMT_MACHINE": machine}
    if timeout is not None:
        environment["SIMT_TIMEOUT"] = f"{timeout:g}"
    sys.stdout.flush()
    # Ctrl+C is for the program, which ends; what it has counted until then is reported.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with subprocess.Popen([program.path, *arguments], env=environment,
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
            code = process.wait()
    except OSError as error:
        raise Stop(f"cannot run the program: {error.strerror}") from error
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else SIGNAL_OFFSET - code


def read_report(report: Path, machine: str, code: int) -> dict:
    """What the program has left behind; if that is nothing, a report that says so."""
    try:
        data = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        data = {"machine": machine, "kernels": [], "hazards": [],
                "errors": [f"the program left no report of what it did (it ended with exit code {code})"], "exit_code": code}
    return data


def write_json(path: Path, data: dict) -> None:
    """Writes the file whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Stop(f"--json {path}: cannot be written: {error.strerror}", USAGE) from error


def exit_code(data: dict) -> int:
    """1 for a hazard, else the program's own; never 0 for a program that was kept from its end."""
    if data["hazards"]:
        return FAILED
    return data["exit_code"] or (FAILED if data.get("errors") else 0)


def main() -> int:
    options = parse(sys.argv[1:])
    toolchain = Toolchain.of(options.build_dir)
    machines = machine_names(toolchain)
    machine = options.machine or machines[0]
    if machine not in machines:
        raise Stop(f"argument --machine: {machine!r} given, one of {', '.join(machines)} is accepted", USAGE)
    program = make(toolchain, options.file, options.definitions, options.folders)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        code = run(program, options.arguments, machine, options.timeout, report)
        data = read_report(report, machine, code)
    if options.json:
        write_json(options.json, data)
    count_report.show(data, program.sources)
    return exit_code(data)


if __name__ == "__main__":
    run_main(main)
