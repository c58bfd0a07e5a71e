# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Brings a bare machine to the point where CMake can build everything. Standard library only.

Every part looks at what is there first and does nothing when that is enough, so a second call ends
at once. A part that is interrupted is done again from its start: its stamp is written last.
"""

from __future__ import annotations

import contextlib
import ctypes.util
import fcntl
import hashlib
import importlib.util
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conflict_free.console import ROOT, USAGE, Stop, say, shown_path, step

VENV = ROOT / ".venv"
CUDA = ROOT / ".cuda"

CMAKE_MINIMUM = (3, 24)
# The compiler whose PTX and whose runtime library the counting model knows.
NVCC_ACCEPTED = (13, 0)


@dataclass(frozen=True)
class Package:
    """A Debian package and what shows that it, or the same thing from elsewhere, is there."""

    name: str
    commands: tuple[str, ...] = ()  # any one of them
    header: str = ""
    file: str = ""
    library: str = ""
    modules: tuple[str, ...] = ()  # all of them


PACKAGES = (
    Package("cmake", commands=("cmake",)),
    Package("ninja-build", commands=("ninja", "ninja-build")),
    Package("g++", commands=("g++", "c++")),
    Package("pkg-config", commands=("pkg-config", "pkgconf")),
    Package("libcli11-dev", header="CLI/CLI.hpp"),
    Package("nlohmann-json3-dev", header="nlohmann/json.hpp"),
    Package("libgtest-dev", header="gtest/gtest.h"),
    Package("libzstd-dev", header="zstd.h"),
    Package("liblz4-dev", header="lz4.h"),
    Package("doxygen", commands=("doxygen",)),
    Package("python3-venv", modules=("venv", "ensurepip")),
    Package("git", commands=("git",)),
    Package("ca-certificates", file="/etc/ssl/certs/ca-certificates.crt"),
)
CHROMIUM = Package("chromium", commands=("chromium", "chromium-browser", "google-chrome"))
BUBBLEWRAP = Package("bubblewrap", commands=("bwrap",))
# What the tests need besides.
TEST_PACKAGES = (
    CHROMIUM,
    BUBBLEWRAP,
    Package("libenchant-2-2", library="enchant-2"),
    Package("hunspell-en-us", file="/usr/share/hunspell/en_US.dic"),
)


@dataclass(frozen=True)
class Tools:
    """What the set-up found or made."""

    python: Path
    cmake: Path
    nvcc: Path

    @property
    def ctest(self) -> Path:
        return self.cmake.with_name("ctest")


def set_up(*, tests: bool = False, sandbox: bool = False) -> Tools:
    """Does all the set-up and returns the tools to build with. Prints what it does.

    `tests`: also what the tests need, such as the browser. `sandbox`: also what confines submissions.
    Ends the program with exit code 2 when a system package is missing and may not be installed.
    """
    started = time.monotonic()
    with _only_one():
        more = TEST_PACKAGES if tests else (BUBBLEWRAP,) if sandbox else ()
        work = install_packages((*PACKAGES, *more))
        cmake = shutil.which("cmake")
        locks = [ROOT / "requirements.lock"]
        old_cmake = cmake is None or version_of([cmake, "--version"]) < CMAKE_MINIMUM
        if old_cmake:
            locks.append(ROOT / "requirements-cmake.lock")
        work |= make_venv(VENV, locks)
        nvcc, made = find_or_install_nvcc()
        work |= made
        work |= find_or_install_nccl()
    if not work:
        say(f"Set-up: nothing to do ({time.monotonic() - started:.1f} s)")
    say(f"CUDA: {shown_path(nvcc)}")
    return Tools(
        python=VENV / "bin" / "python",
        cmake=VENV / "bin" / "cmake" if old_cmake else Path(cmake),
        nvcc=nvcc,
    )


@contextlib.contextmanager
def _only_one() -> Iterator[None]:
    """Lets one set-up of this checkout run at a time."""
    lock = ROOT / "build" / ".setup.lock"
    lock.parent.mkdir(exist_ok=True)
    with open(lock, "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Set-up: waiting for another script's set-up to end ...")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def version_of(command: Sequence[str | os.PathLike]) -> tuple[int, ...]:
    """The first dotted number that `command` prints; () if it fails or prints none."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.search(r"\d+(?:\.\d+)+", done.stdout)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


