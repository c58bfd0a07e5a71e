"""The pytest fixture ``conflict_free``, which counts CUDA programs. pytest finds it where the package is installed.

def test_no_conflicts(conflict_free):
    report = conflict_free.count("transpose.cu")
    assert report.kernel("transpose").shared_load.conflicts == 0
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from conflict_free.console import module_command

from .report_in_tests import Report, read


class CountingError(Exception):
    """An error for a program that cannot be built or run; the message is the command's."""


class ConflictFree:
    """Counts CUDA programs under the counting model. Relative paths start in ``folder``."""

    def __init__(self, folder: Path):
        self.folder = folder

    def count(self, *files: str | os.PathLike, options: Sequence[str] = (), arguments: Sequence[str] = ()) -> Report:
        """Build a program of CUDA source files and run it; ``options`` are those of ``conflict-free count`` and of nvcc.

        Raises CountingError if the sources do not compile.
        """
        return self._report("count", [*files, *options], ["--", *arguments])

    def run(self, program: str | os.PathLike, *arguments: str, options: Sequence[str] = ()) -> Report:
        """Run an existing program. Raises CountingError if it cannot be run."""
        return self._report("run", options, [self.folder / program, *arguments])

    def _report(self, name: str, options: Sequence[str | os.PathLike], rest: Sequence[str | os.PathLike]) -> Report:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.json"
            done = subprocess.run(
                module_command(sys.executable, "counting.command", name, "--json", path, *options, *rest),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
            if not path.exists():
                raise CountingError(done.stderr.strip() or f"conflict-free {name} has left no report (exit code {done.returncode})")
            return read(path, done.stdout)


@pytest.fixture
def conflict_free(request: pytest.FixtureRequest) -> ConflictFree:
    """Count CUDA programs without a GPU. Relative paths start in the folder of the test."""
    return ConflictFree(request.path.parent)
