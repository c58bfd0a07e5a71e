"""Files that are written whole or not at all: a reader sees the old content until the new content is complete. Standard library only."""

import os
from collections.abc import Mapping
from pathlib import Path

from .console import USAGE, Stop


def write_all(texts: Mapping[Path, str]) -> None:
    """Write files and make their folders. No file takes its place before all are written. Raises OSError, and leaves no half-written file.

    A path that exists and is no regular file, such as a pipe or ``/dev/null``, is written to and stays.
    """
    streams = [path for path in texts if path.exists() and not path.is_file()]
    for path in streams:
        path.write_text(texts[path], encoding="utf-8")
    parts = {path: path.with_name(f".{path.name}.{os.getpid()}.part") for path in texts if path not in streams}
    try:
        for path, part in parts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(texts[path], encoding="utf-8")
        for path, part in parts.items():
            part.replace(path)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write one file as write_all() does."""
    write_all({path: text})


def write_asked(path: Path, text: str, option: str = "") -> None:
    """Write the file that the option of this name asks for. Raises Stop if that fails."""
    try:
        write_whole(path, text)
    except OSError as error:
        raise Stop(f"{option} {path}: cannot be written: {error.strerror}".strip(), USAGE) from error
