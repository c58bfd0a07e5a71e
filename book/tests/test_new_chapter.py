"""The page that scripts/new-chapter makes keeps the book's rules for a page before anybody has written on it."""

import synthetic
import test_pages

from conflict_free.scaffolding import new_chapter

SLUG = "fresh"
TEXTS = {path.name: text for path, text in new_chapter.made_from_templates(SLUG).items()}
PAGE = TEXTS[f"{SLUG}.rst"]


def test_the_page_renders_before_anybody_has_measured(project):
    source = TEXTS[f"{SLUG}.cu"]
    place = project.source(SLUG)
    place.parent.mkdir()
    place.write_text(source, encoding="utf-8")
    synthetic.write_json(project.counts / f"{SLUG}.json", synthetic.program(source, SLUG))
    limits = "\n.. _bound:\n\nWhat limits a kernel\n--------------------\n\nIn the book this stands on another page.\n"
    (project.book / "index.rst").write_text(PAGE + limits, encoding="utf-8")
    build = project.build()
    assert build.warnings == ""
    table = build.html().split("All kernels of this page")[1]
    assert "sectors per load" in table and "speed" not in table.split("</table>")[0]


def test_its_teachers_paragraph_stands_where_the_index_has_it():
    index = new_chapter.in_index(test_pages.PAGES["index"], SLUG)
    teachers = new_chapter.in_teachers(test_pages.PAGES["teachers"], SLUG, index)
    test_pages.check_paragraphs(index, teachers, {*test_pages.chapters(), SLUG})


def test_it_says_that_it_waits_for_measurements():
    assert "\nNot measured yet.\n" in PAGE
