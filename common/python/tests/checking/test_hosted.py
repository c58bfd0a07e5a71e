"""Tests the files that set the project up elsewhere: an image, a container to write in, a hosted build. A library reads each."""

import json
import subprocess
import sys

import pytest
from conftest import REPOSITORY
from dockerfile_parse import DockerfileParser


def test_the_image_is_made_by_our_set_up(tmp_path):
    (tmp_path / "Dockerfile").write_bytes((REPOSITORY / "Dockerfile").read_bytes())
    steps = [(step["instruction"], step["value"]) for step in DockerfileParser(str(tmp_path)).structure if step["instruction"] != "COMMENT"]
    assert steps[0] == ("FROM", "debian:12")
    assert any("scripts/setup" in value for instruction, value in steps if instruction == "RUN")
    assert steps[-1] == ("CMD", '["scripts/book"]')


def test_the_container_to_write_in_is_made_by_our_set_up():
    told = json.loads((REPOSITORY / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    assert told["image"] == "debian:12" and told["onCreateCommand"].endswith("scripts/setup")


@pytest.mark.parametrize("path", sorted((REPOSITORY / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_the_hosted_build_has_the_shape_of_a_workflow(path):
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", path], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
