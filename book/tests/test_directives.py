# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Tests of directives and roles: small books about an invented machine, built in a temporary folder."""

import json
import re

import pytest
import synthetic

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.names import ResultError
from directives.listings.diff import diff_lines
from directives.listings.listing import margin
from directives.pictures.sectors import describe_access, touched_sectors
from directives.plots.bandwidth_plot import bandwidth_rows, draw


def text_of(html: str) -> str:
    """Return HTML without tags, entities undone, white space collapsed. A word that may be broken is one word."""
    import html as entities

    return " ".join(entities.unescape(re.sub(r"<[^>]+>", " ", html.replace("<wbr/>", ""))).split())


def replace_in(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


# ------------------------------------------------------------------------------------------ values


def test_a_value_stands_in_the_text_with_its_provenance(project):
    html = project.build_page("It moves :val:`copy.copy_plain.2048.gbps|.1f` GB/s.")
    assert re.search(r"It moves <span class=\"val\"[^>]*>1000.0<span class=\"val-tip\"", html)
    assert "Invented GPU 1, driver 1.2.3" in html
    described, tip = re.search(r'aria-describedby="([^"]+)".*?role="tooltip" id="([^"]+)"', html).groups()
    assert described == tip


def test_two_values_have_two_tooltips(project):
    html = project.build_page(":val:`machine.gpu` :val:`machine.gpu`")
    ids = re.findall(r'role="tooltip" id="([^"]+)"', html)
    assert len(ids) == len(set(ids)) == 2


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("copy.copy_plain.2048.speed", "unknown metric 'speed'"),
        ("copy.copy_plain.64.gbps", "no size 64x64"),
        ("copy", "malformed"),
        ("copy.copy_plain.2048.gbps|.zz", "does not fit"),
    ],
)
def test_a_bad_key_fails_with_file_and_line(project, key, message):
    warnings = project.build_error(f"Text.\n\nMore :val:`{key}`.")
    assert message in warnings
    assert re.search(r"index\.rst:6: ERROR", warnings)


def test_a_stale_key_fails(project):
    replace_in(project.source("copy"), "output[i] = input[i]", "output[i] = input[i + 1]")
    warnings = project.build_error(":val:`copy.copy_plain.2048.gbps`")
    assert "index.rst:4: ERROR" in warnings and "stale" in warnings


# ------------------------------------------------------------------------------------------ claims

TRUE = "copy.copy_plain.2048.gbps > naive.transpose_naive_row_read.2048.gbps"


def test_a_true_claim_is_its_sentence(project):
    html = project.build_page(f":claim:`The copy is faster [{TRUE}]`.")
    assert '<span class="claim" id="claim-0">The copy is faster</span>.' in html
    assert "here" not in text_of(html)


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("It is not [copy.copy_plain.2048.gbps < 900]", "the claim 'It is not' is false on invented: 1,000 < 900"),
        ("It is [copy.copy_plain.2048.gbps]", "not a comparison of two values"),
        ("It is", "not a sentence with a comparison"),
        ("It is [machine.gpu > 3]", "machine.gpu is not a number"),
        ("It is [copy.nothing.2048.gbps > 3]", "no kernel 'nothing'"),
    ],
)
def test_a_false_or_malformed_claim_fails_with_file_and_line(project, claim, message):
    warnings = project.build_error(f":claim:`{claim}`.")
    assert message in warnings
    assert re.search(r"index\.rst:4: ERROR", warnings)


# ---------------------------------------------------------------------------------------- listings


def test_a_listing_shows_the_region_and_nothing_else(project):
    html = project.build_page(".. kernel-listing:: copy.copy_plain")
    shown = re.search(r"<pre[^>]*>(.*?)</pre>", html, re.DOTALL)[1]
    lines = [text for text in re.sub(r"<[^>]+>", "", shown).replace("&lt;", "<").replace("&amp;", "&").split("\n")]
    region = project.source("copy").read_text().split("// [copy_plain]\n")[1].split("// [/copy_plain]")[0]
    assert "\n".join(lines) == region
    assert "chapters/copy/copy.cu, lines 7–12" in text_of(html)
    assert "[copy_plain]" not in shown


def test_a_margin_shows_counts_beside_their_line(project):
    html = project.build_page(".. kernel-listing:: naive.transpose_naive_row_read\n   :counts:")
    rows = re.findall(r'<span class="code-line">(.*?)</span>\n', html, re.DOTALL)
    noted = [row for row in rows if 'class="note' in row]
    assert len(noted) == 1
    assert text_of(noted[0]).startswith("output [ threadIdx . x")
    assert text_of(noted[0]).endswith("load 4 sectors store 32 sectors 8×")
    assert 'class="note excess" title="global store: 32 sectors a request, ideal 4"' in noted[0]
    assert "sm_90 at 2048 × 2048" in text_of(html)


