"""The files of a new chapter or assignment, and the listings that name it. Standard library only."""

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from conflict_free.console import FAILED, Stop, shown_path
from conflict_free.whole_files import write_all


def refuse_existing(paths: Iterable[Path]) -> None:
    """Raise Stop if one of the new files exists."""
    for path in paths:
        if path.exists():
            raise Stop(f"{shown_path(path)} is there already; nothing was changed", FAILED)


def write_new(texts: Mapping[Path, str], made: Path) -> None:
    """Write all files or none; `made` is the new folder. Raises Stop."""
    try:
        write_all(texts)
    except OSError as error:
        shutil.rmtree(made, ignore_errors=True)
        raise Stop(f"cannot write {error.filename}: {error.strerror}") from error
