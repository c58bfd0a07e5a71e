"""scripts/lock: makes the lock files with uv, which it installs into a temporary virtual environment."""

import re
import sys
import tempfile
from pathlib import Path

from conflict_free import cuda_version
from conflict_free.console import ROOT, OneLineParser, Stop, step
from conflict_free.whole_files import write_whole

HEADER = """\
# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
#
# Made by scripts/lock from {source}. Do not edit.
"""

# The packages of these files are headers for C++: what else a package needs is for its Python modules.
HEADERS = ("requirements-cutlass.in",)

# Each machine chooses its own package index, so the repository names none.
_PLACE = re.compile(r"://|^\s*(?:-i|-f|--(?:extra-)?index-url|--find-links|--trusted-host)\b", re.M)


def check_no_place(text: str, name: str) -> None:
    """Raise Stop if a lock file names a package index."""
    found = _PLACE.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise Stop(f"{name}:{line} names a package index, which a lock file may not")


def wanted_text(text: str) -> str:
    """Return the text of a file of requirements with the version of CUDA that the model knows."""
    for package, version in ((r"cuda-toolkit\[[^]]*\]", cuda_version.VERSION), ("nvidia-cuda-nvdisasm", cuda_version.NVDISASM)):
        text = re.sub(rf"({package})==[0-9.]+\.\*", rf"\1=={version}.*", text)
    return re.sub(r"\bnvidia-nccl-cu\d+", f"nvidia-nccl-cu{cuda_version.MAJOR}", text)


def sources() -> list[Path]:
    """Return the files of packages to lock. requirements.in is first, because the lock file of another binds its versions to those of requirements.lock."""
    return sorted(ROOT.glob("requirements*.in"), key=lambda path: path.stem)


def requirements() -> list[Path]:
    """Return the files that name packages of a version of CUDA, or other packages to lock."""
    return [*sources(), ROOT / "common" / "python" / "pyproject.toml"]


def main() -> int:
    parser = OneLineParser(
        prog="scripts/lock",
        description="Makes requirements*.lock from requirements*.in. Versions that are locked stay without --upgrade. Packages of CUDA get the version that "
        "common/model/cmake/CudaVersion.cmake names, in pyproject.toml too.",
    )
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions allowed")
    options = parser.parse_args()
    for path in requirements():
        text = path.read_text(encoding="utf-8")
        if text != wanted_text(text):
            write_whole(path, wanted_text(text))
    with tempfile.TemporaryDirectory() as scratch:
        python = Path(scratch) / "bin" / "python"
        step("Virtual environment for uv", [sys.executable, "-m", "venv", scratch])
        step("Install uv", [python, "-m", "pip", "install", "--disable-pip-version-check", "uv"])
        for source in sources():
            lock = source.with_suffix(".lock")
            new = Path(scratch) / lock.name
            if lock.exists():
                new.write_bytes(lock.read_bytes())
            step(
                f"Lock {source.name}",
                [
                    python.with_name("uv"),
                    "pip",
                    "compile",
                    "--universal",
                    "--python-version",
                    "3.10",
                    "--generate-hashes",
                    "--no-emit-index-url",
                    "--no-emit-find-links",
                    "--no-header",
                    "--no-annotate",
                    *(["--no-deps"] if source.name in HEADERS else []),
                    *(["--upgrade"] if options.upgrade else []),
                    source,
                    "-o",
                    new,
                ],
            )
            text = new.read_text(encoding="utf-8")
            check_no_place(text, lock.name)
            write_whole(lock, HEADER.format(source=source.name) + text)
    return 0