def test_a_function_has_the_counts_of_a_kernel_that_calls_it(project):
    listing = ".. kernel-listing:: naive.transpose_naive_row_read\n   :counts:\n   :of: "
    assert "2048 × 2048, in transpose_naive_row_read" in text_of(project.build_page(listing + "transpose_naive_row_read"))
    assert "no kernel 'nothing'" in project.build_error(listing + "nothing")


def test_a_margin_sums_sites_of_one_line():
    site = {"file": "/somewhere/a.cu", "line": 3, "space": "global", "op": "load"}
    first = {**site, "requests": 1, "sectors": 32, "ideal_sectors": 4, "bytes": 128}
    second = {**site, "requests": 3, "sectors": 12, "ideal_sectors": 12, "bytes": 384}
    other = {**first, "file": "b.cu"}
    notes = margin({"lines": [first, second, other]}, "a.cu")
    assert [note["text"] for note in notes[3]] == ["11 sectors"]
    assert notes[3][0]["excess"] and notes[3][0]["factor"] == "2.75×"


def test_wavefronts_are_singular_when_one():
    line = {"file": "a.cu", "line": 1, "space": "shared", "op": "store", "instructions": 8, "wavefronts": 8}
    notes = margin({"lines": [{**line, "ideal_wavefronts": 8, "conflicts": 0}]}, "a.cu")
    assert [(note["text"], note["factor"]) for note in notes[1]] == [("1 wavefront", "")]


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        (".. kernel-listing:: copy.nothing", r"no region [nothing]; it has: constants, copy_plain"),
        (".. kernel-listing:: nothing.copy_plain", "no such source file"),
        (".. kernel-listing:: copy", "'copy' is not slug.kernel"),
        (".. kernel-listing:: copy.constants\n   :counts:", "no kernel 'constants' in the counts"),
        (".. kernel-listing:: copy.copy_plain\n   :counts:\n   :size: 64", "no size 64x64 of copy_plain"),
        (".. kernel-diff:: copy.copy_plain copy.nothing", "no region [nothing]"),
        (".. counted-table:: nothing", "no such file"),
        (".. partition-table:: naive", "the model watches no partitions on sm_90"),
        (".. partition-table:: gt200:copy", "no such file"),
        (".. counted-table:: copy\n   :kernels: nothing", "no kernel 'nothing'"),
        (".. measured-table:: nothing", "no results of chapter nothing on invented"),
        (".. measured-table:: copy\n   :sizes: 64", "no size 64x64"),
        (".. sector-map:: copy.copy_plain read", "'read' is not an access; accepted: load, store"),
        (".. sector-map:: copy.copy_plain load\n   :match: nothing", "found: none"),
        (".. bandwidth-plot::\n   :size: 64", "no result at 64x64"),
        (".. full-source:: nothing", "no such source file"),
        (".. predict::\n\n   A question.", "exactly one answer inside; this one has 0"),
    ],
)
def test_a_directive_without_evidence_fails_with_file_and_line(project, directive, message):
    warnings = project.build_error(directive)
    assert message in warnings
    assert re.search(r"index\.rst:4: ERROR", warnings)


@pytest.mark.parametrize(
    "directive",
    [".. measured-table:: copy", ".. bandwidth-plot::"],
)
def test_stale_results_fail_tables_and_plots(project, directive):
    replace_in(project.source("copy"), "output[i] = input[i]", "output[i] = input[i + 1]")
    assert "stale" in project.build_error(directive)


def test_broken_markers_fail_with_the_sources_line(project):
    replace_in(project.source("copy"), "// [/copy_plain]\n", "")
    warnings = project.build_error(".. kernel-listing:: copy.copy_plain")
    assert "copy.cu:14: region [copy_shared] opens inside [copy_plain] of line 6" in warnings


def test_full_source_is_whole_and_can_be_downloaded(project):
    html = project.build_page(".. full-source:: copy")
    shown = re.search(r"<details class=\"full-source\">.*?<pre[^>]*>(.*?)</pre>", html, re.DOTALL)[1]
    text = re.sub(r"<[^>]+>", "", shown).replace("&lt;", "<").replace("&amp;", "&").replace("&quot;", '"')
    assert text == project.source("copy").read_text()
    target = re.search(r'href="([^"]+copy\.cu)"', html)[1]
    assert (project.folder / "html" / target).read_text() == project.source("copy").read_text()


def dense(html: str) -> str:
    """Return the text of some HTML without white space, whatever the highlighter made of it."""
    return "".join(text_of(html).split())


