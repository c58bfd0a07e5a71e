"""Rows of a matrix in their sectors, the lanes of an access in their tile, and figures as bars."""

import json
import math
import re

import pytest
import synthetic
from test_directives import text_of

from conflict_free.counts import WORK
from conflict_free.evidence.names import ResultError
from directives.pictures.fragment_map import elements_of
from directives.pictures.lane_tile import panel_of as lane_panel
from directives.pictures.row_sectors import mean_sectors, sectors_of_row
from directives.plots import bounds
from directives.plots.bounds import measured_cycles
from directives.plots.stacked_bars import bar_of
from directives.plots.value_bars import bars_of


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("elements", [32, 33, 500, 501, 1001, 1004])
def test_the_mean_of_sectors_is_that_of_the_rule(elements, size):
    assert mean_sectors(elements, size) == size + 1 - math.gcd(elements * size, 32) / 32


def test_a_row_that_begins_in_a_sector_touches_one_more():
    assert len(sectors_of_row(0, 1001, 4)) == 4
    late = sectors_of_row(1, 1001, 4)
    assert len(late) == 5 and late[125][0].start == 4, "row 1 begins at byte 4004, 4 bytes into sector 125"


def test_rows_are_drawn_side_by_side_with_their_mean(project):
    said = text_of(project.build_page(".. row-sectors:: 1024 1001\n   :rows: 2"))
    assert "Rows of 1024 elements 4 sectors row 0 4 row 1 4" in said
    assert "Rows of 1001 elements 4.875 sectors row 0 4 row 1 5" in said


