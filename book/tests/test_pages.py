"""Tests of the pages that are no chapters: the facts typed on them agree with the files."""

import json
import re
from pathlib import Path

import pytest
from sphinxcontrib.bibtex.citation_target import parse_citation_targets
from test_directives import text_of

from conflict_free.checking import budgets
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import is_measured
from directives.prose.course import Facts

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in BOOK.glob("*.rst")}


def chapters() -> list[str]:
    text = (ROOT / "chapters" / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.findall(r"^add_subdirectory\((\w+)\)$", text, re.MULTILINE)


# ------------------------------------------------------------------------------------ bibliography


def test_every_entry_of_the_bibliography_is_cited_and_every_citation_is_an_entry():
    entries = re.findall(r"^@\w+\{(\w+),", (BOOK / "references.bib").read_text(encoding="utf-8"), re.MULTILINE)
    cited = {
        one.key for text in PAGES.values() for role in re.findall(r":cite:\w+:`([^`]+)`", text) for one in parse_citation_targets(role)
    }
    cited |= {json.loads(path.read_text())["citation"] for path in (BOOK / "results" / "historical").glob("*.json")}
    assert len(entries) == len(set(entries)) > 10
    assert set(entries) == cited


# -------------------------------------------------------------------------------------- measuring


def test_the_counters_of_the_page_are_those_that_are_read():
    def table(script, name):
        text = (ROOT / "common" / "python" / "conflict_free" / "measuring" / script).read_text(encoding="utf-8")
        # The first of a counter's names.
        return re.findall(r'": \(?"(\w+__\w+\.\w+)"', text.split(f"\n{name} = {{")[1].split("\n}")[0])

    compared, caches, traffic = table("counters.py", "METRICS"), table("counters.py", "CACHES"), table("traffic.py", "TRAFFIC")
    assert (len(compared), len(caches), len(traffic)) == (6, 3, 15)
    assert re.findall(r"- ``(\w+__\w+\.\w+)``", PAGES["measuring"]) == compared + traffic + caches


def test_the_tools_of_the_page_are_those_that_run():
    script = (ROOT / "common" / "cmake" / "sanitize.sh").read_text(encoding="utf-8")
    tools = re.search(r"^for tool in (.+); do$", script, re.MULTILINE)[1].split()
    assert re.findall(r"``(\w+check)`` for", PAGES["measuring"]) == tools


# --------------------------------------------------------------------------------------- teachers


def check_paragraphs(index, teachers, chapters):
    wanted = [name for name in re.findall(r"^   (\w+)$", index, re.MULTILINE) if name in chapters]
    assert sorted(wanted) == sorted(chapters)
    found = re.findall(r"^:doc:`(\w+)`$", teachers, re.MULTILINE)
    assert found == wanted, "each chapter needs a paragraph in book/teachers.rst, in the order of book/index.rst"


def test_each_chapter_has_its_paragraph_for_teachers_in_reading_order():
    check_paragraphs(PAGES["index"], PAGES["teachers"], set(chapters()))


def test_the_parts_for_teachers_are_those_of_the_book():
    parts = re.findall(r":caption: (Part .+)", PAGES["index"])
    assert parts and re.findall(r"^(Part .+)\n~~~", PAGES["teachers"], re.MULTILINE) == parts


CHAPTER = """\
One two three four.

Exercises
---------

1. One.
2. Two.

   a. Not an exercise.

.. answer:: Answers

   1. One.
   2. Two.
   3. Three.
"""

TREE = ".. course-table::\n\n.. toctree::\n\n   naive\n   copy\n"


@pytest.mark.parametrize(("words", "exercises", "reading", "solving"), [(0, 0, 0, 0), (1, 1, 5, 5), (1500, 3, 10, 20)])
def test_minutes_are_multiples_of_five(words, exercises, reading, solving):
    facts = Facts(words, exercises)
    assert (facts.reading, facts.solving) == (reading, solving)


def test_the_course_table_is_in_reading_order_with_lessons_kernels_and_exercises(project):
    for slug in ("copy", "naive"):
        (project.book / f"{slug}.rst").write_text(f"{slug.title()}: a lesson\n{'=' * 20}\n\n{CHAPTER}")
    said = text_of(project.build_page(TREE))
    assert said.index("Naive") < said.index("Copy a lesson")
    assert "Copy a lesson 2 2 5 15" in said and "together 4 4 10 30" in said
    (project.book / "copy.rst").write_text(f"Copy: another lesson\n{'=' * 20}\n\n{CHAPTER.replace('2. Two.', '2. Two.', 1)}\n")
    (project.book / "naive.rst").write_text(
        f"Naive\n{'=' * 20}\n\n" + "Many words. " * 1000 + "\n\n.. fold:: More\n\n   " + "Folded words. " * 1000
    )
    said = text_of(project.build().html())
    assert "Naive 2 0 15 0" in said and "Copy another lesson 2 2" in said


def test_a_measured_chapter_without_a_page_fails(project):
    (project.book / "copy.rst").write_text(f"Copy: a lesson\n{'=' * 20}\n\n{CHAPTER}")
    project.page(".. course-table::\n\n.. toctree::\n\n   copy\n")
    assert "chapter naive is measured, and no toctree has its page" in project.build().warnings


# ----------------------------------------------------------------------------------------- claims


@pytest.mark.parametrize("slug", [slug for slug in chapters() if (BOOK / "results" / "h200" / f"{slug}.json").is_file()])
def test_each_chapter_carries_its_main_sentences_as_claims(slug):
    expressions = re.findall(r":claim:`[^`\[]+\[([^\]]+)\]`", PAGES[slug])
    assert len([expression for expression in expressions if is_measured(expression)]) >= 2
    assert any(f"{slug}." in expression for expression in expressions)


def test_claims_can_be_understood_alone():
    sentences = re.findall(r":claim:`([^`\[]+)\[", "".join(PAGES.values()))
    assert len(sentences) > 20
    alone = [sentence for sentence in sentences if len(sentence.split()) < 5 or re.search(r"\b(both|the (first|second))\b", sentence)]
    assert alone == [], "they stand in the table of claims too"


# ------------------------------------------------------------------------------------ assignments


def test_each_assignment_has_its_page_in_reading_order_and_its_chapter_leads_there():
    names = {path.parents[1].name for path in (ROOT / "chapters").glob("*/assignment/task.toml")}
    wanted = [name for name in re.findall(r"^   (\w+)$", PAGES["index"], re.MULTILINE) if name in names]
    assert re.findall(r"^   assignments/(\w+)$", PAGES["index"], re.MULTILINE) == ["index", *wanted]
    assert set(wanted) == names == {path.stem for path in (BOOK / "assignments").glob("*.rst")} - {"index"}
    without = [name for name in wanted if f":doc:`assignments/{name}`" not in PAGES[name]]
    assert without == [], "these pages of chapters do not lead to their assignments: :doc:`assignments/NAME`"


def test_the_busy_cycles_of_reduction_add_up_to_the_counter():
    """The model's wavefronts, with the idle accesses of each row, are the GPU's counter but for what the text says."""
    fold = PAGES["reduction_bank_conflicts"].split(".. fold:: The wavefronts of each round, and the counter")[1]
    low, high = map(int, re.search(r"counter of busy cycles says (\d+) to (\d+) more", fold).groups())
    rows = re.findall(r"(?m)^ +(?::rows: )?``(\w+)``: \1 (\d+)$", fold.split(".. value-table:: kernel")[1].split("\n\n")[0])
    found = Evidence(chapters=ROOT / "chapters", results=BOOK / "results", counts=ROOT / "build" / "counts", strict=False)
    assert len(rows) == 6
    for name, idle in rows:
        kernel = f"reduction_bank_conflicts.{name}"
        wavefronts = sum(found.value(f"{kernel}.262144x1.shared_{op}.wavefronts_per_block").number for op in ("load", "store"))
        per_block = found.value(f"{kernel}.33554432x1.shared_wavefronts / {kernel}.33554432x1.global_store_requests").number
        assert low <= round(per_block - wavefronts - int(idle)) <= high


@pytest.mark.parametrize("slug", [*(slug for slug in chapters() if slug not in ("errata", "across_gpus")), *budgets.BESIDE_CHAPTERS])
def test_each_chapter_whose_kernels_are_counted_says_what_limits_them(slug):
    """The sentence links to the definition of a bound, and the picture stands below it."""
    assert len(re.findall(r":ref:`bound`[^:]*\n\n *\.\. bounds::\n", PAGES[slug])) == 1


@pytest.mark.parametrize("slug", [*(slug for slug in chapters() if slug != "errata"), *budgets.BESIDE_CHAPTERS])
def test_each_chapter_begins_on_the_ladder_and_ends_with_what_you_know_and_the_next_question(slug):
    assert re.search(r"\n=+\n\n\.\. rung::\n", PAGES[slug])
    end = PAGES[slug].split("\nYou now know\n------------\n\n")[1].split("\nEvidence\n--------")[0]
    lines, question = end.rsplit("\n\n", 1)[0], end.rstrip().rsplit("\n\n", 1)[1]
    assert len(re.findall(r"(?m)^- ", lines)) == 3 and re.search(r"\?.*:doc:`\w+`", question, re.DOTALL)