def test_a_diff_is_of_the_sources(project):
    html = project.build_page(".. kernel-diff:: copy.copy_plain naive.transpose_naive_row_read")
    said = text_of(html)
    assert "From copy.copy_plain to naive.transpose_naive_row_read ." in said
    assert dense(html).count("inti=blockIdx.x*TILE_DIM+threadIdx.x;") == 1, "the old kernel's line, and the new kernel has none"


def test_a_diff_shows_what_changes_and_folds_the_whole_kernel(project):
    html = project.build_page(".. kernel-diff:: copy.copy_plain copy.copy_shared")
    changes, whole = html.split('<details class="fold">')
    said = dense(changes.split("<pre")[1])
    assert "+__shared__floattile[TILE_DIM];" in said and "−output[i]=input[i];" in said
    assert "__global__" not in said, "a name and lines of both are no change"
    assert "The whole kernel, <code>copy_shared</code>" in whole and "blockIdx.x*TILE_DIM" in dense(whole)
    assert 'class="margin"' in whole
    bare = project.build_page(".. kernel-diff:: copy.copy_plain copy.copy_shared\n   :no-counts:")
    assert 'class="margin"' not in bare and "<details" in bare
    assert "<details" not in project.build_page(".. kernel-diff:: copy.copy_plain copy.copy_shared\n   :no-listing:")


def test_diff_lines_are_those_of_one_text_alone():
    lines = diff_lines("int a;\nint b;\nint d;\nint e;\n", "int a;\nint c;\n\nint d;\nint f;\n")
    assert [(line["kind"], re.sub("<[^>]+>", "", line["html"])) for line in lines] == [
        ("del", "int b;"),
        ("ins", "int c;"),
        ("gap", "⋯"),
        ("del", "int e;"),
        ("ins", "int f;"),
    ]


def test_that_kernels_are_called_differently_is_no_change_and_the_old_one_keeps_its_name():
    lines = diff_lines("void one(int* a)\n{\n  one(b);\n}\n", "void two(int* a)\n{\n  two(c);\n}\n", "one", "two")
    assert [re.sub("<[^>]+>", "", line["html"]).strip() for line in lines] == ["one(b);", "two(c);"]


# ------------------------------------------------------------------------------------------ tables


def test_a_diff_leaves_out_places_where_only_comments_differ():
    lines = diff_lines("// One.\nint a;\n// Old.\nint b;\n", "int a;\n// New.\nint c;\n")
    assert [(line["kind"], re.sub("<[^>]+>", "", line["html"])) for line in lines] == [
        ("del", "// Old."),
        ("del", "int b;"),
        ("ins", "// New."),
        ("ins", "int c;"),
    ]


def test_a_kernel_may_move_to_a_page_that_is_read_earlier(project):
    project.page(".. toctree::\n\n   a\n   z\n\n:ref:`It <kernel-copy_plain>`")
    pages = next(path.parent for path in project.folder.rglob("index.rst"))
    (pages / "a.rst").write_text("A\n=\n\nNothing.\n")
    (pages / "z.rst").write_text("Z\n=\n\n.. kernel-listing:: copy.copy_plain\n")
    assert project.build().warnings == ""
    (pages / "a.rst").write_text("A\n=\n\n.. kernel-listing:: copy.copy_plain\n")
    (pages / "z.rst").write_text("Z\n=\n\nNothing.\n")
    assert project.build().warnings == ""


def test_the_counted_table_holds_the_counts(project):
    said = text_of(project.build_page(".. counted-table:: naive"))
    assert "global store 131,072 requests 32 sectors 4 3,670,016 sectors" in said
    assert "global load 131,072 requests 4 sectors 4 0 sectors" in said
    assert "shared" not in said.split("transpose_naive_row_read")[1].split("transpose_naive_column_read")[0]


def test_tables_and_listings_show_the_counts_for_another_machine(project):
    data = json.loads((project.counts / "naive.json").read_text())
    synthetic.write_json(project.counts / "naive.gt200.json", data | {"machine": "gt200"})
    said = text_of(project.build_page(".. counted-table:: gt200:naive"))
    assert "Counted by the model for gt200 at 2048 × 2048" in said
    assert "counters of an" not in said
    said = text_of(project.build_page(".. kernel-listing:: gt200:naive.transpose_naive_row_read\n   :counts:"))
    assert "gt200" in said and "chapters/naive/naive.cu" in said


def test_the_counted_table_shows_shared_memory_and_barriers(project):
    said = text_of(project.build_page(".. counted-table:: copy\n   :kernels: copy_shared"))
    assert "grid 64 × 64, block 32 × 8, 4,096 bytes of shared memory" in said
    assert "shared load 131,072 instructions 1 wavefront 1 0 conflicts" in said
    assert "barrier 4,096" in said
    assert "copy_plain" not in said


