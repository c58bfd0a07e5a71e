"""Rules of scripts/check: every source has the format of ruff.toml or of its folder's .clang-format, and the oldest Python reads it."""

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from conflict_free.console import ROOT

#: The oldest Python that the project's programs run on; requirements.in and needs_python.py name it, too.
OLDEST_PYTHON = "3.10"

_C_SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh")


def _told(command: Iterable[str | Path]) -> list[str]:
    """Return the lines that a formatter prints if it finds something, with paths relative to the repository."""
    try:
        done = subprocess.run([*map(str, command)], cwd=ROOT, capture_output=True, text=True)
    except OSError as error:
        return [f"the format cannot be checked: {error}; scripts/setup installs the formatters"]
    if done.returncode == 0:
        return []
    return [line.replace(f"{ROOT}/", "") for line in (done.stdout + done.stderr).splitlines()]


def formats(files: Iterable[Path]) -> Iterator[str]:
    """Yield a line for each file whose format differs, and for each warning of ruff."""
    files = list(files)
    tools = Path(sys.executable).parent
    yield from _told([tools / "ruff", "check", "--quiet", "--output-format", "concise", "."])
    for line in _told([tools / "ruff", "format", "--check", "--output-format", "concise", "."]):
        name, _, rest = line.partition(":")
        if "unformatted" in rest:
            yield f"{name}: its format differs from ruff's; run ruff format"
        elif "would be reformatted" not in line:
            yield line
    sources = [path for path in files if path.suffix in _C_SUFFIXES]
    if not sources:
        return
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as listed:
        listed.write("".join(f"{path}\n" for path in sources))
        listed.flush()
        told = _told([tools / "clang-format", "--dry-run", "--Werror", f"--files={listed.name}"])
    wrong = dict.fromkeys(line.split(":", 1)[0] for line in told if "-Wclang-format-violations" in line)
    yield from (f"{name}: its format differs from .clang-format; run .venv/bin/clang-format -i {name}" for name in wrong)
    if told and not wrong:
        yield told[0]


def old_python(files: Iterable[Path]) -> Iterator[str]:
    """Yield a line for each place of a Python file that needs a later Python than ``OLDEST_PYTHON``, which may import or call nothing newer."""
    tools = Path(sys.executable).parent
    sources = [path for path in files if path.suffix == ".py"]
    told = _told([tools / "vermin", f"--target={OLDEST_PYTHON}-", "--quiet", "--no-tips", "--violations", "--format", "parsable", *sources])
    # A line is PATH:LINE:COLUMN:!2:3.11:WHAT, with the oldest Python 2 and 3 that have WHAT. What a whole file needs has no LINE.
    places = [fields for line in told if len(fields := line.split(":", 5)) == 6 and fields[1].isdecimal()]
    yield from (f"{name}:{line}: {what} needs Python {version}" for name, line, _, _, version, what in places)
    if told and not places:
        yield told[0]
