"""The model's counts of others' programs beside ncu's output on their launches."""

import json
import lzma
import subprocess
import sys

import pytest

from conflict_free.console import module_command
from conflict_free.measuring import measured_programs
from conflict_free.measuring.counters import COMPARED

METRICS = [metric for _, metrics in COMPARED.values() for metric in metrics]


def ncu_said(*launches: tuple[str, int]) -> str:
    """Return ncu's output for launches of 4 blocks with 32 threads: all counters are 0 but the sectors that were loaded."""
    lines = ["==PROF== Connected", '"ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Value"']
    for number, (kernel, sectors) in enumerate(launches):
        for metric in METRICS:
            value = sectors if metric == "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" else 0
            lines.append(f'"{number}","{kernel}","(32, 1, 1)","(4, 1, 1)","{metric}","{value:,}"')
    return "\n".join(lines) + "\n"


def kernel(name: str, sectors: int, *, exact: bool = True) -> dict:
    why = [] if exact else [{"file": "", "line": 0, "ptx": "", "sass": "", "why": "a reason"}]
    return {
        "name": name,
        "grid": [4, 1, 1],
        "block": [32, 1, 1],
        "exact": exact,
        "fused": why,
        "global_load": {"requests": 0, "sectors": sectors},
    }


@pytest.mark.parametrize(
    "name, short",
    [
        ("void scale<float, (int)4>(T1 *, int)", "scale"),
        ("(anonymous namespace)::scale(int)", "scale"),
        ("scale", "scale"),
        ("lib::scale<4>(int *)", "scale"),
    ],
)
def test_kernels_have_short_names(name, short):
    assert measured_programs.short_name(name) == short


def test_first_launches_are_compared():
    said = ncu_said(("void scale<float>(float *)", 1600), ("void scale<float>(float *)", 7), ("other(int)", 5))
    found = measured_programs.compare("a", {"kernels": [kernel("scale<float>", 1600), kernel("never_on_the_gpu", 3)]}, said)
    assert (found["launches"], found["counts"], found["equal"], found["differences"]) == (1, len(COMPARED), len(COMPARED), [])


def test_instances_of_a_template_are_told_apart():
    said = ncu_said(("scale<int>(int *)", 8), ("scale<int>(int *)", 9), ("scale<float>(float *)", 16))
    assert measured_programs.compare("a", {"kernels": [kernel("scale<int>", 8), kernel("scale<float>", 16)]}, said)["differences"] == []


def test_a_difference_is_told_with_its_mark():
    said = ncu_said(("scale<int>(int *)", 8), ("scale<float>(float *)", 16))
    report = {"kernels": [kernel("scale<int>", 8), kernel("scale<float>", 20, exact=False)]}
    assert measured_programs.compare("a", report, said)["differences"] == [
        {"kernel": "scale", "count": "global_load_sectors", "model": 20, "gpu": 16, "marked": ["a reason"]}
    ]


def test_what_the_gpu_counts_otherwise_the_second_time_is_told_with_both():
    report = {"kernels": [kernel("scale", 20), kernel("other", 5)]}
    first, second = (ncu_said(("scale()", n), ("other()", 6)) for n in (16, 17))
    differences = measured_programs.compare("a", report, first, second)["differences"]
    assert [(one["kernel"], one["gpu"], one.get("gpu_again")) for one in differences] == [("scale", 16, 17), ("other", 6, None)]


def test_a_counter_that_was_not_read_is_left_out():
    said = "\n".join(line for line in ncu_said(("scale()", 8)).splitlines() if "lsu_mem_local_op_ld" not in line)
    assert measured_programs.compare("a", {"kernels": [kernel("scale", 8)]}, said)["counts"] == len(COMPARED) - 2


def test_all_are_written_and_summed_up(tmp_path):
    reports, counters, output = tmp_path / "reports", tmp_path / "counters.json.xz", tmp_path / "out.json"
    reports.mkdir()
    for name, report in (
        ("equal", [kernel("scale", 8)]),
        ("marked", [kernel("scale", 9, exact=False)]),
        ("wrong", [kernel("scale", 9)]),
        ("idle", []),
    ):
        (reports / f"{name}.json").write_text(json.dumps({"kernels": report}), encoding="utf-8")
    with lzma.open(counters, "wt") as file:
        json.dump({name: {"rc": 0, "csv": ncu_said(("scale()", 8))} for name in ("equal", "marked", "wrong", "idle", "no report")}, file)
    done = subprocess.run(
        module_command(sys.executable, "measuring.measured_programs", "compare", counters, reports, output),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "3 programs: 1 equal, 1 where only marked kernels differ, 1 others\n"
    assert [each["name"] for each in json.loads(output.read_text(encoding="utf-8"))["programs"]] == ["equal", "marked", "wrong"]
