"""Tests that the API page has every public header and macro; Doxygen fails for a member without a comment."""

import re
from pathlib import Path
from types import SimpleNamespace

from directives.prose import api

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "book" / "api.rst").read_text(encoding="utf-8")
HEADERS = sorted((ROOT / "common" / "harness" / "include" / "conflict_free").glob("*.hpp"))


def test_every_public_header_is_listed_once():
    listed = re.findall(r"\* - ``(\w+\.hpp)``", PAGE)
    assert sorted(listed) == [path.name for path in HEADERS]


def test_every_public_macro_is_shown():
    # SIMT_… are for the model's lists of rows, which undefine them.
    macros = [name for path in HEADERS for name in re.findall(r"^#define (?!SIMT_)(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)]
    assert macros and re.findall(r"^\.\. doxygendefine:: (\w+)", PAGE, re.MULTILINE) == macros


def test_everything_else_is_in_the_namespace_that_is_shown():
    for path in HEADERS:
        outside = path.read_text(encoding="utf-8").split("namespace conflict_free {")[0]
        assert not re.search(r"^(class|struct|enum|inline|template|using)\b", outside, re.MULTILINE), path.name
    assert ".. doxygennamespace:: conflict_free\n" in PAGE


def test_members_without_a_comment_fail():
    settings = dict(re.findall(r"^(\w+)\s+= *(.*)$", (ROOT / "docs" / "Doxyfile.in").read_text(encoding="utf-8"), re.MULTILINE))
    assert settings["WARN_AS_ERROR"] == "FAIL_ON_WARNINGS"
    assert settings["WARN_IF_UNDOCUMENTED"] == "YES" and settings["HIDE_UNDOC_MEMBERS"] == "NO"


def test_the_page_depends_on_what_doxygen_has_read(tmp_path):
    """Otherwise a changed comment reaches the page only when all is rendered anew."""
    noted = []
    config = SimpleNamespace(breathe_projects={"common": str(tmp_path)}, breathe_default_project="common")
    app = SimpleNamespace(config=config, env=SimpleNamespace(note_dependency=noted.append))
    api._read(app, "api", [PAGE])
    api._read(app, "copy", ["A page without directives of Doxygen.\n"])
    assert noted == [str(tmp_path / "index.xml")]
