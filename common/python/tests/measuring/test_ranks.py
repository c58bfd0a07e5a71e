"""scripts/measure with a chapter of several GPUs whose program pretends."""

import json
import stat
import sys

import pytest

from conflict_free.console import NO_GPU, Stop
from conflict_free.measuring import measured_ranks
from conflict_free.measuring.measured_result import Session

PROGRAM = """\
#!{python}
import argparse, json, os, sys
parser = argparse.ArgumentParser()
for name in ("size", "kernel"):
    parser.add_argument("--" + name, action="append")
for name in ("samples", "json", "pieces", "devices"):
    parser.add_argument("--" + name)
given = parser.parse_args()
ranks = int(given.devices or os.environ["RANKS"])
if ranks != 2:
    sys.exit("across_gpus: rank 0: two were to be started")
if os.environ.get("FAILS"):
    sys.exit("across_gpus: rank 1: it was to\\nMPI_ABORT was invoked")
if os.environ.get("SMALL") and "160000x160000" in given.size:
    sys.exit("across_gpus: rank 1: --size: got '160000x160000', which needs 95.4 GiB of device memory, accepted: sizes that fit")
rows = []
for size in given.size:
    for kernel in given.kernel or ("peer_copy", "in_pieces", "in_equal_pieces", "direct"):
        n = int(size.split("x")[0])
        sample = dict(median_ms=n / 1e3, p10_ms=n / 1e3, p90_ms=n / 1e3, samples=int(given.samples), launches_per_sample=1)
        rows.append(dict(kernel=kernel, size=size, width=n, height=n, element_bytes=4, bytes=n * n, work=None,
            reference=kernel == "peer_copy", check=dict(passed=True, message=""), figures=dict(ranks=ranks, pieces=int(given.pieces or 5)),
            expectations=[], counts=None, time=dict(ranks=sample)))
with open(given.json, "w") as file:
    json.dump(dict(schema=1, slug="across_gpus", build="gpu", machine="gpu", seed=0, rows=rows), file)
"""


@pytest.fixture
def session(tmp_path, monkeypatch):
    folder = tmp_path / "chapters" / "across_gpus"
    folder.mkdir(parents=True)
    # Stands for mpirun, whose last arguments are `-n 2 PROGRAM`.
    mpirun = ["sh", "-c", 'export RANKS="$1"; shift; exec "$@"']
    (folder / "ranks.json").write_text(json.dumps({"nccl": "2.28.9", "mpirun": mpirun}), encoding="utf-8")
    program = folder / "across_gpus"
    program.write_text(PROGRAM.format(python=sys.executable), encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    clock = {"sm_mhz": 1, "memory_mhz": 1}
    told = {
        "gpu": "NVIDIA H200",
        "driver": "1",
        "toolkit": "13.0",
        "compiler_flags": "",
        "compute_capability": "9.0",
        "l2_bytes": 1 << 20,
        "memory_bytes": 1,
        "clocks_before": clock,
        "clocks_after": clock,
        "date": "2026-11-22T00:00:00Z",
        "commit": "abc",
        "seed": 0,
        "profiler": None,
        "command": "scripts/measure",
    }
    monkeypatch.setattr(measured_ranks, "visible_gpus", lambda: ["0", "1"])
    monkeypatch.setattr(measured_ranks, "query_device", lambda: {"l2_bytes": 1 << 20})
    monkeypatch.setattr(measured_ranks, "clocks", lambda: clock)
    monkeypatch.setattr(measured_ranks, "provenance", lambda *_: dict(told))
    monkeypatch.setattr(measured_ranks, "topology", lambda: "NV18")
    monkeypatch.setattr(measured_ranks, "sent_kib", lambda kind: 5)
    return Session(tmp_path, tmp_path, "local", "abc", "scripts/measure")


def test_a_result_has_all_rows_and_the_pieces(session):
    result = measured_ranks.measure_ranks(session, "across_gpus", lambda stage: None)
    rows = {(row["kernel"], row["size"]): row for row in result["rows"]}
    assert rows["direct", "160000x160000"]["time"]["ranks"]["samples"] == measured_ranks.LARGE_SAMPLES
    assert rows["in_pieces", "8192x8192"]["figures"]["gbps_in_3_pieces"] == pytest.approx(8192 / 1e3)
    assert "link_data_kib" in rows["direct", "32768x32768"]["figures"]
    assert set(result["kernels"]) == {"in_pieces", "in_equal_pieces", "direct"}
    assert result["provenance"]["gpus"] == 2 and result["provenance"]["nccl"] == "2.28.9"


def test_a_size_beyond_the_memory_is_left_out_and_named(session, monkeypatch):
    monkeypatch.setenv("SMALL", "1")
    shown = []
    result = measured_ranks.measure_ranks(session, "across_gpus", shown.append)
    assert {row["size"] for row in result["rows"]} == set(measured_ranks.SIZES)
    assert "left out 160000x160000: it needs 95.4 GiB of device memory, accepted: sizes that fit" in shown


def test_an_mpirun_that_does_not_answer_is_killed(monkeypatch):
    monkeypatch.setattr(measured_ranks, "SECONDS", 0.5)
    monkeypatch.setattr(measured_ranks, "SECONDS_TO_END", 0.2)
    with pytest.raises(Stop, match="sh took longer than 0.5 seconds"):
        measured_ranks.run_ranks([], ["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"])


def test_one_gpu_is_too_few(session, monkeypatch):
    monkeypatch.setattr(measured_ranks, "visible_gpus", lambda: ["0"])
    with pytest.raises(Stop, match="needs 2 GPUs, this machine has 1") as stop:
        measured_ranks.measure_ranks(session, "across_gpus", lambda stage: None)
    assert stop.value.code == NO_GPU


def test_the_line_of_a_rank_that_fails_is_told(session, monkeypatch):
    monkeypatch.setenv("FAILS", "1")
    with pytest.raises(Stop, match="exit code 1: across_gpus: rank 1: it was to$"):
        measured_ranks.measure_ranks(session, "across_gpus", lambda stage: None)


def test_without_mpi_one_process_has_both_gpus_and_pytorch_is_absent(session, monkeypatch):
    monkeypatch.setenv("RANKS", "1")
    (session.build / "chapters" / "across_gpus" / "ranks.json").write_text('{"nccl": "2.28.9", "mpirun": []}', encoding="utf-8")
    result = measured_ranks.measure_ranks(session, "across_gpus", lambda stage: None)
    assert {row["figures"]["ranks"] for row in result["rows"]} == {2}
    peers = measured_ranks.measure_peers_of_ranks(session.build, result, None, lambda stage: None)
    assert peers.absent == ["no MPI: PyTorch needs a process for each GPU"]


def test_links_are_added_up():
    text = "GPU 0: NVIDIA H200\n\t Link 0: Data Tx: 100 KiB\n\t Link 0: Data Rx: 7 KiB\n\t Link 1: Data Tx: 23 KiB\n"
    assert measured_ranks.parse_links(text) == 123


def test_what_the_links_sent_is_the_difference(monkeypatch):
    numbers = iter([10, 20, 110, 140])
    monkeypatch.setattr(measured_ranks, "sent_kib", lambda kind: next(numbers))
    figures = {}
    with measured_ranks.counted_links(figures):
        pass
    assert json.loads(json.dumps(figures)) == {"link_data_kib": 100, "link_raw_kib": 120}