def test_the_partition_table_shows_means_and_steps(project):
    said = text_of(project.build_page(".. partition-table:: gt200:naive\n   :kernels: transpose_naive_row_read"))
    assert "of the 8 that there are: counted by the model for gt200 at 2048 × 2048" in said
    assert "transpose_naive_row_read 90 8 of 8 12 steps to 8 1.75 of 8 3 steps to 1, 9 steps to 2" in said


def _with_counters(project, change=0, kernels=("transpose_naive_row_read", "transpose_naive_column_read")):
    path = project.results / synthetic.MACHINE / "naive.json"
    data = json.loads(path.read_text())
    data["provenance"]["profiler"] = "Profiler 3"
    program = json.loads((project.counts / "naive.json").read_text())
    for row in data["rows"]:
        for counted in program["rows"]:
            if (row["kernel"], row["size"]) == (counted["kernel"], counted["size"]) and row["kernel"] in kernels:
                counts = counted["counts"]
                row["counters"] = {
                    **{f"shared_{op}_wavefronts": counts[f"shared_{op}"]["wavefronts"] for op in ("load", "store")},
                    **{f"global_{op}_requests": counts[f"global_{op}"]["requests"] for op in ("load", "store")},
                    **{f"global_{op}_sectors": counts[f"global_{op}"]["sectors"] for op in ("load", "store")},
                }
                row["counters"]["global_store_sectors"] += change
    path.write_text(json.dumps(data))


def test_the_counted_table_says_that_counters_agree(project):
    assert "counters of" not in text_of(project.build_page(".. counted-table:: naive"))
    _with_counters(project)
    said = text_of(project.build().html())
    assert "counters of an Invented GPU 1, read by Profiler 3, give the same requests, sectors and wavefronts." in said


def test_the_counted_table_names_the_kernels_whose_counters_were_read(project):
    _with_counters(project, kernels=("transpose_naive_row_read",))
    said = text_of(project.build_page(".. counted-table:: naive"))
    assert "sectors and wavefronts for transpose_naive_row_read ." in said


def test_counters_that_differ_fail(project):
    _with_counters(project, change=1)
    warnings = project.build_error(".. counted-table:: naive")
    assert "global_store_sectors is 4,194,305 on the GPU and 4,194,304 in the model" in warnings


def test_a_chapter_without_counts_has_no_row_of_parity(project):
    _with_counters(project)
    assert "transpose_naive_row_read" in project.build_page(".. parity-table::")
    path = project.counts / "naive.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "rows": []}))
    assert "no counters in" in project.build_error(".. parity-table::")


def _untimed(project, machine):
    path = project.results / machine / "naive.json"
    data = json.loads(path.read_text())
    assert (data["rows"][0]["kernel"], data["rows"][0]["size"]) == ("transpose_naive_row_read", "2048x2048")
    data["rows"][0]["time"] = None
    path.write_text(json.dumps(data))


def test_a_size_too_small_to_time_has_no_value(project):
    _untimed(project, synthetic.MACHINE)
    warnings = project.build_error(":val:`naive.transpose_naive_row_read.2048.ms`")
    assert "naive.transpose_naive_row_read.2048x2048 was not timed on invented" in warnings


def test_a_size_too_small_to_time_has_no_row_of_the_readers_gpu(project):
    synthetic.write_evidence(project.chapters, project.counts, project.results, "local", "Invented GPU 2")
    _untimed(project, "local")
    local = project.build_page(".. measured-table:: naive").split("Your GPU: Invented GPU 2</label>")[1]
    assert local.count("<code>transpose_naive_row_read</code>") == 1
    assert local.count("<code>transpose_naive_column_read</code>") == 2


def test_the_measured_table_holds_the_ceiling_sizes_and_provenance(project):
    html = project.build_page(".. measured-table:: naive")
    said = text_of(html.split("</thead>")[1])
    assert said.index("cudaMemcpy") < said.index("transpose_naive_row_read") and "copy_plain" not in said
    assert "cudaMemcpy 1,100 100 0.0305 0.0296–0.0320 1,375 100 0.0244" in said
    assert "transpose_naive_row_read 450 41 4.77" in said
    assert "2048 × 2048 34 MB read and written, fits in L2" in said
    assert "16384 × 16384 2,147 MB read and written, larger than L2" in said
    assert "Invented GPU 1, driver 1.2.3, CUDA 0.0.0, 2001-02-03, commit 0123456789" in text_of(html)
    assert "Median of 40 samples" in text_of(html)


