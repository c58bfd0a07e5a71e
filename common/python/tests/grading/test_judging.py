"""Tests grading from file to points with the real tools, the checks of answers, and scripts/grade run."""

import json
import os
import re
import subprocess
from dataclasses import replace

import pytest
from grading_results import make_result
from grading_tools import CONFINED, answer_file, build_folder, changed_copy, graded, padding, run_grade, tools

from conflict_free.console import NO_GPU, Stop
from conflict_free.counting import model_runtime
from conflict_free.grading import assignment, building, result, running
from conflict_free.grading.judging import Grading
from conflict_free.grading.parts import LIMITS, Outcome
from conflict_free.grading.result import Check, Result, ResultFormatError
from conflict_free.schemas import Schema
from conflict_free.trials import answers, compiled_together


@pytest.fixture(scope="module")
def right() -> Result:
    return graded(answer_file("padded_by_one"), student="ada")


@pytest.fixture(scope="module")
def with_conflicts() -> Result:
    return graded(answer_file("unpadded"))


def failed(found: Result) -> Check:
    assert not found.passed
    return found.first_failed


# --- from file to points -------------------------------------------------------------------------


def test_a_right_answer_has_all_points(right):
    assert (right.points, right.max_points, right.passed) == (100, 100, True)
    assert [check.name for check in right.checks] == [
        "exists",
        "compiles",
        "safe",
        "correct",
        "by_kernels",
        "counts.coalesced",
        "counts.conflicts",
    ]


def test_the_same_bits_twice(right):
    assert graded(answer_file("padded_by_one"), student="ada").to_text() == right.to_text()


def test_the_same_bits_when_compiled_with_other_answers(tmp_path):
    texts = {name: answer_file(name).read_text(encoding="utf-8") for name in ("one_past_the_end", "padded_by_one", "unpadded")}
    built = compiled_together.build_all(building.Toolchain.of(build_folder()), padding(), texts, tmp_path, confined=CONFINED)
    for name in texts:
        assert graded(answer_file(name), built=built[name]).to_text() == graded(answer_file(name)).to_text()


def test_a_picture_is_the_same_bits_twice(with_conflicts):
    again = graded(answer_file("unpadded"))
    assert again.to_text() == with_conflicts.to_text() and again.checks == with_conflicts.checks


def test_a_conflict_is_shown_with_its_line_and_its_banks(with_conflicts):
    check = failed(with_conflicts)
    assert check.name == "counts.conflicts" and check.points == 0 and with_conflicts.points == 70
    assert check.lines[0].text.endswith("= tile[threadIdx.x][threadIdx.y + j];")
    assert answer_file("unpadded").read_text(encoding="utf-8").splitlines()[check.lines[0].line - 1].strip() == check.lines[0].text
    assert "32 wavefronts, ideal: 2" in check.picture and check.drawing.startswith("<svg")


def test_neither_times_nor_places_are_told(with_conflicts):
    text = with_conflicts.to_text()
    assert "/" not in text.replace("// 32", "").replace("conflict_free/result/1", "") and "unpadded.cu" in text


def test_students_get_sizes_of_their_own(right):
    other = graded(answer_file("whole_tiles_only"), student="bob")
    assert other.seed != right.seed and failed(other).name == "correct" and "case odd: width" in failed(other).seen


@pytest.mark.parametrize(
    "content, seen",
    [
        (None, "nothing with this name"),
        (b"", "an empty file"),
        (b" \n", "an empty file"),
        (b"\xff\xfe", "text in UTF-16, which is not UTF-8"),
        (b"/" * 300_000, "300,000 bytes"),
    ],
)
def test_what_is_no_source_does_not_exist(tmp_path, content, seen):
    path = tmp_path / "ada.cu"
    if content is not None:
        path.write_bytes(content)
    found = graded(path)
    assert failed(found).name == "exists" and failed(found).seen == seen and found.points == 0
    assert [check.passed for check in found.checks] == [False] + [None] * (len(found.checks) - 1)


def test_a_folder_is_no_source(tmp_path):
    assert failed(graded(tmp_path)).seen == "a folder with this name"


