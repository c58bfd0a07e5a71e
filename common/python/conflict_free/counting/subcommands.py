"""The subcommands of conflict-free that count and show: they build, run and report. Runs in the virtual environment."""

import argparse
import errno
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from conflict_free import cuda_version
from conflict_free.console import FAILED, USAGE, Stop, module_command, run_main
from conflict_free.whole_files import write_asked

from . import command_line, count, counted_run, failing, model_runtime, printed_report, report_diff, run_program, saved_report, stand_ins
from .built_program import Toolchain, compared, make

_NAMES = "import ctypes, sys; f = ctypes.CDLL(sys.argv[1]).simt_machine_names; f.restype = ctypes.c_char_p; print(f().decode())"


def machine_names(build: Path) -> list[str]:
    """Return the machines that the model knows, the default first."""
    # The library reads the environment and catches signals, so it gets a process of its own.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SIMT_")}
    done = subprocess.run(
        [sys.executable, "-c", _NAMES, model_runtime.libraries(build).resolve() / cuda_version.RUNTIME],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    if done.returncode:
        raise Stop(f"the model in {build} cannot be loaded: {(done.stderr.strip() or 'it said nothing').splitlines()[-1]}")
    return done.stdout.strip().split(", ")


# The exit code of shells for SIGKILL.
_KILLED = 137


def _no_report(code: int) -> dict:
    """Return an error in the form that the model writes."""
    message = f"the program left no report (it ended with exit code {code})"
    help_text = (
        "Linux kills programs when memory is short: give this one smaller arrays, or the machine more memory." if code == _KILLED else ""
    )
    return {"code": "no_report", "fields": {"exit_code": code}, "message": message, "help": help_text}


def read_report(report: Path, machine: str, code: int) -> dict:
    """Return the program's report; without one, a report that says so."""
    try:
        data = json.loads(report.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        data = {"machine": machine, "kernels": [], "hazards": [], "errors": [_no_report(code)], "exit_code": code}
    return data


def exit_code(data: dict) -> int:
    """Return 1 for a hazard, else the program's own exit code; never 0 for a program that an error ended early."""
    if data["hazards"]:
        return FAILED
    return data["exit_code"] or (FAILED if data.get("errors") else 0)


def _machine_of(options: argparse.Namespace) -> str:
    machines = machine_names(options.build_dir)
    machine = options.machine or machines[0]
    if machine not in machines:
        raise Stop(f"argument --machine: {machine!r} given, one of {', '.join(machines)} is accepted", USAGE)
    return machine


def _counted(options: argparse.Namespace, machine: str, program: Path, built_with: Sequence[str] = ()) -> dict:
    """Run a program under the model; return its report. ``built_with`` are nvcc's options, where they are known."""
    try:
        return _counted_in_folder(options, machine, program, built_with)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise Stop(f"{tempfile.gettempdir()}, the folder for temporary files, is full; TMPDIR can name another") from error


def _counted_in_folder(options: argparse.Namespace, machine: str, program: Path, built_with: Sequence[str]) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        settings = {
            **command_line.settings(options),
            "SIMT_REPORT": str(report),
            "SIMT_MACHINE": machine,
            "SIMT_EXACTNESS": str(compared(Toolchain.of(options.build_dir), program, Path(folder), machine, built_with)),
        }
        if (nvcc := Toolchain.of(options.build_dir).nvcc) is not None:
            settings["SIMT_COMPARER"] = shlex.join(
                [
                    "env",
                    f"PATH={stand_ins.path_of_tools(program)}",
                    *module_command(sys.executable, "counting.compare_loaded", nvcc, machine),
                ]
            )
        code = counted_run.run(
            [program, *options.arguments],
            model_runtime.environment(
                options.build_dir,
                **settings,
                **model_runtime.auditing(options.build_dir),
                **stand_ins.settings(options.build_dir, Path(folder)),
            ),
        )
        return read_report(report, machine, code)


def _report(options: argparse.Namespace, data: dict, sources: Sequence[Path]) -> int:
    # The text is written first, so that a full disk does not cut it. The files are written even if the text's reader stops early.
    try:
        printed_report.show(data, sources, options.whole_names)
    finally:
        if options.json:
            write_asked(options.json, json.dumps(data, indent=1) + "\n", "--json")
        saved_report.write_pages(options, data, sources)
    failures = failing.failures(options.fail_if, data)
    for line in failures:
        print(line, file=sys.stderr)
    return exit_code(data) or (FAILED if failures else 0)


def _count(words: Sequence[str]) -> int:
    options = count.parse(words)
    failing.check(options.fail_if)
    machine = _machine_of(options)
    program = make(Toolchain.of(options.build_dir), options.files, options.nvcc)
    data = _counted(options, machine, program.path, options.nvcc)
    # Only the compiler knows which files belong to libraries. Commands that show the report later have only the report.
    own = {path.resolve() for path in program.sources}
    data["files"] = [file for file in data.get("files", ()) if Path(file).resolve() in own]
    return _report(options, data, program.sources)


def _run(words: Sequence[str]) -> int:
    options = run_program.parse(words)
    failing.check(options.fail_if)
    data = _counted(options, _machine_of(options), options.program)
    return _report(options, data, saved_report.sources_of(data))


COMMANDS = {"count": _count, "run": _run, "show": saved_report.main, "diff": report_diff.main}


def main() -> int:
    return COMMANDS[sys.argv[1]](sys.argv[2:])


if __name__ == "__main__":
    run_main(main)
