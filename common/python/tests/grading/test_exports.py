"""Tests results in the formats of others, against the published shapes (grading/schemas)."""

import csv
import io
import json
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
import xmlschema
from conftest import REPOSITORY
from grading_results import make_result

from conflict_free.grading import exports
from conflict_free.schemas import Schema

SCHEMAS = REPOSITORY / "common" / "python" / "conflict_free" / "grading" / "schemas"

#: The variables that Classroom 50's runner sets.
RUNNER = {
    "CLASSROOM": "gpu-101",
    "ASSIGNMENT": "week-3",
    "ASSIGNMENT_TYPE": "group",
    "OWNER": "ada-l",
    "USERNAME": "ada-l",
    "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
    "COMMIT_URL": "https://example.org/commit/a1b2c3d",
    "RELEASE_URL": "https://example.org/releases/tag/x",
    "REVIEW_URL": "https://example.org/compare/0...a1b2c3d",
}
OUTCOMES = ["", "exists", "compiles", "safe", "correct", "counts.conflicts", "counts.sectors"]


def complaints(name: str, data: object) -> list[str]:
    return [misfit.text for misfit in Schema.of(SCHEMAS / name).misfits(data)]


def junit_complaints(text: str) -> list[str]:
    return [error.reason or str(error) for error in xmlschema.XMLSchema(SCHEMAS / "junit.xsd").iter_errors(text)]


@pytest.mark.parametrize("fails", OUTCOMES)
def test_gradescope(fails):
    data = json.loads(exports.gradescope(make_result("ada", fails)))
    assert complaints("gradescope.schema.json", data) == []
    # Gradescope shows the top-level score, and without one the sum over the tests: the two must agree.
    assert data["score"] == sum(test.get("score", 0) for test in data["tests"])
    # Gradescope would show zero of zero points as a pass, whatever the status says.
    assert [test["name"] for test in data["tests"] if "score" not in test and "max_score" not in test] == ["exists"]
    assert {test["name"] for test in data["tests"] if test["status"] == "failed"} == {
        check.name for check in make_result("ada", fails).checks if not check.passed
    }


def test_gradescope_says_what_to_do():
    tests = json.loads(exports.gradescope(make_result("ada", "counts.conflicts")))["tests"]
    failed = next(test for test in tests if test["name"] == "counts.conflicts")
    assert failed["output"].splitlines() == [
        "case: square",
        "seen: 31 conflicts",
        "wanted: at most 0",
        "Pad the tile.",
        "ada.cu:12: tile[threadIdx.x][0] = 1;",
        "bank 0 <- lane 0",
    ]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"score": "44"}, 'is not of type "number"'),
        ({"visibility": "always"}, "is not one of"),
        ({"grade": 1}, "Additional properties"),
        ({"tests": [{"max_score": 2.0}]}, '"score" is a required property'),
    ],
)
def test_the_shape_of_gradescope_refuses(change, complaint):
    data = {**json.loads(exports.gradescope(make_result())), **change}
    assert any(complaint in found for found in complaints("gradescope.schema.json", data))


@pytest.mark.parametrize("fails", OUTCOMES)
@pytest.mark.parametrize("environment", [RUNNER, {}], ids=["in the runner", "outside"])
def test_classroom50(fails, environment):
    result = make_result("ada", fails)
    data = json.loads(exports.classroom50(result, environment))
    assert complaints("classroom50.schema.json", data) == []
    # The runner checks this rule in code, not by its schema.
    assert data["score"] <= data["max-score"] and all(test["score"] <= test["max-score"] for test in data["tests"])
    assert (data["score"], data["max-score"]) == tuple(sum(test[key] for test in data["tests"]) for key in ("score", "max-score"))


def test_classroom50_takes_over_what_the_runner_says():
    data = json.loads(exports.classroom50(make_result(), RUNNER))
    assert {key: data[key] for key in ("classroom", "assignment", "assignment_type", "owner", "submission")} == {
        "classroom": "gpu-101",
        "assignment": "week-3",
        "assignment_type": "group",
        "owner": "ada-l",
        "submission": RUNNER["SUBMISSION_TAG"],
    }
    assert [data[key] for key in ("commit", "release", "review")] == [RUNNER[key] for key in ("COMMIT_URL", "RELEASE_URL", "REVIEW_URL")]
    assert data["datetime"] == "2026-06-01T14:32:05Z"
    assert exports.classroom50_missing(RUNNER) == []


def test_classroom50_without_a_review_link_has_that_of_the_commit():
    data = json.loads(exports.classroom50(make_result(), {**RUNNER, "REVIEW_URL": ""}))
    assert data["review"] == data["commit"] == RUNNER["COMMIT_URL"]


