"""Files of results: which are valid, which are refused, and which are stale."""

import copy
import json

import pytest
from evidence_tools import BOOK_RESULTS, CHAPTERS, put

from conflict_free.evidence import files
from conflict_free.evidence.files import load_result, stale_kernels, validate_result
from conflict_free.evidence.names import HISTORICAL, LOCAL, SPECIMENS, ResultError
from conflict_free.evidence.source import Sources, read_sources

pytest_plugins = ["evidence_fixtures"]

# ------------------------------------------------------------------------------------------ files


def test_the_synthetic_files_are_valid(project, result):
    validate_result(result)
    files.validate_program(json.loads((project.counts / "copy.json").read_text()))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["schema"], 2, "schema"),
        (["machine"], "My GPU", "machine"),
        (["provenance", "gpu"], "", "provenance/gpu"),
        (["provenance", "commit"], KeyError, '"commit" is a required property'),
        (["provenance", "date"], "yesterday", "provenance/date"),
        (["provenance", "extra"], 1, "'extra' was unexpected"),
        (["kernels", "copy_plain", "hash"], "sha256:00", "kernels/copy_plain/hash"),
        (["kernels", "copy_plain"], KeyError, "no hash for copy_plain"),
        (["rows", 0, "time", "cold", "median_ms"], 0, "rows/0/time/cold/median_ms"),
        (["rows", 0, "time", "cold", "median_ms"], "fast", "rows/0/time/cold/median_ms"),
        (["rows", 0, "time", "warm", "p10_ms"], 1e9, "not in ascending order"),
        (["rows", 0, "size"], "2048", "rows/0/size"),
        (["rows", 0, "width"], 2047, "size is 2048x2048, but width and height are 2047 and 2048"),
        (["rows", 1, "fits_l2"], True, "says fits_l2 True"),
        (["rows", 0, "counters"], {"global_load_requests": 1}, "rows/0/counters"),
        (["rows"], [], "rows"),
    ],
)
def test_broken_results_are_refused_in_one_line(result, path, value, message):
    put(result, path, value)
    with pytest.raises(ResultError) as error:
        validate_result(result, "copy.json")
    assert str(error.value).startswith("copy.json: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_row_stands_once(result):
    result["rows"].append(copy.deepcopy(result["rows"][0]))
    with pytest.raises(ResultError, match="a second row of cudaMemcpy at 2048x2048"):
        validate_result(result)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["rows", 0, "counts", "lines", 0, "op"], "read"),
        (["rows", 0, "counts", "lines", 0, "requests"], KeyError),
        (["rows", 0, "counts", "global_load", "sectors"], -1),
        (["rows", 0, "counts", "lines", 0, "first_access", "lanes"], [0.5]),
        (["build"], "cpu"),
    ],
)
def test_broken_counts_are_refused(project, path, value):
    data = json.loads((project.counts / "copy.json").read_text())
    put(data, path, value)
    with pytest.raises(ResultError):
        files.validate_program(data)


def test_files_that_are_no_results_are_named(tmp_path, result):
    with pytest.raises(ResultError, match="no such file"):
        load_result(tmp_path / "copy.json")
    (tmp_path / "copy.json").write_text("{")
    with pytest.raises(ResultError, match="cannot be read as JSON"):
        load_result(tmp_path / "copy.json")
    (tmp_path / "copy.json").write_text('{"schema": NaN}')
    with pytest.raises(ResultError, match="NaN is not a number of JSON"):
        load_result(tmp_path / "copy.json")
    (tmp_path / "naive.json").write_text(json.dumps(result))
    with pytest.raises(ResultError, match="slug is copy; by its name it must be naive"):
        load_result(tmp_path / "naive.json")


COMMITTED = sorted(path for path in BOOK_RESULTS.glob("*/*.json") if path.parent.name not in (HISTORICAL, LOCAL))


def test_each_chapter_has_results_of_the_books_machine():
    chapters = {path.stem for path in CHAPTERS.glob("*/*.cu") if path.stem == path.parent.name}
    measured = {path.stem for path in COMMITTED if path.parent.name == "h200"}
    # A page may say that its chapter waits for the GPU, as those of new chapters do.
    waiting = {slug for slug in chapters if "\nNot measured yet.\n" in (CHAPTERS.parent / "book" / f"{slug}.rst").read_text()}
    assert chapters and measured - waiting == chapters - waiting | {SPECIMENS}


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_committed_results_are_valid(path):
    data = load_result(path)
    assert path.parent.name == data["machine"]


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_committed_results_are_of_todays_kernels(path):
    result = load_result(path)
    if path.stem == SPECIMENS:
        assert files.stale_specimens(result, CHAPTERS) == []
        return
    assert stale_kernels(result, read_sources(CHAPTERS / path.stem / f"{path.stem}.cu")) == []


@pytest.mark.parametrize("path", sorted((BOOK_RESULTS / "historical").glob("*.json")), ids=lambda path: path.stem)
def test_published_figures_are_valid_and_cited(path):
    data = files.load_historical(path)
    assert "{" + data["citation"] + "," in (BOOK_RESULTS.parent / "references.bib").read_text(encoding="utf-8")


def test_published_figures_name_known_machines():
    data = json.loads((BOOK_RESULTS / "historical" / "transpose_2009.json").read_text())
    data["rows"][0]["gbps"]["rtx"] = 1.0
    with pytest.raises(ResultError, match="figures of rtx, which is not in machines"):
        files.validate_historical(data)


# -------------------------------------------------------------------------------------- staleness


def test_changed_and_removed_kernels_are_stale(project, result):
    text = project.source("copy").read_text()

    def stale(old: str = "", new: str = "") -> list[str]:
        return stale_kernels(result, Sources.of_text(text.replace(old, new)))

    assert stale() == []
    assert stale("output[i] = input[i]", "output[i] = input[i + 1]") == ["copy_plain"]
    assert stale("copy_shared]", "copy_tile]") == ["copy_shared"]
    assert stale("TILE_DIM = 32", "TILE_DIM = 16") == ["copy_plain", "copy_shared"]
