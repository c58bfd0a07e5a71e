"""The project's programs run on the oldest Python that is promised: nothing that they import or call is newer."""

import subprocess
import sys
from pathlib import Path

from conflict_free.checking.check import own_files
from conflict_free.console import ROOT

OLDEST = "3.10"


def newer(files: list[Path]) -> list[str]:
    """Return a line for each place that needs a later Python. vermin writes PATH:LINE:COLUMN:!2:3.11:WHAT, and lines without a place."""
    tool = Path(sys.executable).with_name("vermin")
    options = (f"--target={OLDEST}-", "--quiet", "--no-tips", "--violations", "--format", "parsable")
    told = subprocess.run([tool, *options, *files], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    return [line for line in told if line.split(":", 2)[1].isdecimal()]


def test_the_oldest_python_has_all_that_is_imported_and_called(tmp_path):
    late = tmp_path / "late.py"
    late.write_text("import tomllib\n\nprint(tomllib)\n", encoding="utf-8")
    assert newer([late]) == [f"{late}:1:7:!2:3.11:'tomllib' module"]
    assert newer([path for path in own_files() if path.suffix == ".py"]) == []