def test_the_measured_table_of_arrays_has_pairs_and_the_host_and_no_copy(project):
    synthetic.make_arrays(project.counts, project.results, "naive")
    html = project.build_page(".. measured-table:: naive")
    said = text_of(html.split("</thead>")[1])
    assert "copy_plain" not in said and "cudaMemcpy" not in said
    assert "% of cudaMemcpy" not in text_of(html)
    assert "billion pairs/s ms" in text_of(html.split("</thead>")[0])
    assert "5,000 25,000,000 pairs, fits in L2 host_search on the host 2.50 10 9.70–10.5 – –" in said
    assert "transpose_naive_row_read 2,500 0.0100 0.00970–0.0105 5,000 0.00500" in said
    assert said.count("host_search") == 1 and said.count("transpose_naive_row_read") == 2
    assert "90,000 8,100,000,000 pairs" in said
    assert "marked so: Invented CPU, 2 cores, timed by the host’s clock" in text_of(html)


def test_libraries_stand_last_in_the_measured_table_with_their_calls(project):
    synthetic.add_peers(project.results, "naive")
    html = project.build_page(".. measured-table:: naive\n   :sizes: 16384")
    said = text_of(html.split("</thead>")[1])
    assert "library_copy Invented 3.1 700 64 3.07" in said and " 1,400 102 1.53" in said
    assert said.index("transpose_naive_column_read") < said.index("library_copy") and said.count("library_copy Inv") == 1
    assert "What the libraries were called with" in said and "library_copy , Invented 3.1 library_copy(a, b < c);" in said
    assert '<tr class="library kernel">' in html and "library_copy(a,\n     b &lt; c);</pre>" in html
    assert "other_copy" not in said


def test_a_library_that_was_wrong_is_not_shown(project):
    synthetic.add_peers(project.results, "naive")
    assert "other_copy" not in project.build_page(".. measured-table:: naive\n   :kernels: transpose_naive_row_read")


def test_a_table_may_leave_libraries_out(project):
    synthetic.add_peers(project.results, "naive")
    html = project.build_page(".. measured-table:: naive\n   :no-peers:")
    assert "library_copy" not in html and "were called with" not in html


def test_without_libraries_a_table_says_nothing_of_them(project):
    assert "librar" not in project.build_page(".. measured-table:: naive")


def test_the_readers_libraries_stand_beside_ours(project):
    synthetic.add_peers(project.results, "naive")
    synthetic.write_local(project.chapters, project.results, ("copy", "naive"))
    said = text_of(project.build_page(".. measured-table:: naive\n   :sizes: 16384").split("</thead>")[1])
    assert re.search(r"library_copy Invented 3.1 700 64 .*? – – What the libraries", said)
    synthetic.add_peers(project.results, "naive", "local", factor=2)
    said = text_of(project.build().html().split("</thead>")[1])
    assert re.search(r"library_copy Invented 3.1 700 64 .*? 350 64 What the libraries", said)


def test_a_claim_and_a_value_may_be_about_a_library(project):
    synthetic.add_peers(project.results, "naive")
    html = project.build_page(
        ":claim:`The library is faster [naive.peers.library_copy.16384.gbps > naive.transpose_naive_row_read.16384.gbps]`, "
        "at :val:`naive.peers.library_copy.16384.gbps` GB/s.\n\n.. claim-table::"
    )
    assert "at 700 library_copy of Invented 3.1 at 16384 × 16384: cold, 40 samples, Invented GPU 1" in text_of(html)


def test_a_table_without_the_host_says_nothing_of_it(project):
    synthetic.make_arrays(project.counts, project.results, "naive")
    said = text_of(project.build_page(".. measured-table:: naive\n   :sizes: 90000x1"))
    assert "host" not in said.split("Your GPU")[0] and "5,000" not in said


def test_a_kernel_that_is_missing_at_a_size_fails_where_it_is_asked_for(project):
    synthetic.make_arrays(project.counts, project.results, "naive")
    warnings = project.build_error(".. measured-table:: naive\n   :kernels: host_search")
    assert "no size 90000x1 of host_search" in warnings


def test_each_kernel_is_counted_at_the_chapters_size_or_its_own(project):
    synthetic.make_arrays(project.counts, project.results, "naive")
    said = text_of(project.build_page(".. counted-table:: naive"))
    assert "Counted by the model for sm_90, in this build." in said
    assert "transpose_naive_row_read 5,000, grid 64 × 64, block 32 × 8 global load" in said
    assert "transpose_naive_column_read 64, grid 128 × 32, block 32 × 8; with all 2 launches" in said
    alone = text_of(project.build_page(".. counted-table:: naive\n   :kernels: transpose_naive_row_read"))
    assert "Counted by the model for sm_90 at 5,000, in this build." in alone
    listing = text_of(project.build_page(".. kernel-listing:: naive.transpose_naive_column_read\n   :counts:"))
    assert "counted by the model for sm_90 at 64" in listing
    assert "map" in project.build_page(".. sector-map:: naive.transpose_naive_column_read load")


