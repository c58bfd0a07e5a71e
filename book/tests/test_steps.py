"""Tests of the parts that tell the story of a page: strips of figures, the table of all kernels, folds, the array in its banks."""

import re

import pytest
import synthetic
from test_directives import text_of


def test_a_strip_shows_what_differs_before_and_after(project):
    html = project.build_page(".. step-figures:: naive.transpose_naive_row_read naive.transpose_naive_column_read")
    said = text_of(html)
    assert "sectors per global load 4 → 32" in said and "sectors per global store 32 → 4" in said
    assert "GB/s 450 → 300" in said and "% of cudaMemcpy 41 → 27" in said
    assert "wavefronts" not in said, "neither kernel has shared memory"
    assert "Counted by the model at 2048 × 2048. Timed on an Invented GPU 1 at 16384 × 16384, cold." in said
    assert "counted by the model for sm_90 in this build" in html, "each figure says where it comes from"


def test_a_strip_of_one_kernel_has_no_before(project):
    said = text_of(project.build_page(".. step-figures:: copy.copy_shared\n   :size: 2048"))
    assert "→" not in said and "wavefronts per shared load 1" in said and "at 2048 × 2048" in said


def test_a_strip_shows_what_is_asked_for_even_if_it_does_not_change(project):
    said = text_of(
        project.build_page(
            ".. step-figures:: naive.transpose_naive_row_read naive.transpose_naive_column_read\n   :show: barriers ms\n   :untimed:"
        )
    )
    assert "barriers 0 → 0" in said and "ms 4.77 → 7.16" in said and "GB/s" not in said


def test_a_strip_shows_the_share_of_a_library(project):
    synthetic.add_peers(project.results, "naive")
    strip = ".. step-figures:: naive.transpose_naive_row_read naive.transpose_naive_column_read\n   :percent-of: library_copy | a library"
    assert "GB/s 450 → 300" in (said := text_of(project.build_page(strip))) and "% of a library 64 → 43" in said


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (
            ".. step-figures:: naive.transpose_naive_row_read\n   :percent-of: library_copy",
            ":percent-of: 'library_copy' is not 'PEER | WORDS'",
        ),
        (".. step-figures:: naive.transpose_naive_row_read\n   :show: charm", ":show: 'charm' is not offered; accepted: global_load"),
        (".. step-figures:: copy.copy_plain copy.copy_plain\n   :untimed:", "no count of copy.copy_plain and copy.copy_plain differs"),
        (".. step-figures:: naive.nothing", "no kernel 'nothing'"),
        (".. kernel-table::\n\n" + "   copy.copy_plain\n" * 12, "has 13 rows; 12 at most"),
        (".. kernel-table::\n\n   copy", "'copy' is not slug.kernel"),
        (".. fold:: Empty", "Content block expected"),
    ],
)
def test_mistakes_fail_the_build(project, page, message):
    assert message in project.build_error(page)


def test_the_table_of_kernels_has_a_row_each_and_the_ceiling_first(project):
    said = text_of(
        project.build_page(".. kernel-table:: Rows are better.\n\n   copy.copy_plain\n   naive.transpose_naive_row_read | the first\n")
    )
    assert "Rows are better. Counted by the model at 2048 × 2048, for one warp instruction. Timed at 16384 × 16384, cold, median." in said
    assert "cudaMemcpy – – 1,100 100.0 copy_plain 4 4 1,000 90.9 transpose_naive_row_read the first 4 32 450 40.9" in said
    assert "shared memory" not in said, "no kernel of the table has any"


def test_the_table_of_kernels_shows_what_it_is_asked_for(project):
    said = text_of(project.build_page(".. kernel-table::\n   :show: barriers ms\n\n   copy.copy_shared\n"))
    assert "Counted by the model at 2048 × 2048. Timed" in said and "shared memory" not in said
    assert re.search(r"kernel barriers ms GB/s % of cudaMemcpy cudaMemcpy – [\d.]+ [\d,]+ 100.0 copy_shared 4,096 ", said)
    assert ":show: 'charm' is not offered" in project.build_error(".. kernel-table::\n   :show: charm\n\n   copy.copy_shared\n")


def test_a_caption_tells_what_the_model_counted_from_what_the_gpu_counted(project):
    with synthetic.changed_json(project.results / synthetic.MACHINE / "copy.json") as result:
        for row in result["rows"]:
            row["traffic"] = {"issue_slots": 400, "issue_slots_taken": 100}
    said = text_of(project.build_page(".. step-figures:: copy.copy_plain copy.copy_shared\n   :show: barriers percent_of_issue_slots"))
    assert "Counted by the model at 2048 × 2048. From the GPU's counters at 16384 × 16384: % of issue slots taken. Timed on" in said


def test_instructions_are_shown_in_billions(project):
    with synthetic.changed_json(project.results / synthetic.MACHINE / "copy.json") as result:
        for row, number in zip(result["rows"], range(1_234_000_000, 9_000_000_000, 1_000_000_000)):
            row["traffic"] = {"instructions": number}
    said = text_of(project.build_page(".. step-figures:: copy.copy_plain copy.copy_shared\n   :show: instructions"))
    assert re.search(r"billion instructions of all warps \d\.23 → \d\.23 ", said)


def test_a_table_names_each_commit_that_its_times_come_from(project):
    with synthetic.changed_json(project.results / synthetic.MACHINE / "naive.json") as result:
        result["provenance"]["commit"] = "f" * 40
    said = text_of(project.build_page(".. kernel-table::\n\n   copy.copy_plain\n   naive.transpose_naive_row_read\n"))
    assert "2001-02-03, commit 0123456789 and 2001-02-03, commit ffffffffff." in said


def test_the_table_of_arrays_has_their_rate_and_no_ceiling(project):
    synthetic.make_arrays(project.counts, project.results, "naive")
    said = text_of(project.build_page(".. kernel-table::\n   :size: 5000x1\n\n   naive.transpose_naive_row_read\n"))
    assert "billion pairs/s" in said and "cudaMemcpy" not in said


def test_a_fold_hides_its_body_below_its_label(project):
    html = project.build_page(".. fold:: All *that* there is\n\n   Hidden words.\n")
    assert re.search(r'<details class="fold">\s*<summary>All \*that\* there is</summary>\s*<p>Hidden words.</p>\s*</details>', html)
    assert "folds.js" in html or project.build("epub")
