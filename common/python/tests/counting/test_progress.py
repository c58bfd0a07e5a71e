"""Tests the progress that a terminal shows while conflict-free works. Without a terminal nothing is shown."""

import os
import pty
import subprocess
import sys
import uuid

import pytest
from conftest import REPOSITORY
from counting_tools import BUILD, needs_model

pytestmark = pytest.mark.long

pytest_plugins = ["counting_fixtures"]

# Many blocks, whose work takes longer than the line waits.
LONG = """\
__global__ void work(volatile float* p) { for (int i = 0; i < 20000; ++i) p[threadIdx.x] = p[threadIdx.x] + 1; }
int main() { float* p; cudaMalloc(&p, 128); work<<<200, 32>>>(p); return cudaDeviceSynchronize(); }
"""


def _shown(folder, terminal: bool) -> str:
    """Return the output on stderr, a terminal or a pipe."""
    # A program that was compiled before is not compiled again, so each run of this test has a new text.
    (folder / "long.cu").write_text(LONG + f"// {uuid.uuid4()}\n", encoding="utf-8")
    command = [sys.executable, str(REPOSITORY / "scripts" / "count"), "--build-dir", BUILD, "long.cu", "--budget", "30"]
    if not terminal:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False)
        return done.stderr
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs, stdin=subprocess.DEVNULL) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other side is closed
                break
            shown += part
        process.wait(60)
    os.close(ours)
    return shown.decode()


@needs_model
def test_a_terminal_is_told_what_goes_on(folder):
    shown = _shown(folder, terminal=True)
    assert "compiling long.cu ..." in shown and "comparing the program with its machine code ..." in shown
    assert "work: " in shown and " of 200 blocks, " in shown and " s of the budget left" in shown
    assert shown.endswith("\r\x1b[K")


@needs_model
def test_a_file_is_told_nothing(folder):
    assert _shown(folder, terminal=False) == ""