@pytest.mark.parametrize(
    "text, seen, line",
    [
        ("#include <cuda_runtime.h>\nvoid transpose(double*) {}\n", "it defines no function transpose_doubles", None),
        (
            "#include <cuda_runtime.h>\nvoid transpose_doubles(double* a, const double* b, int c, int d) { e(); }\n",
            'identifier "e" is undefined',
            2,
        ),
        ("texture<float> t;\n", "texture", 1),
    ],
)
def test_what_does_not_compile_is_named(tmp_path, text, seen, line):
    (tmp_path / "ada.cu").write_text(text, encoding="utf-8")
    check = failed(graded(tmp_path / "ada.cu"))
    assert check.name == "compiles" and seen in check.seen
    assert [place.line for place in check.lines] == ([line] if line else [])


def test_what_is_called_and_nowhere_defined_is_named(tmp_path):
    (tmp_path / "ada.cu").write_text(
        "void helper(int);\nvoid transpose_doubles(double*, const double*, int, int) { helper(1); }\n", encoding="utf-8"
    )
    assert "helper" in failed(graded(tmp_path / "ada.cu")).seen


def test_a_driver_that_does_not_compile_is_ours(tmp_path):
    task = assignment.load_folder(changed_copy(tmp_path, "trial.run(", "trial.ran(", "driver.cu"), "padding")
    with pytest.raises(Stop, match="the driver of assignment padding cannot be built"):
        graded(answer_file("padded_by_one"), task)


def test_a_trial_refuses_wrong_arguments_and_cases(tmp_path):
    """The driver ends with one line of its own for each error."""
    made = building.build(building.Toolchain.of(build_folder()), padding(), padding().solution(), tmp_path, confined=CONFINED)
    case = tmp_path / "case"
    case.mkdir()

    def said(*arguments: object, text: str = "integer width 2\ninteger height 1\n") -> str:
        (case / "case.txt").write_text(text, encoding="ascii")
        done = subprocess.run([made.program, *arguments], capture_output=True, text=True, env=model_runtime.environment(build_folder()))
        assert done.returncode == 2 and done.stderr.count("\n") == 1
        return done.stderr

    assert "CASE OUTPUT [--samples N] is accepted" in said()
    assert "CASE OUTPUT [--samples N] is accepted" in said(case, tmp_path, "--samples", "0")
    assert "has no parameters" in said(tmp_path, tmp_path)
    assert "'float' is not understood" in said(case, tmp_path, text="float width 2\n")
    assert "no parameter height" in said(case, tmp_path, text="integer width 2\n")
    assert "input.bin cannot be read" in said(case, tmp_path)
    (case / "input.bin").write_bytes(b"12345678" * 2)
    (case / "output.bin").write_bytes(b"12345678")
    assert "output.bin has 8 bytes, the driver wants 16" in said(case, tmp_path)
    (case / "input.bin").write_bytes(b"1234567")
    assert "input.bin is not a whole number of elements" in said(case, tmp_path)


# --- several calls of one process -----------------------------------------------------------------


_KEEPS = """
#include <cuda_runtime.h>
__device__ int called;
__global__ void transpose(double* out, const double* in, int width, int height)
{
    if (called == 0)
        for (int i = 0; i < width * height; i++) out[i % width * height + i / width] = in[i];
}
__global__ void remember() { called = 1; }
void transpose_doubles(double* out, const double* in, int width, int height)
{
    transpose<<<1, 1>>>(out, in, width, height);
    remember<<<1, 1>>>();
}
"""


def test_what_is_right_at_the_first_call_alone_is_not_correct(tmp_path):
    (tmp_path / "ada.cu").write_text(_KEEPS, encoding="utf-8")
    check = failed(graded(tmp_path / "ada.cu"))
    assert check.name == "correct" and "was called before with other data, and is right when called once" in check.seen
    assert "static or __device__ variables" in check.help and [place.line for place in check.lines] == [3]


def test_what_is_unsafe_at_a_later_call_says_so(tmp_path):
    (tmp_path / "ada.cu").write_text(_KEEPS.replace("if (called == 0)", "if (called == 1) out[-1] = 0;\n    else"), encoding="utf-8")
    check = failed(graded(tmp_path / "ada.cu"))
    assert check.name == "safe" and "out of bounds" in check.seen and "was called before with other data" in check.seen


