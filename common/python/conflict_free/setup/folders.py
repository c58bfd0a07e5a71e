"""The folders of the set-up, and the stamps that tell what was installed. Standard library only."""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from conflict_free.console import ROOT, say, step

VENV = ROOT / ".venv"
CUDA = ROOT / ".cuda"

_NO_NETWORK = "; the machine needs to reach a Python package index"


def digests(locks: Iterable[Path]) -> dict[str, str]:
    """Return the digest of each lock file by its name."""
    return {lock.name: hashlib.sha256(lock.read_bytes()).hexdigest() for lock in locks}


def stamp_text(locks: Mapping[str, str], *more: str) -> str:
    """Return the stamp of packages that were installed from lock files with these digests on this machine."""
    return json.dumps({"locks": locks, "for": more}, indent=1, sort_keys=True) + "\n"


def read(path: Path) -> str:
    """Return the text of a file; an empty text if there is no such file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def remove(folder: Path) -> None:
    """Remove a folder, or the link or file in its place."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)


def give_to_owner() -> None:
    """Give files that root has installed in another user's checkout to that user."""
    owner = ROOT.stat()
    if os.geteuid() == 0 and owner.st_uid != 0:
        for folder in (VENV, CUDA, ROOT / "build"):
            for path in (folder, *folder.rglob("*")) if folder.exists() else ():
                os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


@contextlib.contextmanager
def only_one(work: str) -> Iterator[None]:
    """Let one script of this checkout at a time do some work, ``set-up`` or ``build``. The others print a line and wait."""
    lock = ROOT / "build" / f".{work}.lock"
    lock.parent.mkdir(exist_ok=True)
    # Reading rights suffice to lock a folder, so a lock that root has made locks nobody out.
    lock.mkdir(exist_ok=True)
    handle = os.open(lock, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"Waiting for another script's {work} to end ...")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _pip_progress(line: str) -> str | None:
    """Return a line of pip in a few words: the package that is fetched or installed; None for other lines."""
    for verb, shown in (("Collecting ", "fetching "), ("Installing collected", "unpacking")):
        if line.startswith(verb):
            return shown + (line[len(verb) :].split(" ")[0] if shown.endswith(" ") else "")
    return None


def install_locked(title: str, lock: Path, *, python: Path, target: Path | None = None) -> None:
    """Install the packages of a lock file, by their hashes, for ``python`` or into ``target``. Raises Stop if that fails."""
    # Compiling all modules to bytecode would double the time. Python compiles the modules that it imports.
    options = ["--disable-pip-version-check", "--no-input", "--no-compile", "--require-hashes", "--no-deps", "-r", lock]
    into = ["--target", target] if target else []
    step(title, [python, "-m", "pip", "install", *options, *into], hint=_NO_NETWORK, progress=_pip_progress)
