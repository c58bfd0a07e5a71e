"""CUDA's compiler and NCCL: the machine's own, or Python wheels in .cuda. Standard library only."""

import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from conflict_free import cuda_version
from conflict_free.console import ROOT, USAGE, Stop, say, step

from .cmake import CMAKE_MINIMUM, version_of
from .folders import CUDA, VENV, digests, install_locked, read, remove, stamp_text
from .packages import include_folders

#: The folder of toolkits that NVIDIA's packages install.
USUAL = Path("/usr/local")
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


def tool_folders() -> Iterator[Path]:
    """Yield the folders that may have NVIDIA's tools: those of the PATH, and the usual ones."""
    yield from map(Path, os.get_exec_path())
    yield from (Path(os.environ[variable], "bin") for variable in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(variable))
    yield USUAL / "cuda" / "bin"
    yield from sorted(USUAL.glob("cuda-*/bin"))


def present(name: str, folders: Iterable[Path]) -> list[Path]:
    """Return the tools of a name in some folders, each once."""
    found: dict[Path, Path] = {}
    for path in (folder / name for folder in folders):
        if os.access(path, os.X_OK):
            found.setdefault(path.resolve(), path)
    return list(found.values())


def system_nvcc(accepted: tuple[int, ...] = cuda_version.PARTS) -> Path | None:
    """Return this machine's nvcc whose version begins with ``accepted``, from the PATH or the usual folders; None if there is none."""
    for candidate in present("nvcc", tool_folders()):
        version = release_of(candidate)
        if version[: len(accepted)] == accepted:
            return candidate
        shown = ".".join(map(str, version)) or "unknown"
        say(f"Set-up: {candidate} is not used: its version is {shown}, {'.'.join(map(str, accepted))} is accepted")
    return None


def release_of(tool: Path) -> tuple[int, ...]:
    """Return the three numbers of the version of an nvcc, or of a tool that comes with it; () if it does not tell."""
    try:
        done = subprocess.run([tool, "--version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.search(r"\bV(\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(int(part) for part in found.groups()) if found else ()


def _probe(nvcc: Path) -> None:
    """Build a small CUDA program with this machine's nvcc and CMake, once for each compiler. Raises Stop if that fails."""
    compiler = shutil.which("g++") or shutil.which("c++") or ""
    host = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
    wanted = json.dumps([str(nvcc), release_of(nvcc), host.splitlines()[:1]])
    stamp = CUDA / "probe.stamp"
    if read(stamp) == wanted:
        return
    folder = CUDA / "probe"
    remove(folder)
    folder.mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text(_PROBE_CMAKE, encoding="utf-8")
    (folder / "probe.cu").write_text(_PROBE_SOURCE, encoding="utf-8")
    cmake = shutil.which("cmake")
    if cmake is None or version_of([cmake, "--version"]) < CMAKE_MINIMUM:
        cmake = str(VENV / "bin" / "cmake")
    step(
        "Set-up: trial of the CUDA compiler",
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
    remove(folder)
    stamp.write_text(wanted, encoding="utf-8")


def _nvcc_of_wheels() -> Path:
    return CUDA / "toolkit" / "nvidia" / cuda_version.WHEELS / "bin" / "nvcc"


def present_nvcc() -> Path | None:
    """Return the nvcc to use, if one is installed."""
    wheels = _nvcc_of_wheels()
    return system_nvcc() or (wheels if wheels.exists() else None)


def install_nvcc() -> tuple[Path, bool]:
    """Install the CUDA wheels into .cuda/toolkit if they are not there. Return their nvcc, and whether it was installed.

    Raises Stop on a platform without CUDA.
    """
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "aarch64"):
        raise Stop(f"no CUDA compiler for {platform.system()} on {platform.machine()}; accepted: Linux on x86_64 or aarch64", USAGE)
    toolkit = CUDA / "toolkit"
    nvcc = _nvcc_of_wheels()
    lock = ROOT / "requirements-cuda.lock"
    wanted = stamp_text(digests([lock]), platform.machine())
    stamp = toolkit / "conflict-free.stamp"
    if read(stamp) == wanted and nvcc.exists():
        return nvcc, False
    new = CUDA / "toolkit.new"
    remove(new)
    CUDA.mkdir(exist_ok=True)
    install_locked("Set-up: CUDA compiler", lock, python=VENV / "bin" / "python", target=new)
    tree = new / "nvidia" / cuda_version.WHEELS
    # nvcc looks for libraries in lib64, and -lcudart for a name without a version. The wheels have neither.
    (tree / "lib64").symlink_to("lib")
    for library in (tree / "lib").glob("libcudart.so.*"):
        (tree / "lib" / "libcudart.so").symlink_to(library.name)
    (new / stamp.name).write_text(wanted, encoding="utf-8")
    remove(toolkit)
    new.rename(toolkit)
    return nvcc, True


def find_or_install_nvcc() -> tuple[Path, bool]:
    """Return the nvcc to build with, and whether it was installed. Raises Stop as install_nvcc() does."""
    nvcc = system_nvcc()
    if nvcc:
        try:
            _probe(nvcc)
            return nvcc, False
        except Stop as stop:
            say(f"Set-up: {nvcc} is not used: {stop}")
    return install_nvcc()


_FIND_NCCL = "import nvidia.nccl, pathlib; print(next(pathlib.Path(p, 'include', 'nccl.h') for p in nvidia.nccl.__path__))"


def nccl_is_there() -> bool:
    """Return whether common/cmake/FindNccl.cmake finds an NCCL of this machine."""
    folders = include_folders()
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
    """Install NCCL into .cuda/nccl if the machine has none. Return whether it was installed.

    Only the chapter of several GPUs needs NCCL: if it cannot be installed, a line says so and that chapter is left out.
    """
    folder = CUDA / "nccl"
    lock = ROOT / "requirements-nccl.lock"
    wanted = stamp_text(digests([lock]), platform.machine())
    stamp = folder / "conflict-free.stamp"
    if read(stamp) == wanted or nccl_is_there():
        return False
    new = CUDA / "nccl.new"
    remove(new)
    CUDA.mkdir(exist_ok=True)
    try:
        install_locked("Set-up: NCCL", lock, python=VENV / "bin" / "python", target=new)
    except Stop as stop:
        say(f"Set-up: the chapter of several GPUs is left out, because NCCL cannot be installed: {stop}")
        return False
    (new / stamp.name).write_text(wanted, encoding="utf-8")
    remove(folder)
    new.rename(folder)
    return True


def gpu_visible() -> bool:
    """Return whether the driver shows a GPU to this process."""
    smi = shutil.which("nvidia-smi")
    if smi is None:
        return False
    try:
        done = subprocess.run([smi, "-L"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and "GPU " in done.stdout
