"""The table at the end of scripts/book."""

import json
import re

import pytest
from conftest import program_rows
from synthetic import changed_json


@pytest.fixture
def counted(gpu_house):
    """A house whose chapter has been counted."""
    folder = gpu_house.root / "counts"
    folder.mkdir()
    (folder / "copy.json").write_text(json.dumps(program_rows("model")), encoding="utf-8")
    return gpu_house


def summary(house):
    done = house.run(
        "../common/python/conflict_free", "rendering.summary", str(house.root / "counts"), str(house.root / "book" / "results")
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def line_of(text: str, kernel: str) -> list[str]:
    (line,) = (line for line in text.splitlines() if line.split()[:1] == [kernel])
    return re.split(r"\s{2,}", line.strip())


def dash(text: str, reason: str) -> str:
    """An empty cell whose reason in the legend begins so."""
    (letter,) = re.findall(rf"^— ([a-z]): {re.escape(reason)}", text, re.MULTILINE)
    return f"— {letter}"


def measure(house, name):
    done = house.run("measure", "--no-setup", "--build-dir", str(house.root / "ready"), "--commit", "a", "--name", name)
    assert done.returncode == 0, done.stderr


def test_counts_alone(counted):
    text = summary(counted)
    assert line_of(text, "copy_plain") == ["copy_plain", "2048 × 2048", "4", "4", *[dash(text, "the kernel has no")] * 2, "3 of 3"]
    assert "For a column of your own GPU: scripts/measure" in text


def test_a_kernel_without_loads_says_so(counted):
    with changed_json(counted.root / "counts" / "copy.json") as data:
        for row in data["rows"]:
            if row["counts"]:
                row["counts"]["global_load"] = dict.fromkeys(row["counts"]["global_load"], 0)
    text = summary(counted)
    assert line_of(text, "copy_plain")[2:4] == [dash(text, "the kernel makes no such request"), "4"]


def test_the_books_machine_and_ones_own(counted):
    measure(counted, "h200")
    measure(counted, "local")
    text = summary(counted)
    assert line_of(text, "copy_plain")[7:] == ["16384 × 16384", "13,107", "100.0"] * 2
    assert line_of(text, "cudaMemcpy")[1:7] == [*[dash(text, "a function of a library")] * 5, "3 of 3"]
    assert "…" not in text
    assert "scripts/measure" not in text


def test_work_other_than_bytes_has_its_unit_and_no_percent_of_memcpy(counted):
    measure(counted, "local")
    with changed_json(counted.root / "book" / "results" / "local" / "copy.json") as data:
        for row in data["rows"]:
            row.update(size=f"{row['width']}x1", height=1, work={"unit": "pairs", "amount": 1e9})
            if row["reference"] and row["time"]:
                row["time"] = {"host": row["time"]["cold"]}
    text = summary(counted)
    for kernel in ("copy_plain", "cudaMemcpy"):
        assert line_of(text, kernel)[7:] == ["16,384", "6,104 Gpairs/s", dash(text, "its work is not measured in bytes")]


def change_rows(house, change):
    """Rewrites the rows of the result of the reader's own machine."""
    with changed_json(house.root / "book" / "results" / "local" / "copy.json") as data:
        data["rows"] = [row for row in data["rows"] if change(row) is not False]


def test_a_kernel_that_is_too_short_to_time_says_so(counted):
    measure(counted, "local")
    change_rows(counted, lambda row: row.update(time=None) if row["kernel"] == "cudaMemcpy" else None)
    text = summary(counted)
    assert line_of(text, "cudaMemcpy")[7:] == [dash(text, "one launch of one block is too short")] * 3
    assert line_of(text, "copy_plain")[9:] == [dash(text, "cudaMemcpy was not measured")]


def test_a_kernel_without_a_result_says_so(counted):
    measure(counted, "local")
    change_rows(counted, lambda row: row["kernel"] == "cudaMemcpy")
    text = summary(counted)
    assert line_of(text, "copy_plain")[7:] == [dash(text, "no result of that machine")] * 3


def test_an_array_is_compared_with_the_largest_copy(counted):
    measure(counted, "local")

    def shrink(row):
        if row["kernel"] == "copy_plain":
            row.update(size="5000x1", width=5000, height=1)
            return row["bytes"] > 1e9
        return None

    change_rows(counted, shrink)
    text = summary(counted)
    assert line_of(text, "copy_plain")[7:] == ["5,000", "13,107", "100.0+"]
    assert "+: of cudaMemcpy at its largest size" in text


def test_a_stale_row_is_marked(counted):
    measure(counted, "local")
    source = counted.root / "chapters" / "copy" / "copy.cu"
    source.write_text(source.read_text(encoding="utf-8").replace("32", "16"), encoding="utf-8")
    text = summary(counted)
    assert "16384 × 16384*" in text and "the kernel's text has changed since" in text


def test_a_missing_count_is_one_line(counted):
    (counted.root / "counts" / "copy.json").unlink()
    done = counted.run(
        "../common/python/conflict_free", "rendering.summary", str(counted.root / "counts"), str(counted.root / "book" / "results")
    )
    assert done.returncode == 1 and done.stderr.count("\n") == 1
