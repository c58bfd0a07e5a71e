"""Plots of speed-ups: what they draw, what they say, and what they refuse."""

import html as html_text
import json
import re

import pytest
import synthetic

from directives.plots import curves
from directives.plots.speedup_plot import Dot, Line, ticks
from directives.plots.speedup_plot import layout as plot_layout


def test_ticks_are_round_and_reach_the_most():
    assert ticks(7.3) == [0, 2, 4, 6, 8]
    assert ticks(100)[-1] == 100 and ticks(101)[-1] > 101


def test_dots_lie_in_proportion_and_inside_the_plot():
    lines = [Line("a", [Dot("s", 1.0, 0.9, 1.1), Dot("t", 4.0)])]
    page = {"width": 500, "left": 100, "line": 30, "above": 0}
    drawn = plot_layout(lines, ["s", "t"], "×", page, numbers=True)
    zero, end = drawn["ticks"][0]["x"], drawn["ticks"][-1]["x"]
    first, second = drawn["lines"][0]["dots"]
    assert (zero, first["series"], second["series"]) == (100, 0, 1)
    assert float(second["path"][1:].split()[0]) == pytest.approx(100 + (end - 100) * 4 / ticks(4.0)[-1], abs=0.1)
    assert first["whisker"][0] < float(first["path"][1:].split()[0]) < first["whisker"][1]
    assert second["whisker"] is None and end < 500


def test_a_speedup_plot_has_the_factor_and_the_spread_of_each_kernel(project):
    html = project.build_page(".. speedup-plot:: naive.transpose_naive_row_read naive.transpose_naive_column_read")
    described = html_text.unescape(re.search(r'aria-label="(How many[^"]+)"', html)[1])
    # 900 / 2 GB/s against 900 / 3, p10 and p90 at 0.97 and 1.05 of the median.
    assert "transpose_naive_row_read: Invented GPU 1 1×" in described
    assert "transpose_naive_column_read: Invented GPU 1 0.667× (0.635 to 0.687)" in described
    assert "with your GPU" not in described and html.count('class="mark"') == 4


def test_a_speedup_plot_shows_the_readers_gpu_beside_the_books(project):
    synthetic.write_local(project.chapters, project.results, ("naive",))
    html = project.build_page(".. speedup-plot:: naive.transpose_naive_row_read naive.transpose_naive_column_read")
    assert "Invented GPU 2 0.667×" in html
    synthetic.change_local(project.results, "naive", "transpose_naive_column_read", stale=True)
    assert "Invented GPU 2" not in re.search(r"<figure class=\"picture speedup\".*?</figure>", project.build().html(), re.DOTALL)[0]


def test_a_speedup_plot_of_what_was_not_measured_fails_the_build(project):
    assert "no size 64x64" in project.build_error(".. speedup-plot:: naive.transpose_naive_row_read\n   :size: 64")


def test_a_published_plot_is_of_the_publications_copy_and_of_cudamemcpy(project):
    folder = project.results / "historical"
    folder.mkdir(exist_ok=True)
    rows = [
        {"slug": "copy", "kernel": "copy_plain", "classic_name": "copy", "gbps": {"old": 50.0}},
        {"slug": "naive", "kernel": "transpose_naive_row_read", "classic_name": "naive", "gbps": {"old": 5.0}},
    ]
    data = {
        "schema": 1,
        "citation": "someone2001",
        "size": "2048x2048",
        "bytes_per_gb": 1000000000,
        "note": "Made up.",
        "machines": {"old": "Old GPU"},
        "rows": rows,
    }
    (folder / "made_up.json").write_text(json.dumps(data))
    html = project.build_page(".. published-plot:: someone2001")
    described = html_text.unescape(re.search(r'aria-label="(Bandwidth in percent[^"]+)"', html)[1])
    assert "transpose_naive_row_read: Old GPU 10%, Invented GPU 1 40.9% (39.0 to 42.2)" in described
    assert "copy_plain" not in described
    assert "transpose_naive" in project.build_page(".. published-plot:: someone2001\n   :kernels: transpose_naive_row_read")
    assert "no published figures of other in someone2001" in project.build_error(".. published-plot:: someone2001\n   :kernels: other")
    assert "no published figures of 'nobody'; there are: " in project.build_error(".. published-plot:: nobody")