def test_without_a_gpu_of_the_readers_one_line_says_how(project):
    said = text_of(project.build_page(".. measured-table:: naive"))
    assert "Your GPU Run scripts/measure and then scripts/book" in said


def test_the_readers_gpu_has_a_tab_as_soon_as_it_has_results(project):
    project.build_page(".. measured-table:: naive")
    synthetic.write_evidence(project.chapters, project.counts, project.results, "local", "Invented GPU 2")
    build = project.build()
    assert build.warnings == ""
    assert "Your GPU: Invented GPU 2" in text_of(build.html())
    for path in (project.results / "local").glob("*.json"):
        path.unlink()
    assert "Invented GPU 2" not in project.build().html()


def test_stale_rows_of_the_readers_gpu_are_marked(project):
    synthetic.write_evidence(project.chapters, project.counts, project.results, "local", "Invented GPU 2")
    path = project.results / "local" / "naive.json"
    data = json.loads(path.read_text())
    data["kernels"]["transpose_naive_row_read"]["hash"] = "sha256:" + 64 * "0"
    path.write_text(json.dumps(data))
    said = text_of(project.build_page(".. measured-table:: naive"))
    assert said.count("measured before its text changed") == len(synthetic.MEASURED_SIZES)


def test_published_figures_have_a_tab(project):
    figures = {
        "schema": 1,
        "citation": "someone2001",
        "size": "2048x2048",
        "bytes_per_gb": 1073741824,
        "note": "A note.",
        "machines": {"old": "Old GPU"},
        "rows": [
            {"slug": "copy", "kernel": "copy_plain", "classic_name": "copy", "gbps": {"old": 50.5}},
            {"slug": "naive", "kernel": "transpose_naive_row_read", "classic_name": "naive", "gbps": {"old": 1.5}},
        ],
    }
    synthetic.write_json(project.results / "historical" / "figures.json", figures)
    (project.book / "refs.bib").write_text("@misc{someone2001, author={A. Someone}, title={T}, year={2001}}")
    with (project.book / "conf.py").open("a") as conf:
        conf.write("extensions.append('sphinxcontrib.bibtex')\nbibtex_bibfiles = ['refs.bib']\n")
    page = ".. measured-table:: naive\n\n.. bibliography::"
    said = text_of(project.build_page(page))
    assert "copy_plain “copy” 50.5 transpose_naive_row_read “naive” 1.5" in said
    assert "Published effective bandwidth at 2048 × 2048, in GB/s of 1024³ bytes." in said and "A note." in said
    figures["label"] = "As printed"
    figures["rows"][0]["ms"] = {"old": 7.5}
    synthetic.write_json(project.results / "historical" / "figures.json", figures)
    said = text_of(project.build_page(page))
    assert "copy_plain “copy” 50.5 7.5 transpose_naive_row_read “naive” 1.5 –" in said
    assert "Published effective bandwidth and times at 2048 × 2048." in said and "As printed" in said
    for row in figures["rows"]:
        row["ms"] = {"old": 0.25}
        del row["gbps"]
    synthetic.write_json(project.results / "historical" / "figures.json", figures)
    assert "Published times at 2048 × 2048, in ms." in text_of(project.build_page(page))


# ---------------------------------------------------------------------------------------- pictures


def test_sectors_of_a_row_a_column_and_odd_accesses():
    row = {"size": 4, "lanes": [4 * lane for lane in range(32)]}
    assert list(touched_sectors(row)) == [0, 1, 2, 3]
    assert "32 lanes ask for 128 bytes in all, and 4 sectors of 32 bytes move: 128 bytes" in describe_access(row, "load")
    assert "Every byte that moves was asked for." in describe_access(row, "load")
    column = {"size": 4, "lanes": [8192 * lane for lane in range(32)]}
    assert len(touched_sectors(column)) == 32
    assert "Each lane's bytes start 8,192 bytes after" in describe_access(column, "store")
    assert "Of each 32 bytes moved, 4 were asked for." in describe_access(column, "store")
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
    assert "output[threadIdx.x * width] = input[threadIdx.x];" in text_of(html)


