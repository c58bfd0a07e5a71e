"""Tests of the reader's GPU beside the book's: both are invented, and their results lie in a temporary folder."""

import re

import pytest
import synthetic
from test_directives import TRUE, replace_in, text_of

from conflict_free.evidence.metrics import is_measured
from directives.plots.bandwidth_plot import bandwidth_rows

CLAIM = f":claim:`The copy is faster [{TRUE}]`."


def local(project, slugs=("copy", "naive"), sizes=None):
    synthetic.write_local(project.chapters, project.results, slugs, sizes)


def change(project, *arguments, **options):
    synthetic.change_local(project.results, *arguments, **options)


# ------------------------------------------------------------------------------------------ claims


@pytest.mark.parametrize(
    ("expression", "measured"),
    [
        (TRUE, True),
        ("copy.copy_plain.2048.percent_of_memcpy < 90", True),
        ("machine.l2_mb > 30", True),
        ("errata.slower_by_ways.ways_32 / errata.slower_by_ways.ways_1 < 32", True),
        ("copy.copy_plain.2048.barriers == 0", False),
        ("copy.copy_plain.2048.global_load.sectors / copy.copy_plain.2048.global_load.bytes > 0.5", False),
        ("gt200:naive.transpose_naive_row_read.2048.partitions_per_step.store < 2", False),
        ("historical:gtx280.copy_plain.2048.gbps > 90", False),
    ],
)
def test_a_comparison_of_counts_is_the_same_on_every_machine(expression, measured):
    assert is_measured(expression) is measured


def test_a_claim_is_judged_on_the_readers_gpu(project):
    local(project)
    html = project.build_page(CLAIM)
    assert "holds here" in text_of(html)
    assert "500 faster than 225. The rule says: faster. copy_plain at 2048 × 2048: cold, 40 samples, Invented GPU 2" in html
    change(project, "naive", "transpose_naive_row_read", factor=0.01)
    html = project.build().html()
    assert "differs here" in text_of(html) and "500 faster than 22,500" in html


def test_a_stale_result_judges_no_claim(project):
    local(project)
    change(project, "naive", "transpose_naive_row_read", factor=0.01, stale=True)
    said = text_of(project.build_page(CLAIM))
    assert "stale here" in said and "differs" not in said


@pytest.mark.parametrize("slugs, sizes", [(("copy",), None), (("copy", "naive"), ("16384x16384",))])
def test_a_claim_about_what_was_not_measured_is_marked_so(project, slugs, sizes):
    local(project, slugs, sizes)
    assert "not measured here" in text_of(project.build_page(CLAIM))


def test_a_claim_about_counts_has_no_mark(project):
    local(project)
    said = text_of(project.build_page(":claim:`It is so [copy.copy_plain.2048.barriers == 0]`."))
    assert "It is so ." in said and "here" not in said


# ----------------------------------------------------------------------------------- the claim table

TABLE = ".. claim-table::\n\n.. toctree::\n\n   other"


def test_the_claim_table_lists_the_claims_of_all_pages_with_links(project):
    project.page(CLAIM, "other")
    html = project.build_page(TABLE)
    assert '<a href="other.html#claim-0">The copy is faster</a>' in html
    said = text_of(html)
    assert "1 claim." in said and "<summary>The claims, with what each compares</summary>" in html
    assert "1,000 faster than 450" in html and "Invented GPU 2" not in said and "your results" not in said
    assert 'id="claim-0"' in project.build().html("other")


def test_the_claim_table_has_the_readers_verdicts(project):
    local(project)
    change(project, "naive", "transpose_naive_row_read", "16384x16384", factor=0.01)
    change(project, "naive", "transpose_naive_column_read", stale=True)
    claims = [
        TRUE,
        TRUE.replace("2048", "16384"),
        TRUE.replace("row_read", "column_read"),
        "copy.copy_plain.2048.gbps > 900",
        "copy.copy_plain.2048.barriers == 0",
    ]
    project.page("\n".join(f":claim:`Number {n} [{claim}]`." for n, claim in enumerate(claims)), "other")
    said = text_of(project.build_page(TABLE))
    rows = [said.split(f" Number {n} ")[-1].split(f" Number {n + 1} ")[0] for n in range(len(claims))]
    assert "1,000 faster than 450 500 faster than 225 holds here" in rows[0]
    assert "1,000 faster than 450 500 faster than 22,500 differs here" in rows[1]
    assert "1,000 faster than 300 stale here" in rows[2]
    assert "1,000 > 900 500 > 900 differs here" in rows[3]
    assert "here" not in rows[4].split("claims")[0]
    assert "Of the claims that your results can judge, 1 of 3 hold on your GPU. 1 stale." in said


def test_the_claim_table_follows_the_claims(project):
    project.page(CLAIM, "other")
    project.build_page(TABLE)
    project.page(CLAIM.replace("The copy is faster", "Copies win"), "other")
    assert "Copies win" in text_of(project.build().html())
    project.page("Nothing.", "other")
    said = text_of(project.build().html())
    assert "Copies win" not in said and "0 claims." in said


