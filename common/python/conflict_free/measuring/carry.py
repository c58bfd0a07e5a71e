"""scripts/carry: headers, libraries and Python packages for a machine without a network.

On that machine `scripts/measure --no-setup` finds them in .carry by itself; docs/measuring.md describes the
other commands.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from conflict_free.console import ROOT, USAGE, OneLineParser, Stop, say, step
from conflict_free.setup.folders import install_locked

from .measure import CARRIED

# Headers and static libraries for the compiler, and the libraries that the compiled programs load.
DEBIAN = ("libcli11-dev", "nlohmann-json3-dev", "libgtest-dev", "libgmock-dev", "libzstd-dev", "libzstd1", "liblz4-dev", "liblz4-1")
UNWANTED = ("usr/share/doc", "usr/share/man", "usr/share/lintian", "usr/share/locale", "usr/bin", "usr/src")

# jsonschema-rs, rich, simpleeval and pytest with their dependencies.
PYTHON = ("iniconfig", "jsonschema-rs", "markdown-it-py", "mdurl", "packaging", "pluggy", "pygments", "pytest", "rich", "simpleeval")
LOCKS = ("requirements.lock", "requirements-test.lock")
# The platform tags of wheels for Linux with a C library of 2018 or later.
_LIBC = ("manylinux_2_28", "manylinux_2_17", "manylinux2014")


def _python_version(text: str) -> str:
    if not re.fullmatch(r"3\.\d{1,2}", text) or int(text[2:]) < 10:
        raise argparse.ArgumentTypeError(f"{text!r} given, 3.10 or later is accepted, for example 3.12")
    return text


def locked(lock: str, names: tuple[str, ...]) -> str:
    """Return the entries of a lock file for some packages: those for the newest Python, without their markers."""
    entries = {}
    for entry in re.split(r"\n(?=\S)", lock):
        first, _, hashes = entry.partition("\n")
        pinned = first.split(" ")[0]
        name = pinned.partition("==")[0]
        if name in names:
            # Entries for newer versions of Python come later.
            entries[name] = f"{pinned} \\\n{hashes}"
    missing = sorted(set(names) - set(entries))
    if missing:
        raise Stop(f"no lock file has {', '.join(missing)}; run scripts/lock")
    return "\n".join(entries.values()) + "\n"


def fill_prefix(prefix: Path) -> None:
    """Unpack the Debian packages and leave out the files that a build does not read."""
    prefix.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        # apt-get leaves its downloads in the working folder.
        step("Download Debian packages", ["sh", "-c", 'cd "$0" && exec apt-get download "$@"', folder, *DEBIAN])
        for package in sorted(Path(folder).glob("*.deb")):
            done = subprocess.run(["dpkg-deb", "-x", package, prefix], capture_output=True, text=True)
            if done.returncode:
                raise Stop(f"cannot unpack {package.name}: {done.stderr.strip()}")
    for unwanted in UNWANTED:
        shutil.rmtree(prefix / unwanted, ignore_errors=True)
    # These packages put libraries in /lib; CMake looks only in /usr/lib.
    if (prefix / "lib").is_dir():
        shutil.copytree(prefix / "lib", prefix / "usr" / "lib", dirs_exist_ok=True, symlinks=True)
        shutil.rmtree(prefix / "lib")
    for link in prefix.rglob("*"):
        if link.is_symlink() and os.readlink(link).startswith("/"):
            target = link.parent / Path(os.readlink(link)).name
            link.unlink()
            if target.exists():
                link.symlink_to(target.name)
    for description in prefix.rglob("*.pc"):
        text = description.read_text(encoding="utf-8")
        up = os.path.relpath(prefix / "usr", description.parent)
        description.write_text(
            re.sub(r"^prefix=.*$", f"prefix=${{pcfiledir}}/{up}", text, flags=re.MULTILINE).replace("=/usr/", "=${prefix}/"),
            encoding="utf-8",
        )


def fill_site(site: Path, python_version: str) -> None:
    """Install the Python packages for the other machine's Python."""
    lock = "".join((ROOT / name).read_text(encoding="utf-8") for name in LOCKS)
    machine = platform.machine()
    with tempfile.TemporaryDirectory() as folder:
        chosen = Path(folder) / "chosen.lock"
        chosen.write_text(locked(lock, PYTHON), encoding="utf-8")
        tags = [word for libc in _LIBC for word in ("--platform", f"{libc}_{machine}")]
        step(
            f"Python packages for Python {python_version}",
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--disable-pip-version-check",
                "--no-input",
                "--require-hashes",
                "--no-deps",
                "--only-binary=:all:",
                "--no-compile",
                "--implementation",
                "cp",
                "--python-version",
                python_version,
                *tags,
                "--target",
                site,
                "-r",
                chosen,
            ],
        )


def fill_headers(include: Path) -> None:
    """Add the headers of CUTLASS."""
    with tempfile.TemporaryDirectory() as folder:
        install_locked("Headers of CUTLASS", ROOT / "requirements-cutlass.lock", python=Path(sys.executable), target=Path(folder))
        headers = Path(folder) / "cutlass_library" / "source" / "include"
        # A quarter of them are shapes of tiles that a program has to ask for.
        shutil.copytree(headers, include, ignore=shutil.ignore_patterns("*_gmma*_ext.hpp"), dirs_exist_ok=True)


def size_of(folder: Path) -> int:
    """Return the total size of a folder's files in bytes."""
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file() and not p.is_symlink())


def main() -> int:
    parser = OneLineParser(
        prog="scripts/carry",
        description="Fills .carry with headers, libraries and Python packages that a GPU machine "
        "without a network may lack. Copy the checkout with .carry to that machine and run "
        "scripts/measure --no-setup there. Needs apt-get.",
    )
    parser.add_argument(
        "--python-version",
        metavar="3.N",
        type=_python_version,
        default="3.%d" % sys.version_info[1],
        help="the other machine's Python (default: this one's)",
    )
    options = parser.parse_args()
    missing = [tool for tool in ("apt-get", "dpkg-deb") if shutil.which(tool) is None]
    if missing:
        raise Stop(f"{missing[0]} is not on this machine; .carry is filled on Debian or Ubuntu", USAGE)
    new = CARRIED.with_name(".carry.new")
    shutil.rmtree(new, ignore_errors=True)
    try:
        fill_prefix(new / "prefix")
        fill_headers(new / "prefix" / "usr" / "include")
        fill_site(new / "site", options.python_version)
        shutil.rmtree(CARRIED, ignore_errors=True)
        new.rename(CARRIED)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    say(f".carry: {size_of(CARRIED) / 1e6:.1f} MB")
    return 0
