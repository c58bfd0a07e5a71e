"""The set-up of a bare machine, after which CMake can build everything. Standard library only.

Each part does nothing if its result is there, so a second call ends at once. A part writes its stamp last, so an interrupted
part is repeated.
"""

import platform
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from conflict_free.console import ROOT, meanwhile, say, shown_path, step

from . import cuda
from .cmake import CMAKE_MINIMUM, Tools, version_of
from .folders import VENV, give_to_owner, install_locked, only_one, read, remove, stamp_text
from .packages import MPI_PACKAGES, PACKAGES, SANDBOX_PACKAGES, TEST_PACKAGES, Package, install_packages


def packages_for(*, tests: bool = False, sandbox: bool = False, mpi: bool = False) -> tuple[Package, ...]:
    """Return the system packages that are needed; see set_up()."""
    return (*PACKAGES, *(TEST_PACKAGES if tests else SANDBOX_PACKAGES if sandbox else ()), *(MPI_PACKAGES if mpi else ()))


def set_up(*, tests: bool = False, sandbox: bool = False, mpi: bool = False) -> Tools:
    """Do all the set-up and return the tools to build with. Prints each step.

    `tests` adds the packages of the tests, such as the browser; `sandbox` those that confine submissions; `mpi` those that
    start several processes. Raises Stop with exit code 2 if a system package is missing and may not be installed.
    """
    started = time.monotonic()
    with only_one("set-up"):
        work = install_packages(packages_for(tests=tests, sandbox=sandbox, mpi=mpi))
        cmake = shutil.which("cmake")
        locks = [ROOT / "requirements.lock"]
        old_cmake = cmake is None or version_of([cmake, "--version"]) < CMAKE_MINIMUM
        if old_cmake:
            locks.append(ROOT / "requirements-cmake.lock")
        # CUDA's compiler is installed while the packages are, unless its trial needs a CMake that is among them.
        work |= make_venv(VENV, locks, meanwhile(_cuda) if not old_cmake else nullcontext())
        nvcc, made = _cuda()
        work |= made
        give_to_owner()
    if not work:
        say(f"Set-up: nothing to do ({time.monotonic() - started:.1f} s)")
    say(f"CUDA: {shown_path(nvcc)}")
    return Tools(python=VENV / "bin" / "python", cmake=VENV / "bin" / "cmake" if old_cmake else Path(cmake), nvcc=nvcc)


def _cuda() -> tuple[Path, bool]:
    """Return the nvcc to build with, and whether it or NCCL was installed."""
    nvcc, made = cuda.find_or_install_nvcc()
    return nvcc, cuda.find_or_install_nccl() or made


def make_venv(venv: Path, locks: Sequence[Path], beside: AbstractContextManager = nullcontext()) -> bool:
    """Make the virtual environment with the locked packages. Return False if it is there already.

    The packages are installed within `beside`, for work that needs the environment's pip alone.
    """
    wanted = stamp_text(locks, platform.python_version(), sys.base_prefix, str(venv))
    stamp = venv / "conflict-free.stamp"
    if read(stamp) == wanted and (venv / "bin" / "python").exists():
        return False
    remove(venv)
    step(f"Set-up: virtual environment {shown_path(venv)}", [sys.executable, "-m", "venv", venv])
    with beside:
        for lock in locks:
            install_locked(f"Set-up: Python packages of {lock.name}", lock, python=venv / "bin" / "python")
    stamp.write_text(wanted, encoding="utf-8")
    return True
