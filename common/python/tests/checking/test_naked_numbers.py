"""The linter finds typed numbers that look measured, and accepts the others."""

import json

import pytest

from conflict_free.checking import naked_numbers


@pytest.mark.parametrize(
    "text",
    [
        "It moves 3,149 GB/s.",
        "4.2 TB/s",
        "410\nGB/s",
        "takes 12 µs",
        "takes 0.16 ms here",
        "after 3 s.",
        "20 seconds",
        "reaches 93% of it",
        "reaches 93\\ % of it",
        "93 percent",
        "at 1980 MHz",
        "at 1.98 GHz",
        "29 cycles",
        "1.5× the copy",
        "2.1 times as fast",
        "three times faster",
        "32 times slower",
        "1.7 × as fast",
        "an 8-fold gain",
        "twice as fast",
        "2.11 T pairs/s",
        "42 Gpairs/s",
        "4 bytes a second",
        "3–4 ms",
        "takes 5 times as long",
        "ten times the bandwidth",
    ],
)
def test_what_looks_measured(text):
    for suffix in ("rst", "md"):
        found = list(naked_numbers.find(f"Title\n=====\n\n{text}\n", f"page.{suffix}"))
        assert len(found) == 1 and found[0].line == 4, text


@pytest.mark.parametrize(
    "text",
    [
        "32 lanes, 32-byte sectors",
        "a matrix of 2048 × 2048 floats",
        "16 × 16",
        "every *2s*-th thread",
        "in 2008 it was",
        "twice as many",
        "34 MB together",
        "5 sectors a request",
        "the 2nd step",
        "three barriers",
        "100 samples",
    ],
)
def test_what_may_be_typed(text):
    for suffix in ("rst", "md"):
        assert list(naked_numbers.find(text, f"page.{suffix}")) == []


@pytest.mark.parametrize(
    "text",
    [
        ":val:`copy.copy_plain.16384.gbps` GB/s",
        ":claim:`It is 3 times faster\n[a.b > c.d]`",
        "``--timeout 10 s``",
        ".. code-block:: sh\n\n   sleep 10 s\n",
        ".. It takes 10 s,\n   or 12 s.\n",
        ".. predict::\n   :wait: 10 s\n",
    ],
)
def test_what_is_no_prose_of_a_page(text):
    assert list(naked_numbers.find(text, "page.rst")) == []


@pytest.mark.parametrize(
    "text",
    ["```sh\nsleep 10 s\n```", "`10 s`", "<!-- 10 s -->", "<!-- measured table, made -->\n| 10 ms |\n<!-- end of measured table -->"],
)
def test_what_is_no_prose_of_a_readme(text):
    assert list(naked_numbers.find(text, "README.md")) == []


def test_the_body_of_a_directive_is_prose():
    (found,) = naked_numbers.find(".. answer::\n   :label: x\n\n   It takes 10 ms.\n\nNot now.\n", "page.rst")
    assert (found.line, found.text) == (4, "10 ms")
    (found,) = naked_numbers.find(".. code-block:: sh\n\n   sleep 1 s\n\nIt takes 10 ms.\n", "page.rst")
    assert (found.line, found.text) == (5, "10 ms")


# --- as a rule of scripts/check ----------------------------------------------------------------


@pytest.fixture
def page(tidy):
    """A tidy repository with one page that has a typed number."""
    (tidy.root / "book" / "copy.rst").write_text("Copy\n====\n\nIt reaches 3 TB/s.\n", encoding="utf-8")
    return tidy


def findings(house) -> list[str]:
    return [line for line in house.run("check").stderr.splitlines() if "typed" in line]  # the page has no licence either


def allow(house, **entry) -> None:
    entry = {"file": "book/copy.rst", "text": "3 TB/s", "why": "A figure of a book.", **entry}
    (house.root / "book" / "typed_numbers.json").write_text(json.dumps([entry]), encoding="utf-8")


def test_a_finding_has_its_file_and_line(page):
    assert [line.split(";")[0] for line in findings(page)] == ["book/copy.rst:4: '3 TB/s' is typed"]


def test_a_listed_number_may_stand(page):
    allow(page)
    assert findings(page) == []


def test_a_listed_number_that_is_gone(page):
    allow(page, text="4 TB/s")
    assert findings(page)[1:] == ["book/typed_numbers.json: '4 TB/s' is not in book/copy.rst; remove the entry"]


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [
        ({"citation": "nobody1999"}, "cites nobody1999, which references.bib does not have"),
        ({"term": "gnu"}, "belongs to 'gnu', which the glossary does not have"),
        ({"why": ""}, "is shorter than 10 characters"),
        ({"page": "x"}, "Additional properties are not allowed"),
    ],
)
def test_an_entry_that_is_not_in_order(page, entry, wrong):
    allow(page, **entry)
    assert any(wrong in line for line in findings(page))
