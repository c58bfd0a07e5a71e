"""The rules on the book's pages are known to be the model's by the hash of their sources."""

import base64
import re
import shutil

import pytest

from conflict_free.checking import page_rules
from conflict_free.console import ROOT, Stop

FOLDER = page_rules.MODEL / "src" / "rules"
SERVICE = FOLDER / "shared_service.hpp"
BANKS, SECTORS = page_rules.RULES


@pytest.fixture
def copy(tmp_path):
    """A folder with the sources of the rules and the scripts made from them."""
    for folder in (page_rules.MODEL / "include", FOLDER):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    (tmp_path / BANKS.script).parent.mkdir(parents=True)
    for rule in page_rules.RULES:
        shutil.copy(ROOT / rule.script, tmp_path / rule.script)
    return tmp_path


def append(path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_what_is_committed_is_made_from_the_rules(copy):
    assert list(page_rules.page_rules(copy)) == []


def test_comments_make_no_other_rule(copy):
    append(copy / SERVICE, "\n// A remark.\n")
    assert list(page_rules.page_rules(copy)) == []


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        (SERVICE, (BANKS, SECTORS)),
        (FOLDER / "bank_words.hpp", (BANKS, SECTORS)),
        (BANKS.sources[0], (BANKS,)),
        (BANKS.sources[1], (BANKS,)),
        (FOLDER / "distinct_sectors.hpp", (SECTORS,)),
        (SECTORS.sources[0], (SECTORS,)),
    ],
)
def test_a_changed_source_is_found_with_the_command_that_helps(copy, name, rules):
    append(copy / name, "\nextern int other;\n")
    for found, rule in zip(page_rules.page_rules(copy), rules, strict=True):
        assert found.startswith(f"book/_static/{rule.name}.js: ") and found.endswith(f"run {page_rules.COMMAND}")


def test_a_script_that_is_gone_is_found(copy):
    (copy / SECTORS.script).unlink()
    assert len(list(page_rules.page_rules(copy))) == 1


def test_a_header_that_is_nowhere_is_named(copy):
    append(copy / SERVICE, '\n#include "nowhere.hpp"\n')
    with pytest.raises(Stop, match='shared_service.hpp: "nowhere.hpp" is not in common/model/include'):
        page_rules.digest(BANKS, copy)


@pytest.mark.parametrize("rule", page_rules.RULES, ids=lambda rule: rule.name)
def test_the_script_holds_a_module_of_webassembly(rule):
    text = (ROOT / rule.script).read_text(encoding="utf-8")
    module = base64.b64decode(re.search(r'"([A-Za-z0-9+/=]{100,})"', text)[1])
    assert module.startswith(b"\0asm") and len(module) <= page_rules.MOST_BYTES