def test_the_bandwidth_plot_is_drawn_in_both_themes_with_its_figures_as_text(project):
    html = project.build_page(".. bandwidth-plot::")
    sources = re.findall(r'(?:src|srcset)="(_images/bandwidth-[^"]+\.svg)"', html)
    assert len(set(sources)) == 4
    for source in sources:
        assert "<svg" in (project.folder / "html" / source).read_text()
    assert "cudaMemcpy 1,100 (1,048 to 1,134)" in html
    assert 'class="only-light"' in html and 'class="only-dark"' in html


def test_the_bandwidth_plot_descends(project):
    rows = bandwidth_rows(Evidence(project.chapters, project.results, project.counts, synthetic.MACHINE), "16384x16384")
    assert [row["kernel"] for row in rows][:2] == ["cudaMemcpy", "copy_plain"]
    assert [row["gbps"] for row in rows] == sorted((row["gbps"] for row in rows), reverse=True)
    assert all(row["low"] < row["gbps"] < row["high"] for row in rows)


def test_the_bandwidth_plot_shows_the_kernels_that_are_chosen_and_misses_none(project):
    evidence = Evidence(project.chapters, project.results, project.counts, synthetic.MACHINE)
    rows = bandwidth_rows(evidence, "16384x16384", ["copy_plain"])
    assert [row["kernel"] for row in rows] == ["copy_plain"]
    with pytest.raises(ResultError, match="for not_there"):
        bandwidth_rows(evidence, "16384x16384", ["copy_plain", "not_there"])


def test_the_bandwidth_plot_names_the_ceiling_where_it_is_drawn_and_the_latest_of_its_results(project):
    path = project.results / synthetic.MACHINE / "naive.json"
    result = json.loads(path.read_text())
    result["provenance"]["date"] = "2031-01-01T00:00:00Z"
    path.write_text(json.dumps(result))
    of_copy = project.build_page(".. bandwidth-plot::\n   :kernels: cudaMemcpy copy_plain")
    assert "gray: cudaMemcpy, the ceiling." in of_copy and "2031-01-01" not in of_copy
    of_both = project.build_page(".. bandwidth-plot::\n   :kernels: copy_plain transpose_naive_row_read")
    assert "gray" not in text_of(of_both).split("Effective bandwidth")[1] and "2031-01-01" in of_both


def test_the_same_bandwidth_plot_is_the_same_file(project, tmp_path):
    rows = bandwidth_rows(Evidence(project.chapters, project.results, project.counts, synthetic.MACHINE), "2048x2048")
    for name in ("first.svg", "second.svg"):
        draw(rows, "dark", "narrow", tmp_path / name)
    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()
    assert not list(tmp_path.glob("*.partial"))


# --------------------------------------------------------------------------------------- questions


def test_an_answer_is_folded_without_script(project):
    html = project.build_page(".. predict::\n\n   What?\n\n   .. answer:: The end\n\n      *This.*")
    assert re.search(r'<details class="answer">\s*<summary>The end</summary>.*?<em>This\.</em>', html, re.DOTALL)
    assert "<details open" not in html


# ------------------------------------------------------------------------------------ dependencies


def test_nothing_is_read_again_when_nothing_changed(project):
    project.page(".. kernel-listing:: copy.copy_plain\n   :counts:\n\n.. measured-table:: naive\n\n.. bandwidth-plot::")
    project.build()
    read = []
    build = project.build
    from sphinx.environment import BuildEnvironment

    original = BuildEnvironment.prepare_settings

    def note(self, docname):
        read.append(docname)
        return original(self, docname)

    BuildEnvironment.prepare_settings = note
    try:
        build()
        assert read == []
        replace_in(project.source("copy"), "// a < b && c", "// another comment")
        assert "another comment" in build().html()
        assert read == ["index"]
    finally:
        BuildEnvironment.prepare_settings = original


@pytest.mark.parametrize("changed", ["counts", "results"])
def test_new_evidence_reaches_the_page(project, changed):
    page = ":val:`copy.copy_plain.2048.barriers` :val:`copy.copy_plain.2048.gbps`"
    project.build_page(page)
    if changed == "counts":
        path, number = project.counts / "copy.json", "777"
        data = json.loads(path.read_text())
        data["rows"][0]["counts"]["barriers"] = 777
    else:
        path, number = project.results / synthetic.MACHINE / "copy.json", "500"
        data = json.loads(path.read_text())
        for key in ("median_ms", "p10_ms", "p90_ms"):
            data["rows"][2]["time"]["cold"][key] *= 2
    path.write_text(json.dumps(data))
    build = project.build()
    assert build.warnings == ""
    assert f">{number}<" in build.html()


