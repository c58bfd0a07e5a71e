"""Tables of what was counted, measured and published."""

import json
import re

import synthetic
from test_directives import text_of


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
    assert "barrier, once for each block 4,096" in said
    assert "copy_plain" not in said


def test_the_partition_table_shows_means_and_steps(project):
    said = text_of(project.build_page(".. partition-table:: gt200:naive\n   :kernels: transpose_naive_row_read"))
    assert "of the 8 that there are: counted by the model for gt200 at 2048 × 2048" in said
    assert "transpose_naive_row_read 90 8 of 8 12 accesses to 8 1.75 of 8 3 accesses to 1, 9 accesses to 2" in said


def _with_counters(project, change=0, kernels=("transpose_naive_row_read", "transpose_naive_column_read")):
    with synthetic.changed_json(project.results / synthetic.MACHINE / "naive.json") as data:
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


def test_counters_of_another_text_are_not_compared(project):
    _with_counters(project, change=1, kernels=("transpose_naive_row_read",))
    _with_counters(project, kernels=("transpose_naive_column_read",))
    source = project.chapters / "naive" / "naive.cu"
    source.write_text(source.read_text().replace("output[threadIdx.x * width]", "output[threadIdx.x * width + 0]"))
    said = text_of(project.build_page(".. parity-table::"))
    assert "measured before your change" in said and "1 kernels, one launch each" in said


def test_a_chapter_without_counts_has_no_row_of_parity(project):
    _with_counters(project)
    assert "transpose_naive_row_read" in project.build_page(".. parity-table::")
    path = project.counts / "naive.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "rows": []}))
    assert "no counters in" in project.build_error(".. parity-table::")


def _untimed(project, machine):
    with synthetic.changed_json(project.results / machine / "naive.json") as data:
        assert (data["rows"][0]["kernel"], data["rows"][0]["size"]) == ("transpose_naive_row_read", "2048x2048")
        data["rows"][0]["time"] = None


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


def test_a_copy_names_its_bytes_beside_kernels_of_other_bytes(project):
    with synthetic.changed_json(project.results / "invented" / "naive.json") as data:
        for row in data["rows"]:
            row["bytes"] //= 2
    said = text_of(project.build_page(".. measured-table:: naive").split("</thead>")[1])
    assert "2048 × 2048 17 MB read and written, fits in L2 cudaMemcpy 34 MB 1,100" in said
    assert said.count(" MB ") == 2 * len(re.findall("read and written", said)), "once for the size, and once for the copy"


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


def test_the_measured_table_of_products_has_no_copy(project):
    with synthetic.changed_json(project.results / "invented" / "naive.json") as data:
        for row in data["rows"]:
            row["work"] = {"unit": "FLOP", "amount": 2e9}
    said = text_of(project.build_page(".. measured-table:: naive"))
    assert "TFLOP/s ms" in said and "transpose_naive_row_read" in said and "cudaMemcpy" not in said


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
        ":claim:`The library is faster [naive.peers.library_copy.16384 faster than naive.transpose_naive_row_read.16384]`, "
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
    with synthetic.changed_json(project.results / "local" / "naive.json") as data:
        data["kernels"]["transpose_naive_row_read"]["hash"] = "sha256:" + 64 * "0"
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