# --- system packages ---------------------------------------------------------------------------


def _include_folders() -> list[Path]:
    folders = [Path("/usr/include"), Path("/usr/local/include")]
    for variable in ("CPATH", "CPLUS_INCLUDE_PATH"):
        folders += [Path(p) for p in os.environ.get(variable, "").split(os.pathsep) if p]
    for prefix in re.split("[:;]", os.environ.get("CMAKE_PREFIX_PATH", "")):
        if prefix:
            folders.append(Path(prefix) / "include")
    return folders


def _installed_by_dpkg(names: Sequence[str]) -> set[str]:
    # Without a name dpkg-query would list every package.
    if not names or shutil.which("dpkg-query") is None:
        return set()
    done = subprocess.run(
        ["dpkg-query", "-W", "-f=${Package} ${db:Status-Status}\n", *names],
        capture_output=True,
        text=True,
    )
    lines = (line.split() for line in done.stdout.splitlines())
    return {words[0] for words in lines if words[1:] == ["installed"]}


def _usable(package: Package) -> bool:
    """Whether what the package is wanted for is there, wherever it came from."""
    importlib.invalidate_caches()
    return (
        any(shutil.which(command) for command in package.commands)
        or bool(package.header)
        and any((folder / package.header).exists() for folder in _include_folders())
        or bool(package.file)
        and Path(package.file).exists()
        or bool(package.library)
        and ctypes.util.find_library(package.library) is not None
        or bool(package.modules)
        and all(importlib.util.find_spec(module) for module in package.modules)
    )


def missing_packages(packages: Iterable[Package]) -> list[Package]:
    """The packages of which neither the command, header or module nor the Debian package is there."""
    unusable = [package for package in packages if not _usable(package)]
    # A header may lie where only the compiler looks, in a multiarch folder; dpkg knows of that too.
    installed = _installed_by_dpkg([package.name for package in unusable if package.header])
    return [package for package in unusable if package.name not in installed]


def _root_prefix() -> list[str] | None:
    """What to put before a command that only root may run; None if that is not permitted."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        allowed = subprocess.run(["sudo", "-n", "true"], capture_output=True)
        if allowed.returncode == 0:
            return ["sudo", "-n"]
    return None


def _has_candidate(package: Package) -> bool:
    done = subprocess.run(
        ["apt-cache", "policy", package.name],
        capture_output=True,
        text=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    return bool(re.search(r"Candidate: (?!\(none\))", done.stdout))


def install_packages(packages: Sequence[Package]) -> bool:
    """Installs the missing packages; True if there were any.

    Raises Stop with exit code 2 and the command to type if installing is not permitted.
    """
    missing = missing_packages(packages)
    if not missing:
        return False
    names = [package.name for package in missing]
    if shutil.which("apt-get") is None:
        raise Stop(
            "missing on this machine, by the names of their Debian packages: "
            f"{' '.join(names)}; install them with its package manager, then run this again",
            USAGE,
        )
    prefix = _root_prefix()
    if prefix is None:
        raise Stop(
            "system packages are missing; type: sudo apt-get update && "
            f"sudo apt-get install -y --no-install-recommends {shlex.join(names)}",
            USAGE,
        )
    say(f"Set-up: system packages to install: {' '.join(names)}")
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", "apt-get"]
    apt += ["-o", "DPkg::Lock::Timeout=300"]
    try:
        step("Set-up: package lists", [*apt, "update"])
    except Stop as stop:
        # One unreachable source must not stop the others; if it matters, the installation says so.
        say(f"  {stop}; going on with the lists that are there")
    if CHROMIUM in missing and not _has_candidate(CHROMIUM):
        say("Set-up: this system has no package 'chromium'; the tests in a browser are skipped")
        missing.remove(CHROMIUM)
        names.remove(CHROMIUM.name)
    if names:
        step(
            "Set-up: system packages",
            [*apt, "install", "-y", "--no-install-recommends", *names],
        )
    still = [package.name for package in missing_packages(missing)]
    if still:
        raise Stop(f"installed, but still not usable: {' '.join(still)}")
    return True


# --- Python packages ---------------------------------------------------------------------------


def _stamp_text(locks: Iterable[Path], *more: str) -> str:
    digests = {lock.name: hashlib.sha256(lock.read_bytes()).hexdigest() for lock in locks}
    return json.dumps({"locks": digests, "for": more}, indent=1, sort_keys=True) + "\n"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _remove(folder: Path) -> None:
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)


def _pip_progress(line: str) -> str | None:
    """Pip's lines in a few words: what is fetched and what is installed."""
    for verb, shown in (("Collecting ", "fetching "), ("Installing collected", "unpacking")):
        if line.startswith(verb):
            return shown + (line[len(verb) :].split(" ")[0] if shown.endswith(" ") else "")
    return None


