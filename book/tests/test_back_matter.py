"""The index of kernels, and the errors found in published programs."""

import json
import re

import pytest
from conftest import BOOK
from test_directives import text_of

from conflict_free.evidence.names import ResultError
from directives.listings.found import FILE, load_findings

FINDING = {
    "name": "one",
    "program": "a program",
    "repository": "somebody/something",
    "commit": "0123456789abcdef",
    "file": "a.cu",
    "lines": [3, 5],
    "command": "scripts/conflict-free count a.cu",
    "shown": ["race in kernel"],
    "on_gpu": "It says the same.",
    "mended": "A barrier.",
}


def write(folder, **changes):
    """Write one finding beside the pages, with changes; None removes a key."""
    finding = {key: value for key, value in (FINDING | changes).items() if value is not None}
    (folder / FILE).write_text(json.dumps({"findings": [finding]}))
    return folder / FILE


def test_the_books_findings_are_complete_and_each_stands_on_the_page():
    page = (BOOK / "found_in_the_wild.rst").read_text(encoding="utf-8")
    assert re.findall(r"\.\. found-in-the-wild:: (\w+)", page) == list(load_findings(BOOK / FILE))


def test_a_finding_says_where_how_and_what(project):
    write(project.book)
    said = text_of(project.build_page(".. found-in-the-wild:: one"))
    assert "somebody/something , commit 0123456789 , a.cu , lines 3 and 5" in said
    for text in ("scripts/conflict-free count a.cu", "race in kernel", "It says the same.", "A barrier."):
        assert text in said
    assert "'two' is not recorded; accepted: one" in project.build_error(".. found-in-the-wild:: two")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mended": None}, "finding 'one' needs exactly"),
        ({"more": 1}, "finding 'one' needs exactly"),
        ({"host": "a.cu"}, "no host program wild/a.cu"),
    ],
)
def test_a_finding_that_lacks_something_is_refused(tmp_path, changes, message):
    with pytest.raises(ResultError, match=message):
        load_findings(write(tmp_path, **changes))


def test_the_index_has_each_kernel_with_its_counts_and_its_speed(project):
    for slug in ("copy", "naive"):
        (project.book / f"{slug}.rst").write_text(f"{slug.title()}: a lesson\n{'=' * 20}\n")
    html = project.build_page(".. kernel-index::\n\n.. toctree::\n\n   naive\n   copy\n")
    said = text_of(html.split('aria-label="All kernels of the book"')[1].split("</table>")[0])
    assert said.index("Naive: a lesson") < said.index("Copy: a lesson") and "cudaMemcpy" not in said
    assert re.search(r"copy_ ?plain .* 1,000 GB/s 16384 × 16384", said)