def test_classroom50_outside_its_runner_names_what_is_missing():
    assert exports.classroom50_missing({}) == ["CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL"]
    assert json.loads(exports.classroom50(make_result("ada"), {}))["owner"] == "ada"
    assert json.loads(exports.classroom50(make_result(None, submission="x.cu"), {}))["owner"] == "nobody"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"schema": "classroom50/result/v2"}, "was expected"),
        ({"submission": "main"}, "does not match"),
        ({"datetime": "2026-06-01 14:32:05"}, "does not match"),
        ({"score": -1}, "less than the minimum"),
        ({"owner": ""}, "is shorter than 1 character"),
        ({"tests": [{"test-name": "t", "passed": None, "score": 0, "max-score": 1}]}, 'is not of type "boolean"'),
    ],
)
def test_the_shape_of_classroom50_refuses(change, complaint):
    data = {**json.loads(exports.classroom50(make_result(), RUNNER)), **change}
    assert any(complaint in found for found in complaints("classroom50.schema.json", data))


def test_junit():
    results = [make_result(f"student{number}", fails) for number, fails in enumerate(OUTCOMES)]
    text = exports.junit(results, {"eve": "the grader ended with signal 9"})
    assert junit_complaints(text) == []
    root = xml.fromstring(text.encode())
    cases = root.findall(".//testcase")
    for element in (root, *root.findall("testsuite")):
        inside = element.findall(".//testcase")
        assert int(element.get("tests")) == len(inside)
        for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(element.get(count)) == sum(case.find(tag) is not None for case in inside), element.get("name")
    assert len(cases) == 6 * len(OUTCOMES) + 1
    failure = root.find("testsuite[@name='padding.student5']/testcase[@name='counts.conflicts']")
    assert (failure.get("file"), failure.get("line")) == ("student5.cu", "12")
    assert failure.find("failure").get("message") == "31 conflicts"
    assert "Pad the tile." in failure.find("failure").text


@pytest.mark.parametrize(("old", "new"), [("<testcase ", "<case "), ('failures="0"', 'failures="none"'), ('name="exists"', "")])
def test_the_shape_of_junit_refuses(old, new):
    text = exports.junit([make_result()])
    assert old in text and junit_complaints(text) == []
    assert junit_complaints(text.replace(old, new, 1))


def test_junit_of_what_xml_cannot_say():
    text = exports.junit([make_result("ada", "compiles", seen="\x1b[31m<error> & \x00\ud800")])
    assert junit_complaints(text) == []
    assert xml.fromstring(text.encode()).find(".//failure").get("message") == "\ufffd[31m<error> & \ufffd\ufffd"


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_of_a_class():
    results = [make_result(f"student{number}", fails) for number, fails in enumerate(OUTCOMES)]
    rows = [exports.class_row(result) for result in results]
    rows.append({"student": "eve", "submission": "eve.cu", "status": "error", "seen": "signal 9"})
    found = rows_of(exports.class_csv(rows, [check.name for check in results[0].checks]))
    for row in found:
        assert complaints("class-row.schema.json", row) == []
    assert [row["failed"] for row in found] == [*OUTCOMES, ""]
    assert [row["points"] for row in found] == ["100", "0", "0", "5", "20", "75", "85", ""]
    assert all(int(row["points"]) == sum(int(row[check.name]) for check in results[0].checks) for row in found[:-1])


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "+1", "-1", "@x", '"; drop', "two\nlines\r\nand\x00more"])
def test_no_cell_is_a_formula_or_more_than_a_line(text):
    row = {**exports.class_row(make_result()), "student": text, "seen": text}
    out = exports.class_csv([row], [])
    assert len(out.splitlines()) == 2
    assert all(cell[:1] not in ("=", "+", "-", "@") for cell in rows_of(out)[0].values())


def test_a_result_is_the_same_text_each_time():
    for make in (exports.gradescope, lambda result: exports.classroom50(result, RUNNER), lambda result: exports.junit([result])):
        assert make(make_result("ada", "safe")) == make(make_result("ada", "safe"))


def test_every_schema_says_where_its_shape_is_published():
    sources = {
        "gradescope.schema.json": "gradescope-autograders.readthedocs.io",
        "classroom50.schema.json": "foundation50/classroom50",
        "junit.xsd": "testmoapp/junitxml",
        "class-row.schema.json": "Our own format",
    }
    assert {path.name for path in Path(SCHEMAS).iterdir()} == set(sources)
    for name, source in sources.items():
        assert source in (SCHEMAS / name).read_text(encoding="utf-8")
