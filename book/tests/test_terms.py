"""Tests of the glossary: its words are those of the style guide, each is used, and first uses are links."""

import re
from pathlib import Path

import pytest

from directives.prose.terms import defined_terms, uses

BOOK = Path(__file__).resolve().parents[1]
TERMS = defined_terms((BOOK / "glossary.rst").read_text(encoding="utf-8"))

GLOSSARY = """\
.. glossary::

   bank
      A part of :term:`shared memory`.

   bank conflict
   conflict
      A turn too many of a :term:`bank`.

   GB
      Many bytes.

   shared memory
      Fast.
"""


def words_of_style() -> list[str]:
    """Return the words that the table of the style guide says to write."""
    text = (BOOK.parent / "docs" / "style.md").read_text(encoding="utf-8")
    table = text.split("| write | not |")[1].split("\n\n")[0]
    cells = re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE)
    return [word.strip() for cell in cells for word in cell.split(",")]


def test_the_glossary_has_the_words_of_the_style_guide():
    # The row about the model and the GPU is about whole sentences.
    words = [word for word in words_of_style() if not word.startswith("the ")]
    assert len(words) > 8 and "wavefront" in words
    assert [word for word in words if word not in TERMS] == []


def test_no_term_is_defined_twice():
    assert len(TERMS) == len({term.lower() for term in TERMS}) > 40


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Banks, bank conflicts and conflicts", ["bank", "bank conflict", "conflict"]),
        ("a bankrupt databank, conflict-free, bank_map", []),
        ("4 GB/s of gb and GBs", ["GB", "GB"]),
        ("Shared memory", ["shared memory"]),
    ],
)
def test_uses_are_whole_words_and_their_plurals(text, found):
    assert [term for _, _, term in uses(text, defined_terms(GLOSSARY))] == found


@pytest.fixture
def book(project):
    project.page(GLOSSARY, "glossary")
    return project


def links(html: str) -> list[str]:
    return re.findall(r'href="glossary.html#term-[^"]*"[^>]*><span class="xref std std-term">([^<]+)</span>', html)


EVERY = "Banks have bank conflicts; a conflict in shared memory. 1 GB.\n"
TREE = "\n.. toctree::\n\n   glossary\n"


def test_the_first_use_of_each_word_is_a_link(book):
    assert links(book.build_page(EVERY + "\nThe bank again, a GB again.\n" + TREE)) == [
        "Banks",
        "bank conflicts",
        "conflict",
        "shared memory",
        "GB",
    ]


def test_a_role_stands_for_the_first_use(book):
    html = book.build_page("The :term:`Bank <bank>` is a bank.\n\n" + EVERY + TREE)
    assert links(html)[0] == "Bank" and "bank" not in links(html)


def test_code_titles_and_links_are_no_uses(book):
    html = book.build_page(
        "Bank\n----\n\n``bank`` and `the bank <https://example.org/>`_ :doc:`bank <glossary>`.\n\n.. code-block:: sh\n\n   bank\n\n"
        + EVERY
        + TREE
    )
    assert links(html) == ["Banks", "bank conflicts", "conflict", "shared memory", "GB"]


def test_a_word_that_no_page_uses_fails(book):
    book.page("Banks have bank conflicts; a conflict in shared memory.\n" + TREE)
    warnings = book.build().warnings
    assert "'GB' is defined, and no page uses it" in warnings and warnings.count("no page uses") == 1


def test_the_links_follow_the_glossary(book):
    book.build_page(EVERY + "Gray.\n" + TREE)
    book.page(GLOSSARY + "\n   gray\n      A color.\n", "glossary")
    build = book.build()
    assert build.warnings == "" and "Gray" in links(build.html())


RULE = ".. admonition:: The rule\n   :class: rule\n\n   A :term:`bank` is {}.\n"


def test_all_rules_stand_on_one_page_in_reading_order(project):
    project.page(".. glossary::\n\n   bank\n      A part of memory.\n", "glossary")
    project.page(RULE.format("first"), "one")
    project.page(RULE.format("second") + "\n.. admonition:: A remark\n\n   No rule.\n", "two")
    html = project.build_page(".. all-rules::\n\n.. toctree::\n\n   two\n   one\n   glossary\n")
    boxes = re.findall(r'<div class="rule admonition">.*?</div>', html, re.DOTALL)
    assert len(boxes) == 2 and "second" in boxes[0] and "first" in boxes[1] and "No rule" not in html
    assert 'href="glossary.html#term-bank"' in boxes[0]
    project.page(RULE.format("changed"), "one")
    assert "changed" in project.build().html()
