"""The set-up of a bare machine, after which CMake can build everything. Standard library only.

Each part does nothing if its result is there, so a second call ends at once. A part writes its stamp last, so an interrupted
part is repeated.
"""

import platform
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

from conflict_free.console import ROOT, meanwhile, say, shown_path, step

from . import cuda
from .cmake import CMAKE_MINIMUM, Tools, version_of
from .folders import VENV, give_to_owner, install_locked, only_one, read, remove, stamp_text
from .packages import MPI_PACKAGES, PACKAGES, SANDBOX_PACKAGES, TEST_PACKAGES, VENV_PACKAGE, Package, install_packages, missing_packages


def packages_for(*, tests: bool = False, sandbox: bool = False, mpi: bool = False) -> tuple[Package, ...]:
    """Return the system packages that are needed; see set_up()."""
    return (*PACKAGES, *(TEST_PACKAGES if tests else SANDBOX_PACKAGES if sandbox else ()), *(MPI_PACKAGES if mpi else ()))


def set_up(*, tests: bool = False, sandbox: bool = False, mpi: bool = False, beside: Callable[[Tools], object] | None = None) -> Tools:
    """Do all the set-up and return the tools to build with. Prints each step.

    `tests` adds the packages of the tests, such as the browser; `sandbox` those that confine submissions; `mpi` those that
    start several processes. `beside` is called while the Python packages are installed, for work that needs the tools alone.
    Raises Stop with exit code 2 if a system package is missing and may not be installed.
    """
    started = time.monotonic()
    with only_one("set-up"):
        # Most of these packages are needed neither for a virtual environment nor for wheels.
        early = not read(_stamp(VENV)) and not missing_packages([VENV_PACKAGE])
        work = install_packages(packages_for(tests=tests, sandbox=sandbox, mpi=mpi), meanwhile(_begin) if early else nullcontext())
        cmake = shutil.which("cmake")
        locks = [ROOT / "requirements.lock"]
        old_cmake = cmake is None or version_of([cmake, "--version"]) < CMAKE_MINIMUM
        if old_cmake:
            locks.append(ROOT / "requirements-cmake.lock")
        lacking = begin_venv(VENV, locks)
        if lacking and old_cmake:
            fill_venv(VENV, locks)
        with meanwhile(lambda: fill_venv(VENV, locks)) if lacking and not old_cmake else nullcontext():
            nvcc, made = cuda.find_or_install_nvcc()
            made |= cuda.find_or_install_nccl()
            tools = Tools(python=VENV / "bin" / "python", cmake=VENV / "bin" / "cmake" if old_cmake else Path(cmake), nvcc=nvcc)
            if lacking and beside:
                beside(tools)
        give_to_owner()
    if not (work or lacking or made):
        say(f"Set-up: nothing to do ({time.monotonic() - started:.1f} s)")
    say(f"CUDA: {shown_path(nvcc)}")
    return tools


def _begin() -> None:
    """Make an empty virtual environment, and install the CUDA wheels with its pip if no other nvcc is here."""
    begin_venv(VENV, [])
    if not cuda.present("nvcc", cuda.tool_folders()):
        cuda.install_nvcc()
        cuda.find_or_install_nccl()


def _stamp(venv: Path) -> Path:
    return venv / "conflict-free.stamp"


def _wanted(venv: Path, locks: Sequence[Path]) -> str:
    return stamp_text(locks, platform.python_version(), sys.base_prefix, str(venv))


def begin_venv(venv: Path, locks: Sequence[Path]) -> bool:
    """Make the virtual environment without packages, if it is neither empty nor has the locked ones. Return whether it is empty."""
    empty, found = _wanted(venv, []), read(_stamp(venv))
    if found not in (empty, _wanted(venv, locks)) or not (venv / "bin" / "python").exists():
        remove(venv)
        step(f"Set-up: virtual environment {shown_path(venv)}", [sys.executable, "-m", "venv", venv])
        _stamp(venv).write_text(empty, encoding="utf-8")
        found = empty
    return found == empty


def fill_venv(venv: Path, locks: Sequence[Path]) -> None:
    """Install the locked packages in the virtual environment that begin_venv() has made."""
    _stamp(venv).unlink()
    for lock in locks:
        install_locked(f"Set-up: Python packages of {lock.name}", lock, python=venv / "bin" / "python")
    _stamp(venv).write_text(_wanted(venv, locks), encoding="utf-8")
