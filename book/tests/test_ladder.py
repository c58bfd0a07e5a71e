"""The ladder of transposes: whole, and as a strip at a chapter's head."""

import json
import re
from pathlib import Path

import pytest
import synthetic
from test_directives import text_of

BOOK = Path(__file__).resolve().parents[1]
RUNGS = [
    {"pages": ["naive"], "row": "naive.transpose_naive_row_read", "words": "write columns"},
    {"pages": ["index"], "row": "copy.copy_plain", "words": "write rows"},
]
BESIDE = [
    {"pages": ["naive"], "row": "copy.cudaMemcpy", "words": "cudaMemcpy, the ceiling"},
    {"pages": [], "row": "copy.peers.library_copy", "words": "a library"},
]
LADDER = {"of": "transposes", "size": "16384", "rungs": RUNGS, "beside": BESIDE}
OTHER = {
    "of": "copies",
    "size": "2048",
    "rungs": [{"pages": ["more"], "row": "copy.copy_plain", "words": "plain"}],
    "beside": [{"pages": [], "row": "copy.copy_shared", "words": "the rest, shared"}],
}


def with_ladder(project):
    synthetic.add_peers(project.results, "copy")
    (project.book / "ladder.json").write_text(json.dumps({"ladders": [LADDER, OTHER]}))
    project.page("A page with a few words.", "naive")
    return ".. toctree::\n\n   naive\n"


def test_a_ladder_has_its_rungs_in_their_order_and_libraries_beside_them(project):
    html = project.build_page(f".. ladder::\n\n{with_ladder(project)}")
    said = text_of(html)
    assert "write columns 450 41 % write rows 1,000 91 % cudaMemcpy, the ceiling 1,100 100 % a library 700 64 %" in said
    assert re.search(r'<a class="words" href="naive.html">write columns</a>', html)
    assert "you read <em>write rows</em> before <em>write columns</em>" in html, "the second rung is on the first page"


def test_a_strip_marks_the_rungs_of_its_page_and_says_how_long_the_page_takes(project):
    html = project.build_page(f".. rung::\n\n{with_ladder(project)}\n{'Many words. ' * 700}\n")
    assert html.count('aria-current="step"') == 1 and "About 10 minutes to read." in html
    assert re.search(r'aria-current="step" title="write rows: 91 % of cudaMemcpy\.', html)


def test_a_strip_has_a_kernel_that_is_no_rung_where_its_speed_is(project):
    tree = with_ladder(project)
    html = project.build_page(f".. rung::\n   :also: copy.peers.library_copy | a library\n\n{tree}")
    assert re.findall(r'<span class="words">([^<]+)', html) == ["write columns", "a library", "write rows", "cudaMemcpy, the ceiling"]
    assert html.count('aria-current="step"') == 1
    wrong = project.build_error(f".. rung::\n   :also: copy.peers.library_copy\n\n{tree}")
    assert ":also: 'copy.peers.library_copy' is not SLUG.KERNEL | WORDS" in wrong


def test_the_bars_of_a_strip_stand_on_a_logarithmic_scale_if_the_ladder_says_so(project):
    tree = with_ladder(project)
    (project.book / "ladder.json").write_text(json.dumps({"ladders": [LADDER | {"scale": "logarithmic"}, OTHER]}))
    html = project.build_page(f".. rung::\n\n{tree}")
    assert "GB/s at 16384 × 16384; bars from 100, equal steps are equal factors." in text_of(html)
    assert re.findall(r'style="height: ([\d.]+)%"', html) == ["62.7", "96.0", "100.0"]


def test_a_page_beside_the_ladder_has_the_minutes_alone(project):
    tree = with_ladder(project)
    project.page(".. rung::\n\nWords.", "other")
    project.page(f"{tree}   other\n")
    html = project.build().html("other")
    assert "minutes to read" in html and "<ol" not in html.split('<div class="rung">')[1].split("</div>")[0]


def test_a_page_has_the_strip_of_the_ladder_that_it_climbs(project):
    tree = with_ladder(project)
    project.page(".. rung::\n\nWords.", "more")
    project.page(f"{tree}   more\n")
    html = project.build().html("more")
    assert 'aria-label="The ladder of copies, in GB/s at 2048 × 2048"' in html and "% of the rest. " in html
    assert html.count('aria-current="step"') == 1 and "write columns" not in html.split('<div class="rung">')[1].split("</div>")[0]


@pytest.mark.parametrize("listed", json.loads((BOOK / "ladder.json").read_text(encoding="utf-8"))["ladders"], ids=lambda one: one["of"])
def test_the_rungs_of_the_book_climb(listed):
    rows = {}
    for path in (BOOK / "results" / "h200").glob("*.json"):
        for row in json.loads(path.read_text(encoding="utf-8"))["rows"]:
            if row["size"] == f"{listed['size']}x{listed['size']}" and row["time"]:
                rows[f"{path.stem}.{row['kernel']}"] = row["time"].get("cold", {}).get("median_ms")
    times = [rows[rung["row"]] for rung in listed["rungs"]]
    assert times == sorted(times, reverse=True)
    assert all((BOOK / f"{page}.rst").is_file() for rung in listed["rungs"] + listed["beside"] for page in rung["pages"])