def wide(columns: list[int], wavefronts: int) -> tuple[dict, dict]:
    """Return a launch and its only access: 32 lanes of 16 bytes, each in the next row of 128 bytes, in the given columns.

    Each wavefront serves as many lanes, in their order.
    """
    lanes = [1024 + 128 * lane + 16 * columns[lane % len(columns)] for lane in range(32)]
    access = {
        "file": "copy.cu",
        "line": 3,
        "space": "shared",
        "op": "store",
        "instruction": 0,
        "warp": 0,
        "occurrence": 0,
        "interval": 0,
        "size": 16,
        "lanes": lanes,
        "wavefronts": [[[lane, 256] for lane in range(32) if lane * wavefronts // 32 == number] for number in range(wavefronts)],
        "ideal_wavefronts": 4,
    }
    return {"kernel": "copy_shared", "machine": "sm_90", "banks": 32, "blocks": [{"block": [0, 0, 0], "accesses": [access]}]}, access


def test_lanes_stand_in_their_rows_and_those_that_meet_are_marked():
    panel = lane_panel(*wide([0, 0, 1], 16), "Three columns")
    assert panel["count"] == 8 and panel["excess"]
    assert [(one["lane"], one["row"], one["column"]) for one in panel["lanes"]][:3] == [(0, 0, 0), (1, 1, 0), (2, 2, 1)]
    assert panel["cost"] == "4 wavefronts, 16 for all 4 groups" and not any(one["alone"] for one in panel["lanes"])
    free = lane_panel(*wide(list(range(8)), 4), "A diagonal")
    assert all(one["alone"] for one in free["lanes"]) and not free["excess"] and free["cost"] == "1 wavefront, 4 for all 4 groups"


def test_a_lane_tile_is_drawn_from_the_trace(project):
    run, access = wide([0, 4], 16)
    access["line"] = next(
        number for number, line in enumerate(project.source("copy").read_text().splitlines(), 1) if "tile[threadIdx.x] =" in line
    )
    folder = project.counts.parent / "traces"
    folder.mkdir(exist_ok=True)
    (folder / "copy.json").write_text(json.dumps([run]))
    said = text_of(project.build_page(".. lane-tile::\n\n   copy.copy_shared store | Two places"))
    assert "No lane goes to the flat lines" not in said, "each of the eight rows has a lane"
    assert "Two places 4 wavefronts, 16 for all 4 groups" in said
    assert "the 8 lanes of a store that are served together first." in said
    again = text_of(project.build_page(".. lane-tile::\n   :as-above:\n   :groups: parts\n\n   copy.copy_shared store | Two places"))
    assert "Drawn as above. From the model's run" in again and "Shown are" not in again and "16 for all 4 parts" in again


def pairs(width: int) -> list[dict]:
    """Return the four loads of 4 bytes that bring 16 × 16 halves, in rows of ``width`` halves, from row 2 and column 8 on."""
    return [
        {"size": 4, "lanes": [2 * ((2 + down + lane // 4) * width + 8 + across + lane % 4 * 2) for lane in range(32)]}
        for across in (0, 8)
        for down in (0, 8)
    ]


def test_each_element_of_a_part_has_its_lane_and_register():
    elements = elements_of(pairs(64), 64)
    assert {(one["row"], one["column"]): (one["lane"], one["register"]) for one in elements}[9, 13] == (6, 3)
    with pytest.raises(ResultError, match="do not bring each element of 16 rows of 16 once"):
        elements_of(pairs(64)[:3], 64)


def test_a_fragment_map_is_drawn_from_the_trace(project):
    run, access = wide([0], 8)
    access |= {
        "op": "load",
        "line": 1
        + project.source("copy")
        .read_text()
        .splitlines()
        .index(next(line for line in project.source("copy").read_text().splitlines() if "= tile[" in line)),
    }
    run["blocks"][0]["accesses"] = [access | load | {"instruction": number} for number, load in enumerate(pairs(64))]
    folder = project.counts.parent / "traces"
    folder.mkdir(exist_ok=True)
    (folder / "copy.json").write_text(json.dumps([run]))
    html = project.build_page(".. fragment-map::\n   :row: 64\n\n   copy.copy_shared load | a: The first operand")
    assert "<title>row 9, column 13: lane 6, register a[3]</title>" in html and "The first operand" in html
    names = re.findall(r'<text class="register( right)?"[^>]*>(a\[\d\])</text>', html)[:4]
    assert sorted(names) == [("", "a[0]"), ("", "a[1]"), (" right", "a[2]"), (" right", "a[3]")]


def test_a_bound_is_a_part_of_the_measured_cycles(project):
    row = {"time": {"warm": {"median_ms": 0.5}}, "sm_mhz": 1000}
    assert measured_cycles(row) == 500_000
    assert measured_cycles(None) is None and measured_cycles(row | {"time": None}) is None
    assert measured_cycles(row | {"sm_mhz": None}) is None and measured_cycles(row | {"time": {"host": {"median_ms": 1}}}) is None


#: Milliseconds of an invented time, so that a kernel at 1 GHz takes 2,000 and 4,000 cycles.
TIMES = {"warm": 0.002, "cold": 0.004}


@pytest.fixture
def counted(project):
    """The project, in which copy_plain takes 1,000 cycles at least."""
    work = dict.fromkeys(WORK, 0) | {"wavefronts": 1000, "barriers": 4}
    counts = {
        "work": {"sum": {**work, "wavefronts": 132_000}, "least": work, "most": work, "loaded_sectors": 0, "stored_sectors": 0},
        "blocks": 132,
    }
    with synthetic.changed_json(project.counts / "copy.json") as program:
        for row in program["rows"]:
            if row["kernel"] == "copy_plain":
                row["counts"].update(counts)
    return project


def test_the_bounds_of_a_page_name_what_limits_each_kernel(counted, monkeypatch):
    monkeypatch.setattr(bounds, "measured_cycles", lambda row: 2000.0)
    said = text_of(counted.build_page(".. bounds::\n\n   copy.copy_plain\n"))
    assert "copy_plain wavefronts of the L1 and shared memory 50 %" in said.replace("copy_ plain", "copy_plain")
    monkeypatch.setattr(bounds, "measured_cycles", lambda row: None)
    assert "at least 1,000 cycles" in text_of(counted.build_page(".. bounds::\n\n   copy.copy_plain\n\nAgain.\n"))


def test_the_plot_of_bounds_has_each_time_that_was_counted_at_its_size(counted, monkeypatch, tmp_path):
    work = dict.fromkeys(WORK, 100) | dict.fromkeys(("loads_in_a_row", "shared_loads_in_a_row"), 0)
    found = {"sum": work, "least": work, "most": work, "loaded_sectors": 0, "stored_sectors": 0}
    launch = {"kernel": "k", "cycles": 50000, "blocks": 1, "work": found}
    table = {"provenance": {"gpu": "G", "date": "today"}, "programs": {"p": {"source": "a/b", "launches": [launch]}}}
    table["programs"]["large"] = {"source": "chapters/copy", "launches": [{**launch, "cycles": 100000}]}
    monkeypatch.setattr(bounds, "CYCLES", tmp_path / "others.json")
    bounds.CYCLES.write_text(json.dumps(table), encoding="utf-8")
    with synthetic.changed_json(counted.results / "invented" / "copy.json") as result:
        for row in result["rows"]:
            row["sm_mhz"] = 1000
            for state, ms in TIMES.items():
                row["time"][state].update(dict.fromkeys(("median_ms", "p10_ms", "p90_ms"), ms))
    page = counted.build_page(".. bound-shares::\n")
    assert "4 times of 2 kernels" in text_of(page) and "copy_plain reaches most, 50 %, and half stay below 14 %" in text_of(page)
    assert [found.count("M") for found in re.findall(r'class="mark" d="([^"]*)"', page)[:4]] == [1, 2, 0, 1]
    assert "Programs of others: 1, and chapters at sizes past the L2, on an G, today." in text_of(page)
    monkeypatch.setitem(bounds.REPETITIONS, "copy", 2)
    again = text_of(counted.build_page(".. bound-shares::\n\nAgain.\n"))
    assert "Repetitions within one launch reach 12 to 25 %" in again and "work once, k reaches most" in again


def test_bars_split_at_the_least(project):
    assert bars_of([("a", 10.0, "10"), ("b", 5.0, "5")], 5.0)[1] == {"name": "b", "text": "5", "width": 240.0, "least": 240.0}
    said = text_of(
        project.build_page(".. value-bars:: Speed\n   :least: 100\n   :because: what all reach\n\n   plain | copy.copy_plain.16384.gbps\n")
    )
    assert "plain 1,000 Speed. The first part of each bar: what all reach." in said
    assert 'value-bars gain"' in project.build_page(
        ".. value-bars:: Speed\n   :least: 1\n   :gain:\n\n   plain | copy.copy_plain.16384.gbps\n"
    )


def test_the_parts_of_a_stacked_bar_lie_one_behind_the_other_in_their_frame(project):
    bar = bar_of([10.0, 30.0], 60.0, 1.0)
    assert [(part["x"], part["width"], part["number"]) for part in bar["parts"]] == [(0, 10, ""), (10, 30, "30")]
    assert bar["frame"] == 60
    assert [(part["number"], part["small"]) for part in bar_of([16.0, 30.0], 0, 1.0)["parts"]] == [("16", True), ("30", False)]
    assert [part["number"] for part in bar_of([15.5, 15.0], 0, 1.0)["parts"]] == ["16", ""], (
        "a part of less than two small digits and the space beside them"
    )
    key = "copy.copy_plain.16384.gbps"
    said = text_of(
        project.build_page(
            f".. stacked-bars:: Speed\n   :parts: half; rest\n   :frame: all\n   :unit: GB/s\n\n   plain | {key} / 2 | {key} / 4 | {key} | {key}"
        )
    )
    assert "plain: 750 of 1,000 (75 %) 500 250 1,000 GB/s half rest all Speed." in said
    marked = project.build_page(f".. stacked-bars:: Speed\n   :parts: all\n   :mark: half | {key} / 2\n\n   plain | {key}")
    assert 'd="M250.0 19v17"' in marked and "all half: 500 Speed." in text_of(marked)
    of_word = ".. stacked-bars:: Speed\n   :parts: half; rest\n   :sum: GB/s\n   :keys: copy.{0}.16384.gbps / {1} | copy.{0}.16384.gbps / 4\n\n   plain | copy_plain | 2"
    html = project.build_page(of_word.replace("   :sum:", "   :shades: 0 3\n   :sum:"))
    assert "plain: 750 GB/s 500 250" in text_of(html) and html.count('class="part-3"') == 2 and "part-1" not in html
    exact = project.build_page(of_word.replace("   :sum:", "   :format: ,.1f\n   :sum:"))
    assert "plain: 750.0 GB/s 500.0 250.0" in text_of(exact)


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (".. stacked-bars:: Speed\n   :parts: a; b\n\n   plain | copy.copy_plain.16384.gbps", "is not NAME and 2 keys, with | between"),
        (
            ".. stacked-bars:: Speed\n   :parts: a; b\n   :shades: 0 4\n\n   plain | 1 | 2",
            ":shades: names 2 shades; accepted: 2 numbers from 0 to 3",
        ),
        (".. stacked-bars:: Speed\n   :parts: a\n   :mark: half\n\n   plain | 1", ":mark: 'half' is not WORDS | KEY"),
        (".. stacked-bars:: Speed\n\n   plain | copy.copy_plain.16384.gbps", ":parts: names 0 parts; accepted: 1 to 4, with ; between"),
        (".. row-sectors:: 1001\n   :size: 3", ":size: 3 is not the size of an access; accepted: 1, 2, 4, 8, 16"),
        (".. row-sectors:: 31", "'31' are not lengths of rows; accepted: numbers from 32 on"),
        (".. lane-tile::\n\n   copy.copy_shared", "does not begin with SLUG.KERNEL and load or store"),
        (".. value-bars:: Speed\n\n   copy.copy_plain.16384.gbps", "is not NAME | KEY"),
        (".. block-orders:: copy.copy_shared", "its order of blocks is not known"),
        (".. block-orders:: copy.copy_plain\n   :tiles: 3", ":at-once: 16 is more than the 9 blocks of 3 × 3 tiles"),
        (".. block-orders:: copy.copy_plain\n   :tiles: 3\n   :at-once: 5\n   :first: 5", ":first: 5 leaves 4 blocks of 9; 5 run at once"),
        (".. block-orders:: copy.copy_plain\n   :tiles: 3x0", ":tiles: is '3x0'; accepted: N, or COLUMNSxROWS"),
        (".. tile-orders:: copy.copy_plain", "names neither RowByRow nor InGroups"),
        (".. tile-orders:: copy.copy_plain\n   :down: 2\n   :across: 2\n   :at-once: 5", "5 is more than the 4 tiles of 2 × 2"),
        (".. tile-operands:: 9x1", "'9x1' is not DOWNxACROSS, each from 1 to 8"),
        (".. tile-nest:: 64x64\n\n   A tile | 48x32 | the L2", "48 × 32 does not divide 64 × 64 into 1 to 16 rows and columns"),
        (".. tile-nest:: 64x64\n\n   A tile | 32 | the L2", "'32' is not DOWNxACROSS"),
        (".. loop-orders:: 9 3", "accepted are 2 to 8 tiles and 2 to 4 rounds"),
        (".. partition-map:: naive store", "are not watched; accepted: machines such as gt200"),
        (".. partition-map:: gt200:naive move", "'move' is not an access"),
        (".. sector-explorer:: copy.copy_plain load\n   :lanes: 0", "is not offered; accepted: 1 to 32"),
    ],
)
def test_mistakes_fail_the_build(project, page, message):
    assert message in project.build_error(page)
