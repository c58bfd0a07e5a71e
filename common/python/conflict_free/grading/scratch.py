"""Temporary folders that are removed whatever a submission has made in them. Standard library only."""

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_SECONDS_TO_DIE = 10
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextlib.contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """Yield a new temporary folder, and remove it at the end. If that fails, the folder stays: the work in it is done."""
    folder = Path(tempfile.mkdtemp(prefix=prefix)).resolve()
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):
            remove(folder)


def remove(folder: Path) -> None:
    """Remove a folder. Processes that were killed die a moment later, and may write into the folder until then."""
    deadline = time.monotonic() + _SECONDS_TO_DIE
    while True:
        try:
            _empty(folder)
            folder.rmdir()
            return
        except FileNotFoundError:
            if not folder.exists():
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.05)


def _empty(folder: Path) -> None:
    """Remove all that is in a folder. It neither recurses nor builds paths, so that nested folders may be as deep as they like."""
    above: list[tuple[str, tuple[int, int]]] = []  # the names of the folders on the way down, and which folder each lies in
    here = os.open(folder, _FOLDER)
    try:
        while True:
            if (name := _remove_files(here)) is not None:
                above.append((name, _identity(here)))
                os.chmod(name, 0o700, dir_fd=here)
                here = _go(here, name)
            elif above:
                name, parent = above.pop()
                here = _go(here, "..")
                if _identity(here) != parent:
                    raise OSError(f"{folder}: a folder in it was moved")
                os.rmdir(name, dir_fd=here)
            else:
                return
    finally:
        os.close(here)


def _remove_files(folder: int) -> str | None:
    """Remove the files of an open folder until the first folder among them, and return the name of that folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                return entry.name
            os.unlink(entry.name, dir_fd=folder)
    return None


def _go(folder: int, name: str) -> int:
    """Open a folder from an open one, which is closed."""
    to = os.open(name, _FOLDER, dir_fd=folder)
    os.close(folder)
    return to


def _identity(folder: int) -> tuple[int, int]:
    status = os.fstat(folder)
    return status.st_dev, status.st_ino
