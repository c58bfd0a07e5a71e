"""scripts/new-chapter makes a whole chapter or nothing."""

import re
import shutil

import pytest
from conftest import REPOSITORY


@pytest.fixture
def listed(house):
    """A house with the real repository's listings."""
    shutil.copy(REPOSITORY / "chapters" / "CMakeLists.txt", house.root / "chapters")
    shutil.copy(REPOSITORY / "book" / "index.rst", house.root / "book")
    shutil.copy(REPOSITORY / "book" / "teachers.rst", house.root / "book")
    return house


def test_a_chapter_is_made_and_listed(listed):
    done = listed.run("new-chapter", "bank_conflicts")
    assert done.returncode == 0, done.stderr
    for name in done.stdout.split():
        assert (listed.root / name).is_file()
    assert len(done.stdout.split()) == 7
    assert done.stderr.startswith("chapters/bank_conflicts/bank_conflicts.cu is not formatted") and "setup --tests" in done.stderr
    cmake = (listed.root / "chapters" / "CMakeLists.txt").read_text(encoding="utf-8")
    assert cmake.index("add_subdirectory(copy)") < cmake.index("add_subdirectory(bank_conflicts)")
    index = (listed.root / "book" / "index.rst").read_text(encoding="utf-8")
    chapters, rest = index.split("   bank_conflicts\n")
    assert chapters.rstrip().splitlines()[-1].startswith("   ") and ":caption: Evidence" in rest
    teachers = (listed.root / "book" / "teachers.rst").read_text(encoding="utf-8")
    in_order = re.findall(r"^:doc:`(\w+)`$", teachers, re.MULTILINE)
    # Pages beside a chapter have no paragraph of their own.
    before = [page for page in re.findall(r"^   (\w+)$", chapters, re.MULTILINE) if page in in_order]
    assert in_order[in_order.index("bank_conflicts") - 1] == before[-1]
    source = (listed.root / "chapters" / "bank_conflicts" / "bank_conflicts.cu").read_text(encoding="utf-8")
    assert "__global__ void bank_conflicts_kernel(" in source
    page = (listed.root / "book" / "bank_conflicts.rst").read_text(encoding="utf-8")
    assert "\nBank conflicts\n==============\n" in page
    everything = source + page + (listed.root / "chapters" / "bank_conflicts" / "README.md").read_text(encoding="utf-8")
    assert "@" not in everything


def test_an_existing_chapter_is_left_as_it_is(listed):
    before = (listed.root / "chapters" / "CMakeLists.txt").read_text(encoding="utf-8")
    done = listed.run("new-chapter", "copy")
    assert done.returncode == 1
    assert done.stderr == "error: chapters/copy is there already; nothing was changed\n"
    assert (listed.root / "chapters" / "CMakeLists.txt").read_text(encoding="utf-8") == before


@pytest.mark.parametrize("slug", ["Copy", "3d", "a-b", "a__b", "_a", "../x", "ü"])
def test_a_slug_that_is_none(listed, slug):
    done = listed.run("new-chapter", slug)
    assert done.returncode == 2
    assert f"{slug!r} given, lower-case words joined by _" in done.stderr
    assert done.stderr.count("\n") == 1


def test_nothing_is_made_when_there_is_no_listing_to_put_it_in(listed):
    (listed.root / "book" / "index.rst").write_text("no toctree\n", encoding="utf-8")
    done = listed.run("new-chapter", "padding_2")
    assert done.returncode == 1
    assert done.stderr == "error: book/index.rst lists no chapter to put the new one after\n"
    assert not (listed.root / "chapters" / "padding_2").exists()
    assert not list(listed.root.rglob("*.part"))


def test_the_start_passes_the_rules_for_chapters(listed):
    """Markers, headers and listings, by the real rules."""
    listed.run("new-chapter", "bank_conflicts")
    found = listed.run("check").stderr
    assert "bank_conflicts" not in found


def test_the_start_has_the_shape_of_the_copy_chapter(listed):
    """A new chapter begins as the plain copy, under another name."""
    from conflict_free.evidence import source

    listed.run("new-chapter", "bank_conflicts")
    path = listed.root / "chapters" / "bank_conflicts" / "bank_conflicts.cu"
    made = source.parse_regions(path.read_text(encoding="utf-8"))
    copy = source.parse_regions((REPOSITORY / "chapters" / "copy" / "copy.cu").read_text(encoding="utf-8"))
    assert list(made) == ["constants", "bank_conflicts_kernel", "launch", "entry"]
    assert (made["constants"].text, made["launch"].text) == (copy["constants"].text, copy["launch"].text)

    def words(region):
        return source.strip_comments(region.text).split()

    renamed = [word.replace("bank_conflicts_kernel", "copy_plain") for word in words(made["bank_conflicts_kernel"])]
    assert renamed == words(copy["copy_plain"])


def test_the_start_of_a_page_has_sections_that_the_book_has():
    def sections(text):
        lines = text.splitlines()
        return [title for title, rule in zip(lines, lines[1:]) if rule and set(rule) == {"-"}]

    page = (REPOSITORY / "common" / "python" / "conflict_free" / "scaffolding" / "chapter" / "page.rst.start").read_text(encoding="utf-8")
    of_the_book = sections((REPOSITORY / "book" / "copy.rst").read_text(encoding="utf-8"))
    of_the_book += sections((REPOSITORY / "book" / "naive.rst").read_text(encoding="utf-8"))
    for title in sections(page):
        assert title.startswith("Step 1: ") or title in of_the_book
