"""Tests answers that are a change of another text: the format of answers.toml, the changed text, the command that prints it."""

import pytest
from grading_tools import changed_copy, padding, run_grade

from conflict_free.grading import answer_texts
from conflict_free.grading.answer_texts import CHANGES, Change, ChangeError, changed
from conflict_free.grading.assignment import AssignmentError, load_folder
from conflict_free.trials import templates

LICENCE = "// SPDX-FileCopyrightText: 2026 Somebody\n// SPDX-License-Identifier: MIT\n"
TEXT = LICENCE + "\n#include <a>\n\n// What it does,\n// in two lines.\nint a = 1;\n\n// Another comment.\nint b = 1;\n"


def change(*replacements: tuple[str, str], about: str = "Wrong.") -> Change:
    return Change("wrong", "right", about, replacements)


def test_a_change_replaces_text_and_the_first_comment():
    said = LICENCE + "\n#include <a>\n\n// Wrong.\nint a = 2;\n\n// Another comment.\nint b = 1;\n"
    assert changed(change(("a = 1", "a = 2")), TEXT) == said


def test_changes_are_made_one_after_another():
    assert changed(change(("a = 1", "c = 3"), ("c = 3;\n", "")), TEXT).count("\n") == TEXT.count("\n") - 2


def test_what_it_is_about_gets_a_place_where_there_is_no_comment():
    assert changed(change(("a", "b")), LICENCE + "\nint a;\n") == LICENCE + "\n// Wrong.\n\nint b;\n"


def test_a_long_comment_is_wrapped():
    lines = changed(change(("a = 1", "a = 2"), about="word " * 40 + "end"), TEXT).splitlines()
    assert all(len(line) <= 120 for line in lines) and sum("word" in line for line in lines) == 2


@pytest.mark.parametrize("old, times", [("c = 1", 0), (" = 1", 2), ("\n\n", 3), ("What it does", 0)])
def test_text_that_does_not_stand_there_once_is_one_line(old, times):
    with pytest.raises(ChangeError) as error:
        changed(change(("a = 1;", "a = 1;"), (old, "")), TEXT)
    said = str(error.value)
    assert said.startswith("wrong.replace, number 2: old: ") and f"stands {times} times in right" in said and "\n" not in said


def test_overlapping_places_are_counted_each():
    with pytest.raises(ChangeError, match="stands 2 times"):
        changed(change(("aba", "")), LICENCE + "ababa\n")


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('about = "No padding at all."', "", '"about" is a required property'),
        ('about = "No padding at all."', 'about = "No padding."\npoints = 3', "'points' was unexpected"),
        ('[["__shared__ double tile[TILE_DIM][TILE_DIM + 1];", "_', '[["  ", "_', "unpadded.replace.0.0: "),
        ('TILE_DIM + 1];", "__shared__ double tile[TILE_DIM][TILE_DIM];"', 'TILE_DIM + 1];"', "unpadded.replace.0: "),
        ("tile[TILE_DIM][TILE_DIM];", 'tile[TILE_DIM][TILE_DIM];", "', "unpadded.replace.0: "),
        ("[unpadded]\nfrom", "[Unpadded]\nfrom", '"Unpadded" does not match'),
        ('[unpadded]\nfrom = "padded_by_one"', '[unpadded]\nfrom = "padded"', "unpadded.from: 'padded' given, one of acquiring_loads, "),
        ('[unpadded]\nfrom = "padded_by_one"', '[unpadded]\nfrom = "unpadded"', "'unpadded' given, which is a change of unpadded"),
        ('[unpadded]\nfrom = "padded_by_one"', '[unpadded]\nfrom = "no_barrier"\n=', "Invalid statement"),
        ("[TILE_DIM + 1];", "[TILE_DIM + 3];", "unpadded.replace, number 1: old: '__shared__ double tile[TILE_DIM][TILE_DIM + 3];' given"),
        ("[unpadded]\n", '[another]\nabout = "?"\nreplace = [["1", "2"]]\n\n[unpadded]\n', "[another] is not listed in"),
    ],
)
def test_wrong_changes_are_one_line(tmp_path, old, new, said):
    folder = changed_copy(tmp_path, old, new, CHANGES)
    with pytest.raises(AssignmentError) as error:
        load_folder(folder, "copy")
    assert str(error.value).startswith("answers.toml of assignment copy: ") and said in str(error.value) and "\n" not in str(error.value)


def test_a_listed_change_that_is_not_there_is_one_line(tmp_path):
    folder = changed_copy(tmp_path, "\nunpadded = ", "\npadded = ")
    with pytest.raises(AssignmentError) as error:
        load_folder(folder, "copy")
    said = "answers.padded: given, a file answers/padded.cu or a change [padded] of answers.toml is missing"
    assert str(error.value) == f"task.toml of assignment copy: {said}"


def test_a_change_that_is_not_listed_is_one_line(tmp_path):
    folder = changed_copy(tmp_path, "\nunpadded = ", "\n# unpadded = ")
    with pytest.raises(AssignmentError, match=r"^answers.toml of assignment copy: \[unpadded\] is not listed in task.toml$"):
        load_folder(folder, "copy")


def test_changes_of_each_other_are_refused():
    made = {name: Change(name, base, "", ()) for name, base in (("a", "b"), ("b", "c"), ("c", "b"), ("d", "file"), ("e", "d"))}
    assert [line.partition(":")[0] for line in answer_texts.misplaced(made, {"file"})] == ["b.from", "c.from"]


@pytest.mark.parametrize("name", ["starter", "solution", "file"])
def test_a_name_that_something_else_has_is_refused(name):
    [said] = answer_texts.misplaced({name: Change(name, "solution", "", ())}, {"file"})
    assert said == f"{name}: given, a name that nothing else has is accepted"


def test_a_change_of_a_change_has_both(tmp_path):
    folder = changed_copy(tmp_path, '[endless_loop]\nfrom = "padded_by_one"', '[endless_loop]\nfrom = "unpadded"', CHANGES)
    text = load_folder(folder, "copy").text_of("endless_loop")
    assert "tile[TILE_DIM][TILE_DIM];" in text and "j += 0" in text and text.count("A loop lacks its step and never ends.") == 1
    assert "No padding at all." not in text


def test_an_assignment_needs_no_changes(tmp_path):
    folder = changed_copy(tmp_path)
    for name in padding().changes:
        (folder / "answers" / f"{name}.cu").write_text(padding().text_of(name), encoding="utf-8")
    (folder / CHANGES).unlink()
    made = load_folder(folder, "copy")
    assert made.changes == {} and made.text_of("unpadded") == padding().text_of("unpadded")


@pytest.mark.parametrize("name", ["unpadded", "swizzled", "forks", "starter", "solution"])
def test_an_answer_is_printed_whole(name):
    done = run_grade("answer", "padding", name, code=0)
    assert done.stdout == templates.load("padding").text_of(name)
    assert "GRADED_" not in done.stdout and padding().function in done.stdout


def test_the_answers_are_listed_with_what_they_score():
    done = run_grade("answer", "padding", code=0)
    lines = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert list(lines) == list(templates.load("padding").outcomes())
    assert lines["unpadded"] == ["70", "points", "fails", "counts.conflicts"]
    assert lines["solution"] == ["100", "points", "passes"]


def test_an_answer_that_is_not_known_is_one_line():
    done = run_grade("answer", "padding", "padded", code=2)
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("error: answer of assignment padding: 'padded' given, one of starter, solution, ")
