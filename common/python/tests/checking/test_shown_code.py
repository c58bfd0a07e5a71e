"""scripts/check --html finds code that is not shown, and shown code that is not tested."""

import html
import shutil

import pytest
from conftest import DEMO_SOURCE, REPOSITORY

KERNEL = DEMO_SOURCE.splitlines()[4]


@pytest.fixture
def rendered(house):
    """A house whose book has one page, with the blocks that a test gives it."""
    folder = house.root / "build" / "html"
    folder.mkdir(parents=True)
    (house.root / "CMakePresets.json").write_text(PRESETS, encoding="utf-8")

    def findings(*blocks: tuple[str, str]) -> list[str]:
        divisions = (f'<div class="{kind}"><div class="highlight"><pre><span></span>{body}</pre></div></div>' for kind, body in blocks)
        (folder / "copy.html").write_text("<p>" + "".join(divisions), encoding="utf-8")
        done = house.run("check", "--html", str(folder))
        assert done.returncode == (1 if done.stderr else 0)
        return done.stderr.splitlines()

    return findings


PRESETS = '{"configurePresets": [{"name": "default"}], "buildPresets": [{"name": "programs"}]}'
SHOWN = ("highlight-cuda", html.escape(KERNEL))


def test_code_that_is_shown_and_tested(rendered):
    assert rendered(SHOWN) == []


def test_a_margin_is_no_code(rendered):
    assert rendered(("highlight-cuda", html.escape(KERNEL) + '<span class="margin">4 sectors</span>')) == []


def test_the_call_of_a_library_comes_from_a_result_file(rendered):
    assert rendered(SHOWN, ("library-call", "cublasSgeam(handle);"), ("recorded-run", "race in a kernel")) == []
    assert len(rendered(SHOWN, ("other", "cublasSgeam(handle);"))) == 1


def test_a_kernel_that_is_not_shown(rendered):
    (found,) = rendered(("highlight-cuda", "constexpr int TILE_DIM = 32;"))
    assert found.startswith("chapters/copy/copy.cu:5: copy.html does not show lines 5 of '__global__ void copy_plain")


def test_a_kernel_of_which_a_part_is_not_shown(house, rendered):
    path = house.root / "chapters" / "copy" / "copy.cu"
    path.write_text(DEMO_SOURCE + "__global__ void two(int* a)\n{\n    a[0] = 1;  // }\n    a[1] = 2;\n}\n", encoding="utf-8")
    (found,) = rendered(SHOWN, ("highlight-cuda", "__global__ void two(int* a)\n{\n    a[0] = 1;  // }"))
    assert found.startswith("chapters/copy/copy.cu:10: copy.html does not show lines 10, 11 of")


def test_a_kernel_of_a_header(house, rendered):
    path = house.root / "chapters" / "copy" / "two.cuh"
    path.write_text("#pragma once\n__global__ void two(int* a)\n{\n    a[0] = 1;\n}\n", encoding="utf-8")
    (found,) = rendered(SHOWN)
    assert found.startswith("chapters/copy/two.cuh:2: copy.html does not show lines 2, 3, 4, 5 of")
    assert rendered(SHOWN, ("highlight-cuda", "__global__ void two(int* a)\n{\n    a[0] = 1;\n}")) == []


def test_code_that_was_typed(rendered):
    assert rendered(SHOWN, ("highlight-cuda", "__global__ void typed() {}")) == [
        "copy.html: code that stands in no tested source: '__global__ void typed() {}'"
    ]
    assert "no directive has made" in rendered(SHOWN, ("highlight-text", "anything"))[0]


def test_a_part_of_a_kernel_begins_at_the_left_and_keeps_its_steps(house, rendered):
    text = "__global__ void two(int* a)\n{\n    for (;;) {\n        a[0] = 1;\n    }\n}\n"
    (house.root / "chapters" / "copy" / "two.cuh").write_text("#pragma once\n" + text, encoding="utf-8")
    shown = (SHOWN, ("highlight-cuda", text))
    assert rendered(*shown, ("highlight-cuda", "for (;;) {\n    a[0] = 1;\n}")) == []
    assert rendered(*shown, ("highlight-cuda", "for (;;) {\na[0] = 1;\n}")) == [
        "copy.html: code that stands in no tested source: 'for (;;) {'"
    ]


