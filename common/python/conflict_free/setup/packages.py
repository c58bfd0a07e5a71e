"""The Debian packages that are needed, and their installation. Standard library only."""

import ctypes.util
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from conflict_free.console import USAGE, Stop, say, step


@dataclass(frozen=True)
class Package:
    """A Debian package, and signs that it or an equivalent is installed."""

    name: str
    commands: tuple[str, ...] = ()  # one of them suffices
    header: str = ""
    file: str = ""
    library: str = ""
    modules: tuple[str, ...] = ()  # all are needed


VENV_PACKAGE = Package("python3-venv", modules=("venv", "ensurepip"))
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
    VENV_PACKAGE,
    Package("git", commands=("git",)),
    Package("ca-certificates", file="/etc/ssl/certs/ca-certificates.crt"),
)
CHROMIUM = Package("chromium", commands=("chromium", "chromium-browser", "google-chrome"))
# Packages that confine submissions.
SANDBOX_PACKAGES = (Package("bubblewrap", commands=("bwrap",)), Package("libseccomp2", library="seccomp"))
# Packages that start several processes. Of Debian's two MPIs, Open MPI says which rank was killed.
MPI_PACKAGES = (Package("openmpi-bin", commands=("mpirun",)), Package("libopenmpi-dev", commands=("mpicxx",)))
# Packages that only the tests need.
TEST_PACKAGES = (
    CHROMIUM,
    *SANDBOX_PACKAGES,
    Package("libenchant-2-2", library="enchant-2"),
    Package("make", commands=("make",)),
    Package("hunspell-en-us", file="/usr/share/hunspell/en_US.dic"),
)


def include_folders() -> list[Path]:
    """Return the folders in which the compiler looks for headers."""
    folders = [Path("/usr/include"), Path("/usr/local/include")]
    for variable in ("CPATH", "CPLUS_INCLUDE_PATH"):
        folders += [Path(p) for p in os.environ.get(variable, "").split(os.pathsep) if p]
    for prefix in re.split("[:;]", os.environ.get("CMAKE_PREFIX_PATH", "")):
        if prefix:
            folders.append(Path(prefix) / "include")
    return folders


def _installed_by_dpkg(names: Sequence[str]) -> set[str]:
    # Without names dpkg-query lists all packages.
    if not names or shutil.which("dpkg-query") is None:
        return set()
    done = subprocess.run(["dpkg-query", "-W", "-f=${Package} ${db:Status-Status}\n", *names], capture_output=True, text=True)
    lines = (line.split() for line in done.stdout.splitlines())
    return {words[0] for words in lines if words[1:] == ["installed"]}


def _usable(package: Package) -> bool:
    """Return whether the command, header, file, library or modules of a package are there, whatever installed them."""
    importlib.invalidate_caches()
    return (
        any(shutil.which(command) for command in package.commands)
        or bool(package.header)
        and any((folder / package.header).exists() for folder in include_folders())
        or bool(package.file)
        and Path(package.file).exists()
        or bool(package.library)
        and ctypes.util.find_library(package.library) is not None
        or bool(package.modules)
        and all(importlib.util.find_spec(module) for module in package.modules)
    )


def missing_packages(packages: Iterable[Package]) -> list[Package]:
    """Return the packages that are neither usable nor installed by dpkg."""
    unusable = [package for package in packages if not _usable(package)]
    # A header may lie in a multiarch folder, which only the compiler knows. dpkg knows such a package.
    installed = _installed_by_dpkg([package.name for package in unusable if package.header])
    return [package for package in unusable if package.name not in installed]


def _root_prefix() -> list[str] | None:
    """Return the words before a command that needs root's rights; None if this user has no such rights."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        allowed = subprocess.run(["sudo", "-n", "true"], capture_output=True)
        if allowed.returncode == 0:
            return ["sudo", "-n"]
    return None


def _has_candidate(package: Package) -> bool:
    done = subprocess.run(["apt-cache", "policy", package.name], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    return bool(re.search(r"Candidate: (?!\(none\))", done.stdout))


def install_packages(packages: Sequence[Package], beside: AbstractContextManager = nullcontext()) -> bool:
    """Install the missing packages, within `beside`. Return whether there were any.

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
    with beside:
        try:
            step("Set-up: package lists", [*apt, "update"])
        except Stop as stop:
            # One unreachable source must not stop the others. If it matters, the installation fails.
            say(f"  {stop}; the set-up continues with the old lists")
        if CHROMIUM in missing and not _has_candidate(CHROMIUM):
            say("Set-up: this system has no package 'chromium'; the tests in a browser are skipped")
            missing.remove(CHROMIUM)
            names.remove(CHROMIUM.name)
        if names:
            step("Set-up: system packages", [*apt, "install", "-y", "--no-install-recommends", *names])
    still = [package.name for package in missing_packages(missing)]
    if still:
        raise Stop(f"these packages are installed, but not usable: {' '.join(still)}")
    return True
