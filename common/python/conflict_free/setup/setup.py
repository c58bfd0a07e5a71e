"""The set-up of a bare machine, after which CMake can build everything. Standard library only.

Each part does nothing if its result is there, so a second call ends at once. A part writes its stamp last, so an interrupted
part is repeated.
"""

import json
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
from .folders import VENV, digests, give_to_owner, install_locked, only_one, read, remove, stamp_text
from .packages import MPI_PACKAGES, PACKAGES, SANDBOX_PACKAGES, TEST_PACKAGES, VENV_PACKAGE, Package, install_packages, missing_packages


def packages_for(*, tests: bool = False, sandbox: bool = False, mpi: bool = False) -> tuple[Package, ...]:
    """Return the system packages that are needed; see set_up()."""
    return (*PACKAGES, *(TEST_PACKAGES if tests else SANDBOX_PACKAGES if sandbox else ()), *(MPI_PACKAGES if mpi else ()))


def set_up(
    *, tests: bool = False, sandbox: bool = False, mpi: bool = False, pdf: bool = False, beside: Callable[[Tools], object] | None = None
) -> Tools:
    """Do all the set-up and return the tools to build with. Prints each step.

    `tests` adds the packages of the tests, such as the browser; `sandbox` those that confine submissions; `mpi` those that
    start several processes; `pdf` the tests' Python packages alone, which drive a browser and join its pages. `beside` is
    called while Python packages are installed, for work that needs the tools alone.
    Raises Stop with exit code 2 if a system package is missing and may not be installed.
    """
    started = time.monotonic()
    with only_one("set-up"):
        # Most of these packages are needed neither for a virtual environment nor for wheels.
        early = not read(_stamp(VENV)) and not missing_packages([VENV_PACKAGE])
        work = install_packages(packages_for(tests=tests, sandbox=sandbox, mpi=mpi), meanwhile(_begin) if early else nullcontext())
        cmake = shutil.which("cmake")
        locks = [ROOT / "requirements.lock", *([ROOT / "requirements-test.lock"] if tests or pdf else [])]
        old_cmake = cmake is None or version_of([cmake, "--version"]) < CMAKE_MINIMUM
        if old_cmake:
            locks.append(ROOT / "requirements-cmake.lock")
        lacking = begin_venv(VENV, locks)
        if lacking and old_cmake:
            fill_venv(VENV, lacking)
        with meanwhile(lambda: fill_venv(VENV, lacking)) if lacking and not old_cmake else nullcontext():
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


def _stamp_text(venv: Path, installed: dict[str, str]) -> str:
    return stamp_text(installed, platform.python_version(), sys.base_prefix, str(venv))


def _installed(venv: Path) -> dict[str, str] | None:
    """Return the digests of the lock files whose packages are installed; None without a whole virtual environment of this Python."""
    text = read(_stamp(venv))
    try:
        found = json.loads(text)["locks"]
    except (ValueError, KeyError):
        return None
    return found if text == _stamp_text(venv, found) and (venv / "bin" / "python").exists() else None


def begin_venv(venv: Path, locks: Sequence[Path]) -> list[Path]:
    """Make the virtual environment if there is none, or one with other packages of the same lock files. Return the locks that it lacks."""
    found, wanted = _installed(venv), digests(locks)
    if found is None or any(found.get(name, digest) != digest for name, digest in wanted.items()):
        found = {}
        remove(venv)
        step(f"Set-up: virtual environment {shown_path(venv)}", [sys.executable, "-m", "venv", venv])
        _stamp(venv).write_text(_stamp_text(venv, found), encoding="utf-8")
    return [lock for lock in locks if lock.name not in found]


def fill_venv(venv: Path, locks: Sequence[Path]) -> None:
    """Install the packages of lock files in addition to those that the virtual environment has."""
    found = _installed(venv)
    _stamp(venv).unlink()
    for lock in locks:
        install_locked(f"Set-up: Python packages of {lock.name}", lock, python=venv / "bin" / "python")
    _stamp(venv).write_text(_stamp_text(venv, found | digests(locks)), encoding="utf-8")
