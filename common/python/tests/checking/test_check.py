"""scripts/check finds each thing that it looks for, and nothing in a repository that is in order."""

import sys

import pytest
from conftest import CODE, PROSE
from synthetic import changed_json

from conflict_free.checking.formats import formats
from conflict_free.cuda_version import VERSION


def findings(house) -> list[str]:
    done = house.run("check")
    assert done.returncode == (1 if done.stderr else 0), done.stderr
    return done.stderr.splitlines()


def measure(house, *arguments):
    done = house.run(
        "measure", "--no-setup", "--build-dir", str(house.root / "build" / "ready"), "--commit", "abc", "--name", "h200", *arguments
    )
    assert done.returncode == 0, done.stderr


def append(house, name: str, text: str) -> None:
    with open(house.root / name, "a", encoding="utf-8") as file:
        file.write(text)


def test_nothing_is_found_in_a_tidy_repository(tidy):
    assert findings(tidy) == []


def test_a_missing_header(tidy):
    (tidy.root / "chapters" / "copy" / "assignment" / "answers").mkdir(parents=True)
    for name in ("scripts/new.py", "chapters/copy/new.h", "chapters/copy/assignment/answers/new.cu"):
        (tidy.root / name).write_text("", encoding="utf-8")
    found = findings(tidy)
    assert len(found) == 2 and all(line.startswith("chapters/copy/new.h: 'SPDX-") for line in found)


def test_prose_has_a_licence_of_its_own(tidy):
    (tidy.root / "book" / "copy.rst").write_text(".. " + CODE.format(".."), encoding="utf-8")
    assert findings(tidy) == ["book/copy.rst: 'SPDX-License-Identifier: CC-BY-4.0' is not among its first 5 lines"]


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        *(
            ("book/copy.rst", f"\n{place}\n", ("book/copy.rst:4: ", "one machine or network"))
            for place in ("https://py" + "pi.org/simple", "/ro" + "ot/code", "see /wo" + "rk/main")
        ),
        *(
            ("requirements.lock", f"{line}\n", ("a lock file may not",))
            for line in ("--index-url x", "-f ./wheels", "--find-links=./wheels", "pkg @ https://x")
        ),
        ("requirements.in", "unheard-of\n", ("requirements.lock has no unheard-of; run scripts/lock",)),
        ("chapters/CMakeLists.txt", "add_subdirectory(ghost)\n", ("chapters/CMakeLists.txt lists ghost, and there is no chapters/ghost",)),
        ("chapters/copy/copy.cu", "// [open]\n", ("region [open] is never closed",)),
    ],
)
def test_a_line_that_may_not_stand_there(tidy, file, text, found):
    append(tidy, file, text)
    first, *_ = findings(tidy)
    assert all(part in first for part in found)


def test_a_package_of_another_version_of_cuda(tidy):
    path = tidy.root / "requirements-cuda.in"
    path.write_text(path.read_text(encoding="utf-8").replace(f"=={VERSION}.*", "==9.1.*"), encoding="utf-8")
    named = f"of CUDA {VERSION}, which common/model/cmake/CudaVersion.cmake names"
    assert findings(tidy) == [f"requirements-cuda.in: its packages are not {named}; run scripts/lock"]


def test_a_chapter_that_is_not_listed(tidy):
    (tidy.root / "chapters" / "lost").mkdir()
    found = findings(tidy)
    assert "chapters/lost is not in chapters/CMakeLists.txt" in found
    assert "chapters/lost has no page in a toctree of book/index.rst" in found
    assert "chapter lost has no book/lost.rst" in found


def into_header(house, name: str = "plain.cuh") -> None:
    """Moves the kernel of chapter copy to a header."""
    path = house.root / "chapters" / "copy" / "copy.cu"
    text = path.read_text(encoding="utf-8")
    at = text.index("// [copy_plain]")
    path.write_text(text[:at] + f'#include "{name}"\n', encoding="utf-8")
    path.with_name(name).write_text("// " + CODE.format("//") + "#pragma once\n" + text[at:], encoding="utf-8")


def test_a_kernel_in_a_header_stays_what_was_measured(tidy):
    measure(tidy)
    tidy.run("check", "--fix")
    into_header(tidy)
    assert findings(tidy) == []
    path = tidy.root / "chapters" / "copy" / "plain.cuh"
    path.write_text(path.read_text(encoding="utf-8").replace("= in", "= 2 * in"), encoding="utf-8")
    assert any("stale, its kernels have changed since: copy_plain" in line for line in findings(tidy))


def test_a_region_that_stands_in_two_files(tidy):
    into_header(tidy)
    append(tidy, "chapters/copy/copy.cu", "// [copy_plain]\n// [/copy_plain]\n")
    assert findings(tidy) == ["chapters/copy/copy.cu:7: region [copy_plain] is defined twice, first at chapters/copy/plain.cuh:4"]


def test_headers_that_are_not_there_or_not_included(tidy):
    into_header(tidy)
    (tidy.root / "chapters" / "copy" / "plain.cuh").rename(tidy.root / "chapters" / "copy" / "plane.cuh")
    assert findings(tidy) == [
        "chapters/copy/copy.cu:6: there is no plain.cuh beside it",
        "chapters/copy/plane.cuh: no program beside it includes it",
    ]