def test_both_sides_of_a_diff(rendered):
    old, new = "constexpr int TILE_DIM = 32;", "// [/constants]"
    diff = '<span class="diff-line {0}"><span class="mark">x</span><span class="code">{1}</span></span>\n'
    assert rendered(SHOWN, ("highlight-cuda", diff.format("del", old) + diff.format("ins", new))) == []
    assert len(rendered(SHOWN, ("highlight-cuda", diff.format("del", "typed") + diff.format("ins", new)))) == 1


def test_the_places_of_a_diff_are_looked_up_one_by_one(rendered):
    lines = ["constexpr int TILE_DIM = 32;", "// [/constants]"]
    diff = '<span class="diff-line {0}"><span class="code">{1}</span></span>\n'
    apart = diff.format("ins", lines[1]) + diff.format("gap", "⋯") + diff.format("ins", lines[0])
    assert rendered(SHOWN, ("highlight-cuda", apart)) == []
    assert len(rendered(SHOWN, ("highlight-cuda", apart.replace("⋯", "").replace("gap", "ins")))) == 1


@pytest.mark.parametrize(
    ("command", "wrong"),
    [
        ("scripts/count --machine gt200  # a word", None),
        ("cmake --preset default &amp;&amp; cmake --build --preset programs", None),
        ("build/chapters/copy/copy --size 64", None),
        ("scripts/nothing", "there is no scripts/nothing"),
        ("scripts/count --frobnicate", "scripts/count has no option --frobnicate"),
        ("scripts/count chapters/no/no.cu", "there is no chapters/no/no.cu"),
        ("scripts/count 3/8", None),
        ("cmake --preset fast", "the command names no preset"),
        ("make all", "make is not a program of this repository"),
        ("build/chapters/copy/copy --size 65", "ends with exit code 2"),
        ("build/chapters/none/none", "does not run"),
    ],
)
def test_shell_commands(house, rendered, command, wrong):
    house.tool("copy", "sys.exit(0 if argv[-1] == '64' else 2)", house.root / "build" / "chapters" / "copy")
    found = rendered(SHOWN, ("highlight-sh", command))
    assert found == [] if wrong is None else len(found) == 1 and wrong in found[0]


def test_a_program_is_run_until_it_ends_well_and_again_when_it_changes(house, rendered):
    folder, log = house.root / "build" / "chapters" / "copy", house.root / "runs"
    shell = ("highlight-sh", "build/chapters/copy/copy --size 64")
    for code, runs in ((1, 1), (1, 2), (0, 3), (0, 3)):
        house.tool("copy", f"open({str(log)!r}, 'a').write('x')\nsys.exit({code})", folder)
        assert len(rendered(SHOWN, shell)) == code
        assert log.read_text() == "x" * runs
    assert rendered(SHOWN, ("highlight-sh", "build/chapters/copy/copy --size 65")) == []
    assert log.read_text() == "xxxx"


def test_what_the_grader_hands_out_is_there(house, rendered):
    release = "scripts/grade release padding work"
    assert rendered(SHOWN, ("highlight-sh", f"{release}\nscripts/grade run padding work/a.cu --json f")) == []
    assert rendered(SHOWN, ("highlight-sh", release), ("highlight-sh", "scripts/count work/try.cu")) == []
    assert rendered(SHOWN, ("highlight-sh", f"{release}\nscripts/count other/try.cu")) == [
        "copy.html: 'scripts/count other/try.cu': there is no other/try.cu"
    ]
    assert rendered(SHOWN, ("highlight-sh", "scripts/grade run padding a.cu --csv f")) == [
        "copy.html: 'scripts/grade run padding a.cu --csv f': scripts/grade has no option --csv"
    ]


def test_a_starter_is_tested(house, rendered):
    shutil.copytree(REPOSITORY / "chapters" / "padding" / "assignment", house.root / "chapters" / "padding" / "assignment")
    lines = [
        "{",
        "    // BEGIN SOLUTION",
        "    // Your work: declare a tile in shared memory, fill it, and write it to the output.",
        "    // END SOLUTION",
        "}",
    ]
    assert rendered(SHOWN, ("highlight-cuda", "\n".join(lines))) == []
    assert len(rendered(SHOWN, ("highlight-cuda", "\n".join(lines[:3] + lines[4:])))) == 1


def test_an_empty_book(house):
    done = house.run("check", "--html", str(house.root))
    assert done.returncode == 1 and "no page with code" in done.stderr
