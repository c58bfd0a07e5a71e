"""The lists of counts and the schema of reports follow the model's list, and everything that shows, compares or names counts follows the lists."""

import json

import pytest
from conftest import REPOSITORY
from counting_tools import kernel, report
from made_counts import global_, shared

from conflict_free import counts
from conflict_free.counting import report_diff
from conflict_free.model_files import COUNTS


@pytest.mark.parametrize(
    ("name", "path", "space", "operation", "keys"),
    [
        ("shared_atomic", ("shared_atomic",), "shared", "atomic", ("instructions", "wavefronts", "ideal_wavefronts", "conflicts")),
        ("local_load", ("local_load",), "local", "load", ("requests", "sectors", "ideal_sectors", "wavefronts", "bytes")),
        ("constant_load", ("constant_load",), "constant", "load", ("instructions", "words")),
        ("texture_store", ("texture_store",), "texture", "store", ("requests", "bytes")),
        (
            "async_copy_shared",
            ("async_copy", "shared"),
            "shared",
            "async_copy",
            ("instructions", "wavefronts", "ideal_wavefronts", "conflicts"),
        ),
        ("bulk_copy", ("bulk_copy",), "global", "bulk_copy", ("requests", "sectors", "ideal_sectors", "wavefronts", "bytes")),
    ],
)
def test_groups_are_those_of_the_list(name, path, space, operation, keys):
    group = counts.GROUPS[name]
    assert (group.path, group.space, group.operation, group.measure.keys) == (path, space, operation, keys)


def test_numbers_are_what_a_launch_did_and_not_how_it_was_configured():
    assert {"barriers", "warp_barriers"} <= set(counts.NUMBERS) and "shared_bytes" not in counts.NUMBERS


def test_a_measure_knows_its_cost_and_its_ideal():
    shared_memory, constant = counts.MEASURES["shared"], counts.MEASURES["constant"]
    assert (shared_memory.per, shared_memory.ideal) == ("wavefronts_per_instruction", "ideal_wavefronts")
    assert (constant.per, constant.ideal) == ("words_per_instruction", "")
    assert constant.each({"instructions": 4, "words": 8}) == 2 and constant.each({"instructions": 0, "words": 0}) == 0
    assert constant.is_ideal({"instructions": 4, "words": 8})


def test_copies_and_barriers_of_warps_are_compared():
    copies = {"global": global_(4, 64, 64, 2048), "shared": shared(4, 16, 16)}
    found = list(report_diff.differences(report(kernel(warp_barriers=1)), report(kernel(warp_barriers=3, async_copy=copies))))
    assert found[1:] == [
        "  async copy global: wavefronts 0 -> 16, requests 0 -> 4, sectors 0 -> 64, bytes 0 -> 2,048",
        "  async copy shared: instructions 0 -> 4, wavefronts 0 -> 16",
        "  warp barriers 1 -> 3",
    ]


NAMES = """\
import sys
sys.path.insert(0, sys.argv[1])
from conflict_free.counting import failing
from conflict_free.counts import report_schema
from conflict_free.evidence import metrics
names = failing.names_of({"votes": 3, "matrix_load": {"instructions": 2, "wavefronts": 8}}, "")
print(names["votes"], names["matrix_load"]["wavefronts_per_instruction"], metrics.counts_metric({"matrix_load": {"conflicts": 6}}, "matrix_load.conflicts"))
kernel = report_schema()["$defs"]["kernel"]["properties"]
print(kernel["matrix_load"], kernel["votes"])
"""


def test_a_count_that_the_list_gains_is_shown_compared_named_and_described(house, tmp_path):
    with (house.root / COUNTS.relative_to(REPOSITORY)).open("a", encoding="utf-8") as rows:
        rows.write("""
SIMT_OPERATION(matrix_load)
SIMT_TOTAL(matrix_load, SharedCounts, shared, "", "matrix_load", rare, shared, matrix_load)
// Of lanes.
SIMT_NUMBER(votes)
""")
    line = {"file": "a.cu", "line": 3, "space": "shared", "op": "matrix_load", **shared(2, 8, 2)}
    for name, launch in (("old", kernel()), ("new", kernel(matrix_load=shared(2, 8, 2), votes=3, lines=[*kernel()["lines"], line]))):
        (tmp_path / name).write_text(json.dumps({"machine": "m", "kernels": [launch], "hazards": [], "exit_code": 0}), encoding="utf-8")
    shown = house.run("conflict-free", "show", str(tmp_path / "new"))
    assert "matrix load" in shown.stdout and "3 votes" in shown.stdout, shown.stdout + shown.stderr
    assert house.run("conflict-free", "diff", str(tmp_path / "old"), str(tmp_path / "new")).stdout.splitlines()[1:] == [
        "  matrix load: instructions 0 -> 2, wavefronts 0 -> 8, conflicts 0 -> 6",
        "  votes 0 -> 3",
        "    new: a.cu:3 shared matrix load: instructions 0 -> 2, wavefronts 0 -> 8, conflicts 0 -> 6",
    ]
    (house.root / "scripts" / "names").write_text(NAMES, encoding="utf-8")
    assert house.run("names", str(house.root / "common" / "python")).stdout.splitlines() == [
        "3 4.0 6.0",
        "{'$ref': '#/$defs/shared'} {'$ref': '#/$defs/count', 'description': 'Of lanes.'}",
    ]
