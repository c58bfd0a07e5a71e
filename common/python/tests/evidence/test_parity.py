"""Counters against counts: equal, different, explained, and explained without need."""

import json

import pytest

from conflict_free.evidence import parity
from conflict_free.evidence.metrics import COUNTERS
from conflict_free.evidence.names import ResultError

SAME = {name: 10 * i + 1 for i, name in enumerate(COUNTERS)}
OTHER = {**SAME, "global_load_sectors": 7}
EXPLAINED = parity.ParityException("copy", "k", ("global_load_sectors",), "The compiler fuses two loads into one.")


def test_equal_counters_have_no_findings():
    assert parity.compare("copy", "k", SAME, SAME, []) == []


def test_a_difference_is_named_with_both_numbers():
    (finding,) = parity.compare("copy", "k", OTHER, SAME, [])
    assert "global_load_sectors is 7 on the GPU and 41 in the model" in finding


def test_an_explained_difference_is_no_finding_for_that_kernel_only():
    assert parity.compare("copy", "k", OTHER, SAME, [EXPLAINED]) == []
    assert parity.compare("copy", "other", OTHER, SAME, [EXPLAINED])
    assert parity.compare("naive", "k", OTHER, SAME, [EXPLAINED])


def test_an_explanation_that_is_no_longer_needed_is_a_finding():
    (finding,) = parity.compare("copy", "k", SAME, SAME, [EXPLAINED])
    assert "agrees now" in finding


@pytest.mark.parametrize(
    "data",
    [
        {},
        [{"slug": "copy"}],
        [{"slug": "copy", "kernel": "k", "counters": ["typo"], "why": "x" * 30}],
        [{"slug": "copy", "kernel": "k", "counters": ["global_load_sectors"], "why": "short"}],
    ],
)
def test_a_malformed_list_is_refused(tmp_path, data):
    (tmp_path / parity.EXCEPTIONS).write_text(json.dumps(data))
    with pytest.raises(ResultError, match=parity.EXCEPTIONS):
        parity.load_exceptions(tmp_path)


def counts_of(six):
    counts = {access: {} for access, _ in COUNTERS.values()}
    for name, (access, count) in COUNTERS.items():
        counts[access][count] = six[name]
    return counts


@pytest.fixture
def folders(tmp_path):
    machine, counts = tmp_path / "gpu", tmp_path / "counts"
    machine.mkdir()
    counts.mkdir()
    row = {"kernel": "k", "size": "8x8", "counters": SAME, "model": SAME}
    (machine / "copy.json").write_text(json.dumps({"rows": [row, {**row, "size": "9x9", "counters": None, "model": None}]}))
    return machine, counts


def test_a_folder_is_compared_with_the_stored_counts(folders):
    machine, _ = folders
    assert list(parity.check_folder(machine, None, [])) == [("", 1)]


def test_a_folder_is_compared_with_the_counts_of_a_build(folders):
    machine, counts = folders
    rows = [{"kernel": "k", "size": "8x8", "counts": counts_of(OTHER)}]
    (counts / "copy.json").write_text(json.dumps({"rows": rows}))
    findings = [finding for finding, _ in parity.check_folder(machine, counts, []) if finding]
    assert findings == ["gpu/copy.json: k at 8x8: global_load_sectors is 41 on the GPU and 7 in the model"]
