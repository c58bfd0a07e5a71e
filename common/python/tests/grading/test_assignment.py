"""Tests the format of task.toml, starter and solution from one source, and sizes and data from one seed."""

import re

import numpy
import pytest
from docutils.core import publish_doctree
from grading_tools import changed_copy, padding

from conflict_free.console import Stop
from conflict_free.grading import answer_texts, cases, regions, release
from conflict_free.grading.assignment import AssignmentError, load, load_folder, names
from conflict_free.grading.parts import Case, Range
from conflict_free.trials import templates

SOURCE = """\
before
    // BEGIN SOLUTION
    solved();
    also_solved();
    // INSTEAD
    // |    // Your work.
    // |
    // END SOLUTION
between
// BEGIN SOLUTION
more();
// END SOLUTION
after
"""


# --- regions -------------------------------------------------------------------------------------


def test_the_starter_keeps_the_marks_around_what_stands_instead():
    assert regions.starter(SOURCE, "a.cu") == (
        "before\n    // BEGIN SOLUTION\n    // Your work.\n\n    // END SOLUTION\nbetween\n// BEGIN SOLUTION\n// END SOLUTION\nafter\n"
    )


def test_the_solution_has_no_marks():
    assert regions.solution(SOURCE, "a.cu") == "before\n    solved();\n    also_solved();\nbetween\nmore();\nafter\n"


def test_lines_of_the_solution_alone_are_known():
    assert regions.solution_lines(SOURCE, "a.cu") == {"solved();", "also_solved();", "more();"}


@pytest.mark.parametrize(
    "text, said",
    [
        ("// BEGIN SOLUTION\n", "a.cu:1: BEGIN SOLUTION without END SOLUTION"),
        ("x\n// END SOLUTION\n", "a.cu:2: END SOLUTION after no open region"),
        ("// INSTEAD\n", "a.cu:1: INSTEAD after no open region"),
        ("// BEGIN SOLUTION\n// BEGIN SOLUTION\n", "a.cu:2: BEGIN SOLUTION after BEGIN SOLUTION in line 1"),
        ("// BEGIN SOLUTION\n// INSTEAD\n// INSTEAD\n", "a.cu:3: INSTEAD after BEGIN SOLUTION in line 1"),
        ("// BEGIN SOLUTION\n// INSTEAD\nbare\n// END SOLUTION\n", "a.cu:3: 'bare' after INSTEAD"),
    ],
)
def test_marks_that_are_not_balanced_are_one_line(text, said):
    with pytest.raises(regions.RegionError, match="^" + said.replace("|", r"\|")) as error:
        regions.starter(text, "a.cu")
    assert "\n" not in str(error.value)


def test_starter_and_solution_are_proved_the_same_outside():
    starter, solution = regions.starter(SOURCE, "a.cu"), regions.solution(SOURCE, "a.cu")
    assert regions.differ_only_inside(starter, solution, SOURCE, "a.cu")
    for wrong_starter, wrong_solution in (
        (starter.replace("between", "other"), solution),
        (starter, solution.replace("between", "other")),
        (starter, solution + "more\n"),
        (starter, "more\n" + solution),
        (starter + "more\n", solution),
    ):
        assert not regions.differ_only_inside(wrong_starter, wrong_solution, SOURCE, "a.cu")


# --- task.toml -----------------------------------------------------------------------------------


def test_every_listed_assignment_loads():
    assert "padding" in names()
    for name in names():
        task = load(name)
        assert task.max_points == 100
        assert regions.differ_only_inside(task.starter(), task.solution(), task.source.read_text(encoding="utf-8"), task.source.name)


def test_what_is_not_said_has_a_default(tmp_path):
    task = load_folder(changed_copy(tmp_path, "[limits]\nseconds = 2\n", ""), "copy")
    assert (task.limits.seconds, task.limits.memory_megabytes, task.points["exists"]) == (10, 1024, 0)
    assert not task.cases[2].visible and task.thresholds[1].after == "counts.coalesced"
    assert (task.movement.bytes_to_host, task.movement.bytes_within_device, task.kernels.loads) == (0, 0, {})


def test_each_cheat_by_meaning_is_graded_and_can_be_made():
    files = {path.stem for path in templates.BY_MEANING.glob("*.cu")}
    assert list(answer_texts.misplaced(templates.CHANGES, files)) == []
    names = files - {"plain"} | templates.CHANGES.keys()
    assert names <= templates.EXPECTED.keys()
    texts = {templates.text_of(name) for name in names}
    assert len(texts) == len(names) and all(re.match("// .*\n\n", text) and "GRADED_TASK" in text for text in texts)


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("minutes = 60", "minutes = 0", "minutes: 0 is less than the minimum of 1"),
        ("minutes = 60", "minutes = 60\nauthor = 1", "'author' was unexpected"),
        ("minutes = 60", "minutes = ", "Invalid value"),
        ('function = "transpose_doubles"', 'function = "transpose"\nfunctions = 1', "'functions' was unexpected"),
        ('function = "transpose_doubles"', 'function = "turn"', "one of the function turn is accepted"),
        ("wide = {", "square = {", "(at line "),
        ("width = 64, height = 64", "width = 64", "the same ones in every case"),
        ("width = 64, height = 64", "width = 64, height = 6.5", '6.5 is not of type "integer"'),
        ("from = 33, to = 95", "from = 95, to = 33", "from = 95 or more is accepted"),
        ('fails = "correct"', 'fails = "counts.nothing"', "'counts.nothing' given"),
        ("swizzled = {", "# swizzled = {", "answers/swizzled.cu is not listed"),
        ("swizzled = {points = 100}", "swizzled = {points = 100}\nnowhere = {points = 100}", "a file answers/nowhere.cu or a change"),
        ("[cheats]\n", "[cheats]\nunheard_of = false\n", "'unheard_of' given"),
        ('{fails = "counts.coalesced", says = "lanes"}', '{fails = "counts.nothing", says = "lanes"}', "'counts.nothing' given"),
        ('source = "transpose_doubles.cu"', 'source = "other.cu"', "no file other.cu"),
        ("minimum_gpu_ratio = 0.7", "", "points.fast: given without"),
        ('after = "coalesced"', 'after = "conflicts"', "an earlier threshold is accepted"),
        ('at_most = "0"', 'at_most = "0"\nat_least = "0"', "is valid under more than one of"),
        ("visible = true, width = 64", "visible = false, width = 64", None),
    ],
)
def test_a_wrong_task_is_one_line(tmp_path, old, new, said):
    folder = changed_copy(tmp_path, old, new)
    if said is None:  # allowed, because another case is still visible
        assert load_folder(folder, "copy")
        return
    with pytest.raises(AssignmentError) as error:
        templates.with_cheats(load_folder(folder, "copy"))
    assert said in str(error.value) and "\n" not in str(error.value)