@pytest.mark.parametrize("header", ["copy.cu", "plain.cuh"])
def test_a_kernel_that_is_repeated_and_changed(tidy, header):
    if header == "plain.cuh":
        into_header(tidy)
    same = "__device__ void copy_plain(float* out, const float* in)\n{\n    out[threadIdx.x] = in[threadIdx.x];  // again\n}\n"
    append(tidy, "chapters/copy/copy.cu", same)
    assert findings(tidy) == []
    append(tidy, "chapters/copy/copy.cu", same.replace("= in", "= 2 * in"))
    assert findings(tidy) == [f"chapters/copy/copy.cu: copy_plain differs from copy_plain in chapters/copy/{header}"]


def test_results_that_are_stale(tidy):
    measure(tidy)
    assert tidy.run("check", "--fix").returncode == 0
    path = tidy.root / "chapters" / "copy" / "copy.cu"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("__global__", "// Why.\n__global__"), encoding="utf-8")
    assert findings(tidy) == []
    path.write_text(text.replace("TILE_DIM = 32", "TILE_DIM = 16"), encoding="utf-8")
    found = findings(tidy)
    assert (
        "book/results/h200/copy.json: stale, its kernels have changed since: copy_plain; "
        "run scripts/measure --name h200 --chapter copy on that machine"
    ) in found


def test_results_that_are_not_valid(tidy):
    measure(tidy)
    tidy.run("check", "--fix")
    with changed_json(tidy.root / "book" / "results" / "h200" / "copy.json") as data:
        del data["provenance"]["driver"]
    assert any('"driver" is a required property' in line for line in findings(tidy))


def test_results_in_another_machines_folder(tidy):
    measure(tidy)
    tidy.run("check", "--fix")
    (tidy.root / "book" / "results" / "h200").rename(tidy.root / "book" / "results" / "h100")
    assert any("machine is h200; by its folder it must be h100" in line for line in findings(tidy))


def test_a_file_that_is_not_text_is_left_alone(tidy):
    (tidy.root / "book" / "picture.png").write_bytes(b"\x89PNG\xff\xfe")
    assert findings(tidy) == []


# --- the README's table ------------------------------------------------------------------------


def test_the_table_follows_the_results(tidy):
    measure(tidy)
    assert findings(tidy) == ["README.md: its measured table differs from book/results; run scripts/check --fix"]
    assert tidy.run("check", "--fix").returncode == 0
    text = (tidy.root / "README.md").read_text(encoding="utf-8")
    # 2 x 4 x 16384^2 bytes in 0.16384 ms.
    assert "| copy | `copy_plain` | 4 | 4 | 16384 × 16384 | 13,107 | 100 |" in text
    assert "| copy | `cudaMemcpy` | – | – | 16384 × 16384 | 13,107 | 100 |" in text
    assert "NVIDIA Pretend with CUDA 13.0.88: the largest size" in text
    (tidy.root / "README.md").write_text(text.replace("13,107 | 100", "13,108 | 100", 1), encoding="utf-8")
    assert len(findings(tidy)) == 1


def test_the_table_has_arrays_and_kernels_that_were_not_timed(tidy):
    measure(tidy)
    with changed_json(tidy.root / "book" / "results" / "h200" / "copy.json") as data:
        for row in data["rows"]:
            row.update(size=f"{row['width']}x1", height=1, work={"unit": "pairs", "amount": 1e9})
            if row["reference"]:
                row["time"] = None
    assert tidy.run("check", "--fix").returncode == 0
    text = (tidy.root / "README.md").read_text(encoding="utf-8")
    assert "| copy | `copy_plain` | 4 | 4 | 16,384 | 6,104 Gpairs/s | – |" in text
    assert "| copy | `cudaMemcpy` | – | – | – | – | – |" in text


def test_without_results_there_is_no_table(tidy):
    before = (tidy.root / "README.md").read_text(encoding="utf-8")
    assert tidy.run("check", "--fix").returncode == 0
    assert (tidy.root / "README.md").read_text(encoding="utf-8") == before


def test_a_readme_without_a_place_for_the_table(tidy):
    (tidy.root / "README.md").write_text("<!-- " + PROSE.format("").replace("\n", " -->\n"), encoding="utf-8")
    done = tidy.run("check")
    assert done.returncode == 1
    assert "README.md has 0 places for the table" in done.stderr


def test_another_format_is_found(tidy):
    (tidy.root / "scripts" / "new.py").write_text("x = { 'a':1 }\n", encoding="utf-8")
    source = tidy.root / "chapters" / "copy" / "copy.cu"
    source.write_text(
        source.read_text(encoding="utf-8").replace("constexpr int TILE_DIM = 32;", "constexpr  int TILE_DIM=32;"), encoding="utf-8"
    )
    found = findings(tidy)
    assert "scripts/new.py: its format differs from ruff's; run ruff format" in found
    assert "chapters/copy/copy.cu: its format differs from .clang-format; run .venv/bin/clang-format -i chapters/copy/copy.cu" in found


def test_without_the_packages_of_the_tests_one_line_names_the_set_up(monkeypatch, tmp_path):
    """A machine that has rendered the book and never run the tests has no formatters."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    (found,) = formats([tmp_path / "new.cpp"])
    assert found == "the formats cannot be checked without ruff and clang-format; scripts/setup --tests installs the packages of the tests"
