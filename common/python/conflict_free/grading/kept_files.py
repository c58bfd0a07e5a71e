"""Keeps compiled files from one run to the next. The name of a kept file is a digest of all its inputs."""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from conflict_free.whole_files import write_whole


def name_of(parts: Sequence[str], files: Sequence[Path]) -> str:
    """Return a name for a file that is made from texts and files. The name changes whenever one of them changes."""
    state = hashlib.sha256(json.dumps(parts).encode())
    for path in files:
        state.update(hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()[:24]


def taken(kept: Path, place: Path) -> bool:
    """Copy a kept file to ``place`` and mark it as used. Return whether it exists."""
    try:
        os.utime(kept)
        shutil.copy2(kept, place)
    except FileNotFoundError:
        return False
    return True


def text_of(kept: Path) -> str | None:
    """Return a kept text and mark it as used; None if it does not exist or cannot be read."""
    try:
        os.utime(kept)
        return kept.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def keep(made: Path, kept: Path, pattern: str, most: int) -> None:
    """Keep a copy of a file as ``kept``. Of the files beside it that match ``pattern``, only the ``most`` last used ones stay.

    Raises OSError if the file cannot be kept.
    """
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=kept.parent) as scratch:
        os.replace(shutil.copy2(made, scratch), kept)
    _leave(most, pattern, kept)


def keep_text(text: str, kept: Path, most: int) -> None:
    """Keep a text in the same way among the files beside it."""
    write_whole(kept, text)
    _leave(most, "*", kept)


def _leave(most: int, pattern: str, kept: Path) -> None:
    """Remove the files beside ``kept`` that were used longest ago. Other processes may do so at the same time."""
    used = []
    for path in kept.parent.glob(pattern):
        with contextlib.suppress(FileNotFoundError):
            used.append((path.stat().st_mtime_ns, path))
    for _, path in sorted(used)[:-most]:
        path.unlink(missing_ok=True)
