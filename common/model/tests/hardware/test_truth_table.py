"""Tests that docs/model.md agrees with the table of the GPU's counts."""

import json

import pytest
import truth_table


def test_the_page_is_up_to_date():
    assert truth_table.main([]) == 0, "run truth_table.py --write"


def test_a_changed_count_makes_the_page_out_of_date(tmp_path, monkeypatch, capsys):
    table = json.loads(truth_table.TABLE.read_text(encoding="utf-8"))
    table["rows"][0][6] = [99]
    changed = tmp_path / "table.json"
    changed.write_text(json.dumps(table), encoding="utf-8")
    monkeypatch.setattr(truth_table, "TABLE", changed)
    assert truth_table.main([]) == 1
    assert "out of date" in capsys.readouterr().err


def test_a_page_without_markers_is_refused():
    with pytest.raises(ValueError, match="lacks the markers"):
        truth_table.updated("text", {})
