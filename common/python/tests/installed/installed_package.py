"""An installed conflict-free: a wheel, made from the built model, in a virtual environment of its own."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import REPOSITORY


def run(*command: str | Path, **more) -> subprocess.CompletedProcess:
    """Runs a command to its end."""
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600, check=False, **more)


def succeed(*command: str | Path, **more) -> str:
    """Runs a command that must succeed; returns what it has printed."""
    done = run(*command, **more)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@dataclass(frozen=True)
class Installed:
    """The virtual environment with the package, and the environment of those who use it."""

    folder: Path
    environment: dict[str, str]

    def conflict_free(self, *arguments: str | Path, folder: Path) -> subprocess.CompletedProcess:
        return run(self.folder / "bin" / "conflict-free", *arguments, cwd=folder, env=self.environment)

    def cmake_dir(self) -> Path:
        return Path(self.conflict_free("--cmake-dir", folder=self.folder).stdout.strip())


def _tools(build: Path) -> list[str]:
    """The folders of the tools that a build folder was configured with."""
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    found = re.findall(r"^(?:CMAKE_COMMAND|CMAKE_CUDA_COMPILER):[A-Z]+=(.+)$", cache, re.MULTILINE)
    return [str(Path(tool).parent) for tool in found]


def install(root: Path) -> Installed:
    """Make a wheel of the build folder's model and install it, all below one folder."""
    build, venv, package = Path(os.environ["CONFLICT_FREE_BUILD"]), root / "venv", REPOSITORY / "common" / "python"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CONFLICT_FREE_", "PYTHON", "LD_"))}
    environment["PATH"] = os.pathsep.join((str(venv / "bin"), *_tools(build), environment["PATH"]))
    environment["XDG_CACHE_HOME"] = str(root / "cache")

    succeed("cmake", "--install", build, "--component", "ConflictFree", "--prefix", root / "model", env=environment)
    offline = ("-q", "--disable-pip-version-check", "--no-index")
    # An option of pip for this has come and changed its name since Debian 12.
    prebuilt = {"SKBUILD_CMAKE_DEFINE": f"CONFLICT_FREE_PREBUILT={root / 'model'}"}
    wheel = ("wheel", *offline, "--no-deps", "--no-build-isolation", "-w", root, package)
    succeed(sys.executable, "-m", "pip", *wheel, env=environment | prebuilt)
    succeed(sys.executable, "-m", "venv", "--without-pip", venv)
    python = venv / "bin" / "python"
    # The package's dependencies, pytest and pip come from this environment, without a package index.
    place = Path(succeed(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (place / "environment.pth").write_text(f"{Path(pytest.__file__).parents[1]}\n", encoding="utf-8")
    succeed(python, "-m", "pip", "install", *offline, next(root.glob("*.whl")))
    return Installed(venv, environment)
