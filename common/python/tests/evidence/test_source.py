"""Tests of tagged regions and kernel hashes."""

import pytest
import synthetic  # noqa: F401  puts the extension on the path

from conflict_free.evidence.source import SourceError, Sources, parse_regions, read_source, read_sources, strip_comments

TEXT = """\
// head
// [constants]
constexpr int N = 1'000;
// [/constants]
  // [kernel]
__global__ void kernel() { a[0] = 'x'; }

  // [/kernel]
// [launch]
int block = N;
// [/launch]
"""


def test_regions_know_their_lines():
    regions = parse_regions(TEXT)
    assert list(regions) == ["constants", "kernel", "launch"]
    kernel = regions["kernel"]
    assert (kernel.first_line, kernel.last_line) == (6, 7)
    assert kernel.lines == ["__global__ void kernel() { a[0] = 'x'; }", ""]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// [a]\n", "f.cu:1: region [a] is never closed by [/a]"),
        ("// [/a]\n", "f.cu:1: [/a] closes a region that is not open; no region is open"),
        ("// [a]\n// [b]\n", "f.cu:2: region [b] opens inside [a] of line 1"),
        ("// [a]\n// [/b]\n", "f.cu:2: [/b] closes a region that is not open; [a] of line 1 is open"),
        ("// [a]\n// [/a]\n// [a]\n// [/a]\n", "f.cu:3: region [a] is defined twice, first at line 1"),
        ("// [a]\nint x; // [/a]\n", "f.cu:2: marker [/a] must stand alone on its line"),
    ],
)
def test_bad_markers_are_named(text, message):
    with pytest.raises(SourceError) as error:
        parse_regions(text, "f.cu")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_comment_with_brackets_is_no_marker():
    assert parse_regions("// see [a] and [b] there\nint a[3]; // a[i]\n") == {}


def test_unknown_region_lists_the_known():
    with pytest.raises(SourceError, match=r"f.cu: no region \[kernl\]; it has: constants, kernel, launch"):
        Sources.of_text(TEXT, "f.cu").region("kernl")


def test_unreadable_files_are_named(tmp_path):
    with pytest.raises(SourceError, match="no such source file"):
        read_source(tmp_path / "none.cu")
    (tmp_path / "binary.cu").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SourceError, match="cannot be read as UTF-8"):
        read_source(tmp_path / "binary.cu")


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        ("a // b\nc", "a  \nc"),
        ("a /* b\n c */ d", "a   d"),
        ('puts("// no /* no */"); // yes', 'puts("// no /* no */");  '),
        ("c = '\"'; // yes", "c = '\"';  "),
        ("n = 1'000'000; // yes 'quoted'", "n = 1'000'000;  "),
        ('R"x(// no)x" // yes', 'R"x(// no)x"  '),
        ("a // b \\\n still a comment\nc", "a  \nc"),
        ("a /* open", "a  "),
    ],
)
def test_comments_go_and_strings_stay(text, stripped):
    assert strip_comments(text) == stripped


def test_a_file_that_changes_has_other_hashes(tmp_path):
    path = tmp_path / "program.cu"
    seen = []
    for text in (TEXT, TEXT.replace("a[0]", "a[1]"), TEXT):
        path.write_text(text)
        seen.append(read_sources(path).kernel_hash("kernel"))
    assert seen[0] != seen[1] and seen[0] == seen[2]


def kernel_hash(text, name):
    return Sources.of_text(text).kernel_hash(name)


def test_hash_ignores_comments_and_white_space():
    same = TEXT.replace("a[0] = 'x';", "a[0]   =\n   'x'; // the first /* one */\n").replace("// head", "// tail")
    assert kernel_hash(same, "kernel") == kernel_hash(TEXT, "kernel")


@pytest.mark.parametrize(("old", "new"), [("a[0]", "a[1]"), ("1'000", "1'001"), ("block = N", "block = 2 * N")])
def test_hash_sees_kernel_constants_and_launch(old, new):
    assert kernel_hash(TEXT.replace(old, new), "kernel") != kernel_hash(TEXT, "kernel")


CALLS = """// [inner]
int inner() { return 1; }  // kernel
// [/inner]
// [outer]
int outer() { return inner(); }
// [/outer]
// [calls]
void calls() { outer(); }  // aside
// [/calls]
// [aside]
int aside;
// [/aside]
"""


@pytest.mark.parametrize(("old", "new", "same"), [("return 1", "return 2", False), ("int aside", "float aside", True)])
def test_hash_sees_the_functions_that_a_kernel_calls(old, new, same):
    assert (kernel_hash(CALLS.replace(old, new), "calls") == kernel_hash(CALLS, "calls")) == same


CONSTANTS = """// [some_constants]
// THIRD = 3
constexpr int FIRST = 1;
static constexpr std::size_t SECOND[] = {1, 2};
// [/some_constants]
// [further_constants]
constexpr int NOT_NAMED = 4;
// [/further_constants]
// [kernel]
void kernel() { constexpr int THIRD = 3; SECOND[0]; }
// [/kernel]
"""


@pytest.mark.parametrize(
    ("old", "new", "same"), [("{1, 2}", "{1, 3}", False), ("FIRST = 1", "FIRST = 2", False), ("NAMED = 4", "NAMED = 5", True)]
)
def test_hash_sees_the_regions_of_constants_that_a_kernel_names(old, new, same):
    assert (kernel_hash(CONSTANTS.replace(old, new), "kernel") == kernel_hash(CONSTANTS, "kernel")) == same


def test_hash_sees_headers_of_other_chapters(tmp_path):
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
    path, header, beside = tmp_path / "one" / "one.cu", tmp_path / "other" / "inner.cuh", tmp_path / "other" / "aside.cuh"
    inner, rest = CALLS[: CALLS.index("// [outer]")], CALLS[CALLS.index("// [outer]") :]
    path.write_text("#include <other/inner.cuh>\n#include <cub/cub.cuh>\n" + rest)
    beside.write_text(inner)
    header.write_text('#include "aside.cuh"\n')
    assert [file.path for file in read_sources(path).files] == [path, header, beside]
    assert read_sources(path).kernel_hash("calls") == kernel_hash(CALLS, "calls")
    beside.write_text(inner.replace("return 1", "return 2"))
    assert read_sources(path).kernel_hash("calls") != kernel_hash(CALLS, "calls")


def test_hash_is_of_one_kernel_only():
    more = TEXT + "// [other]\nint other;\n// [/other]\n"
    assert kernel_hash(more, "kernel") == kernel_hash(TEXT, "kernel")
    assert kernel_hash(more, "other") != kernel_hash(more, "kernel")
    assert kernel_hash(TEXT, "kernel").startswith("sha256:") and len(kernel_hash(TEXT, "kernel")) == 71
