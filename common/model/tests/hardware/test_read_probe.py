"""Tests of read_probe on small runs."""

import json

import pytest
import read_probe

LANES = " ".join(str(4 * lane) for lane in range(32))
CASES = [f"shared load 4 contiguous ffffffff {LANES}", f"global store 4 contiguous 0000ffff {LANES}"]
WAVEFRONTS = read_probe.METRICS["shared", "load"][0]
REQUESTS, SECTORS = read_probe.METRICS["global", "store"]
CSV = [
    f'"ID","CC","device__attribute_display_name","{WAVEFRONTS}","{REQUESTS}","{SECTORS}"',
    '"","","","","","sector"',
    '"0","9.0","NVIDIA H200","1","0","0"',
    '"1","9.0","NVIDIA H200","256","1","1,002"',
]


def write_run(path, cases=CASES, table=CSV):
    path.write_text("\n".join(["==PROF== Connected to process 1", *cases, *table, ""]), encoding="utf-8")
    return str(path)


def test_joins_cases_and_counts_by_their_order(tmp_path):
    output = tmp_path / "table.json"
    assert read_probe.main([write_run(tmp_path / "run"), "--output", str(output), "--driver", "1.2"]) == 0
    table = json.loads(output.read_text(encoding="utf-8"))
    offsets = [4 * lane for lane in range(32)]
    assert table["rows"] == [
        ["shared", "load", 4, "contiguous", "ffffffff", offsets, [1]],
        ["global", "store", 4, "contiguous", "0000ffff", offsets, [1, 1002]],
    ]
    assert table["provenance"]["gpu"] == "NVIDIA H200"
    assert table["provenance"]["driver"] == "1.2"


def test_keeps_the_open_cases_of_the_table_that_it_replaces(tmp_path):
    run, output = write_run(tmp_path / "run"), tmp_path / "table.json"
    read_probe.main([run, "--output", str(output)])
    table = json.loads(output.read_text(encoding="utf-8"))
    table["open"] = {"note": "why", "cases": ["shared load 4 contiguous ffffffff"]}
    output.write_text(json.dumps(table), encoding="utf-8")
    assert read_probe.main([run, "--output", str(output)]) == 0
    assert json.loads(output.read_text(encoding="utf-8")) == table


def test_counts_runs_that_agree(tmp_path):
    output = tmp_path / "table.json"
    runs = [write_run(tmp_path / name) for name in ("first", "second")]
    assert read_probe.main([*runs, "--output", str(output)]) == 0
    table = json.loads(output.read_text(encoding="utf-8"))
    assert table["provenance"]["runs"] == 2
    assert len(table["rows"]) == 2


def test_refuses_runs_that_differ(tmp_path, capsys):
    output = tmp_path / "table.json"
    runs = [
        write_run(tmp_path / "first"),
        write_run(tmp_path / "second", table=[*CSV[:3], CSV[3].replace("256", "0").replace("1,002", "1,003")]),
    ]
    assert read_probe.main([*runs, "--output", str(output)]) == 1
    assert "second: 'global store 4 contiguous 0000ffff' has the counts [1, 1003], in first it has [1, 1002]" in capsys.readouterr().err
    assert not output.exists()


@pytest.mark.parametrize(
    ("cases", "table", "message"),
    [
        (CASES[:1], CSV, "1 cases, 2 profiled launches"),
        (CASES, CSV[:3], "2 cases, 1 profiled launches"),
        ([], [], "0 cases, 0 profiled launches"),
        (CASES, [row.replace(WAVEFRONTS, "other") for row in CSV], f"no value of {WAVEFRONTS}"),
    ],
)
def test_refuses_what_is_no_whole_run(tmp_path, capsys, cases, table, message):
    output = tmp_path / "table.json"
    assert read_probe.main([write_run(tmp_path / "run", cases, table), "--output", str(output)]) == 1
    assert message in capsys.readouterr().err
    assert not output.exists()


def test_refuses_an_open_case_that_was_not_run(tmp_path, capsys):
    output = tmp_path / "table.json"
    output.write_text(json.dumps({"open": {"note": "", "cases": ["shared load 4 gone ffffffff"]}}), encoding="utf-8")
    assert read_probe.main([write_run(tmp_path / "run"), "--output", str(output)]) == 1
    assert "'shared load 4 gone ffffffff' is not among the cases" in capsys.readouterr().err


def test_names_every_metric_once(capsys):
    assert read_probe.main(["--metrics"]) == 0
    metrics = capsys.readouterr().out.strip().split(",")
    assert len(metrics) == len(set(metrics)) == 6