def test_a_name_that_is_not_known_is_one_line():
    with pytest.raises(AssignmentError, match="'paddings' given, one of .*padding.* is accepted"):
        load("paddings")


def test_a_reference_that_lacks_something_is_named(tmp_path):
    task = load_folder(changed_copy(tmp_path, "TOLERANCE = 0", "", "reference.py"), "copy")
    with pytest.raises(AssignmentError, match="has no TOLERANCE"):
        task.reference


# --- seeds, sizes, data --------------------------------------------------------------------------


def drawn(student: str, secret: str = "", name: str = "odd") -> cases.DrawnCase:
    task = padding()
    case = next(case for case in task.cases if case.name == name)
    return cases.draw(task, case, cases.seed_of(task.name, student, secret))


def test_a_seed_gives_the_same_case_again():
    first, second = drawn("ada"), drawn("ada")
    assert first.parameters == second.parameters
    assert all((first.inputs[name] == second.inputs[name]).all() for name in first.inputs)
    assert all(first.before[name].tobytes() == second.before[name].tobytes() for name in first.before)


def test_students_and_secrets_vary_sizes_and_data():
    sizes = {tuple(drawn(f"student {number}").parameters.values()) for number in range(40)}
    assert len(sizes) > 20
    assert {width % 2 for width, _ in sizes} == {1} and min(sizes)[0] >= 65 and max(sizes)[0] <= 127
    square = [drawn(*who, name="square").inputs["input"].tobytes() for who in (("ada",), ("bob",), ("ada", "secret"))]
    assert len(set(square)) == 3


def test_no_part_of_a_seed_runs_into_another():
    assert (
        len({cases.seed_of("a", "bc", ""), cases.seed_of("ab", "c", ""), cases.seed_of("a", "b", "c"), cases.seed_of("a", None, "bc")}) == 4
    )


def test_both_ends_of_a_range_are_drawn():
    values = {cases._drawn(Range(3, 9, 3), f"seed {number}") for number in range(60)}
    assert values == {3, 6, 9}


def test_outputs_are_poisoned_with_bytes_that_are_not_right():
    case = drawn("ada", name="square")
    assert not numpy.isclose(case.before["output"], case.expected["output"]).any()


def test_a_failing_reference_is_one_line(tmp_path):
    task = load_folder(
        changed_copy(tmp_path, 'random.standard_normal((case["height"], case["width"]))', 'case["depth"]', "reference.py"), "copy"
    )
    with pytest.raises(AssignmentError, match="case square: KeyError: 'depth'"):
        cases.draw(task, task.cases[0], cases.seed_of("copy", None, ""))


# --- the release ---------------------------------------------------------------------------------


def test_a_release_has_what_a_student_needs_and_nothing_of_the_solution(tmp_path):
    made = release.release(padding(), tmp_path / "new" / "folder")
    assert [path.name for path in made] == ["README.rst", "transpose_doubles.cu", "try.cu"]
    text = (tmp_path / "new" / "folder" / "transpose_doubles.cu").read_text(encoding="utf-8")
    assert "TILE_DIM + 1]" not in text and "// BEGIN SOLUTION" in text and "INSTEAD" not in text


def test_a_student_is_told_what_is_graded_and_no_hidden_size():
    text = release.readme(padding())
    assert text.startswith(".. SPDX-FileCopyrightText") and "Transpose doubles without a conflict\n====" in text
    assert "- **counts.conflicts**, 30 points: ``shared.conflicts`` is at most ``0``." in text
    assert "*square* (width 64, height 64), *wide* (width 96, height 32). There are 3 more" in text.replace("\n", " ")
    assert "odd" not in text.split("What is graded")[1] and "Range" not in text
    for name in names():
        publish_doctree(release.readme(load(name)), settings_overrides={"halt_level": 2})


def test_a_release_overwrites_nothing(tmp_path):
    (tmp_path / "mine.cu").write_text("mine", encoding="utf-8")
    with pytest.raises(Stop, match="a folder that is new or empty is accepted"):
        release.release(padding(), tmp_path)
    with pytest.raises(Stop, match="a folder that is new or empty is accepted"):
        release.release(padding(), tmp_path / "mine.cu")


def test_a_case_without_drawn_sizes_stays_as_it_is():
    task = padding()
    case = Case("fixed", {"width": 5, "height": 7})
    assert cases.draw(task, case, "0").parameters == {"width": 5, "height": 7}