_NO_NETWORK = "; the machine needs to reach a Python package index"


def make_venv(venv: Path, locks: Sequence[Path]) -> bool:
    """Makes the virtual environment with the locked packages; False if it is there already."""
    wanted = _stamp_text(locks, platform.python_version(), sys.base_prefix, str(venv))
    stamp = venv / "conflict-free.stamp"
    if _read(stamp) == wanted and (venv / "bin" / "python").exists():
        return False
    _remove(venv)
    step(f"Set-up: virtual environment {shown_path(venv)}", [sys.executable, "-m", "venv", venv])
    for lock in locks:
        step(
            f"Set-up: Python packages of {lock.name}",
            [
                venv / "bin" / "python",
                "-m",
                "pip",
                "install",
                "--disable-pip-version-check",
                "--no-input",
                "--require-hashes",
                "--no-deps",
                "-r",
                lock,
            ],
            hint=_NO_NETWORK,
            progress=_pip_progress,
        )
    stamp.write_text(wanted, encoding="utf-8")
    return True


# --- CUDA --------------------------------------------------------------------------------------

_PROBE_CMAKE = """\
cmake_minimum_required(VERSION 3.24)
project(probe LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_executable(probe probe.cu)
"""
_PROBE_SOURCE = """\
#include <cstdio>
#include <cuda/std/array>
__global__ void fill(int* out) { out[threadIdx.x] = 1; }
int main() {
  int count = 0;
  std::printf("%d\\n", static_cast<int>(cudaGetDeviceCount(&count)));
  if (count > 0) fill<<<1, 32>>>(nullptr);
}
"""


def system_nvcc() -> Path | None:
    """The nvcc of this machine, if it is of the version that is wanted: on the PATH, or in the usual folders."""
    found = [shutil.which("nvcc")]
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            found.append(os.path.join(os.environ[variable], "bin", "nvcc"))
    found.append("/usr/local/cuda/bin/nvcc")
    for candidate in found:
        if candidate and os.access(candidate, os.X_OK):
            version = nvcc_version(Path(candidate))
            if version[:2] == NVCC_ACCEPTED:
                return Path(candidate)
            shown = ".".join(map(str, version)) or "of unknown version"
            say(f"Set-up: {candidate} is passed over: it is {shown}, {'.'.join(map(str, NVCC_ACCEPTED))} is accepted")
    return None


