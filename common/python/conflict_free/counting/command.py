"""The command conflict-free: it chooses the subcommand and prepares what the subcommand needs. Standard library only.

The subcommands count and report in subcommands.py, which runs in the virtual environment.
"""

import importlib.util
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from conflict_free.console import USAGE, Stop, module_command, run_main, say
from conflict_free.setup import folders

from . import count, nvcc_command, packaged, run_program

_HELP = """usage: {name} COMMAND ...

  count FILE.cu... [nvcc's options] [-- arguments]   builds a CUDA program, runs it without a GPU and counts its memory accesses
  run PROGRAM [arguments]                            the same for a program that is there already
  show REPORT                                        shows what --json of count or run has written
  diff OLD NEW                                       shows what changed between two such reports, line by line
  nvcc ARGUMENTS                                     nvcc, which builds what run can count: for Make, NVCC="conflict-free nvcc"
  --cmake-dir                                        prints the folder that CMake finds an installed conflict-free by: ConflictFree_DIR
  --nvcc                                             prints the nvcc that programs are built with, for CMake: CUDACXX

conflict-free COMMAND --help tells more."""


def _python() -> Path:
    """Return a Python that has the packages for reports."""
    python = folders.VENV / "bin" / "python"
    if python.exists():
        return python
    if importlib.util.find_spec("rich") is None:
        raise Stop("no Python package rich here; conflict-free count without --build-dir installs it", USAGE)
    return Path(sys.executable)


def _go_on(name: str, arguments: Sequence[str]) -> NoReturn:
    sys.stdout.flush()
    command = module_command(_python(), "counting.subcommands", name, *arguments)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    os.execv(command[0], command)


def _with_model(name: str, parse: Callable, arguments: Sequence[str]) -> NoReturn:
    """Parse the arguments, build the model, and go on in the subcommand. Wrong arguments are reported before the build."""
    options = parse(arguments)
    build = [] if options.build_dir else ["--build-dir", str(count.build_model())]
    _go_on(name, [*build, *arguments])


def _cmake_dir() -> Path:
    if not packaged.is_installed():
        raise Stop(
            "this is a checkout: pip install ./common/python, or cmake --install of its build folder, has the package for CMake", USAGE
        )
    return packaged.MODEL / "lib" / "cmake" / "ConflictFree"


# Options for build systems; each stands alone on the command line.
_ANSWERS = {"--cmake-dir": _cmake_dir, "--nvcc": nvcc_command.nvcc}


def _answer(name: str, rest: Sequence[str]) -> int:
    if rest:
        raise Stop(f"argument {name}: {rest[0]!r} given, nothing is accepted", USAGE)
    say(str(_ANSWERS[name]()))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("-h", "--help"):
        say(_HELP.format(name="conflict-free" if packaged.is_installed() else "scripts/conflict-free"))
        return 0
    if name in _ANSWERS:
        return _answer(name, rest)
    if name == "nvcc":
        return nvcc_command.main(rest)
    if name == "count":
        _with_model(name, count.parse, rest)
    if name == "run":
        _with_model(name, run_program.parse, rest)
    if name in ("show", "diff"):
        _go_on(name, rest)
    raise Stop(f"argument COMMAND: {name!r} given, one of count, run, show, diff, nvcc, --cmake-dir, --nvcc is accepted", USAGE)


def script() -> NoReturn:
    """Run the installed command conflict-free."""
    run_main(main)


if __name__ == "__main__":
    script()
