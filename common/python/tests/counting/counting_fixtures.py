"""Fixtures: a program for scripts/count."""

from pathlib import Path

import pytest
from counting_tools import HEADER, SOURCE


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "reverse.cu").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "start.cuh").write_text(HEADER, encoding="utf-8")
    return tmp_path