def nvcc_version(nvcc: Path) -> tuple[int, ...]:
    """The version of an nvcc, for example (13, 0, 88); () if it does not tell."""
    try:
        done = subprocess.run([nvcc, "--version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.search(r"\bV(\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(int(part) for part in found.groups()) if found else ()


def _probe(nvcc: Path, title: str) -> None:
    """Builds a small CUDA program with CMake, once for each compiler; raises Stop if that fails."""
    compiler = shutil.which("g++") or shutil.which("c++") or ""
    host = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    wanted = json.dumps([str(nvcc), nvcc_version(nvcc), host.splitlines()[:1]])
    stamp = CUDA / "probe.stamp"
    if _read(stamp) == wanted:
        return
    folder = CUDA / "probe"
    _remove(folder)
    folder.mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(_PROBE_CMAKE, encoding="utf-8")
    (folder / "probe.cu").write_text(_PROBE_SOURCE, encoding="utf-8")
    cmake = shutil.which("cmake")
    if cmake is None or version_of([cmake, "--version"]) < CMAKE_MINIMUM:
        cmake = str(VENV / "bin" / "cmake")
    step(
        title,
        [
            "sh",
            "-c",
            '"$0" -S "$1" -B "$1/build" -G Ninja -DCMAKE_CUDA_COMPILER="$2" '
            '-DCMAKE_CUDA_ARCHITECTURES=90-virtual -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared && "$0" --build "$1/build"',
            cmake,
            folder,
            nvcc,
        ],
    )
    _remove(folder)
    stamp.write_text(wanted, encoding="utf-8")


def _nvcc_of_wheels() -> Path:
    return CUDA / "toolkit" / "nvidia" / "cu13" / "bin" / "nvcc"


def present_nvcc() -> Path | None:
    """The nvcc that is used, if one is there already."""
    wheels = _nvcc_of_wheels()
    return system_nvcc() or (wheels if wheels.exists() else None)


def install_nvcc() -> tuple[Path, bool]:
    """The nvcc of the CUDA wheels in .cuda/toolkit, and whether it had to be installed."""
    toolkit = CUDA / "toolkit"
    nvcc = _nvcc_of_wheels()
    lock = ROOT / "requirements-cuda.lock"
    wanted = _stamp_text([lock], platform.machine())
    stamp = toolkit / "conflict-free.stamp"
    if _read(stamp) == wanted and nvcc.exists():
        return nvcc, False
    new = CUDA / "toolkit.new"
    _remove(new)
    CUDA.mkdir(exist_ok=True)
    step(
        "Set-up: CUDA compiler",
        [
            VENV / "bin" / "python",
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            "--no-input",
            "--require-hashes",
            "--no-deps",
            "-r",
            lock,
            "--target",
            new,
        ],
        hint=_NO_NETWORK,
        progress=_pip_progress,
    )
    tree = new / "nvidia" / "cu13"
    # nvcc links with lib64, and -lcudart wants a name without a version; the wheels have neither.
    (tree / "lib64").symlink_to("lib")
    for library in (tree / "lib").glob("libcudart.so.*"):
        (tree / "lib" / "libcudart.so").symlink_to(library.name)
    (new / stamp.name).write_text(wanted, encoding="utf-8")
    _remove(toolkit)
    new.rename(toolkit)
    return nvcc, True


def find_or_install_nvcc() -> tuple[Path, bool]:
    """The nvcc to build with, and whether anything had to be done. Raises Stop where CUDA does not exist."""
    nvcc = system_nvcc()
    if nvcc:
        try:
            _probe(nvcc, "Set-up: trial of the CUDA compiler")
            return nvcc, False
        except Stop as stop:
            say(f"Set-up: {nvcc} is passed over: {stop}")
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "aarch64"):
        raise Stop(f"no CUDA compiler for {platform.system()} on {platform.machine()}; accepted: Linux on x86_64 or aarch64", USAGE)
    nvcc, made = install_nvcc()
    _probe(nvcc, "Set-up: trial of the CUDA compiler from wheels")
    return nvcc, made


_FIND_NCCL = "import nvidia.nccl, pathlib; print(next(pathlib.Path(p, 'include', 'nccl.h') for p in nvidia.nccl.__path__))"


def nccl_is_there() -> bool:
    """Whether CMake finds NCCL without our help, as common/cmake/FindNccl.cmake looks for it."""
    folders = _include_folders()
    if os.environ.get("NCCL_ROOT"):
        folders.append(Path(os.environ["NCCL_ROOT"]) / "include")
    if any((folder / "nccl.h").exists() for folder in folders):
        return True
    try:
        done = subprocess.run(["python3", "-c", _FIND_NCCL], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and Path(done.stdout.strip()).exists()


def find_or_install_nccl() -> bool:
    """Sees to NCCL, in .cuda/nccl where the machine has none; returns whether anything had to be done.

    Only the chapter of several GPUs needs it: what cannot be installed is said, and that chapter is left out.
    """
    folder = CUDA / "nccl"
    lock = ROOT / "requirements-nccl.lock"
    wanted = _stamp_text([lock], platform.machine())
    stamp = folder / "conflict-free.stamp"
    if _read(stamp) == wanted or nccl_is_there():
        return False
    new = CUDA / "nccl.new"
    _remove(new)
    CUDA.mkdir(exist_ok=True)
    try:
        step(
            "Set-up: NCCL",
            [
                VENV / "bin" / "python",
                "-m",
                "pip",
                "install",
                "--disable-pip-version-check",
                "--no-input",
                "--require-hashes",
                "--no-deps",
                "-r",
                lock,
                "--target",
                new,
            ],
            hint=_NO_NETWORK,
            progress=_pip_progress,
        )
    except Stop as stop:
        say(f"Set-up: no NCCL, so the chapter of several GPUs is left out: {stop}")
        return False
    (new / stamp.name).write_text(wanted, encoding="utf-8")
    _remove(folder)
    new.rename(folder)
    return True


def gpu_visible() -> bool:
    """Whether the driver shows a GPU to this process."""
    smi = shutil.which("nvidia-smi")
    if smi is None:
        return False
    try:
        done = subprocess.run([smi, "-L"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and "GPU " in done.stdout


# --- CMake -------------------------------------------------------------------------------------


def _cached(cache: str, name: str) -> str | None:
    found = re.search(rf"^{re.escape(name)}:[A-Z]+=(.*)$", cache, re.MULTILINE)
    return found.group(1) if found else None


def configure(tools: Tools, preset: str, *definitions: str) -> Path:
    """Configures a preset with the tools of the set-up; returns its build folder."""
    build = ROOT / "build" / preset
    arguments = [*definitions, f"-DCMAKE_CUDA_COMPILER={tools.nvcc}"]
    cache = _read(build / "CMakeCache.txt")
    # CMake cannot change the compiler or the source folder of a build folder that is there.
    if cache and (
        _cached(cache, "CMAKE_CUDA_COMPILER") not in (None, str(tools.nvcc)) or _cached(cache, "CMAKE_HOME_DIRECTORY") != str(ROOT)
    ):
        (build / "CMakeCache.txt").unlink()
        _remove(build / "CMakeFiles")
    step(f"Configure (preset {preset})", [tools.cmake, "--preset", preset, *arguments])
    return build


def _build_progress(line: str) -> str | None:
    return line if line.startswith("[") else None


def build(tools: Tools, preset: str, what: str, target: str = "all") -> None:
    """Builds a target of a configured preset; `what` is what it is called on the terminal."""
    step(
        f"Build {what} (preset {preset})",
        [tools.cmake, "--build", "--preset", preset, "--target", target],
        progress=_build_progress,
    )


def test(tools: Tools, preset: str, *arguments: str) -> int:
    """Runs CTest on a built preset and returns its exit code; an empty selection is an error."""
    command = [str(tools.ctest), "--preset", preset, "--no-tests=error", *arguments]
    sys.stdout.flush()
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL).returncode
