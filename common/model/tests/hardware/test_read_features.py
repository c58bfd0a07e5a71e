"""Tests of read_features on small runs."""

import json

import pytest
import read_features

LANES = " ".join(str(4 * lane) for lane in range(32))
CASES = [f"async_copy both 4 rows ffffffff {LANES} {LANES}", f"async_copy to 4 pairs 0000ffff {LANES}"]
METRICS = [metric for metrics in read_features.METRICS["async_copy"] for metric in metrics]
CSV = [
    '"ID",' + ",".join(f'"{metric}"' for metric in METRICS),
    '"",' + ",".join('""' for _ in METRICS),
    '"0","1","4","1,002"',
    '"1","1","2","16"',
]


def merged(folder, cases=CASES, table=CSV):
    """Put a run into a table that has a row for one of its cases. Return the exit code and the table."""
    run, output = folder / "run.txt", folder / "table.json"
    run.write_text("\n".join(["==PROF== Connected to process 1", *cases, *table, ""]), encoding="utf-8")
    known = ["async_copy", "to", 4, "pairs", "0000ffff", [0] * 32, [9, 9, 9]]
    output.write_text(json.dumps({"schema": 1, "metrics": {}, "rows": [known]}), encoding="utf-8")
    code = read_features.main([str(run), "--table", str(output)])
    return code, json.loads(output.read_text(encoding="utf-8"))


def test_new_rows_are_added_and_known_ones_replaced(tmp_path):
    code, table = merged(tmp_path)
    offsets = [4 * lane for lane in range(32)]
    assert code == 0
    assert table["rows"] == [
        ["async_copy", "to", 4, "pairs", "0000ffff", offsets, [1, 2, 16]],
        ["async_copy", "both", 4, "rows", "ffffffff", offsets * 2, [1, 4, 1002]],
    ]


@pytest.mark.parametrize(
    ("cases", "table", "says"),
    [(CASES[:1], CSV, "1 cases, 2 profiled launches"), (CASES, [CSV[0], CSV[1], '"0","","4","1"', CSV[3]], "has no value of")],
)
def test_a_run_that_is_not_whole_is_refused(tmp_path, capsys, cases, table, says):
    code, kept = merged(tmp_path, cases, table)
    assert code == 1 and len(kept["rows"]) == 1
    assert says in capsys.readouterr().err
