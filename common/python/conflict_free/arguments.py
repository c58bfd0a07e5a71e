# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Types of arguments that several commands take; what is wrong raises argparse.ArgumentTypeError. Standard library only."""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable
from pathlib import Path


def existing_folder(text: str) -> Path:
    """A folder that is there."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} given, a folder that exists is accepted")
    return Path(text)


def can_be_written(folder: Path) -> bool:
    """Whether a file can be made in a folder. It is tried: what a file system says of its rights is not all that it asks."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def output_file(text: str) -> Path:
    """A file that can be written; its folder is there."""
    path = Path(text)
    # It is replaced, which would make a file of a device.
    if (path.exists() and not path.is_file()) or not can_be_written(path.parent):
        raise argparse.ArgumentTypeError(f"{text!r} given, a file in a folder that can be written is accepted")
    return path


def whole_number(most: int | None = None) -> Callable[[str], int]:
    """The type of a whole number from 1 to `most`, or from 1 up."""

    def number(text: str) -> int:
        if not re.fullmatch("[0-9]{1,15}", text) or not 1 <= int(text) <= (most or int(text)):
            raise argparse.ArgumentTypeError(f"{text!r} given, a whole number from 1 {f'to {most}' if most else 'up'} is accepted")
        return int(text)

    return number
