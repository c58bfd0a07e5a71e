"""Listings of kernels with their margins, and what changes from one to another."""

import json
import re

import pytest
from synthetic import changed_json
from test_directives import replace_in, text_of

from directives.listings.diff import diff_lines
from directives.listings.listing import margin


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


def test_a_part_of_a_kernel_stands_between_two_texts_and_begins_at_the_left(project):
    listing = ".. kernel-listing:: copy.copy_plain\n"
    html = project.build_page(f"{listing}   :from: int i =\n   :to: output")
    shown = text_of(re.search(r"<pre[^>]*>(.*?)</pre>", html, re.DOTALL)[1])
    assert shown.strip().startswith("int i =") and "__global__" not in shown
    assert "chapters/copy/copy.cu, lines 9–" in text_of(html)
    assert re.search(r'class="code whole">\S', html)
    assert "no line with 'int i =' and one with '__global__' at or below it" in project.build_error(
        f"{listing}   :from: int i =\n   :to: __global__"
    )
    assert ":from: and :to: are given together" in project.build_error(f"{listing}   :from: output")


def test_a_margin_sums_sites_of_one_line():
    site = {"file": "/somewhere/a.cu", "line": 3, "space": "global", "op": "load"}
    first = {**site, "requests": 1, "sectors": 32, "ideal_sectors": 4, "wavefronts": 32, "bytes": 128}
    second = {**site, "requests": 3, "sectors": 12, "ideal_sectors": 12, "wavefronts": 3, "bytes": 384}
    other = {**first, "file": "b.cu"}
    notes = margin({"lines": [first, second, other]}, "a.cu")
    assert [note["text"] for note in notes[3]] == ["11 sectors"]
    assert notes[3][0]["excess"] and notes[3][0]["factor"] == "2.75×"


def test_an_access_of_another_file_stands_at_the_call_of_its_function():
    access = {"line": 3, "space": "shared", "op": "load", "instructions": 2, "wavefronts": 64, "ideal_wavefronts": 8, "conflicts": 56}
    calls = [{"file": "a.cu", "line": 7, "function": "inner"}, {"file": "a.cu", "line": 9, "function": "outer"}]
    lines = [{**access, "file": "helpers.cuh", "inlined_from": calls}]
    assert list(margin({"lines": lines}, "a.cu")) == [7]
    assert [note["text"] for note in margin({"lines": lines}, "helpers.cuh")[3]] == ["32 wavefronts"]


@pytest.mark.parametrize(
    ("space", "op", "counts", "shown", "title"),
    [
        (
            "shared",
            "store",
            {"instructions": 8, "wavefronts": 8, "ideal_wavefronts": 8, "conflicts": 0},
            ("store", "1 wavefront"),
            "shared store: 1 wavefront an instruction, ideal 1",
        ),
        ("constant", "load", {"instructions": 4, "words": 8}, ("constant load", "2 words"), "constant load: 2 words an instruction"),
        (
            "local",
            "store",
            {"requests": 2, "sectors": 8, "ideal_sectors": 8, "wavefronts": 2, "bytes": 256},
            ("local store", "4 sectors"),
            "local store: 4 sectors a request, ideal 4",
        ),
        ("texture", "load", {"requests": 2, "bytes": 256}, ("texture load", "128 bytes"), "texture load: 128 bytes a request"),
    ],
)
def test_each_memory_space_has_a_note_in_its_unit(space, op, counts, shown, title):
    (note,) = margin({"lines": [{"file": "a.cu", "line": 1, "space": space, "op": op, **counts}]}, "a.cu")[1]
    assert ((note["op"], note["text"]), note["title"]) == (shown, title)
    assert not note["excess"] and note["factor"] == ""


def test_a_page_shows_reads_of_constants_and_of_local_memory(project):
    with changed_json(project.counts / "copy.json") as data:
        for row in data["rows"]:
            if row["kernel"] == "copy_plain":
                place = {"file": "copy.cu", "line": row["counts"]["lines"][0]["line"]}
                row["counts"]["lines"] += [
                    {**place, "space": "constant", "op": "load", "instructions": 4, "words": 4},
                    {**place, "space": "local", "op": "load"}
                    | {"requests": 4, "sectors": 16, "ideal_sectors": 16, "wavefronts": 4, "bytes": 512},
                ]
    html = project.build_page(".. kernel-listing:: copy.copy_plain\n   :counts:")
    assert "constant load 1 word" in text_of(html) and "local load 4 sectors" in text_of(html)


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