def test_the_curves_show_the_fastest_of_each_kernel(project, monkeypatch):
    monkeypatch.setattr(curves.InFlight, "specimen", "broken")
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    figures = {"copy_tile_32_loads_4_kib_8": 900.0, "copy_tile_64_loads_8_kib_8": 700.0, "copy_tile_64_loads_8_kib_32": 2100.0}
    figures |= {"plain_tile_32_loads_4_kib_8": 950.0}
    synthetic.write_figures(project.results, figures | {"along_tile_64_loads_8_kib_8": 600.0, "down_tile_64_loads_8_kib_32": 1999.0})
    html = project.build_page(".. in-flight::\n\n   What to see: it climbs.")
    assert "a copy through the tile: 900 at 8, 2,100 at 32;" in html and "blocks numbered down: 1,999 at 32;" in html
    assert "What to see: it climbs. Invented GPU" in html and html.count('class="mark"') == 2 * 5 + 4
    assert "The axis begins at" not in html
    html = project.build_page(".. in-flight::\n   :kernels: plain\n\n   What to see: it climbs.")
    assert html.count('class="mark"') == 2 + 1 and "a copy without a tile: 950 at 8." in html
    html = project.build_page(".. in-flight::\n   :kernels: plain\n   :beside: copy.copy_plain 16\n\n   See.")
    assert ">copy_plain</text>" in html and " at 16." in html
    html = project.build_page(".. in-flight::\n   :kernels: plain\n   :line: copy.cudaMemcpy.16384.gbps / 1000: a line\n\n   See.")
    assert re.search(r"<path[^>]*V\d+\"/>\s*<text[^>]*>a line: \d+\.\d</text>", html) and "; a line: " in html
    ceiling = float(re.search(r">cudaMemcpy: ([\d,]+)</text>", html)[1].replace(",", ""))
    html = project.build_page(".. share-in-flight::\n   :curves: x: copy_tile_64_loads_8\n\n   See.")
    needed = 8 * ceiling / 700 - 4
    assert f"x: N is {needed:.1f} KiB: {70000 / ceiling:.0f} at {8 / needed:.4g}, {210000 / ceiling:.0f} at {32 / needed:.4g}." in html, (
        "8 KiB are 4 more than few"
    )
    assert ":line: has 'x'; accepted: KEY: WORDS" in project.build_error(".. in-flight::\n   :line: x\n\n   See.")
    for wrong in ("copy.copy_plain", "copy.copy_plain 0", "copy.copy_plain x"):
        message = f":beside: has {wrong!r}; accepted: SLUG.KERNEL N"
        assert message in project.build_error(f".. in-flight::\n   :kernels: plain\n   :beside: {wrong}\n\n   See.")
    html = project.build_page(
        ".. in-flight::\n   :curves: small tile: copy_tile_32_loads_4; both: copy_tile_64_loads_8 copy_tile_32_loads_4\n\n   See."
    )
    assert "small tile: 900 at 8; both: 700 at 8, 2,100 at 32." in html, "the first case that has the number"
    assert ":curves: names copy_tile_3, which has no figures" in project.build_error(
        ".. in-flight::\n   :curves: x: copy_tile_3\n\n   See."
    )
    assert ":curves: has 'x'; accepted: WORDS: CASE CASE …" in project.build_error(".. in-flight::\n   :curves: x\n\n   See.")
    message = ":kernels: names sideways; accepted: plain, copy, down, along"
    assert message in project.build_error(".. in-flight::\n   :kernels: plain sideways\n\n   See.")


def test_the_curves_of_ranges_leave_out_what_is_not_in_them(project, monkeypatch):
    monkeypatch.setattr(curves.SeparateRanges, "specimen", "broken")
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    synthetic.write_figures(
        project.results,
        {
            "stores_16_parts_512_kib_apart": 4100.0,
            "stores_16_parts_32_kib_apart": 3700.0,
            "stores_64_parts_256_kib_apart": 3800.0,
            "stores_ranges_1_kib_64": 4180.0,
        },
    )
    html = project.build_page(".. separate-ranges::\n\n   What to see: it rises.")
    assert "16 ranges: 1.02 at 8; 64 ranges: 1.10 at 16;" in html, "one range ÷ the speed, by the number of MiB, from 8 on"
    assert "The axis begins at 0.98. What to see: it rises." in html and "cudaMemcpy" not in html
    assert ">1.04<" in html


def test_the_curves_run_by_powers_of_two_from_the_lowest_speed():
    found = {"plain": {}, "copy": {4: 1000.0, 8: 2000.0, 16: 6000.0}, "along": {12: 5500.0}, "down": {8: 3500.0}}
    size = {"width": 300 + curves.RIGHT, "height": 500 + curves.TOP + curves.BOTTOM, "left": 100}
    page = curves.page_of(found, 5000.0, range(1000, 6001, 1000), size)
    assert [tick["label"] for tick in page["ticks"]] == ["4", "8", "16"] and [tick["x"] for tick in page["ticks"]] == [100, 200, 300]
    top = curves.TOP
    assert page["curves"][1]["line"] == f"M100.0 {top + 500.0}L200.0 {top + 400.0}L300.0 {top + 0.0}"
    assert page["curves"][0] == {"series": 0, "line": "", "marks": []}
    assert page["ceiling"] == {"y": top + 100, "label": "cudaMemcpy: 5,000"}
    assert page["beside"] == []
    named = curves.page_of(found, 5000.0, range(1000, 6001, 1000), size, {"right": (16.0, 2000.0), "left": (8.0, 1500.0)})["beside"]
    assert [one["name"] for one in named] == ["left", "right"]
    assert named[1]["name_y"] - named[0]["name_y"] == curves.NAME_STEP, "two names beside each other would cover each other"
    shares = curves.page_of({"x": {0.3: 1.0, 3.0: 2.0}}, 0, range(3), size)
    assert [tick["label"] for tick in shares["ticks"]] == ["1/2", "1", "2"], "the powers of two between the first number and the last"
    assert len({curve["marks"][0][-30:] for curve in page["curves"][1:]}) == 3, "each kernel has a shape of its own"
