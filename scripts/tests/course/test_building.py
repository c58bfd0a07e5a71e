# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Building a submission: what is kept ready makes it quicker, and nothing else."""

from __future__ import annotations

import os
import subprocess

import pytest
from grading import admission, building
from grading.building import Toolchain
from grading_tools import ANSWERS, build_folder


@pytest.fixture(scope="module")
def tools() -> Toolchain:
    return Toolchain.of(build_folder())


def test_the_prelude_is_taken_and_changes_no_code(tools, tmp_path):
    translated = tmp_path / "translated.cpp"
    subprocess.run([tools.model.translator, ANSWERS / "padded_by_one.cu", translated], check=True)
    made = {}
    for name, options in (("with", ["-H", "-include", building.prelude(tools)]), ("without", [])):
        product = tmp_path / f"{name}.s"
        done = subprocess.run(tools.compile_command(translated, product, ["-S", *admission.COMPILE_OPTIONS, *map(str, options)]),
                              capture_output=True, text=True, check=True)
        code, _, _ = product.read_text(encoding="utf-8").partition("\t.section\t.debug_")  # whose names may come in another order
        made[name] = (code, done.stderr.splitlines())
    assert "call\t__tsan_write" in made["with"][0]
    assert made["with"][0] == made["without"][0]
    # GCC marks what it takes with a !, and what it refuses with an x.
    assert [line[0] for line in made["with"][1] if line.endswith(".gch")] == ["!"]


def test_a_prelude_is_made_once_until_a_header_of_the_model_changes(tools, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "KEPT", tmp_path / "kept")
    headers = tmp_path / "headers"
    headers.mkdir()
    (headers / "cuda_runtime.h").write_text("inline int one() { return 1; }\n", encoding="utf-8")
    small = Toolchain(model=tools.model.__class__(**{**vars(tools.model), "include_folders": [str(headers)]}), include_folders=[], libraries=[])
    first = building.prelude(small)
    made = os.stat(first).st_mtime_ns
    assert building.prelude(small) == first and os.stat(first).st_mtime_ns == made
    (headers / "cuda_runtime.h").write_text("inline int one() { return 2; }\n", encoding="utf-8")
    assert building.prelude(small) != first
    assert len(list((tmp_path / "kept").iterdir())) == 2
    (headers / "cuda_runtime.h").write_text("inline int one() { return 3; }\n", encoding="utf-8")
    building.prelude(small)
    assert len(list((tmp_path / "kept").iterdir())) == building.KEPT_PRELUDES
