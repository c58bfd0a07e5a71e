"""Tests of program_counters on made reports."""

import json

import program_counters

KERNEL = {
    "name": "k",
    "shared_load": {"wavefronts": 6},
    "global_load": {"requests": 2, "sectors": 8},
    "async_copy": {"global": {"requests": 1, "sectors": 4}, "shared": {"wavefronts": 1}},
}
LAUNCH = {"kernel": "k", "shared_load": 6, "async_copy": 1, "global_load_requests": 3, "global_load_sectors": 12}


def findings(folder, launch, is_open=()):
    (folder / "program.json").write_text(json.dumps({"kernels": [KERNEL]}), encoding="utf-8")
    table = {"open": {"program": {name: "why" for name in is_open}}, "programs": {"program": [launch]}}
    return list(program_counters.compare(table, folder))


def test_asynchronous_copies_are_among_the_loads_of_the_gpu(tmp_path):
    assert findings(tmp_path, LAUNCH) == []


def test_a_difference_is_found_unless_it_is_open(tmp_path):
    other = {**LAUNCH, "shared_load": 7}
    assert findings(tmp_path, other) == ["program: 0 k shared_load: the model counts 6, the GPU 7"]
    assert findings(tmp_path, other, ["0 k shared_load"]) == []


def test_what_is_open_no_more_is_found(tmp_path):
    assert "listed as open" in findings(tmp_path, LAUNCH, ["0 k shared_load"])[0]


def test_reads_what_ncu_prints(tmp_path):
    metrics = sorted({metric for _, metrics in program_counters.COMPARED.values() for metric in metrics})
    rows = [
        '"ID","Kernel Name","Metric Name","Metric Value"',
        *(f'"0","void k<4>(int)","{metric}","{2 if "_ldsm" in metric else 0}"' for metric in metrics),
    ]
    printed = tmp_path / "program.csv"
    printed.write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert program_counters.read(printed) == [{"kernel": "k", "shared_load": 2}]
