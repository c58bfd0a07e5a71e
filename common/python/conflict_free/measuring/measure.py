"""The part of scripts/measure before the first measurement: arguments, set-up, build. Standard library only.

main.py makes the measurements, in the virtual environment.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from conflict_free.arguments import existing_folder, whole_number
from conflict_free.console import NO_GPU, ROOT, USAGE, OneLineParser, Stop, module_command, say
from conflict_free.setup import cmake, cuda, setup

# The folder that scripts/carry has filled for a machine without a network.
CARRIED = ROOT / ".carry"


def _machine_name(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", text) or text == "historical":
        raise argparse.ArgumentTypeError(f"{text!r} given, lower-case letters, digits, - and _ are accepted")
    return text


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = OneLineParser(
        prog="scripts/measure",
        description="Runs every chapter program on the GPU of this machine, with the GPU's own "
        "counters where ncu may read them, and writes one file for each chapter to "
        "book/results/local. Exit code 0: measured; 1: a program or a check failed, or the "
        "counters differ from the model's counts, or ncu does not know a counter of traffic, or a library failed; 2: wrong "
        "arguments, or system packages that may not be installed; 77: no GPU.",
    )
    add = parser.add_argument
    add("--chapter", metavar="SLUG", action="append", help="only this chapter; may be repeated")
    add("--samples", metavar="N", type=whole_number(), help="samples of each time (default: the program's)")
    add("--no-counters", action="store_true", help="do not run ncu")
    add("--peers", action="store_true", help="time what libraries take for the same work as well, those that are on this machine")
    add("--name", metavar="NAME", type=_machine_name, default="local", help="name of the machine, and of its folder (default: local)")
    add(
        "--output",
        metavar="DIR",
        type=lambda text: Path(text).resolve(),
        default=ROOT / "book" / "results",
        help="where the machine's folder is made (default: book/results)",
    )
    add(
        "--build-dir",
        metavar="DIR",
        type=lambda text: existing_folder(text).resolve(),
        help="take the programs that are ready in this build folder and build nothing",
    )
    add(
        "--counts",
        metavar="DIR",
        type=lambda text: existing_folder(text).resolve(),
        help="take the model's counts from the files DIR/SLUG.json, made elsewhere by the target `counts`",
    )
    add("--commit", metavar="SHA", help="the commit that is measured, where there is no git checkout")
    add("--no-setup", action="store_true", help="install nothing: use the tools and Python packages of this machine, and those in .carry")
    return parser.parse_args(arguments)


def commit(given: str | None) -> str:
    """Return the measured commit, with -dirty if files outside the results differ from it."""
    if given:
        return given
    git = ["git", "-C", str(ROOT)]
    try:
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True)
        changed = subprocess.run([*git, "status", "--porcelain", "--", ".", ":!book/results"], capture_output=True, text=True)
    except OSError:
        head = None
    if head is None or head.returncode or changed.returncode:
        raise Stop("no git checkout here; --commit SHA is needed", USAGE)
    return head.stdout.strip() + ("-dirty" if changed.stdout.strip() else "")


def _own_tools() -> cmake.Tools:
    """Return the tools of this machine, for --no-setup."""
    found, nvcc = shutil.which("cmake"), cuda.system_nvcc()
    if found is None or nvcc is None:
        raise Stop(f"--no-setup: {'cmake' if found is None else 'nvcc'} is not on this machine", USAGE)
    return cmake.Tools(python=Path(sys.executable), cmake=Path(found), nvcc=nvcc)


def _use_carried() -> None:
    """Let CMake, the programs that it builds, and Python find the files that scripts/carry has brought."""
    places = [("CMAKE_PREFIX_PATH", CARRIED / "prefix" / "usr"), ("PYTHONPATH", CARRIED / "site")]
    places += [("LD_LIBRARY_PATH", path) for path in (CARRIED / "prefix" / "usr" / "lib").glob("*-linux-gnu")]
    for variable, folder in places:
        if folder.is_dir():
            there = os.environ.get(variable)
            os.environ[variable] = f"{folder}{os.pathsep}{there}" if there else str(folder)


def _build_peers(tools: cmake.Tools) -> None:
    """Build the programs that call libraries; without them the kernels are measured all the same."""
    try:
        cmake.build(tools, "the peers", "peers")
    except Stop as stop:
        say(f"no peers of C++: {stop}")


def main() -> int:
    options = parse(sys.argv[1:])
    if not cuda.gpu_visible():
        raise Stop("no GPU: nvidia-smi shows none on this machine; nothing was measured", NO_GPU)
    commit(options.commit)
    if options.no_setup:
        _use_carried()
        python = Path(sys.executable)
        tools = None if options.build_dir else _own_tools()
    else:
        tools = setup.set_up()
        python = tools.python
    if not options.build_dir:
        cmake.configure(tools)
        cmake.build(tools, "the chapters", "chapters/all")
        if options.peers:
            _build_peers(tools)
    sys.stdout.flush()
    os.execv(python, module_command(python, "measuring.main", *sys.argv[1:]))
