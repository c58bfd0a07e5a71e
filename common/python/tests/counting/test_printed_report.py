"""The report of scripts/count, as it is printed."""

import functools
import re
from pathlib import Path

import pytest
from counting_tools import SCHEMA, kernel, report
from made_counts import global_, shared
from rich.console import Console

from conflict_free.counting import launches, printed_report, subcommands


@pytest.fixture
def source(tmp_path) -> Path:
    path = tmp_path / "a.cu"
    path.write_text("__global__ void k()\n{\n\ts[0] = 1;\n}\n// after\n", encoding="utf-8")
    return path


def shown(capsys, data: dict, *sources: Path) -> str:
    printed_report.show(data, sources)
    return capsys.readouterr().out


def test_launches_of_one_configuration_are_folded():
    folded = launches.fold([kernel(0), kernel(1), kernel(2, block=[64, 1, 1]), kernel(3)])
    assert [(launches.number, launches.differ) for launches in folded] == [(3, False), (1, False)]
    assert folded[0].counts["shared_store"]["wavefronts"] == 128


def test_a_launch_that_was_stopped_is_not_summed_with_whole_ones(capsys):
    half = {"shared_store": shared(2, 64, 2), "stopped": True}
    text = shown(capsys, report(kernel(0), kernel(1, **half), kernel(2), kernel(3, **half), kernel(4, **{**half, "barriers": 0})))
    assert re.findall(r"^k +(.*)", text, re.MULTILINE) == [
        "grid 1 · block 32 x 2 · counts of each of 2 launches",
        "grid 1 · block 32 x 2 · sums of 3 launches · stopped before its end; counted until then",
    ]


def test_launches_that_differ_are_summed():
    same_pattern = {"first_access": kernel()["lines"][0]["first_access"]}
    other = kernel(
        1,
        shared_store=shared(5, 10, 5),
        lines=[
            {"file": "a.cu", "line": 2, "space": "shared", "op": "store", **shared(1, 2, 1)},
            {"file": "a.cu", "line": 3, "space": "shared", "op": "store", **shared(4, 8, 4), **same_pattern},
        ],
    )
    (folded,) = launches.fold([kernel(0), other])
    assert folded.differ and folded.number == 2
    assert folded.counts["shared_store"] == shared(9, 138, 9)
    assert folded.counts["barriers"] == 2 and folded.counts["grid"] == [1, 1, 1]
    assert [(line["line"], line["wavefronts"]) for line in folded.counts["lines"]] == [(2, 2), (3, 136)]


def test_the_listing_shows_the_function_and_its_counts(capsys, source):
    text = shown(capsys, report(kernel()), source)
    assert "\n1 barrier\n" in text
    assert "k   grid 1 · block 32 x 2\n" in text
    assert "store              4         128        4        124            32.00\n" in text
    assert "shared store      4 32.00*    3     s[0] = 1;\n" in text
    assert "   1 __global__ void k()\n" in text and "// after" not in text
    assert not any(line.endswith(" ") for line in text.splitlines())


def test_a_narrow_terminal_cuts_no_number(monkeypatch, capsys):
    counts = shared(123_456_789, 9_876_543_210, 123_456_789)
    data = report(
        kernel(shared_store=counts, lines=[{**kernel()["lines"][0], **counts}], global_load=global_(1 << 30, 1 << 35, 1 << 34, 1 << 40))
    )
    monkeypatch.setattr(printed_report, "Console", functools.partial(Console, force_terminal=True, color_system=None, width=60))
    text = shown(capsys, data)
    for number in ("9,876,543,210", f"{1 << 35:,}", f"{1 << 40:,}"):
        assert number in text
    assert "a.cu:3, shared store: lanes 32 words apart" in text


def test_rare_counts_are_shown(capsys, source):
    lines = [
        {"file": "a.cu", "line": 3, "space": "constant", "op": "load", "instructions": 4, "words": 8},
        {"file": "a.cu", "line": 3, "space": "global", "op": "async_copy", **global_(4, 64, 64, 2048)},
    ]
    text = shown(
        capsys,
        report(
            kernel(
                lines=lines,
                local_store=global_(2, 8, 8, 256),
                constant_load={"instructions": 4, "words": 8},
                async_copy={"global": global_(4, 64, 64, 2048), "shared": shared(4, 16, 16)},
            )
        ),
        source,
    )
    assert re.search(r"^local +requests.*\nstore +2 +8 ", text, re.MULTILINE)
    assert re.search(r"^constant +instructions +words +words each\nload +4 +8 +2.00$", text, re.MULTILINE)
    assert len(re.findall(r"^async copy +4 ", text, re.MULTILINE)) == 2
    assert "constant load" in text and "global async copy" in text


