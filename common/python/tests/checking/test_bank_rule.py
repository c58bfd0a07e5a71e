# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The rule of shared memory on the book's pages is known to be the model's by the hash of its sources."""

from __future__ import annotations

import base64
import re
import shutil

import pytest

from conflict_free.checking import bank_rule
from conflict_free.console import ROOT, Stop

SERVICE = bank_rule.MODEL / "src" / "rules" / "shared_service.hpp"


@pytest.fixture
def copy(tmp_path):
    """A folder with the sources of the rule and with what is made from them."""
    for folder in (bank_rule.MODEL / "include", bank_rule.MODEL / "src" / "rules"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / bank_rule.SCRIPT).parent.mkdir(parents=True)
    shutil.copy(ROOT / bank_rule.SCRIPT, tmp_path / bank_rule.SCRIPT)
    return tmp_path


def append(path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_what_is_committed_is_made_from_the_rule(copy):
    assert list(bank_rule.bank_rule(copy)) == []


def test_comments_make_no_other_rule(copy):
    append(copy / SERVICE, "\n// A remark.\n")
    assert list(bank_rule.bank_rule(copy)) == []


@pytest.mark.parametrize("name", [SERVICE, SERVICE.with_name("bank_words.hpp"), bank_rule.SOURCES[0], bank_rule.SOURCES[1]])
def test_a_changed_source_is_found_with_the_command_that_helps(copy, name):
    append(copy / name, "\nextern int other;\n")
    (found,) = bank_rule.bank_rule(copy)
    assert found.startswith("book/_static/bank_rule.js: ") and found.endswith("run python common/python/conflict_free checking.bank_rule")


def test_a_script_that_is_gone_is_found(copy):
    (copy / bank_rule.SCRIPT).unlink()
    assert len(list(bank_rule.bank_rule(copy))) == 1


def test_a_header_that_is_nowhere_is_named(copy):
    append(copy / SERVICE, '\n#include "nowhere.hpp"\n')
    with pytest.raises(Stop, match='shared_service.hpp: "nowhere.hpp" is not in common/model/include'):
        bank_rule.digest(copy)


def test_the_script_holds_a_module_of_webassembly():
    text = (ROOT / bank_rule.SCRIPT).read_text(encoding="utf-8")
    module = base64.b64decode(re.search(r'"([A-Za-z0-9+/=]{100,})"', text)[1])
    assert module.startswith(b"\0asm") and len(module) <= bank_rule.MOST_BYTES
