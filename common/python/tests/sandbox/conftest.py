"""Ends these tests with the exit code for skipped tests, and the reason, on a machine that cannot confine programs."""

import pytest

from conflict_free.console import NO_SANDBOX
from conflict_free.grading import sandbox


def pytest_sessionstart() -> None:
    if reason := sandbox.available():
        pytest.exit(f"skipped: {reason}", returncode=NO_SANDBOX)
