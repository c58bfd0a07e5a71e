"""Where reports say that an access stands, and by which name its kernel goes."""

import json

import pytest
from counting_tools import kernel, report
from made_counts import shared

from conflict_free.counting import html_report, launches, printed_report, report_diff, sarif_report
from conflict_free.counting.shown_names import LONGEST_NAME, shown_name
from conflict_free.counts import WORK


def store(file: str, line: int, *calls: tuple[str, int], stride: int = 128, **counts: int) -> dict:
    """Return a store to shared memory in a line that was inlined by calls, innermost first."""
    access = {"size": 4, "lanes": [stride * lane for lane in range(32)]}
    inlined = [{"file": name, "line": number, "function": "f"} for name, number in calls]
    found = {"file": file, "line": line, "space": "shared", "op": "store", "first_access": access, **shared(1, 32, 1), **counts}
    return {**found, "inlined_from": inlined} if inlined else found


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "a.cu"
    path.write_text("__global__ void k()\n{\n\tstore(s);\n\tload(s);\n}\n", encoding="utf-8")
    return path


IN_LIBRARY = kernel(lines=[store("lib.cuh", 7, ("lib.cuh", 90), ("a.cu", 3)), store("lib.cuh", 8, ("a.cu", 3)), store("other.cuh", 1)])


def test_the_access_of_a_library_stands_where_the_reader_calls_it():
    found = launches.accesses_of(IN_LIBRARY["lines"], {"a.cu"})
    assert [(each["file"], each["line"], each["wavefronts"], each.get("within")) for each in found] == [
        ("a.cu", 3, 64, ["lib.cuh:7", "lib.cuh:8"]),
        ("other.cuh", 1, 32, None),
    ]
    assert [each["file"] for each in launches.accesses_of(IN_LIBRARY["lines"])] == ["lib.cuh", "lib.cuh", "other.cuh"]


def test_accesses_of_one_line_with_different_patterns_are_rows_of_their_own(capsys, source):
    lines = [store("a.cu", 3), store("a.cu", 3, stride=4, **shared(1, 1, 1)), store("a.cu", 3, ("a.cu", 4))]
    printed_report.show(report(kernel(lines=lines)), [source])
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("shared store")]
    assert [row[2:4] for row in rows] == [["2", "32.00*"], ["1", "1.00"]]


def test_accesses_of_one_line_with_a_pattern_in_each_of_many_launches_are_one_row(source):
    for number, rows in ((4, 4), (5, 1)):
        found = launches.sum_of([kernel(lines=[store("a.cu", 3, stride=4 << n)]) for n in range(number)])
        assert len(found["lines"]) == rows
        assert sum(line["wavefronts"] for line in found["lines"]) == 32 * number


def test_each_report_shows_the_reader_s_line(capsys, source):
    data = report(IN_LIBRARY)
    printed_report.show(data, [source])
    text = capsys.readouterr().out
    assert "store(s);" in text and "in lib.cuh:7, lib.cuh:8" in text
    assert "<summary>in lib.cuh:7</summary>lib.cuh:8" in html_report.page(data, [source])
    places = [
        (result["ruleId"], result["locations"][0]["physicalLocation"]["region"]["startLine"])
        for result in sarif_report.log(data, [source])["runs"][0]["results"]
        if result.get("locations")
    ]
    assert ("bank_conflict", 3) in places and ("bank_conflict", 7) not in places
    changed = json.loads(json.dumps(IN_LIBRARY))
    changed["lines"][0]["wavefronts"] = 1
    found = "\n".join(report_diff.differences({**data, "files": [str(source)]}, report(changed)))
    assert "a.cu:3 shared store: wavefronts 64 -> 33" in found


