"""Tests of read_cycles on a small run, and of the recorded table: no launch is below its bound."""

import json
from pathlib import Path

import pytest
import read_cycles

from conflict_free.counting.bound import bound_of

TABLE = json.loads(Path(read_cycles.__file__).with_name("h200_cycles.json").read_text(encoding="utf-8"))
WORK = {"sum": {"wavefronts": 10}}


def kernel(name: str, blocks: int = 4, **more) -> dict:
    sizes = {"grid": [blocks, 1, 1], "block": [64, 1, 1], "blocks": blocks}
    return {"name": f"{name}(int)", "launches": 1, "work": WORK, "exact": True} | sizes | more


def profiled(*launches: tuple[str, dict[str, str]]) -> str:
    head = '"ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Value"'
    rows = [
        f'"{n}","{name}(int)","(64, 1, 1)","(4, 1, 1)","{metric}","{values.get(metric, "0")}"'
        for n, (name, values) in enumerate(launches)
        for metric in read_cycles.METRICS
    ]
    return "\n".join([head, *rows])


def run(folder, kernels, text):
    (folder / "p.json").write_text(json.dumps({"kernels": kernels}), encoding="utf-8")
    (folder / "p.csv").write_text(text, encoding="utf-8")
    table = folder / "table.json"
    code = read_cycles.main([str(folder), "--source", "p=owner/name@1234", "--table", str(table), "--gpu", "G"])
    return code, json.loads(table.read_text(encoding="utf-8"))


def test_a_counted_launch_is_joined_with_the_first_of_its_configuration(tmp_path):
    resources = {"blocks": 3, "registers": 40}
    kernels = [kernel("b", shared_load={"wavefronts": 7}, resources=resources), kernel("b", 5), kernel("many", launches=3)]
    text = profiled(("many", {}), ("b", {read_cycles.CYCLES: "1,234"}), ("b", {read_cycles.CYCLES: "9"}))
    code, table = run(tmp_path, kernels, text)
    assert code == 0 and table["provenance"]["gpu"] == "G" and table["programs"]["p"]["source"] == "owner/name@1234"
    launch = {"kernel": "b", "cycles": 1234, "blocks": 4, "work": WORK, "exact": True, "differ": {"shared_load": [7, 0]}}
    launch["resources"] = {"blocks": 3}
    assert table["programs"]["p"]["launches"] == [launch]


def test_instances_of_a_template_are_told_apart_by_their_order(tmp_path):
    name, metric = "scale<{}>", read_cycles.CYCLES
    kernels = [kernel("scale") | {"name": f"scale<{argument}>"} for argument in ("float, (int)4", "char, (int)4")]
    text = profiled(
        *((name.format(argument), {metric: cycles}) for argument, cycles in (("float, 4", "7"), ("float, 4", "8"), ("char, 4", "9")))
    )
    assert [launch["cycles"] for launch in run(tmp_path, kernels, text)[1]["programs"]["p"]["launches"]] == [7, 9]
    # ncu has not seen all of them.
    assert run(tmp_path, kernels, profiled((name.format("char, 4"), {metric: "9"})))[0] == 1


def test_counts_of_some_blocks_are_not_compared(tmp_path):
    kernels = [kernel("b", shared_load={"wavefronts": 7}, counted_blocks=2)]
    launches = run(tmp_path, kernels, profiled(("b", {read_cycles.CYCLES: "5"})))[1]["programs"]["p"]["launches"]
    assert launches[0]["counted_blocks"] == 2 and "differ" not in launches[0]


@pytest.mark.parametrize(
    ("kernels", "text", "says"),
    [
        ([kernel("a")], profiled(("b", {})), "p: no launch is counted and profiled"),
        ([kernel("a", 1)], profiled(("a", {})), "p: no launch is counted and profiled"),
        ([kernel("a")], profiled(("a", {read_cycles.CYCLES: "n/a"})), f"p: ncu answered n/a for {read_cycles.CYCLES}"),
    ],
)
def test_what_does_not_fit_is_told_and_left_out(kernels, text, says, tmp_path, capsys):
    code, table = run(tmp_path, kernels, text)
    assert code == 1 and table["programs"] == {} and capsys.readouterr().err == f"read_cycles: {says}\n"


@pytest.mark.parametrize("name", TABLE["programs"])
def test_no_launch_of_others_is_faster_than_its_bound(name):
    for launch in TABLE["programs"][name]["launches"]:
        bound = bound_of(launch, "sm_90")
        assert bound and bound.cycles_at_least <= launch["cycles"], launch["kernel"]


#: Kernels that are tuned, as they run on data past the L2.
TUNED = [
    *("copy_four_loads", "copy_shared", "transpose_wide_tile", "transpose_down", "transpose_vectorized", "transpose_swizzled_vectorized"),
    *("reduce_one_launch", "reduce_packed_flags", "nearest_split"),
]


@pytest.mark.parametrize("name", TUNED)
def test_the_bound_of_a_tuned_kernel_is_close(name):
    (launch,) = TABLE["programs"][name]["launches"]
    assert bound_of(launch, "sm_90").cycles_at_least >= 0.75 * launch["cycles"]


def test_a_chapters_launches_are_in_its_rows(tmp_path):
    counts = {key: value for key, value in kernel("b").items() if key != "name"}
    report = {"rows": [{"kernel": "b", "counts": counts}, {"kernel": "cudaMemcpy", "counts": None}]}
    (tmp_path / "p.json").write_text(json.dumps(report), encoding="utf-8")
    (tmp_path / "p.csv").write_text(profiled(("b", {read_cycles.CYCLES: "9"})), encoding="utf-8")
    table = tmp_path / "table.json"
    assert read_cycles.main([str(tmp_path), "--source", "p=chapters/b", "--table", str(table)]) == 0
    assert [launch["cycles"] for launch in json.loads(table.read_text(encoding="utf-8"))["programs"]["p"]["launches"]] == [9]


#: Counts that differ, although the launch is marked as exact. The cause is not known.
OPEN = [("is-cuda", "rank_gpu_kernel_3", "global_atomic_sectors")]


def test_each_count_of_others_is_that_of_the_gpu_or_marked():
    launches = [(name, launch) for name, program in TABLE["programs"].items() for launch in program["launches"] if launch["exact"] is True]
    assert launches and [(name, launch["kernel"], key) for name, launch in launches for key in launch.get("differ", ())] == OPEN
