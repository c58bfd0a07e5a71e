"""A chapter whose kernels stand in headers beside its ``.cu`` file."""

import html as html_text
import re

import pytest
import synthetic
from test_directives import text_of
from test_pictures import access, write_trace

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.source import SourceError, read_sources

SHARED = re.compile(r"// \[copy_shared\]\n.*?// \[/copy_shared\]\n", re.DOTALL)


def move(project, region: str, header: str = "tiles.cuh", first: str = "#pragma once\n") -> None:
    """Move a region of chapter copy behind what its header has, which the chapter then includes in place of the region."""
    path = project.source("copy")
    text = path.read_text()
    part = re.search(rf"// \[{region}\]\n.*?// \[/{region}\]\n", text, re.DOTALL)[0]
    beside = path.with_name(header)
    include = "" if beside.exists() else f'#include "{header}"\n'
    beside.write_text((beside.read_text() if beside.exists() else first) + part)
    path.write_text(text.replace(part, include))


def counted_in(project, header: str = "tiles.cuh") -> None:
    """Let the counts of copy_shared be of the lines of its header."""
    with synthetic.changed_json(project.counts / "copy.json") as data:
        text = project.source("copy").with_name(header).read_text()
        for row in data["rows"]:
            if row["kernel"] == "copy_shared":
                row["counts"] = synthetic.counts(text, header, "copy_shared", row["width"], row["height"])


@pytest.fixture
def moved(project):
    """The book after copy_shared has moved to a header, in which it stands on other lines."""
    move(project, "copy_shared", first="#pragma once\n\n" + 20 * "// A comment.\n")
    counted_in(project)
    return project


def evidence(project) -> Evidence:
    return project.evidence()


# --------------------------------------------------------------------------------------- one function


def test_a_program_is_its_file_and_the_headers_that_it_includes(project):
    move(project, "copy_shared")
    folder = project.source("copy").parent
    (folder / "tiles.cuh").write_text('#include "sizes.cuh"\n' + (folder / "tiles.cuh").read_text())
    (folder / "sizes.cuh").write_text('#include "tiles.cuh"\n#include <conflict_free/points.cuh>\n// #include "none.cuh"\n')
    (folder / "beside.cuh").write_text("// Nobody includes it.\n")
    sources = evidence(project).sources("copy")
    assert [file.path.name for file in sources.files] == ["copy.cu", "tiles.cuh", "sizes.cuh"]
    assert list(sources.regions) == ["constants", "copy_plain", "copy_shared", "launch"]
    region = sources.region("copy_shared")
    assert (region.file, region.first_line) == ("chapters/copy/tiles.cuh", 4)
    assert sources.line("/somewhere/tiles.cuh", region.first_line) == region.lines[0]
    assert [sources.line(*place) for place in (("tiles.cuh", 0), ("tiles.cuh", 99), ("other.cuh", 1))] == ["", "", ""]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('#include "none.cuh"', "copy.cu:1: there is no none.cuh beside it"),
        (
            '# include "../naive/tiles.cuh"',
            'copy.cu:1: "../naive/tiles.cuh" is included; a header .cuh is accepted if it lies in the same folder',
        ),
    ],
)
def test_a_header_that_is_not_beside_the_program_is_refused(project, line, message):
    path = project.source("copy")
    path.write_text(line + "\n" + path.read_text())
    with pytest.raises(SourceError) as error:
        read_sources(path)
    assert str(error.value) == f"{path.parent}/{message}"
    assert message in project.build_error(".. kernel-listing:: copy.copy_plain")


def test_two_regions_of_one_name_are_refused(project):
    part = SHARED.search(project.source("copy").read_text())[0]
    move(project, "copy_shared")
    path = project.source("copy")
    path.write_text(path.read_text() + part)
    message = f"{path}:20: region [copy_shared] is defined twice, first at {path.with_name('tiles.cuh')}:2"
    with pytest.raises(SourceError) as error:
        read_sources(path).regions
    assert str(error.value) == message
    assert message in project.build_error(".. kernel-listing:: copy.copy_plain")


# --------------------------------------------------------------------------------------------- hashes

CALLS = """\
// [first]
int first() { return 1; }
// [/first]
// [second]
int second() { return 2; }
// [/second]
// [calls]
void calls() { second(); first(); }
// [/calls]
"""


