"""Tests of read_rates on a small run."""

import json

import pytest
import read_rates

from conflict_free.counts import WORK

HEAD = '"ID","Kernel Name","Metric Name","Metric Value"'


def kernel(name: str, blocks: int, **work: int) -> dict:
    done = dict.fromkeys(WORK, 0) | work
    sums = {"sum": done, "least": done, "most": done, "loaded_sectors": 0, "stored_sectors": 0}
    return {"name": f"{name}(unsigned int *)", "blocks": blocks, "global_load": {"sectors": 0}, "work": sums}


def profiled(*rows: tuple[str, str]) -> str:
    lines = [f'"{n}","{name}(unsigned int *)","sm__cycles_active.max","{value}"' for n, (name, value) in enumerate(rows)]
    return "\n".join(["==PROF== Connected", HEAD, *lines])


KERNELS = [
    kernel("shared_loads", 264, wavefronts=132 * 900, stored_sectors=1),
    kernel("one_block", 1, wavefronts=800, stored_sectors=500, barriers=14, loads_in_a_row=25, shared_loads_in_a_row=40),
    kernel(
        "multiply_adds", 264, instructions=132 * 3960, double_precision=132 * 1000, special_functions=132 * 500, constant_words=132 * 990
    ),
    kernel("products", 1, tensor_multiplications=1000 * 2000),
    {**kernel("l2_loads", 264), "global_load": {"sectors": 5000}},
    {**kernel("dram_loads", 264), "work": {**kernel("", 1)["work"], "loaded_sectors": 30000}},
]
CYCLES = profiled(
    ("shared_loads", "1,000"), *((name, "1000") for name in ("multiply_adds", "products", "one_block", "dram_loads")), ("l2_loads", "100")
)


def written(folder, kernels=KERNELS, texts=(CYCLES,)):
    counts, output = folder / "counts.json", folder / "rates.json"
    counts.write_text(json.dumps({"machine": "sm_90", "kernels": kernels}), encoding="utf-8")
    runs = []
    for n, text in enumerate(texts):
        runs.append(folder / f"run{n}.csv")
        runs[-1].write_text(text, encoding="utf-8")
    code = read_rates.main([str(counts), *map(str, runs), "--output", str(output), "--gpu", "invented"])
    return code, json.loads(output.read_text(encoding="utf-8")) if output.exists() else None


def test_the_best_of_all_kernels_counts(tmp_path):
    code, table = written(tmp_path)
    assert code == 0
    found = {name: (rate["per_cycle"], rate["kernel"]) for name, rate in table["rates"].items()}
    # 132 multiprocessors share the work of 264 blocks, and one has that of one block.
    assert found["wavefronts"] == (0.9, "shared_loads")
    assert found["multiprocessor_stores"] == (0.5, "one_block")
    assert found["l2_loads"] == (50, "l2_loads")
    assert found["dram"] == (30, "dram_loads")
    assert found["barriers"] == (0.014, "one_block")
    assert found["loads_in_a_row"] == (0.025, "one_block")
    assert found["shared_loads_in_a_row"] == (0.04, "one_block")
    assert found["constant_words"] == (1, "multiply_adds")
    assert found["instructions"] == (4, "multiply_adds")
    assert found["tensor_cores"] == (2048, "products")
    assert table["provenance"]["gpu"] == "invented"


def test_of_several_runs_the_fewest_cycles_count(tmp_path):
    faster = CYCLES.replace("1,000", "900")
    assert written(tmp_path, texts=(CYCLES, faster))[1]["rates"]["wavefronts"]["per_cycle"] == 1


@pytest.mark.parametrize(("rate", "shown"), [(0.99931, 1.0), (72.961, 73.0), (135.0, 135.0), (0.07051, 0.0706), (0.9981, 0.999)])
def test_a_rate_is_rounded_up(rate, shown):
    assert read_rates.rounded_up(rate) == shown


@pytest.mark.parametrize(
    ("kernels", "texts", "said"),
    [
        (KERNELS, (profiled(("one_block", "5")),), "shared_loads: counted by the model, and not measured"),
        (KERNELS, (CYCLES.replace("1,000", "nan"),), "shared_loads: ncu answered nan"),
        ([*KERNELS, kernel("one_block", 1, instructions=4010)], (CYCLES,), "one_block: 4.010 instructions of warps a cycle"),
        ([{**KERNELS[0], "counted_blocks": 3}], (CYCLES,), "3 of 264 blocks counted"),
    ],
)
def test_what_is_not_whole_is_refused(tmp_path, capsys, kernels, texts, said):
    code, table = written(tmp_path, kernels, texts)
    assert code == 1 and table is None
    assert said in capsys.readouterr().err