def test_a_hazard_stands_where_the_reader_calls_the_library(capsys, source):
    hazard = {"kind": "race", "kernel": "k", "block": [0, 0, 0], "threads": [[0, 0, 0]], "message": "two", "help": ""}
    hazard["lines"] = [{"file": "lib.cuh", "line": 7, "inlined_from": [{"file": "a.cu", "line": 4, "function": "f"}]}]
    data = {**report(kernel()), "hazards": [hazard]}
    printed_report.show(data, [source])
    shown = capsys.readouterr().out
    assert "a.cu:4 in lib.cuh:7" in shown and "load(s);" in shown
    assert "a.cu:4 in lib.cuh:7" in html_report.page(data, [source])
    (result,) = [each for each in sarif_report.log(data, [source])["runs"][0]["results"] if each["ruleId"] == "race"]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 4


def test_a_program_without_lines_is_told_so(capsys):
    printed_report.show(report(kernel(lines=[store("", 0)])), [])
    assert "built without -lineinfo" in capsys.readouterr().out
    printed_report.show(report(kernel(lines=[store("a.cu", 3), store("", 0)])), [])
    assert "-lineinfo" not in capsys.readouterr().out


LONG = "kernel<policy<float, traits<int, 32>, (bool)1>, cub::block_load<float, 128, 4, true>, operation<plus<float>>, arguments<float*>>"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("transpose<float, 32>", "transpose<float, 32>"),
        (LONG, "kernel<policy<...>, block_load<...>, operation<...>, arguments<...>>"),
        ("f<" + "int, " * 40 + "int>", "f<" + "int, " * 14 + "...>"),
        ("f<" + "a::b::c<double>, " * 9 + "int>", "f<" + "c<...>, " * 9 + "int>"),
        ("f<" + "c" * 80 + ", int>", "f<...>"),
        ("x" * 90, "x" * 77 + "..."),
        ("a->b<c" + "d" * 80, "a->b<..."),
        ("", ""),
    ],
)
def test_a_name_has_at_most_80_characters(name, shown):
    assert shown_name(name) == shown and len(shown) <= LONGEST_NAME


def test_names_are_whole_on_demand(capsys):
    data = report(kernel(name=LONG))
    for whole, shown in ((False, shown_name(LONG)), (True, LONG)):
        printed_report.show(data, [], whole)
        assert f"\n{shown}   grid" in capsys.readouterr().out
    assert f'title="{LONG.replace("<", "&lt;").replace(">", "&gt;")}"' in html_report.page(data, [])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"exact": True}, ""),
        ({"exact": False, "fused": []}, "not exact"),
        (
            {"exact": False, "fused": [{"file": "", "line": 0, "ptx": "", "sass": "", "why": "not compared with machine code: x"}]},
            "not compared",
        ),
        ({"stopped": True, "exact": False}, "it was stopped"),
        ({"counted_blocks": 1, "blocks": 4, "exact": False}, "some of its blocks"),
    ],
)
def test_what_is_not_known_is_not_called_exact(more, said):
    assert printed_report.exactness_of(kernel(**more)).startswith(said) or said in printed_report.exactness_of(kernel(**more))
    assert bool(printed_report.exactness_of(kernel(**more))) == bool(said)


def test_each_report_has_the_bound(source):
    one = dict.fromkeys(WORK, 0) | {"wavefronts": 1000}
    work = {"sum": one, "least": dict(one), "most": dict(one), "loaded_sectors": 0, "stored_sectors": 0}
    first = kernel(work=work, blocks=1, lines=[store("a.cu", 3, wavefronts=992, ideal_wavefronts=31)])
    page = html_report.page(report(first), [source])
    assert "<h3>What to fix first</h3>" in page and '<meter value="1000" max="1000">' in page
    (note,) = [each for each in sarif_report.log(report(first), [source])["runs"][0]["results"] if each["level"] == "note"]
    text = note["message"]["text"]
    assert "1,000 cycles at least. Limited by wavefronts" in text and "Next: shared store at a.cu:3" in text
    assert text.endswith("With the shared store at a.cu:3 at its best, 39.")
    assert note["locations"][0]["physicalLocation"]["region"]["startLine"] == 3
    less = {**one, "wavefronts": 10, "barriers": 5}
    faster = {**first, "work": {**work, "least": less, "most": less, "sum": less}}
    changes = list(report_diff.differences(report(first), report(faster)))
    assert changes[1].startswith("  cycles at least 1,000 -> 70 (wavefronts of the L1")
