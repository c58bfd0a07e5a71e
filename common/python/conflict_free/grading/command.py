"""Sets up what scripts/grade needs, and then runs the command in the virtual environment. Standard library only."""

import contextlib
import functools
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path

from conflict_free.console import NO_GPU, ROOT, USAGE, Stop, module_command
from conflict_free.counting.count import state_of
from conflict_free.setup import cmake, cuda, folders, setup

from .command_line import parser

TARGET = "grading_toolchain"
#: The modules that run the commands in the virtual environment.
MAIN, ANSWERS = "grading.main", "trials.show_answer"
PACKAGE = "simpleeval"  # only the grader needs this package


def _once(stamp: Path, state: str, work: Callable[[], object]) -> None:
    """Does `work`, unless `stamp` says that it was done in the same `state`."""
    with contextlib.suppress(OSError):
        if stamp.read_text(encoding="utf-8") == state and (folders.VENV / "bin" / "python").exists():
            return
    # stdout is for the results of the command.
    with contextlib.redirect_stdout(sys.stderr):
        work()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(state, encoding="utf-8")


def _build(confined: bool) -> None:
    tools = setup.set_up(sandbox=confined)
    cmake.configure(tools)
    cmake.build(tools, "the grader's tools", TARGET)


def _compiler() -> Path:
    """Returns nvcc, and installs it first if the machine has none."""
    with contextlib.redirect_stdout(sys.stderr):
        return setup.set_up().nvcc


def main() -> int:
    arguments = sys.argv[1:]
    options = parser().parse_args(arguments)
    locks = state_of("requirements.lock")
    if options.builds and options.gpu and not cuda.gpu_visible():
        raise Stop("no GPU: nvidia-smi shows none on this machine; without --gpu the counts are graded", NO_GPU)
    if not options.builds:
        _once(ROOT / "build" / "grade" / "set-up.stamp", locks, setup.set_up)
    elif not options.build_dir:
        build = cmake.BUILD
        confined = options.confined
        _once(build / "grading.stamp", f"{locks}{state_of('common')} {confined}", functools.partial(_build, confined))
        arguments = [*arguments, "--build-dir", str(build)]
        if options.gpu and not options.nvcc:
            arguments += ["--nvcc", str(_compiler())]
    python = folders.VENV / "bin" / "python"
    if not python.exists():
        python = Path(sys.executable)
        if importlib.util.find_spec(PACKAGE) is None:
            raise Stop(f"no Python package {PACKAGE} here; scripts/grade list installs it", USAGE)
    sys.stdout.flush()
    module = ANSWERS if options.command == "answer" else MAIN
    os.execve(python, module_command(python, module, *arguments), {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
