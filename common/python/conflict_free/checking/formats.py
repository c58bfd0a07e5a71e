"""A rule of scripts/check: every source has the format of ruff.toml or of its folder's .clang-format."""

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from conflict_free.console import ROOT

_C_SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh")


def _told(command: Iterable[str | Path]) -> list[str]:
    """Return the lines that a formatter prints if it finds something, with paths relative to the repository."""
    done = subprocess.run([*map(str, command)], cwd=ROOT, capture_output=True, text=True)
    if done.returncode == 0:
        return []
    return [line.replace(f"{ROOT}/", "") for line in (done.stdout + done.stderr).splitlines()]


def formats(files: Iterable[Path]) -> Iterator[str]:
    """Yield a line for each file whose format differs, and for each warning of ruff."""
    files = list(files)
    tools = Path(sys.executable).parent
    if missing := [name for name in ("ruff", "clang-format") if not (tools / name).exists()]:
        yield f"the formats cannot be checked without {' and '.join(missing)}; scripts/setup --tests installs the packages of the tests"
        return
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
