"""Tests that scripts/new-assignment makes a complete, working assignment, or nothing."""

import subprocess
import sys

import pytest
from conftest import REPOSITORY
from grading_tools import CONFINED, build_folder

from conflict_free.grading import assignment
from conflict_free.grading.building import Toolchain
from conflict_free.scaffolding import new_assignment
from conflict_free.trials import answers, templates

INDEX = ".. toctree::\n   :caption: Part I\n\n   copy\n\n.. toctree::\n   :caption: Assignments\n   :maxdepth: 1\n\n   assignments/index\n"


@pytest.fixture
def ready(house):
    """Make a repository with a chapter without an assignment, and a list for its page."""
    (house.root / "chapters" / "copy" / "CMakeLists.txt").write_text("add_chapter(copy)\n", encoding="utf-8")
    (house.root / "book" / "index.rst").write_text(INDEX, encoding="utf-8")
    return house


def test_an_assignment_is_made_and_listed(ready):
    done = ready.run("new-assignment", "copy")
    assert done.returncode == 0, done.stderr
    files, _, said = done.stdout.partition("\n\n")
    assert all((ready.root / name).is_file() for name in files.splitlines())
    assert "scripts/grade watch copy FILE" in said
    assert (ready.root / "chapters" / "copy" / "CMakeLists.txt").read_text(encoding="utf-8") == "add_chapter(copy)\nadd_assignment(copy)\n"
    assert (ready.root / "book" / "index.rst").read_text(encoding="utf-8") == INDEX + "   assignments/copy\n"
    page = (ready.root / "book" / "assignments" / "copy.rst").read_text(encoding="utf-8")
    assert ".. assignment:: copy" in page
    assert not [path for path in (ready.root / "chapters" / "copy").rglob("*") if path.suffix in (".start", ".part")]


@pytest.mark.long
def test_what_is_made_works_at_once(tmp_path):
    """The answers, the starter and the solution score what task.toml says, and the page has the title."""
    for place, text in new_assignment.made_from_templates("copy").items():
        path = tmp_path / place.relative_to(REPOSITORY)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    made = templates.with_cheats(assignment.load_folder(tmp_path / "chapters" / "copy" / "assignment", "new_one"))
    graded = answers.grade_all(made, Toolchain.of(build_folder()), confined=CONFINED)
    assert list(answers.complaints(made, graded)) == []
    assert made.title in (tmp_path / "book" / "assignments" / "copy.rst").read_text(encoding="utf-8").splitlines()
    assert made.max_points == 100


@pytest.mark.long
def test_its_start_can_be_tried(tmp_path):
    for place, text in new_assignment.made_from_templates("copy").items():
        if place.suffix == ".cu" and place.parent.name == "assignment":
            (tmp_path / place.name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, REPOSITORY / "scripts" / "count", tmp_path / "try.cu", "--build-dir", build_folder(), "--", "1000"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "0 of 1000 elements are wrong" in done.stdout


@pytest.mark.parametrize("slug", ["copy", "paddings", "../copy", ""])
def test_a_chapter_that_is_none_or_has_one(ready, slug):
    if slug == "copy":
        (ready.root / "chapters" / "copy" / "assignment").mkdir()
    done = ready.run("new-assignment", slug)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert f"{slug!r} given, a chapter without an assignment is accepted" in done.stderr
    assert (ready.root / "book" / "index.rst").read_text(encoding="utf-8") == INDEX


def test_nothing_is_made_when_there_is_no_part_to_list_it_in(ready):
    (ready.root / "book" / "index.rst").write_text("no part\n", encoding="utf-8")
    done = ready.run("new-assignment", "copy")
    assert done.returncode == 1
    assert done.stderr == "error: book/index.rst has no part 'Assignments' to put the page in\n"
    assert not (ready.root / "chapters" / "copy" / "assignment").exists()


def test_a_page_that_is_there_is_left_as_it_is(ready):
    page = ready.root / "book" / "assignments" / "copy.rst"
    page.parent.mkdir()
    page.write_text("mine", encoding="utf-8")
    done = ready.run("new-assignment", "copy")
    assert done.returncode == 1 and done.stderr == "error: book/assignments/copy.rst is there already; nothing was changed\n"
    assert page.read_text(encoding="utf-8") == "mine" and not (ready.root / "chapters" / "copy" / "assignment").exists()