# ----------------------------------------------------------------------------------------- values


def test_the_tooltip_of_a_measured_value_has_the_readers(project):
    page = ":val:`copy.copy_plain.2048.gbps|.1f` :val:`copy.copy_plain.2048.barriers` :val:`machine.gpu`"
    assert "On your GPU" not in project.build_page(page)
    local(project)
    html = project.build().html()
    assert ">1000.0<" in html and html.count("On your GPU") == 2
    assert "On your GPU: 500.0</span>" in html and "On your GPU: Invented GPU 2</span>" in html
    change(project, "copy", "copy_plain", stale=True)
    assert "On your GPU: 500.0" not in project.build().html()


# ------------------------------------------------------------------------------- tables and the plot


def test_the_measured_table_has_the_readers_column_and_tab(project):
    local(project)
    html = project.build_page(".. measured-table:: naive")
    ours, theirs = html.split("Your GPU: Invented GPU 2</label>")
    said = text_of(ours.split("</thead>")[1])
    assert "cudaMemcpy 1,100 100 0.0305 0.0296–0.0320 1,375 100 0.0244 0.0237–0.0256 550 100" in said
    assert "transpose_naive_row_read 450 41 " in said and "225 41" in said
    assert "Your GPU: Invented GPU 2, cold; its tab has the rest." in text_of(ours)
    assert "transpose_naive_row_read 225 41" in text_of(theirs)


def test_without_results_of_the_readers_there_is_no_column_and_one_line_says_how(project):
    html = project.build_page(".. measured-table:: naive\n\n.. local-hint::")
    assert "beside" not in html and "its tab has the rest" not in html
    assert text_of(html).count("Run scripts/measure and then scripts/book") == 2
    local(project)
    assert "Run scripts/measure" not in text_of(project.build().html())


def test_stale_times_of_the_readers_stand_in_no_column(project):
    local(project)
    change(project, "naive", "transpose_naive_row_read", stale=True)
    ours, theirs = project.build_page(".. measured-table:: naive").split("Your GPU: Invented GPU 2</label>")
    assert text_of(ours).count("stale –") == 2
    assert "225 41" not in text_of(ours)
    assert text_of(theirs).count("measured before its text changed") == 2


def test_a_part_of_the_results_is_enough(project):
    page = ".. measured-table:: copy\n\n.. measured-table:: naive\n\n.. bandwidth-plot::"
    local(project, ("naive",), ("16384x16384",))
    said = text_of(project.build_page(page))
    assert said.count("Your GPU Run scripts/measure") == 1, "copy was not measured"
    assert said.count("Your GPU: Invented GPU 2") == 2, "the column's caption and the tab of naive"
    assert "cudaMemcpy 1,100 100 1.95 1.89–2.05 1,375 100 1.56 1.51–1.64 – –" in said
    assert "225 –" in said, "without a copy there is no percentage of it"


def test_other_sizes_than_the_books_are_shown_in_the_readers_tab(project):
    local(project)
    for slug in ("copy", "naive"):
        with synthetic.changed_json(project.results / "local" / f"{slug}.json") as data:
            data["rows"] = [row for row in data["rows"] if row["size"] == "2048x2048"]
            for row in data["rows"]:
                row.update(size="512x512", width=512, height=512, bytes=8 * 512 * 512, fits_l2=True)
    html = project.build_page(".. measured-table:: naive\n\n.. bandwidth-plot::")
    ours, theirs = html.split("Your GPU: Invented GPU 2</label>")
    assert "beside" not in ours
    assert "512 × 512" in text_of(theirs) and "2048 × 2048" not in text_of(theirs.split("</table>")[0])
    assert "Hollow" not in html


def test_results_without_times_are_said_to_be_so(project):
    local(project)
    with synthetic.changed_json(project.results / "local" / "naive.json") as data:
        for row in data["rows"]:
            row["time"] = None
    assert "Your results have no times of these kernels." in text_of(project.build_page(".. measured-table:: naive"))


def test_arrays_have_the_readers_column_too(project):
    local(project)
    for machine in (synthetic.MACHINE, "local"):
        synthetic.write_json(project.counts / "naive.json", synthetic.program(project.source("naive").read_text(), "naive"))
        synthetic.make_arrays(project.counts, project.results, "naive", machine)
    html = project.build_page(".. measured-table:: naive")
    ours = text_of(html.split("Your GPU: Invented GPU 2</label>")[0])
    assert "billion pairs/s ms billion pairs/s ms billion pairs/s" in ours
    assert "transpose_naive_row_read 2,500 0.0100 0.00970–0.0105 5,000 0.00500 0.00485–0.00525 2,500" in ours


