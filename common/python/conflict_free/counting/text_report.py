"""Run a program of the model and write what scripts/count prints of it: PROGRAM SOURCE.cu OUTPUT.

For examples in the book, whose programs the build has made.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from . import printed_report


def text_of(program: Path, source: Path) -> str:
    """Return the program's own output, then the report on its counts and hazards."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        done = subprocess.run([program], env={**os.environ, "SIMT_REPORT": str(report)}, stdout=subprocess.PIPE, text=True, check=False)
        data = json.loads(report.read_text(encoding="utf-8"))
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out):
        printed_report.show(data, [source])
    out.flush()
    return done.stdout + out.buffer.getvalue().decode("utf-8")


def main(program: str, source: str, output: str) -> None:
    text = text_of(Path(program), Path(source))
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