def test_what_is_not_exact_says_so(capsys, source):
    note = {"file": "a.cu", "line": 3, "ptx": "ld.shared.f32", "sass": "LDS.64", "why": "w"}
    text = shown(capsys, report(kernel(exact=False, fused=[note])), source)
    assert "not exact: the accesses on a GPU differ from the counted ones\n  a.cu:3: ld.shared.f32 -> LDS.64: w\n" in text


def test_registers_and_occupancy_are_a_line(source, capsys):
    resources = {"registers": 40, "spilled_store_bytes": 0, "spilled_load_bytes": 0, "blocks": 6, "warps": 48, "most_warps": 64}
    resources["limited_by"] = ["registers", "shared memory"]
    text = shown(capsys, report(kernel(resources=resources)), source)
    assert "\n40 registers a thread; 48 of 64 warps on a multiprocessor, limited by registers and shared memory\n" in text
    resources |= {"spilled_store_bytes": 1200, "spilled_load_bytes": 8}
    assert "40 registers a thread and spills, 1,200 bytes stored and 8 loaded; 48 of" in shown(
        capsys, report(kernel(resources=resources)), source
    )


def test_lines_of_unknown_files_are_counted_but_not_listed(capsys, source):
    lines = [{"file": "", "line": 0, "space": "shared", "op": "store", **shared(4, 128, 4)}]
    text = shown(capsys, report(kernel(lines=lines)), source)
    assert "32.00" in text and "s[0]" not in text


def test_a_line_behind_the_end_of_a_changed_file_is_no_crash(capsys, source):
    lines = [{"file": "a.cu", "line": 30, "space": "global", "op": "load", **global_(4, 4, 4, 128)}]
    assert "global load" in shown(capsys, report(kernel(lines=lines)), source)


def test_a_function_on_one_line_is_listed_alone(capsys, tmp_path):
    source = tmp_path / "a.cu"
    source.write_text("#include <x>\ntemplate <class T>\n__device__ T f(T* s) { return *s; }\nstruct Other {\n};\n", encoding="utf-8")
    text = shown(capsys, report(kernel(lines=[{"file": "a.cu", "line": 3, "space": "shared", "op": "store", **shared(4, 128, 4)}])), source)
    assert "__device__ T f" in text and "template" in text and "Other" not in text


def message(code: str, text: str, help_: str = "") -> dict:
    return {"code": code, "fields": {}, "message": text, "help": help_}


def test_what_stopped_the_program_is_shown_with_its_help(capsys):
    text = shown(capsys, report(errors=[message("stopped_itself", "it stopped itself", "Look for a trap.")], exit_code=1))
    assert "it stopped itself\n  Look for a trap.\n" in text


def test_a_hazard_of_an_unknown_place_is_shown(capsys):
    hazard = {
        "kind": "out_of_bounds",
        "kernel": "k",
        "block": [1, 0, 0],
        "threads": [],
        "lines": [{"file": "x.cu", "line": 3}],
        **message("past_allocation", "behind the end"),
    }
    text = shown(capsys, report(hazards=[hazard], exit_code=3))
    assert "out of bounds in k, block (1, 0, 0)\n  behind the end\n  x.cu:3\n" in text
    assert text.endswith("0 launches, 1 hazard, the program's exit code 3\n")


def test_the_exit_code_says_what_went_wrong():
    assert subcommands.exit_code(report()) == 0
    assert subcommands.exit_code(report(exit_code=7)) == 7
    stopped = message("stopped_itself", "it stopped itself")
    assert subcommands.exit_code(report(errors=[stopped])) == 1
    assert subcommands.exit_code(report(errors=[stopped], exit_code=124)) == 124
    race = message("race_in_shared_memory", "they race")
    hazard = {"kind": "race", "kernel": "k", "block": [0, 0, 0], "threads": [], "lines": [], **race}
    assert subcommands.exit_code(report(hazards=[hazard], exit_code=7)) == 1


@pytest.mark.parametrize("text", [None, "", "{"])
def test_a_program_that_leaves_no_report_is_no_silent_pass(tmp_path, text):
    path = tmp_path / "report.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    data = subcommands.read_report(path, "sm_90", 0)
    assert SCHEMA.misfits(data) == []
    assert subcommands.exit_code(data) == 1
