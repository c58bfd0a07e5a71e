"""Tests the check `fast` with a pretended nvcc: its programs report the times that the source claims."""

import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest
from grading_tools import padding

from conflict_free.console import NO_GPU, Stop
from conflict_free.grading import cases, timing
from conflict_free.grading.parts import Case

#: A program that turns the input and reports the time that its source names: // ms 2.5
PROGRAM = """\
#!{python}
import array, pathlib, sys
case, left, option, samples = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
sizes = dict(line.split()[1:] for line in (case / "case.txt").read_text().splitlines() if line.startswith("integer "))
width, height = int(sizes["width"]), int(sizes["height"])
values = array.array("d", (case / "input.bin").read_bytes())
turned = [values[y * width + x] for x in range(width) for y in range(height)]
{change}
(left / "output.bin").write_bytes(array.array("d", turned).tobytes())
(left / "times.txt").write_text("{ms}\\n" * samples)
(left / "outcome.txt").write_text("{outcome}\\n")
"""
NVCC = """\
#!{python}
import pathlib, re, sys
words = sys.argv[1:]
source = next(pathlib.Path(word) for word in words if word.endswith("transpose_doubles.cu")).read_text()
if "mistake" in source:
    sys.exit("transpose_doubles.cu(3): error: a mistake")
said = dict(re.findall(r"// (ms|change|outcome) (.*)", source))
made = pathlib.Path(words[words.index("-o") + 1])
made.write_text({program!r}.format(python=sys.executable, ms=said.get("ms", "2"), change=said.get("change", ""), outcome=said.get("outcome", "finished")))
made.chmod(0o755)
"""


@pytest.fixture
def gpu(tmp_path) -> timing.Gpu:
    nvcc = tmp_path / "toolkit" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text(NVCC.format(python=sys.executable, program=PROGRAM), encoding="utf-8")
    nvcc.chmod(0o755)
    return timing.Gpu(nvcc, ())


def fast(gpu: timing.Gpu, folder: Path, text: str, **changes):
    task = replace(padding(), **{"minimum_gpu_ratio": 0.9, **changes})
    case = cases.draw(task, Case("gpu", {"width": 5, "height": 3}), "0")
    (folder / "work").mkdir()
    return timing.fast(task, text, case, gpu, folder / "work", confined=False, progress=lambda what: None)


@pytest.mark.parametrize(
    "ms, passed, seen",
    [
        ("2", True, "1.00 of the solution's speed"),
        ("1", True, "2.00 of the solution's speed"),
        ("2.2", True, "0.91 of the solution's speed"),
        ("2.5", False, "0.80 of the solution's speed"),
    ],
)
def test_the_ratio_decides(gpu, tmp_path, ms, passed, seen):
    finding = fast(gpu, tmp_path, f"// ms {ms}\n")
    assert (finding.passed, finding.seen) == (passed, seen)
    assert finding.wanted == "at least 0.9 of the solution's speed (case gpu: width 5, height 3)"


@pytest.mark.parametrize(
    "text, seen",
    [
        ("// change turned[4] = 0\n", "on the GPU, 1 of 15 elements of output are wrong; the first, output[1][1], is 0.0"),
        ("// outcome cudaDeviceSynchronize() failed: an illegal memory access\n", "on the GPU: an illegal memory access"),
        ("// change sys.exit(5)\n", "on the GPU it was ended by exit code 5"),
        ("mistake\n", "it does not compile for the GPU: line 3: a mistake"),
    ],
)
def test_what_fails_on_the_gpu_is_said(gpu, tmp_path, text, seen):
    finding = fast(gpu, tmp_path, text)
    assert not finding.passed and finding.seen == seen and finding.help.endswith(".")


def test_a_solution_that_fails_is_ours(gpu, tmp_path):
    class Broken(type(padding())):
        def solution(self) -> str:
            return "mistake"

    task = Broken(**{field.name: getattr(padding(), field.name) for field in fields(padding())})
    (tmp_path / "work").mkdir()
    with pytest.raises(Stop, match="the solution fails on this machine's GPU: does not compile"):
        timing.fast(
            task,
            "",
            cases.draw(task, Case("gpu", {"width": 2, "height": 2}), "0"),
            gpu,
            tmp_path / "work",
            confined=False,
            progress=lambda what: None,
        )


def test_no_gpu_is_no_failure_of_anybody(gpu, tmp_path):
    with pytest.raises(Stop, match="no GPU: ") as stop:
        fast(gpu, tmp_path, "// change sys.stderr.write('error: none'); sys.exit(77)\n")
    assert stop.value.code == NO_GPU