def test_what_is_wrong_alone_too_is_told_of_the_first_case(tmp_path):
    (tmp_path / "ada.cu").write_text(_KEEPS.replace("= in[i]", "= in[i] + 1"), encoding="utf-8")
    check = failed(graded(tmp_path / "ada.cu"))
    assert check.name == "correct" and check.case == padding().cases[0].name and "called before" not in check.seen


def test_a_call_that_takes_all_its_time_is_not_repeated(monkeypatch):
    times, run_all = [], running.run_all
    monkeypatch.setattr(running, "run_all", lambda *given, **options: times.append(1) or run_all(*given, **options))
    quick = replace(padding(), limits=replace(padding().limits, seconds=0.2))
    assert failed(graded(answer_file("endless_loop"), quick)).name == "safe" and len(times) == 1


@pytest.mark.parametrize("answer, expected", [("padded_by_one", (100, None)), ("unpadded", (70, "counts.conflicts"))])
def test_draws_in_one_process_come_to_what_each_comes_to(answer, expected):
    seeds = ["1", "2"]
    with Grading(padding(), answer_file(answer), tools=building.Toolchain.of(build_folder()), confined=CONFINED) as grading:
        grading.run_draws(seeds)
        by_draws = [grading.grade(seed) for seed in seeds]
    with Grading(padding(), answer_file(answer), tools=building.Toolchain.of(build_folder()), confined=CONFINED) as grading:
        assert [grading.grade(seed).to_text() for seed in seeds] == [each.to_text() for each in by_draws]
    assert {(each.points, each.first_failed and each.first_failed.name) for each in by_draws} == {expected}


# --- results as JSON -----------------------------------------------------------------------------


def test_a_result_is_in_the_shape_of_its_schema(right, with_conflicts):
    schema = Schema.of(result.SCHEMA)
    for found in (right, with_conflicts, make_result(fails="safe")):
        assert schema.misfits(json.loads(found.to_text())) == []
        assert Result.from_json(json.loads(found.to_text())).to_text() == found.to_text()


@pytest.mark.parametrize("change", [{"points": 3}, {"format": "conflict_free/result/2"}, {"checks": []}, {"seed": "abc"}, {"more": 1}])
def test_a_forged_result_is_refused(change):
    with pytest.raises(ResultFormatError) as error:
        Result.from_json({**make_result().to_json(), **change})
    assert "\n" not in str(error.value)


# --- the grader is graded ------------------------------------------------------------------------


def answers_as_expected() -> dict[str, Result]:
    """Return results that agree with task.toml, without grading."""
    made = {}
    for name, expected in padding().outcomes().items():
        checks = [Check("exists", True, expected.points, 100)]
        if expected.fails:
            fails = "by_kernels" if expected.fails == LIMITS else expected.fails
            checks.append(Check(fails, False, 0, 0, expected.says or "seen", "wanted", "help"))
        made[name] = replace(make_result(), checks=tuple(checks))
    return made


def test_answers_as_expected_have_no_complaint():
    assert list(answers.complaints(padding(), answers_as_expected())) == []


@pytest.mark.parametrize(
    "expected, said",
    [
        (Outcome(99, "counts.conflicts", "Half a warp"), "unpadded: 70 points, 99 are expected"),
        (Outcome(70, "counts.coalesced", "Half a warp"), "unpadded: fails counts.conflicts"),
        (Outcome(70, "", ""), "unpadded: fails counts.conflicts"),
        (Outcome(70, "counts.conflicts", "three quarters"), "'three quarters' is expected in it"),
    ],
)
def test_an_answer_that_scores_otherwise_is_named(expected, said):
    task = padding()
    changed = replace(
        task, answers=tuple(replace(answer, expected=expected) if answer.name == "unpadded" else answer for answer in task.answers)
    )
    found = [complaint for complaint in answers.complaints(changed, answers_as_expected()) if complaint.startswith("unpadded")]
    assert len(found) == 1 and said in found[0]


def test_a_limit_is_by_kernels_or_a_threshold():
    checks = ("safe", "by_kernels", "counts.conflicts", "")
    assert list(filter(Outcome(50, LIMITS).has, checks)) == ["by_kernels", "counts.conflicts"]
    assert list(filter(Outcome(50, "safe").has, checks)) == ["safe"]


def test_an_answer_that_was_not_graded_is_named():
    results = answers_as_expected()
    del results["unpadded"]
    assert any("unpadded: graded or in task.toml, but not both" in complaint for complaint in answers.complaints(padding(), results))


