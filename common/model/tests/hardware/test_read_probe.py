"""Tests of read_probe on small runs."""

import json

import pytest
import read_probe

LANES = " ".join(str(4 * lane) for lane in range(32))
OFFSETS = [4 * lane for lane in range(32)]
CASES = [f"shared load 4 contiguous ffffffff {LANES}", f"global store 4 contiguous 0000ffff {LANES}"]
WAVEFRONTS, REQUESTS, SECTORS = METRICS = [
    *read_probe.METRICS["shared load"]["wavefronts"],
    *read_probe.METRICS["global store"]["requests"],
    *read_probe.METRICS["global store"]["sectors"],
]


def csv_of(metrics, *launches):
    named = [["ID", "CC", "device__attribute_display_name", *metrics], [""] * (3 + len(metrics))]
    rows = [*named, *([str(number), "9.0", "NVIDIA H200", *values] for number, values in enumerate(launches))]
    return [",".join(f'"{value}"' for value in row) for row in rows]


CSV = csv_of(METRICS, ("1", "0", "0"), ("256", "1", "1,002"))


def write_run(path, cases=CASES, table=CSV):
    path.write_text("\n".join(["==PROF== Connected to process 1", *cases, *table, ""]), encoding="utf-8")
    return str(path)


@pytest.fixture
def output(tmp_path):
    return tmp_path / "table.json"


def put(output, *runs, more=()):
    """Put runs into the table. Return the exit code and the table."""
    code = read_probe.main([*runs, "--table", str(output), *more])
    return code, json.loads(output.read_text(encoding="utf-8")) if output.exists() else None


def test_joins_cases_and_counts_by_their_order(tmp_path, output):
    code, table = put(output, write_run(tmp_path / "run"), more=["--driver", "1.2"])
    assert code == 0 and table["rows"] == [
        ["shared", "load", 4, "contiguous", "ffffffff", OFFSETS, [1]],
        ["global", "store", 4, "contiguous", "0000ffff", OFFSETS, [1, 1002]],
    ]
    unknown = {"toolkit": "unknown", "profiler": "unknown", "date": "unknown", "command": "unknown"}
    assert table["provenance"] == {"gpu": "NVIDIA H200", "compute_capability": "9.0", "driver": "1.2", "runs": 1} | unknown
    assert table["counts"] == {"shared": ["wavefronts"], "global": ["requests", "sectors"]}


def test_new_rows_are_added_and_known_ones_replaced(tmp_path, output):
    known = ["async_copy", "to", 4, "pairs", "0000ffff", [0] * 32, [9, 9, 9]]
    output.write_text(json.dumps({"provenance": {"date": "then"}, "rows": [known]}), encoding="utf-8")
    metrics = [metric for metrics in read_probe.METRICS["async_copy"].values() for metric in metrics]
    cases = [f"async_copy both 4 rows ffffffff {LANES} {LANES}", f"async_copy to 4 pairs 0000ffff {LANES}"]
    code, table = put(output, write_run(tmp_path / "run", cases, csv_of(metrics, ("1", "4", "1,002"), ("1", "2", "16"))))
    assert (
        code == 0
        and table["provenance"]["date"] == "then"
        and table["rows"]
        == [
            ["async_copy", "to", 4, "pairs", "0000ffff", OFFSETS, [1, 2, 16]],
            ["async_copy", "both", 4, "rows", "ffffffff", OFFSETS * 2, [1, 4, 1002]],
        ]
    )


def test_keeps_the_open_cases_of_the_table(tmp_path, output):
    run = write_run(tmp_path / "run")
    _, table = put(output, run)
    table["open"] = {"note": "why", "cases": ["shared load 4 contiguous ffffffff"]}
    output.write_text(json.dumps(table), encoding="utf-8")
    assert put(output, run) == (0, table)


def test_counts_runs_that_agree(tmp_path, output):
    _, table = put(output, *(write_run(tmp_path / name) for name in ("first", "second")))
    assert table["provenance"]["runs"] == 2 and len(table["rows"]) == 2


def test_refuses_runs_that_differ(tmp_path, output, capsys):
    other = write_run(tmp_path / "second", table=csv_of(METRICS, ("1", "0", "0"), ("0", "1", "1,003")))
    assert put(output, write_run(tmp_path / "first"), other) == (1, None)
    said = "second: 'global store 4 contiguous 0000ffff' has the counts [1, 1003], in a file before it has [1, 1002]"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("cases", "table", "message"),
    [
        (CASES[:1], CSV, "1 cases, 2 profiled launches"),
        (CASES, CSV[:3], "2 cases, 1 profiled launches"),
        ([], [], "0 cases, 0 profiled launches"),
        (CASES, [row.replace(WAVEFRONTS, "other") for row in CSV], f"no value of {WAVEFRONTS}"),
        (CASES, csv_of(METRICS, ("1", "0", "0"), ("256", "", "1")), f"no value of {REQUESTS}"),
    ],
)
def test_refuses_what_is_no_whole_run(tmp_path, output, capsys, cases, table, message):
    assert put(output, write_run(tmp_path / "run", cases, table)) == (1, None)
    assert message in capsys.readouterr().err


def test_refuses_an_open_case_that_was_not_run(tmp_path, output, capsys):
    output.write_text(json.dumps({"open": {"note": "", "cases": ["shared load 4 gone ffffffff"]}}), encoding="utf-8")
    assert put(output, write_run(tmp_path / "run"))[0] == 1
    assert "'shared load 4 gone ffffffff' is not among the cases" in capsys.readouterr().err


def test_names_every_metric_once(capsys):
    assert read_probe.main(["--metrics", "shared load", "shared_atomic", "global_atomic"]) == 0
    metrics = capsys.readouterr().out.strip().split(",")
    assert len(metrics) == len(set(metrics)) == 6
