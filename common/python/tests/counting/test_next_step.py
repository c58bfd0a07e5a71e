"""The first sentence of a launch's report. Most counts are those of products of 512 x 512 matrices, from the naive kernel on."""

import pytest
from test_bound import launch, line, work

from conflict_free.counting.next_step import next_step


def group(**counts: int) -> dict:
    unit, number = ("sectors", "requests") if "sectors" in counts else ("wavefronts", "instructions")
    instructions = counts.pop("number")
    return {number: instructions, f"ideal_{unit}": counts[unit], "wavefronts": max(instructions, counts[unit] // 4), **counts}


ROWS = 132 * 4


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        # One thread an element, and the lanes of a warp run down a column.
        (
            launch(ROWS, total=work(38_000_000, instructions=13_000_000))
            | {"lines": [line(12, "global", "load", 134_217_728, 16_777_216, 2048)]},
            "Next: global load at kernel.cu:12: lanes 2048 bytes apart",
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
            "96 % of the instructions are arithmetic; for products of matrices",
        ),
        (
            launch(ROWS, total=work(132, constant_words=132_000))
            | {"lines": [{"file": "kernel.cu", "line": 16, "space": "constant", "op": "load", "instructions": 4_125, "words": 132_000}]},
            "of constant memory at kernel.cu:16, whose lanes take turns",
        ),
        (launch(1, total=work(8), most=work(8)), "Blocks for 1 of 132 multiprocessors"),
        (launch(ROWS, total=work(barriers=9), most=work(barriers=9)), "fewer barriers"),
        (launch(ROWS, total=work(100), loaded=100_000), "fewer distinct bytes loaded"),
        # Few warps, and each tile is loaded, stored and waited for.
        (
            launch(ROWS, total=work(901_000, instructions=4_460_544), barriers=1024)
            | {"global_load": group(number=18_432, sectors=294_912), "shared_store": group(number=40_960, wavefronts=40_960)}
            | {"resources": {"warps": 12, "most_warps": 64, "blocks": 3}},
            "double buffering), if the kernel does not: 99 % of the instructions are arithmetic, and 12 of 64 warps hide little",
        ),
        # A tree of additions in shared memory: each step loads two words and stores one.
        (
            launch(ROWS, total=work(6_000, instructions=9_000))
            | {"shared_load": group(number=4_000, wavefronts=4_000), "shared_store": group(number=2_000, wavefronts=2_000)},
            "let the lanes of a warp exchange values by shuffles",
        ),
        (
            launch(ROWS, total=work(6_000, instructions=9_000)) | {"shared_atomic": group(number=4_000, wavefronts=4_000)},
            "fewer atomic operations on shared memory",
        ),
        (
            launch(ROWS, total=work(6_000, instructions=9_000)) | {"local_load": group(number=4_000, sectors=4_000)},
            "fewer accesses to local memory: index arrays by constants",
        ),
        (
            launch(ROWS, total=work(5, 1_000_000), stored=1_000) | {"global_store": group(number=250_000, sectors=1_000_000)},
            "fewer stores to the same data, each sector 1,000 times: keep it in registers",
        ),
        (launch(ROWS, total=work(132 * 1000), loaded=2), "load or store 16 bytes at once"),
    ],
)
def test_it_names_what_makes_the_bound_smaller(kernel, said):
    assert said in next_step(kernel, "sm_90")


def test_an_access_whose_excess_does_not_limit_is_not_next():
    kernel = launch(ROWS, total=work(5_000, instructions=18_700_000)) | {"lines": [line(7, "shared", "store", 4_000, 2_000, 16)]}
    assert "fewer instructions" in next_step(kernel, "sm_90")


def test_an_access_that_adds_little_to_the_bound_is_not_next():
    # All threads load each body, and at the end each stores its own.
    lines = [line(8, "global", "load", 2_097_152, 2_097_152, 0), line(13, "global", "store", 10_752, 1_536, 28)]
    kernel = launch(ROWS, total=work(2_100_000, 10_752), loaded=3_584) | {"lines": lines}
    kernel |= {"global_load": group(number=2_097_152, sectors=2_097_152)}
    assert "Next: fewer loads of the same data, each sector 585 times: keep it in shared memory" in next_step(kernel, "sm_90")


def test_at_best_a_store_writes_no_line_in_part():
    columns = {**line(12, "global", "store", 262_144, 65_536, 4096), "requests": 8_192}
    kernel = launch(ROWS, total=work(65_536, 262_144, partly_written_lines=262_144), stored=65_536) | {"lines": [columns]}
    assert next_step(kernel, "sm_90").endswith("With every access at its best, it is limited by stores to the L2.")


def test_atomic_operations_on_few_addresses_are_collected_first():
    bins = {**line(8, "global", "atomic", 685_008, 115_128, 4), "requests": 32_768}
    kernel = launch(ROWS, total=work(216_000, 685_008), stored=32) | {"lines": [bins]}
    kernel |= {"global_atomic": group(number=32_768, sectors=685_008) | {"ideal_sectors": 115_128}}
    assert "change the same data, each sector 3,598 times: let each block collect" in next_step(kernel, "sm_90")


def test_an_access_that_a_gpu_may_not_make_is_not_next():
    # Two resources limit equally, so that no access alone makes the bound smaller.
    stores = {**line(5, "global", "store", 75_700, 7_570, 128), "requests": 75_700}
    lines = [line(3, "shared", "load", 900_000, 450_000, 128), line(4, "shared", "load", 132_000, 1_320, 128), stores]
    kernel = launch(ROWS, total=work(132_000 + 900_000, 75_700), stored=75_700) | {"lines": lines, "exact": False}
    kernel["fused"] = [{"file": "kernel.cu", "line": 3, "ptx": "ld.shared.f32", "sass": "", "why": "ptxas leaves it out"}]
    assert "Next: shared load at kernel.cu:4" in next_step(kernel, "sm_90")


def test_what_limits_after_the_accesses_are_mended_follows():
    lines = [line(79, "shared", "load", 1_048_576, 524_288, 256), line(82, "shared", "load", 1_048_576, 524_288, 32)]
    kernel = launch(ROWS, total=work(2_359_296, instructions=6_000_000)) | {"lines": lines}
    kernel |= {"shared_load": {**group(number=655_360, wavefronts=2_097_152), "ideal_wavefronts": 1_048_576}}
    said = next_step(kernel, "sm_90")
    assert "Next: shared load at kernel.cu:79" in said
    assert said.endswith(
        "it is limited by instructions: fewer instructions, 11 % of them accesses: load 16 bytes at once, and keep more results of each thread in registers."
    )


def test_without_a_bound_there_is_none():
    assert next_step(launch(1, total=work(5)), "gt200") == ""
    assert next_step(launch(1, total=work()), "sm_90") == ""