@pytest.mark.parametrize("directive", [".. measured-table:: naive", ".. claim-table::", ".. machine-table::"])
def test_malformed_results_of_the_readers_are_named(project, directive):
    local(project, ("naive",))
    (project.results / "local" / "naive.json").write_text('{"schema": 1}')
    warnings = project.build_error(directive)
    assert "local/naive.json: at the top level:" in warnings and "index.rst:4: ERROR" in warnings


def test_the_bandwidth_plot_has_the_readers_bars(project):
    html = project.build_page(".. bandwidth-plot::")
    assert "Hollow" not in html
    sources = set(re.findall(r"_images/bandwidth-[^\"]+\.svg", html))
    local(project)
    change(project, "naive", "transpose_naive_row_read", stale=True)
    html = project.build().html()
    assert "Hollow: your GPU, Invented GPU 2." in html
    assert "On your GPU, Invented GPU 2: cudaMemcpy 550; copy_plain 500;" in html
    described = html.split("On your GPU")[1].split('"')[0]
    assert "transpose_naive_column_read 150" in described and "row_read" not in described, "it is stale"
    assert set(re.findall(r"_images/bandwidth-[^\"]+\.svg", html)).isdisjoint(sources)


def test_the_bandwidth_plot_keeps_the_readers_spread(project):
    local(project)
    rows = bandwidth_rows(project.evidence(), "2048x2048")
    assert all(row["here"]["low"] < row["here"]["gbps"] < row["here"]["high"] for row in rows)


# ------------------------------------------------------------------------------ machines and ratios

RATIOS = """\
.. ratio-table::

   copy.copy_shared.16384.gbps / copy.copy_plain.16384.gbps | the detour, over the copy
   naive.transpose_naive_row_read.16384.gbps / copy.copy_plain.16384.gbps | columns, over the copy
"""


def test_the_machines_stand_beside_each_other(project):
    page = ".. machine-table::"
    said = text_of(project.build_page(page))
    assert "GPU Invented GPU 1" in said and "yours" not in said
    assert "L2 40 MB" in said and "samples of a time 40" in said and "counters read by none" in said
    assert "checks of the output 10, none failed" in said
    local(project, ("naive",))
    said = text_of(project.build().html())
    assert "GPU Invented GPU 1 Invented GPU 2" in said and "chapters 2 1" in said


def test_clocks_are_a_range_or_not_told(project):
    path = project.results / synthetic.MACHINE / "naive.json"
    with synthetic.changed_json(path) as data:
        data["provenance"]["clocks_after"] = {"sm_mhz": 1500, "memory_mhz": 2000}
    said = text_of(project.build_page(".. machine-table::"))
    assert "1,000 to 1,500 MHz" in said and "clock of the memory, before and after 2,000 MHz" in said
    for slug in ("copy", "naive"):
        with synthetic.changed_json(project.results / synthetic.MACHINE / f"{slug}.json") as data:
            for when in ("clocks_before", "clocks_after"):
                data["provenance"][when] = {"sm_mhz": 0, "memory_mhz": 0}
    assert "before and after not told" in text_of(project.build().html())


def test_ratios_stand_beside_each_other(project):
    said = text_of(project.build_page(RATIOS))
    assert "the detour, over the copy copy.copy_shared.16384.gbps / copy.copy_plain.16384.gbps 0.225" in said
    assert "yours" not in said
    local(project)
    change(project, "copy", "copy_shared", factor=0.5)
    change(project, "naive", "transpose_naive_row_read", stale=True)
    said = text_of(project.build().html())
    assert "copy.copy_plain.16384.gbps 0.225 0.450" in said and "0.450 stale" in said
    (project.results / "local" / "copy.json").unlink()
    assert "copy.copy_plain.16384.gbps 0.225 –" in text_of(project.build().html())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (" | columns, over the copy", "", "is not 'KEY / KEY | LABEL'"),
        (
            "naive.transpose_naive_row_read.16384.gbps / copy.copy_plain.16384.gbps",
            "naive.transpose_naive_row_read.2048.barriers",
            "keys that are measured",
        ),
        ("   naive.transpose_naive_row_read.16384.gbps / copy.copy_plain.16384.gbps | columns, over the copy\n", "", "no ratio of naive"),
    ],
)
def test_a_ratio_that_is_malformed_or_missing_fails_with_file_and_line(project, old, new, message):
    assert old in RATIOS
    warnings = project.build_error(RATIOS.replace(old, new))
    assert message in warnings and re.search(r"index\.rst:4: ERROR", warnings)


def test_a_stale_book_stops_the_ratios(project):
    replace_in(project.source("copy"), "output[i] = input[i]", "output[i] = input[i + 1]")
    assert "stale" in project.build_error(RATIOS)


def test_other_builders_leave_the_tables_out(project):
    local(project)
    project.page(f"{CLAIM}\n\n.. claim-table::\n\n.. machine-table::\n\n{RATIOS}")
    for builder in ("text", "gettext"):
        assert project.build(builder).warnings == ""
