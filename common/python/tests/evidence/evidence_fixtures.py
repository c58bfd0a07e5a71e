"""Fixtures: the results of an invented machine."""

import json

import pytest
import synthetic

from conflict_free.evidence.lookup import Evidence


@pytest.fixture
def project(tmp_path) -> synthetic.Folders:
    return synthetic.Folders(tmp_path)


@pytest.fixture
def evidence(project) -> Evidence:
    return project.evidence()


@pytest.fixture
def result(project) -> dict:
    return json.loads((project.results / synthetic.MACHINE / "copy.json").read_text())
