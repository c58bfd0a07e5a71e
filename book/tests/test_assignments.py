"""Tests of the pages of assignments: an invented assignment in a small book."""

import json
import re

import pytest
from test_directives import text_of

TITLE = "Copy two elements"
STARTER = """\
__global__ void pairs(int* output)
{
    // BEGIN SOLUTION
    // END SOLUTION
}
"""

TASK = {
    "format": "conflict_free/assignment/1",
    "name": "copy",
    "title": TITLE,
    "summary": "Copy with * half the requests.",
    "minutes": 45,
    "machine": "sm_90",
    "source": "pairs.cu",
    "try": "try.cu",
    "brief": "brief.rst",
    "numbers": {"{requests.bytes}": "1,024"},
    "declaration": "void pairs(int* output, int count)",
    "starter": STARTER,
    "starter_points": 15,
    "points": {"exists": 0, "compiles": 5, "safe": 10, "correct": 30, "by_kernels": 0, "fast": 10},
    "max_points": 70,
    "minimum_gpu_ratio": 0.9,
    "limits": {"seconds": 2.0, "memory_megabytes": 1024, "output_kilobytes": 64},
    "visible_cases": [{"name": "a_small_one", "parameters": {"width": 64, "height": 2048}}],
    "hidden_cases": 3,
    "thresholds": [
        {"check": "counts.requests", "count": "global_load.requests * 2", "limit": "count // 32", "is_upper": True, "points": 25}
    ],
    "hints": ["Look at int2 and\nat 1.5 * i.", "Call __syncthreads() and f_x(a, b); use threadIdx.x, atomicAdd and *both*."],
}


@pytest.fixture
def book(project):
    """A book with an assignment for its chapter `copy`, whose page is assignments/copy."""
    return Assignments(project)


class Assignments:
    def __init__(self, project):
        self.project = project
        self.folder = project.chapters / "copy" / "assignment"
        self.folder.mkdir()
        (self.folder / "brief.rst").write_text(
            ".. A comment.\n\nWrite ``pairs``:\n\n- It copies.\n- It does *not* crawl, by {requests.bytes} bytes.\n", encoding="utf-8"
        )
        (project.book / "assignments").mkdir()
        project.page(".. toctree::\n\n   copy\n   assignments/copy\n")
        project.page("A chapter.", "copy")
        self.describe()
        self.write()

    def describe(self, **changes):
        path = self.project.counts.parent / "assignments" / "copy.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({**TASK, **changes}), encoding="utf-8")

    def write(self, title=TITLE, text=".. assignment:: copy"):
        (self.project.book / "assignments" / "copy.rst").write_text(f"{title}\n{'=' * len(title)}\n\n{text}\n", encoding="utf-8")

    def html(self) -> str:
        build = self.project.build()
        assert build.warnings == ""
        return build.html("assignments/copy")


def test_the_page_tells_all_that_a_student_needs(book):
    html = book.html()
    said = text_of(html)
    assert re.findall(r"<h2>(.*?)<", html) == ["What is checked", "The starter", "How to work", "Hints"]
    for words in (
        "Copy with * half the requests.",
        "Plan 45 minutes; it gives 70 points.",
        "Write pairs : It copies. It does not crawl, by 1,024 bytes.",
        "void pairs(int* output, int count)",
        "counts.requests 25 global_load.requests * 2 is at most count // 32 .",
        "fast 10 more On a GPU: at least 0.9 of our solution’s speed, in the same run.",
        "a small one width 64, height 2,048",
        "There are 3 more",
        "A case may take 2 s, 1,024 MB of memory, and print 64 kB.",
        "gives 15 points",
    ):
        assert words in said, words
    assert '<a class="reference internal" href="../copy.html">' in html
    assert "scripts/grade watch copy work/pairs.cu" in said


def test_the_starter_is_a_block_of_cuda_and_nothing_is_lost(book):
    block = re.search(r'<div class="highlight-cuda notranslate">.*?<pre>(.*?)</pre>', book.html(), re.DOTALL)[1]
    assert re.sub(r"<[^>]+>", "", block) == STARTER


def test_hints_are_folded(book):
    folds = re.findall(r'<details class="answer">\s*<summary>(.*?)</summary>(.*?)</details>', book.html(), re.DOTALL)
    assert [summary for summary, _ in folds] == ["Show hint 1", "Show hint 2"]
    assert text_of(folds[0][1]) == "Look at int2 and at 1.5 * i."
    code = [re.findall(r'<span class="pre">(.*?)</span>', hint) for _, hint in folds]
    assert code == [["int2"], ["__syncthreads()", "f_x(a,", "b)", "threadIdx.x", "atomicAdd"]]
    assert "*both*" in folds[1][1]


def test_without_points_for_speed_no_gpu_is_spoken_of(book):
    book.describe(points={**TASK["points"], "fast": 0}, minimum_gpu_ratio=None)
    assert "solution’s speed" not in text_of(book.html())


def test_another_machine_is_named(book):
    book.describe(machine="gt200")
    said = text_of(book.html())
    assert "those of the machine gt200 ." in said and "scripts/count work/try.cu --machine gt200" in said


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda book: book.write("Another title"), "the page's title is 'Another title'; that of its assignment is 'Copy two elements'"),
        (lambda book: book.write(text=".. assignment:: none"), "there is no assignment"),
        (lambda book: book.describe(format="conflict_free/assignment/2"), "'conflict_free/assignment/1' is accepted"),
        (lambda book: (book.folder / "brief.rst").unlink(), "no such source file"),
    ],
)
def test_what_does_not_fit_fails_with_file_and_line(book, break_it, message):
    break_it(book)
    warnings = book.project.build().wrong()
    assert message in warnings and re.search(r"copy\.rst:4: ERROR", warnings)


def test_what_is_wrong_in_the_brief_is_said_of_the_brief(book):
    (book.folder / "brief.rst").write_text("Some text.\n\nAn ``unclosed literal.\n", encoding="utf-8")
    assert re.search(r"assignment/brief\.rst:3: WARNING: Inline literal", book.project.build().warnings)


def test_a_changed_brief_has_its_page_written_again(book):
    book.html()
    (book.folder / "brief.rst").write_text("Something else.\n", encoding="utf-8")
    assert "Something else." in book.html()


def test_the_table_lists_every_assignment(book):
    book.project.page(".. toctree::\n\n   copy\n   assignments/copy\n\n.. assignment-table::\n\n.. assignment-table::\n   :rubric:\n")
    build = book.project.build()
    assert build.warnings == ""
    said = text_of(build.html())
    assert "Copy two elements , 45 minutes, 70 points Copy with * half the requests." in said
    assert "Copy two elements 5 10 30 25 70 10 15" in said


def test_a_table_of_nothing_fails(book):
    (book.project.counts.parent / "assignments" / "copy.json").unlink()
    book.project.page(".. assignment-table::")
    assert "there is no assignment" in book.project.build().wrong()