def test_other_builders_work(project):
    project.page(
        ":val:`copy.copy_plain.2048.gbps`\n\n.. kernel-listing:: copy.copy_plain\n\n.. bandwidth-plot::\n\n"
        ".. predict::\n\n   What?\n\n   .. answer::\n\n      This."
    )
    for builder in ("text", "gettext"):
        build = project.build(builder)
        assert build.warnings == ""
    assert "1,000" in (project.folder / "text" / "index.txt").read_text()


def test_a_missing_counts_folder_is_said_in_one_line(project):
    from sphinx.errors import ConfigError

    replace_in(project.book / "conf.py", "conflict_free_counts = '../counts'\n", "")
    project.page("Text.")
    with pytest.raises(ConfigError, match="conflict_free_counts is not set"):
        project.build()


# --------------------------------------------------------------------------------------- specimens

RACE = {
    "kind": "race",
    "kernel": "broken",
    "lines": [{"file": "broken.cu", "line": 4}, {"file": "broken.cu", "line": 2}],
    "message": "two threads touch the same bytes",
}


def test_a_specimen_shows_its_kernel_and_its_counts(project):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    html = text_of(project.build_page(".. specimen:: broken"))
    assert "chapters/errata/broken.cu, lines 2–5" in html
    assert "The program finds no fault in its output. The model says: no hazard" in html
    assert "shared load: 1 instruction, 4 wavefronts, 3 conflicts" in html
    assert "shared store" not in html


def test_a_specimen_shows_its_hazards_and_not_its_counts(project):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report(hazards=(RACE,), exit_code=1))
    html = text_of(project.build_page(".. specimen:: broken"))
    assert "The program finds its output wrong." in html
    assert "race at lines 2 and 4: two threads touch the same bytes" in html
    assert "no hazard" not in html and "conflicts" not in html


def test_launches_that_count_the_same_are_shown_once(project):
    report = synthetic.specimen_report()
    report["kernels"] += [*report["kernels"], *synthetic.specimen_report(conflicts=7)["kernels"]]
    synthetic.write_specimen(project.chapters, project.counts, report)
    html = text_of(project.build_page(".. specimen:: broken"))
    assert html.count("3 conflicts") == 1 and html.count("7 conflicts") == 1


def test_a_specimen_that_is_counted_on_an_older_machine_shows_both(project):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    synthetic.write_json(project.counts / "errata" / "broken.gt200.json", synthetic.specimen_report(conflicts=0))
    html = text_of(project.build_page(".. specimen:: broken"))
    assert "3 conflicts Of the same program on gt200 it says: no hazard shared load: 1 instruction, 1 wavefront, 0 conflicts" in html


def test_a_specimen_shows_what_was_measured_where_it_was(project):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    assert "measured" not in text_of(project.build_page(".. specimen:: broken"))
    synthetic.write_figures(project.results, {"cycles": 6.9})
    synthetic.write_figures(project.results, {"cycles": 7.7}, "local")
    html = text_of(project.build_page(".. specimen:: broken"))
    assert re.search(r"What broken measured. Invented GPU 1, .*? cycles 6.90 .*? cycles 7.70", html)


def test_a_figure_of_a_specimen_is_a_value(project):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    synthetic.write_figures(project.results, {"cycles": 6.9})
    html = project.build_page("It takes :val:`errata.broken.cycles` cycles. :claim:`Few [errata.broken.cycles < 7]`.")
    assert re.search(r'<span class="val"[^>]*>6.90<', html) and "cycles of broken: Invented GPU 1" in html


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("errata.broken.wavefronts", "no figure 'errata.broken.wavefronts' on invented; broken has: cycles"),
        ("errata.nothing.cycles", "no figure 'errata.nothing.cycles' on invented; nothing has: none"),
        ("errata.broken", "malformed; accepted: errata.SPECIMEN.FIGURE"),
    ],
)
def test_a_figure_that_is_not_there_fails(project, key, message):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    synthetic.write_figures(project.results, {"cycles": 6.9})
    assert message in project.build_error(f":val:`{key}`")


@pytest.mark.parametrize("page", [".. specimen:: broken", ":val:`errata.broken.cycles`"])
def test_a_figure_of_a_specimen_that_has_changed_since_fails(project, page):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    synthetic.write_figures(project.results, {"cycles": 6.9})
    replace_in(project.chapters / "errata" / "broken.cu", "= 1;", "= 2;")
    assert "errata.broken is stale on invented" in project.build_error(page)


@pytest.mark.parametrize(
    ("name", "message"),
    [("nothing", "nothing.cu"), ("broken", "there is no report")],
)
def test_a_specimen_without_its_program_or_report_fails(project, name, message):
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    (project.counts / "errata" / "broken.json").unlink()
    assert message in project.build_error(f".. specimen:: {name}")