@pytest.mark.parametrize("regions", [["copy_shared"], ["constants"], ["launch", "copy_plain", "constants"]])
def test_a_region_that_moves_keeps_its_hash_and_its_results(project, regions):
    path = project.source("copy")
    before = read_sources(path).kernel_hash("copy_shared")
    for number, region in enumerate(regions):
        move(project, region, f"header_{number}.cuh")
    assert read_sources(path).kernel_hash("copy_shared") == before
    assert evidence(project).stale("copy") == []
    header = path.with_name("header_0.cuh")
    header.write_text(header.read_text().replace("TILE_DIM", "ROWS"))
    assert evidence(project).stale("copy") != []


def test_functions_may_change_places(project):
    path = project.source("copy")
    path.write_text(CALLS)
    before = read_sources(path).kernel_hash("calls")
    move(project, "second", "b.cuh")
    move(project, "first", "a.cuh")
    assert read_sources(path).kernel_hash("calls") == before
    path.write_text('#include "b.cuh"\n' + path.read_text().replace('#include "b.cuh"\n', ""))
    assert list(read_sources(path).regions) == ["second", "first", "calls"]
    assert read_sources(path).kernel_hash("calls") == before
    header = path.with_name("b.cuh")
    header.write_text(header.read_text().replace("return 2", "return 3"))
    assert read_sources(path).kernel_hash("calls") != before


# ------------------------------------------------------------------------------------------- the page


def test_a_listing_is_of_the_header_with_its_lines_and_counts(moved):
    html = moved.build_page(".. kernel-listing:: copy.copy_shared\n   :counts:")
    assert "chapters/copy/tiles.cuh, lines 24–31" in text_of(html)
    rows = [row for row in re.findall(r'<span class="code-line">(.*?)</span>\n', html, re.DOTALL) if 'class="note' in row]
    assert [text_of(row).split(" load ")[0].split(" store ")[0] for row in rows] == [
        "tile [ threadIdx . x ] = input [ i ];",
        "output [ i ] = tile [ threadIdx . x ];",
    ]


def test_lines_of_the_other_file_have_no_place_in_the_margin(moved):
    path = moved.counts / "copy.json"
    path.write_text(path.read_text().replace("tiles.cuh", "copy.cu"))
    assert "no access of copy.copy_shared at 2048x2048 lies in lines 24-31" in moved.build_error(
        ".. kernel-listing:: copy.copy_shared\n   :counts:"
    )


def test_a_diff_is_of_two_files(moved):
    html = moved.build_page(".. kernel-diff:: copy.copy_plain copy.copy_shared")
    assert "From copy_plain to copy_shared" in text_of(html)


def test_pictures_quote_the_line_of_the_header(moved):
    column = {**access("load", [32 * lane for lane in range(32)], 30), "file": "tiles.cuh"}
    write_trace(moved, [{"block": [0, 0, 0], "accesses": [column]}])
    html = moved.build_page(
        ".. bank-map:: copy.copy_shared load match='= tile['\n\n.. sector-map:: copy.copy_shared load\n   :match: = input["
    )
    said = html_text.unescape(re.sub(r"<[^>]+>", "", html))
    assert "line 30: output[i] = tile[threadIdx.x];" in said
    assert "line 28: tile[threadIdx.x] = input[i];" in said
    write_trace(moved, [{"block": [0, 0, 0], "accesses": [column, {**column, "file": "copy.cu"}]}])
    assert "a bank-map wants one line" in moved.build_error(".. bank-map:: copy.copy_shared load")


def test_each_file_is_shown_and_can_be_downloaded(moved):
    # Where kernels can be referred to: the chapter's own page.
    moved.page(".. full-source:: copy", "copy")
    moved.page(".. toctree::\n\n   copy")
    html = moved.build().html("copy")
    shown = re.findall(r"<details class=\"full-source\">\s*<summary>(.*?),.*?<pre[^>]*>(.*?)</pre>", html, re.DOTALL)
    assert [name for name, _ in shown] == ["chapters/copy/copy.cu", "chapters/copy/tiles.cuh"]
    for name, code in shown:
        path = moved.folder / name
        assert html_text.unescape(re.sub(r"<[^>]+>", "", code)) == path.read_text()
        target = re.search(rf'href="([^"]+/{path.name})"', html)[1]
        assert (moved.folder / "html" / target).read_text() == path.read_text()
    assert '<span id="kernel-copy_shared">' in shown[1][1] and "kernel-copy_shared" not in shown[0][1]


def test_a_page_follows_its_header(moved):
    moved.build_page(".. kernel-listing:: copy.copy_shared")
    header = moved.source("copy").with_name("tiles.cuh")
    header.write_text(header.read_text().replace("    int i = ", "    // Another comment.\n    int i = "))
    build = moved.build()
    assert build.warnings == "" and "Another comment." in text_of(build.html())
