"""Types of arguments of several commands. Each raises argparse.ArgumentTypeError for a wrong value. Standard library only."""

import argparse
import re
import tempfile
from collections.abc import Callable
from pathlib import Path


def existing_folder(text: str) -> Path:
    """Return the path of an existing folder."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} given, a folder that exists is accepted")
    return Path(text)


def can_be_written(folder: Path) -> bool:
    """Return whether a file can be made in a folder. It tries, because the permission bits alone do not decide."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def output_file(text: str) -> Path:
    """Return the path of a file that can be written into an existing folder."""
    path = Path(text)
    # The output replaces the path, so a device there would become a file.
    if (path.exists() and not path.is_file()) or not can_be_written(path.parent):
        raise argparse.ArgumentTypeError(f"{text!r} given, a file in a folder that can be written is accepted")
    return path


def whole_number(most: int | None = None) -> Callable[[str], int]:
    """Return the type of a whole number from 1 to `most`; without `most` there is no upper bound."""

    def number(text: str) -> int:
        if not re.fullmatch("[0-9]{1,15}", text) or not 1 <= int(text) <= (most or int(text)):
            raise argparse.ArgumentTypeError(f"{text!r} given, a whole number from 1 {f'to {most}' if most else 'up'} is accepted")
        return int(text)

    return number
