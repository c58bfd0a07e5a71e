"""Maps of sectors, and plots of bandwidth."""

import re

import pytest
import synthetic
from test_directives import text_of

from conflict_free.evidence.names import ResultError
from directives.pictures.sectors import describe_access, touched_sectors
from directives.plots.bandwidth_plot import bandwidth_rows


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


def test_the_bandwidth_plot_has_bars_and_its_figures_as_text(project):
    html = project.build_page(".. bandwidth-plot::")
    assert "cudaMemcpy: Invented GPU 1 1,100 (1,048 to 1,134)" in html
    wide = re.search(r'<svg class="wide".*?</svg>', html, re.DOTALL)[0]
    ends = re.findall(r'class="bar( gray)?" d="M245 [\d.]+H([\d.]+)"', wide)
    assert [gray for gray, _ in ends] == [" gray", "", "", "", ""] and wide.count("whisker") == 5
    left, right = 245, float(re.search(r'x="([\d.]+)" y="\d+">1,200<', wide)[1])
    assert float(ends[0][1]) == pytest.approx(left + (right - left) * 1100 / 1200, abs=0.1)


def test_the_bandwidth_plot_descends(project):
    rows = bandwidth_rows(project.evidence(), "16384x16384")
    assert [row["kernel"] for row in rows][:2] == ["cudaMemcpy", "copy_plain"]
    dots = [row["dot"] for row in rows]
    assert dots == sorted(dots, key=lambda dot: -dot.value) and all(dot.low < dot.value < dot.high for dot in dots)


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
    assert "gray" not in text_of(of_both).split("Effective bandwidth")[-1] and "2031-01-01" in of_both
