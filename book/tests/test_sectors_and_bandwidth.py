"""Maps of sectors, and plots of bandwidth."""

import re

import pytest
import synthetic
from test_directives import text_of

from conflict_free.evidence.names import ResultError
from directives.pictures.sectors import describe_access, touched_sectors
from directives.plots.bandwidth_plot import THEMES, bandwidth_rows, draw


def test_sectors_of_a_row_a_column_and_odd_accesses():
    row = {"size": 4, "lanes": [4 * lane for lane in range(32)]}
    assert list(touched_sectors(row)) == [0, 1, 2, 3]
    assert "32 lanes ask for 128 bytes in all, and 4 sectors of 32 bytes move: 128 bytes" in describe_access(row, "load")
    assert "Every byte that moves was asked for." in describe_access(row, "load")
    column = {"size": 4, "lanes": [8192 * lane for lane in range(32)]}
    assert len(touched_sectors(column)) == 32
    assert "Each lane's bytes start 8,192 bytes after" in describe_access(column, "store")
    assert "Of each 32 bytes moved, 4 were written." in describe_access(column, "store")
    shifted = {"size": 4, "lanes": [4 + 4 * lane for lane in range(32)]}
    assert len(touched_sectors(shifted)) == 5
    split = {"size": 16, "lanes": [24]}
    assert [(span.start, span.size) for spans in touched_sectors(split).values() for span in spans] == [(24, 8), (0, 8)]
    broadcast = {"size": 4, "lanes": [64, None, 64]}
    assert [span.lanes for span in touched_sectors(broadcast)[2]] == [(0, 2)]
    assert "All lanes ask for the same bytes." in describe_access(broadcast, "load")
    assert "Every byte" not in describe_access(broadcast, "load")


def test_a_sector_map_draws_each_sector_and_says_what_it_shows(project):
    html = project.build_page(".. sector-map:: naive.transpose_naive_row_read store")
    wide = re.search(r'<svg class="wide".*?</svg>', html, re.DOTALL)[0]
    assert wide.count('class="moved"') == 32 and wide.count('class="asked"') == 32
    assert 'role="img"' in wide and "32 sectors of 32 bytes move: 1,024 bytes" in wide
    assert "output[threadIdx.x * width] = input[threadIdx.x];" in text_of(html) and "Drawn are" not in html
    html = project.build_page(".. sector-map:: naive.transpose_naive_row_read store\n   :first: 8")
    assert re.search(r'<svg class="wide".*?</svg>', html, re.DOTALL)[0].count('class="moved"') == 8
    assert "32 sectors of 32 bytes move: 1,024 bytes" in html and "Drawn are the first 8." in html
    assert "Drawn are" not in project.build_page(".. sector-map:: naive.transpose_naive_row_read store\n   :first: 32")


def test_the_bandwidth_plot_is_drawn_in_both_themes_with_its_figures_as_text(project):
    html = project.build_page(".. bandwidth-plot::")
    sources = re.findall(r'(?:src|srcset)="(_images/bandwidth-[^"]+\.svg)"', html)
    assert len(set(sources)) == 4
    for source in sources:
        assert "<svg" in (project.folder / "html" / source).read_text()
    assert "cudaMemcpy 1,100 (1,048 to 1,134)" in html
    assert 'class="only-light"' in html and 'class="only-dark"' in html
    assert "lazy" not in html, "a picture of a whole page has plots that nobody scrolled to"


def test_the_bandwidth_plot_descends(project):
    rows = bandwidth_rows(project.evidence(), "16384x16384")
    assert [row["kernel"] for row in rows][:2] == ["cudaMemcpy", "copy_plain"]
    assert [row["gbps"] for row in rows] == sorted((row["gbps"] for row in rows), reverse=True)
    assert all(row["low"] < row["gbps"] < row["high"] for row in rows)


def test_the_bandwidth_plot_shows_the_kernels_that_are_chosen_and_misses_none(project):
    evidence = project.evidence()
    rows = bandwidth_rows(evidence, "16384x16384", ["copy_plain"])
    assert [row["kernel"] for row in rows] == ["copy_plain"]
    with pytest.raises(ResultError, match="for not_there"):
        bandwidth_rows(evidence, "16384x16384", ["copy_plain", "not_there"])


def test_the_bandwidth_plot_names_the_ceiling_where_it_is_drawn_and_the_latest_of_its_results(project):
    with synthetic.changed_json(project.results / synthetic.MACHINE / "naive.json") as result:
        result["provenance"]["date"] = "2031-01-01T00:00:00Z"
    of_copy = project.build_page(".. bandwidth-plot::\n   :kernels: cudaMemcpy copy_plain")
    assert "gray: cudaMemcpy, the ceiling." in of_copy and "2031-01-01" not in of_copy
    of_both = project.build_page(".. bandwidth-plot::\n   :kernels: copy_plain transpose_naive_row_read")
    assert "gray" not in text_of(of_both).split("Effective bandwidth")[1] and "2031-01-01" in of_both


def test_the_same_bandwidth_plot_is_the_same_file(project, tmp_path):
    rows = bandwidth_rows(project.evidence(), "2048x2048")
    for name in ("first.svg", "second.svg"):
        draw(rows, "narrow", {"light": tmp_path / f"light_{name}", "dark": tmp_path / name})
    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()
    dark, light = ((tmp_path / name).read_text(encoding="utf-8") for name in ("first.svg", "light_first.svg"))
    for part, color in THEMES["light"].items():
        assert dark.count(THEMES["dark"][part]) == light.count(color), part
        assert color not in dark and (color in light or part == "here")
    assert not list(tmp_path.glob("*.partial"))
