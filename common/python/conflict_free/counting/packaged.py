"""The places of the model, of nvcc and of kept files, in a checkout and in an installed package. Standard library only."""

import contextlib
import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from conflict_free import cuda_version
from conflict_free.console import ROOT, USAGE, Stop
from conflict_free.model_files import MODEL
from conflict_free.setup import cuda

NO_NVCC = f"no nvcc of CUDA {cuda_version.MAJOR} here; pip install 'conflict-free[nvcc]' installs one"


def is_installed() -> bool:
    """Return whether this is an installed package, and not a checkout."""
    return MODEL.is_dir()


def kept(name: str) -> Path:
    """Return the folder for files that are kept between runs, by its name; it may be missing."""
    if not is_installed():
        return ROOT / "build" / name
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(caches) / "conflict-free" / name


def make_kept(name: str) -> Path:
    """Return the same folder, made if missing. Raises Stop if it cannot be made."""
    folder = kept(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise Stop(f"{folder}: cannot be written: {error.strerror}; XDG_CACHE_HOME names another folder", USAGE) from error


def cuda_of_wheels() -> Iterator[Path]:
    """Yield the folders of NVIDIA's packages: for this Python, and for the Python of a checkout."""
    found = importlib.util.find_spec("nvidia")
    for place in (found.submodule_search_locations if found else None) or ():
        yield Path(place) / cuda_version.WHEELS
    yield from sorted((ROOT / ".venv" / "lib").glob(f"python3*/site-packages/nvidia/{cuda_version.WHEELS}"))


def _complete(wheels: Path) -> Path:
    """Return a toolkit made of links to NVIDIA's packages. nvcc needs lib64 and a libcudart without a version, which the packages lack."""
    toolkit = make_kept("toolkit") / hashlib.sha256(str(wheels).encode()).hexdigest()[:16]
    if not (toolkit / "bin" / "nvcc").exists():
        new = Path(tempfile.mkdtemp(prefix=".making-", dir=toolkit.parent))
        for name in ("include", "nvvm"):
            (new / name).symlink_to(wheels / name)
        for folder in ("bin", "lib"):
            (new / folder).mkdir()
            for path in (wheels / folder).iterdir():
                (new / folder / path.name).symlink_to(path)
        (new / "lib" / "libcudart.so").symlink_to(cuda_version.RUNTIME)
        (new / "lib64").symlink_to("lib")
        shutil.rmtree(toolkit, ignore_errors=True)
        with contextlib.suppress(OSError):  # another run has made it in the meantime
            new.rename(toolkit)
        shutil.rmtree(new, ignore_errors=True)
    return toolkit


def nvcc() -> Path | None:
    """Return the nvcc that builds programs to count: the system's, or that of NVIDIA's Python packages; None without one.

    A checkout has the one release that its own counts were made with; an installed package takes any release of the same CUDA.
    """
    with contextlib.redirect_stdout(sys.stderr):
        if not is_installed():
            return cuda.present_nvcc()
        if found := cuda.system_nvcc((cuda_version.MAJOR,)):
            return found
    wheels = next((folder for folder in cuda_of_wheels() if (folder / "bin" / "nvcc").exists()), None)
    return _complete(wheels) / "bin" / "nvcc" if wheels else None
