"""The table of classic names: its data, and how it is shown."""

import json
import re
from pathlib import Path

import pytest
from test_directives import text_of

from conflict_free.evidence.names import ResultError
from conflict_free.evidence.source import read_sources
from directives.tables.classics import load_classics

BOOK = Path(__file__).resolve().parents[1]
ROWS = load_classics(BOOK / "classic_names.json")


def test_every_classic_kernel_has_its_row():
    assert [row["number"] for row in ROWS if "number" in row] == list(range(1, 38))


@pytest.mark.parametrize("kernel", [kernel for row in ROWS for kernel in row["kernels"]])
def test_every_kernel_of_the_table_exists(kernel):
    slug, name = kernel.split(".")
    sources = read_sources(BOOK.parent / "chapters" / slug / f"{slug}.cu")
    text = "".join(file.text for file in sources.files)
    on_host = re.search(rf"^void {name}\(", text, re.MULTILINE)
    assert name in sources.regions or on_host
    assert re.search(rf'"{name}"|<{name}>', text), f"{name} is not run"


def test_every_source_is_in_the_bibliography():
    keys = re.findall(r"^@\w+\{(\w+),", (BOOK / "references.bib").read_text(encoding="utf-8"), re.MULTILINE)
    assert {row["source"] for row in ROWS if "source" in row} <= set(keys)


def write(path, *rows):
    path.write_text(json.dumps({"rows": rows}), encoding="utf-8")
    return path


ROW = {"number": 1, "classic": "copy", "kernels": ["copy.copy_plain"]}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([ROW, {**ROW, "kernels": ["copy.copy_shared"]}], "number 1 stands there twice"),
        ([ROW, {**ROW, "number": 2}], "kernel copy.copy_plain stands there twice"),
        ([{"number": 1, "classic": "copy"}], "row 1 needs classic and kernels"),
        ([{**ROW, "comment": ""}], "row 1 needs classic and kernels, and may have number and source"),
    ],
)
def test_a_malformed_table_is_one_line(tmp_path, rows, message):
    with pytest.raises(ResultError, match=message) as error:
        load_classics(write(tmp_path / "names.json", *rows))
    assert "\n" not in str(error.value)


def test_a_table_that_is_no_json_is_one_line(tmp_path):
    (tmp_path / "names.json").write_text("no")
    with pytest.raises(ResultError, match="cannot be read as rows of JSON"):
        load_classics(tmp_path / "names.json")


PAGES = {
    "copy": ".. kernel-listing:: copy.copy_shared\n   :counts:\n\n.. kernel-listing:: copy.copy_shared\n\n.. full-source:: copy",
    "naive": ".. full-source:: naive",
}


def test_a_row_leads_to_the_listing_and_shows_its_counts(project):
    names = ["copy.copy_plain", "copy.copy_shared", "naive.transpose_naive_row_read"]
    write(project.book / "classic_names.json", {"number": 7, "classic": "the old name", "kernels": names})
    for page, text in PAGES.items():
        project.page(text, page)
    html = project.build_page(".. classic-names::\n\n.. toctree::\n\n   copy\n   naive")
    text = text_of(html)
    assert "7 the old name copy_plain copy 4 / 4 — —" in text
    assert "7 the old name copy_shared copy 4 / 4 1 0" in text
    assert "7 the old name transpose_naive_row_read naive 4 / 32 — —" in text
    for kernel in names:
        slug, name = kernel.split(".")
        assert f'href="{slug}.html#kernel-{name}"' in html
        assert (project.folder / "html" / f"{slug}.html").read_text().count(f'id="kernel-{name}"') == 1
    copy = (project.folder / "html" / "copy.html").read_text()
    assert '<figure class="kernel-listing counted" id="kernel-copy_shared">' in copy
    assert copy.index('id="kernel-copy_shared"') < copy.index("<details") < copy.index('id="kernel-copy_plain"')


def test_a_kernel_that_is_not_there_fails(project):
    write(project.book / "classic_names.json", {**ROW, "kernels": ["copy.nothing"]})
    assert "no kernel 'nothing'" in project.build_error(".. classic-names::")