def test_a_diff_has_the_lines_above_its_first_changed_line():
    old, new = "loop()\n  if (guard)\n    a = b;\nend\n  c = d;", "loop()\n  if (guard)\n    t = b;\nend\n  c = e;"
    kinds = [line["kind"] for line in diff_lines(old, new, above=2)]
    assert kinds == ["same", "same", "del", "ins", "gap", "del", "ins"]
    assert [line["kind"] for line in diff_lines(old, new)] == ["del", "ins", "gap", "del", "ins"]
    first = "tile\n\n" + new
    assert [line["kind"] for line in diff_lines(old, first, above=3)][:5] == ["ins", "same", "same", "del", "ins"], (
        "no gap for an empty line"
    )
    remarked = [text.replace("  if", f"  // {name}\n  if") for name, text in (("old", old), ("new", new))]
    kinds = [line["kind"] for line in diff_lines(*remarked, above=3)]
    assert kinds[:5] == ["same", "gap", "same", "del", "ins"], "a comment in between may differ"
    assert [line["kind"] for line in diff_lines(old, first, above=1)][:4] == ["ins", "gap", "same", "del"]


def test_a_diff_has_the_lines_in_which_the_grids_differ(project):
    source = project.source("copy")
    grids = "dim3 along(int w, int h)\n{\n    return dim3(w, h);\n}\n\ndim3 down(int w, int h) { return dim3(h, w); }\n"
    source.write_text(source.read_text() + grids)
    html = project.build_page(".. kernel-diff:: copy.copy_plain copy.copy_shared\n   :no-listing:\n   :grids: along down")
    assert "−returndim3(w,h);" in dense(html) and "+dim3down(intw,inth){returndim3(h,w);}" in dense(html)
    wrong = project.build_error(".. kernel-diff:: copy.copy_plain copy.copy_shared\n   :grids: along up")
    assert "copy.cu has no function up" in wrong
    assert "does not name two functions" in project.build_error(".. kernel-diff:: copy.copy_plain copy.copy_shared\n   :grids: along")


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


def test_a_diff_leaves_out_places_where_only_comments_differ():
    lines = diff_lines("// One.\nint a;\n// Old.\nint b;\n", "int a;\n// New.\nint c;\n")
    assert [(line["kind"], re.sub("<[^>]+>", "", line["html"])) for line in lines] == [
        ("del", "// Old."),
        ("del", "int b;"),
        ("ins", "// New."),
        ("ins", "int c;"),
    ]


def test_a_reference_to_a_kernel_leads_to_its_chapters_page(project):
    """Whichever page is read first, and read again."""
    project.page(".. toctree::\n\n   a\n   copy\n   z\n\n:ref:`It <kernel-copy_plain>`")
    pages = next(path.parent for path in project.folder.rglob("index.rst"))
    for page in ("a", "copy", "z"):
        (pages / f"{page}.rst").write_text(f"{page}\n====\n\n.. kernel-listing:: copy.copy_plain\n")
    for changed in ("a", "copy", "z"):
        built = project.build()
        assert built.warnings == ""
        assert 'href="copy.html#kernel-copy_plain"' in built.html()
        (pages / f"{changed}.rst").write_text(f"{changed}\n====\n\nAgain.\n\n.. kernel-listing:: copy.copy_plain\n")
    (pages / "copy.rst").write_text("copy\n====\n\nNothing.\n")
    assert "kernel-copy_plain" in project.build().warnings


def test_machine_code_shows_runs_of_equal_instructions_whatever_their_predicate(project):
    folder = project.folder / "chapters" / "copy"
    folder.mkdir(parents=True, exist_ok=True)
    kernels = {"_Z10copy_plainPfPKfii": ["@!P0 LDG.E", "@P3 LDG.E", "LDG.E", "BAR.SYNC", "@P0 STG.E"], "_Z5otherPf": ["LDS"]}
    written = folder / "copy.exactness"
    written.write_text(json.dumps({"texts": {"1": {name: {"machine_code": code} for name, code in kernels.items()}}}))
    shown = text_of(re.search(r"<pre[^>]*>(.*?)</pre>", project.build_page(".. machine-code:: copy.copy_plain"), re.DOTALL)[1])
    assert shown.split(" ") == "2 × @P LDG.E 1 × LDG.E 1 × BAR.SYNC 1 × @P STG.E".split(" ")
    ordered = ".. machine-code:: copy.copy_plain\n   :before: "
    project.build_page(ordered + "LDG STG")
    assert "not every STG stands before the first BAR" in project.build_error(ordered + "STG BAR")
    assert "no LDS in the machine code, which has BAR, LDG, STG" in project.build_error(ordered + "LDG LDS")
    assert "accepted: two operations" in project.build_error(ordered + "LDG")
    assert "copy.exactness has 0 functions nothing" in project.build_error(".. machine-code:: copy.nothing")
    written.write_text(json.dumps({"texts": {}, "unknown": "not compared with machine code: no nvdisasm here"}))
    assert "copy.exactness: not compared with machine code: no nvdisasm here" in project.build_error(".. machine-code:: copy.copy_plain")
    written.unlink()
    assert "copy.exactness cannot be read" in project.build_error(".. machine-code:: copy.copy_plain")