def test_a_solution_that_is_handed_out_is_found(tmp_path):
    folder = changed_copy(tmp_path, "int main(", "// __shared__\n__shared__ double tile[TILE_DIM][TILE_DIM + 1];\nint main(", "try.cu")
    found = list(answers.complaints(assignment.load_folder(folder, "padding"), answers_as_expected()))
    assert found == ["try.cu is handed out with a line of the solution: __shared__ double tile[TILE_DIM][TILE_DIM + 1];"]


@pytest.mark.parametrize(
    "tried, said",
    [
        ({"starter": 1, "solution": 0}, []),
        ({"starter": 1, "solution": 1}, ["try.cu ends with exit code 1 on the solution, 0 is expected"]),
        ({"starter": 0, "solution": 0}, ["try.cu ends with exit code 0 on the starter, which is not correct: 1 is expected"]),
    ],
)
def test_a_trial_program_that_does_not_tell_is_found(tried, said):
    assert list(answers.complaints(padding(), answers_as_expected(), tried)) == said


def test_a_source_without_regions_is_found(tmp_path):
    folder = changed_copy(tmp_path)
    source = folder / "transpose_doubles.cu"
    source.write_text(padding().solution(), encoding="utf-8")
    found = list(answers.complaints(assignment.load_folder(folder, "padding"), answers_as_expected()))
    assert found[0] == "transpose_doubles.cu has no BEGIN SOLUTION"


# --- the command line ----------------------------------------------------------------------------


def test_one_submission_by_hand(tmp_path):
    files = {
        option: tmp_path / name
        for option, name in (("--json", "a.json"), ("--gradescope", "b.json"), ("--junit", "c.xml"), ("--picture", "d.svg"))
    }
    done = run_grade("run", "padding", answer_file("unpadded"), *tools(), *(word for pair in files.items() for word in pair), code=1)
    assert re.search(r"20 of 20  counts.coalesced\n    traffic.sectors is [0-9,]+ \(case \w+\), at most [0-9,]+\n", done.stdout)
    assert "70 of 100 points" in done.stdout and "wavefront 1  ██···" in done.stdout
    assert Result.from_json(json.loads(files["--json"].read_text(encoding="utf-8"))).points == 70
    assert files["--picture"].read_text(encoding="utf-8").startswith("<svg")
    assert json.loads(files["--gradescope"].read_text(encoding="utf-8"))["score"] == 70 and files["--junit"].exists()


def test_a_terminal_without_unicode_gets_the_picture_too():
    done = run_grade("run", "padding", answer_file("padded_by_two"), *tools(), code=1, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert "wavefront 1  ##..##.." in done.stdout and "lanes 0-7" in done.stdout


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["run", "padding"], "SUBMISSION.cu"),
        (["run", "paddin", "x.cu"], "'paddin' given, one of"),
        (["run", "padding", "x.cu", "--json", "/nowhere/x.json"], "'/nowhere/x.json' given"),
        (["run", "padding", "x.cu", "--build-dir", "/nowhere"], "'/nowhere' given"),
        (["hint", "padding", "3"], "1, 2"),
        (["grade"], "'grade'"),
    ],
)
def test_wrong_arguments_are_one_line(arguments, said):
    done = run_grade(*arguments, code=2)
    assert said in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""


def test_without_a_gpu_that_is_said():
    done = run_grade("run", "padding", answer_file("padded_by_one"), "--gpu", *tools(), code=NO_GPU, env={"PATH": "/nowhere"})
    assert done.stderr.startswith("error: no GPU: ") and done.stderr.count("\n") == 1


def test_without_a_sandbox_it_is_refused_or_warned(tmp_path):
    """bwrap is searched on the PATH, which is an empty folder here."""
    environment = {"PATH": str(tmp_path)}
    done = run_grade("run", "padding", answer_file("does_not_compile"), "--build-dir", build_folder(), code=2, env=environment)
    assert done.stderr.startswith("error: no sandbox here: ") and "--no-sandbox is accepted" in done.stderr and done.stderr.count("\n") == 1


def test_hints_say_more_and_more():
    task = padding()
    assert run_grade("hint", "padding", "--help", code=0).stdout.startswith("usage: scripts/grade hint")
    assert len(task.hints) == 2 and task.hints[0] != task.hints[1]
