# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The first sentence of a launch's report. The counts are those of products of 512 x 512 matrices, from the naive kernel on."""

import pytest
from test_bound import launch, line, work

from conflict_free.counting.next_step import next_step


def group(**counts: int) -> dict:
    return {"requests" if "sectors" in counts else "instructions": counts.pop("number"), **counts}


ROWS = 132 * 4


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        # One thread an element, and the lanes of a warp run down a column.
        (
            launch(ROWS, total=work(38_000_000, instructions=13_000_000))
            | {"lines": [line(12, "global", "load", 134_217_728, 16_777_216, 2048)]},
            "Next: kernel.cu:12, global load: lanes 2048 bytes apart",
        ),
        # The lanes run along a row: each access is at its best, and the matrices are loaded again and again.
        (
            launch(ROWS, total=work(8_396_800, instructions=12_590_000), loaded=65_536)
            | {"global_load": group(number=8_388_608, sectors=20_971_520)},
            "each sector 320 times: keep it in shared memory",
        ),
        # Tiles in shared memory: five loads for four multiply-adds.
        (
            launch(ROWS, total=work(6_823_936, instructions=9_700_000), loaded=65_536)
            | {"global_load": group(number=262_144, sectors=1_048_576), "shared_load": group(number=5_242_880, wavefronts=6_291_456)},
            "1.25 for each instruction of arithmetic: keep more results of each thread in registers",
        ),
        # Each thread has many results: the schedulers are busy.
        (
            launch(ROWS, total=work(4_494_000, instructions=18_700_000)) | {"shared_load": group(number=2_500_000, wavefronts=3_000_000)},
            "fewer instructions, 13 % of them accesses: load 16 bytes at once",
        ),
        # A warp has a tile of its own: little is left but multiply-adds.
        (
            launch(ROWS, total=work(901_000, instructions=4_460_544)) | {"shared_load": group(number=196_608, wavefronts=655_360)},
            "fewer instructions, 96 % of them arithmetic",
        ),
        (launch(1, total=work(8), most=work(8)), "Blocks for 1 of 132 multiprocessors"),
        (launch(ROWS, total=work(barriers=9), most=work(barriers=9)), "fewer barriers"),
        (launch(ROWS, total=work(100), loaded=100_000), "fewer distinct bytes loaded"),
        (launch(ROWS, total=work(132 * 1000), loaded=2), "load 16 bytes at once"),
    ],
)
def test_it_names_what_makes_the_bound_smaller(kernel, said):
    assert said in next_step(kernel, "sm_90")


def test_an_access_whose_excess_does_not_limit_is_not_next():
    kernel = launch(ROWS, total=work(5_000, instructions=18_700_000)) | {"lines": [line(7, "shared", "store", 4_000, 2_000, 16)]}
    assert "fewer instructions" in next_step(kernel, "sm_90")


def test_without_a_bound_there_is_none():
    assert next_step(launch(1, total=work(5)), "gt200") == ""
    assert next_step(launch(1, total=work()), "sm_90") == ""
