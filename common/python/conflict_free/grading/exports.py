"""Writes results in the formats of Gradescope, Classroom 50 and JUnit, and as CSV for a class.

schemas/ has the published shape of each format in our own words; the tests validate the output against it.
"""

import csv
import io
import json
import re
import xml.etree.ElementTree as xml
from collections.abc import Iterable, Mapping
from typing import Any

from .result import Check, Result

#: Variables of Classroom 50's runner, and the values that stand in the file where a variable is not set.
CLASSROOM50_PLACEHOLDERS = {"CLASSROOM": "no-classroom", "SUBMISSION_TAG": "submit/none", "COMMIT_URL": "none", "RELEASE_URL": "none"}
_TAG_TIME = re.compile(r"submit/(\d{4}-\d{2}-\d{2}T)(\d{2})-(\d{2})-(\d{2})Z")
_NO_TIME = "1970-01-01T00:00:00Z"

#: The columns of a class's CSV that come before those of the checks. After them: one for the points of each check.
CSV_COLUMNS = ("student", "submission", "status", "points", "max_points", "failed", "seen", "sha256", "seed")

# Characters that neither XML nor a terminal can show.
_CONTROL = re.compile(r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def details(check: Check) -> str:
    """Return the plain text about a check for a student; it is empty for a check that passed without a remark."""
    if check.passed is None:
        return "Not reached: an earlier check failed."
    parts = []
    if check.case:
        parts.append(f"case: {check.case}")
    if check.seen:
        parts.append(f"seen: {check.seen}")
    if check.wanted and not check.passed:
        parts.append(f"wanted: {check.wanted}")
    if check.help:
        parts.append(check.help)
    parts += [f"{place.file}:{place.line}: {place.text}".rstrip(": ") for place in check.lines]
    if check.picture:
        parts.append(check.picture)
    return "\n".join(parts)


def _json(data: Any) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def gradescope(result: Result) -> str:
    """Return the text of Gradescope's ``results.json``.

    A check without points has only a status: Gradescope would show zero of zero points as a pass.
    """
    tests = []
    for number, check in enumerate(result.checks, start=1):
        test = {
            "name": check.name,
            "number": str(number),
            "status": "passed" if check.passed else "failed",
            "output": details(check),
            "output_format": "text",
            "visibility": "visible",
        }
        if check.max_points:
            test |= {"score": check.points, "max_score": check.max_points}
        tests.append(test)
    return _json(
        {
            "score": result.points,
            "output": f"{result.title}: {result.points} of {result.max_points} points",
            "output_format": "text",
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "extra_data": {"assignment": result.assignment, "sha256": result.sha256, "seed": result.seed},
            "tests": tests,
        }
    )


def classroom50_missing(environment: Mapping[str, str]) -> list[str]:
    """Return the required variables of Classroom 50's runner that are not set. Without them the file has placeholders."""
    return [name for name in ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL") if not environment.get(name)]


def classroom50(result: Result, environment: Mapping[str, str]) -> str:
    """Return the text of Classroom 50's ``result.json``, format classroom50/result/v1.

    ``environment`` is that of the runner and names classroom, repository and commit. The runner overwrites owner, type and time
    later. A variable that is not set is replaced by a placeholder, so the file keeps its shape.
    """
    said = {name: environment.get(name) or other for name, other in CLASSROOM50_PLACEHOLDERS.items()}
    time = _TAG_TIME.match(said["SUBMISSION_TAG"])
    return _json(
        {
            "schema": "classroom50/result/v1",
            "classroom": said["CLASSROOM"],
            "assignment": environment.get("ASSIGNMENT") or result.assignment,
            "assignment_type": environment.get("ASSIGNMENT_TYPE") or "individual",
            "owner": environment.get("OWNER") or environment.get("USERNAME") or result.student or "nobody",
            "submission": said["SUBMISSION_TAG"],
            "commit": said["COMMIT_URL"],
            "release": said["RELEASE_URL"],
            "review": environment.get("REVIEW_URL") or said["COMMIT_URL"],
            # The time of the hand-in, from the tag.
            "datetime": f"{time[1]}{time[2]}:{time[3]}:{time[4]}Z" if time else _NO_TIME,
            "score": result.points,
            "max-score": result.max_points,
            "tests": [
                {
                    "test-name": check.name,
                    "passed": check.passed is True,
                    "score": check.points,
                    "max-score": check.max_points,
                    "output": details(check),
                }
                for check in result.checks
            ],
        }
    )


def _suite(result: Result) -> xml.Element:
    name = result.assignment if result.student is None else f"{result.assignment}.{result.student}"
    suite = xml.Element("testsuite", name=_text(name), **_sums([result]), file=_text(result.submission))
    properties = xml.SubElement(suite, "properties")
    for key in ("title", "points", "max_points", "machine", "sha256", "seed"):
        xml.SubElement(properties, "property", name=key, value=_text(str(getattr(result, key))))
    for check in result.checks:
        case = xml.SubElement(suite, "testcase", name=check.name, classname=_text(name))
        if check.lines:
            case.set("file", _text(check.lines[0].file))
            case.set("line", str(check.lines[0].line))
        if check.passed is None:
            xml.SubElement(case, "skipped", message=details(check))
        elif not check.passed:
            failure = xml.SubElement(case, "failure", message=_text(check.seen), type=check.name)
            failure.text = _text(details(check))
    return suite


def _sums(results: Iterable[Result]) -> dict[str, str]:
    checks = [check for result in results for check in result.checks]
    return {
        "tests": str(len(checks)),
        "failures": str(sum(check.passed is False for check in checks)),
        "errors": "0",
        "skipped": str(sum(check.passed is None for check in checks)),
    }


def _text(text: str) -> str:
    return _CONTROL.sub("\ufffd", text)


def junit(results: Iterable[Result], failed: Mapping[str, str] | None = None) -> str:
    """Return the text of a JUnit report: a suite for each result, a case for each check; not reached is skipped.

    ``failed`` has the grader's errors by student; each becomes a suite with one error.
    """
    results, failed = list(results), failed or {}
    sums = _sums(results)
    sums["tests"] = str(int(sums["tests"]) + len(failed))
    sums["errors"] = str(len(failed))
    root = xml.Element("testsuites", name="Conflict-Free CUDA", **sums)
    root.extend(map(_suite, results))
    for student, message in failed.items():
        suite = xml.SubElement(root, "testsuite", name=_text(student), tests="1", failures="0", errors="1", skipped="0")
        case = xml.SubElement(suite, "testcase", name="graded", classname=_text(student))
        xml.SubElement(case, "error", message=_text(message), type="grader")
    xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="unicode") + "\n"


def _cell(value: object) -> str:
    """Return a value as one line of text that no spreadsheet takes for a formula."""
    text = " ".join(_text("" if value is None else str(value)).split())
    return "'" + text if text[:1] in ("=", "+", "-", "@") else text


def class_row(result: Result) -> dict[str, object]:
    """Return a student's row of the CSV: ``CSV_COLUMNS``, and the points of each check by its name."""
    first = result.first_failed
    return {
        "student": result.student,
        "submission": result.submission,
        "status": "graded",
        "points": result.points,
        "max_points": result.max_points,
        "failed": first.name if first else "",
        "seen": first.seen if first else "",
        "sha256": result.sha256,
        "seed": result.seed,
        **{check.name: check.points for check in result.checks},
    }


def class_csv(rows: Iterable[Mapping[str, object]], checks: Iterable[str]) -> str:
    """Return the text of a class's CSV: a header, then ``rows`` in their order. The cell of a missing check is empty."""
    out = io.StringIO()
    columns = [*CSV_COLUMNS, *checks]
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row.get(column, "")) for column in columns])
    return out.getvalue()
