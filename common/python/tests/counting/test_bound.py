"""The fewest cycles of a launch, and what to mend first."""

import json

import pytest
from made_counts import shared

from conflict_free.counting import bound, failing, html_report, mending, next_step, printed_report, report_diff, sarif_report
from conflict_free.counts import WORK
from conflict_free.model_files import RATES

PER_CYCLE = {name: rate["per_cycle"] for name, rate in json.loads(RATES.read_text(encoding="utf-8"))["rates"].items()}


def work(wavefronts: int = 0, stored_sectors: int = 0, barriers: int = 0, **more: int) -> dict:
    return dict.fromkeys(WORK, 0) | {"wavefronts": wavefronts, "stored_sectors": stored_sectors, "barriers": barriers, **more}


def launch(
    blocks: int, *, total: dict, least: dict | None = None, most: dict | None = None, loaded: int = 0, stored: int = 0, **more
) -> dict:
    found = {"sum": total, "least": least or work(), "most": most or work(), "loaded_sectors": loaded, "stored_sectors": stored}
    return {
        "name": "kernel",
        "grid": [blocks, 1, 1],
        "block": [32, 1, 1],
        "blocks": blocks,
        "shared_bytes": 0,
        "lines": [],
        "work": found,
        **more,
    }


def cycles(kernel: dict, resource: str) -> int:
    found = bound.bound_of(kernel, "sm_90")
    assert found
    return found.cycles.get(resource, 0)


def test_each_resource_has_its_rate():
    arithmetic = work(132000, 734000, instructions=132 * 4000, double_precision=132 * 1000, special_functions=132 * 300)
    kernel = launch(1320, total=arithmetic, most=work(500, 600, 706), loaded=135000)
    found = bound.bound_of(kernel, "sm_90")
    for key, asked in (("instructions", 4000), ("double_precision", 1000), ("special_functions", 300)):
        assert found.cycles[key] == int(asked / PER_CYCLE[key])
    assert found.cycles["wavefronts"] == int(1000 / PER_CYCLE["wavefronts"])
    assert found.cycles["barriers"] == int(706 / PER_CYCLE["barriers"])
    assert found.cycles["l2_stores"] == int(734000 / PER_CYCLE["l2_stores"])
    assert found.cycles["l2_input"] == int(734000 / PER_CYCLE["l2_input"])
    assert found.cycles["l2_loads"] == int(135000 / PER_CYCLE["l2_loads"])
    assert found.cycles_at_least == max(found.cycles.values())
    assert found.cycles[found.limited_by] == found.cycles_at_least
    assert list(found.cycles.values()) == sorted(found.cycles.values(), reverse=True)


@pytest.mark.parametrize(
    ("blocks", "least", "most", "busiest"),
    [
        # One warp does all of it, and 131 multiprocessors have nothing to do.
        (1, 1000, 1000, 1000),
        (132, 10, 10, 10),
        # One multiprocessor has two of 133 equal blocks.
        (133, 10, 10, 20),
        # One block does more than its share.
        (132, 0, 700, 700),
        (1320, 1, 1, 10),
    ],
)
def test_the_busiest_multiprocessor_counts(blocks, least, most, busiest):
    total = max(most, least * blocks)
    assert cycles(launch(blocks, total=work(total), least=work(least), most=work(most)), "wavefronts") == int(
        busiest / PER_CYCLE["wavefronts"]
    )


@pytest.mark.parametrize("work_of_block", ["barriers", "loads_in_a_row", "shared_loads_in_a_row"])
def test_blocks_wait_one_after_another_where_few_run_at_a_time(work_of_block):
    each = work(**{work_of_block: 100})
    kernel = launch(132 * 8, total=work(**{work_of_block: 132 * 800}), least=each, most=each)
    assert cycles(kernel, work_of_block) == int(100 / PER_CYCLE[work_of_block])
    assert cycles({**kernel, "resources": {"blocks": 3}}, work_of_block) == int(300 / PER_CYCLE[work_of_block])
    # One of the blocks has more than its share.
    assert cycles({**kernel, "resources": {"blocks": 8}}, work_of_block) == int(100 / PER_CYCLE[work_of_block])


def test_sectors_written_in_part_take_two_cycles_of_the_way_into_the_l2():
    columns = launch(1320, total=work(stored_sectors=734000, partly_written_lines=734000))
    assert bound.bound_of(columns, "sm_90").limited_by == "l2_input"
    assert cycles(columns, "l2_input") == int(2 * 734000 / PER_CYCLE["l2_input"])
    assert "Next: fewer stores that write a part of a sector" in next_step.next_step(columns, "sm_90")
    rows = launch(1320, total=work(stored_sectors=734000))
    assert bound.bound_of(rows, "sm_90").limited_by == "l2_stores"


@pytest.mark.parametrize("work_of_block", ["loads_in_a_row", "shared_loads_in_a_row"])
def test_a_chain_that_limits_is_the_next_step(work_of_block):
    chain = work(**{work_of_block: 1064})
    said = next_step.next_step(launch(132, total=chain, most=chain), "sm_90")
    assert "that wait for one another. Next: a shorter chain than that of 1,064 loads" in said


def test_of_blocks_that_were_not_counted_nothing_is_known():
    kernel = launch(1320, total=work(264), least=work(2), most=work(2), counted_blocks=132)
    assert cycles(kernel, "wavefronts") == 2


def test_of_blocks_that_did_not_run_nothing_is_known():
    assert cycles(launch(1320, total=work(264), least=work(2), most=work(2), stopped=True), "wavefronts") == 2


def test_what_the_l2_may_hold_costs_no_dram():
    held = (60 << 20) // 32
    assert cycles(launch(132, total=work(), loaded=held, stored=held), "dram") == 0
    assert cycles(launch(132, total=work(), loaded=held + 7300, stored=held + 7300), "dram") == int(14600 / PER_CYCLE["dram"])


def test_no_rates_are_known_of_other_machines():
    assert bound.bound_of(launch(1, total=work(5)), "gt200") is None
    assert bound.bound_of({"name": "of an older report"}, "sm_90") is None


def test_tensor_cores_limit_a_product_of_matrices():
    # A block has two products of 64 × 256 × 16 elements of bf16, of 128 cycles each. One multiprocessor has two of 133 blocks.
    one = work(100, tensor_multiplications=2 * 64 * 256 * 16)
    for blocks, least in ((1, 256), (132, 256), (133, 512)):
        found = bound.bound_of(launch(blocks, total={key: blocks * number for key, number in one.items()}, least=one, most=one), "sm_90")
        assert (found.limited_by, found.cycles_at_least) == ("tensor_cores", least)


def test_conditions_know_the_bound():
    kernel = {**launch(132, total=work(0, 73400)), "launch": 0}
    data = {"machine": "sm_90", "kernels": [kernel], "hazards": [], "exit_code": 0}
    conditions = ["cycles_at_least > 900", "limited_by == 'l2_stores'", "cycles_at_least > 2000"]
    failing.check(conditions)
    assert [text.split(": ")[-1] for text in failing.failures(conditions, data)] == ["cycles_at_least is 969", "limited_by is l2_stores"]


def line(number: int, space: str, op: str, cost: int, ideal: int, stride: int, size: int = 4) -> dict:
    unit, instructions = ("wavefronts", "instructions") if space == "shared" else ("sectors", "requests")
    counted = {instructions: 32, unit: cost, f"ideal_{unit}": ideal}
    counted |= {"conflicts": cost - ideal} if space == "shared" else {"wavefronts": max(32, cost // 4), "bytes": 128 * 32}
    access = {"size": size, "lanes": [stride * lane for lane in range(32)]}
    return {"file": "kernel.cu", "line": number, "space": space, "op": op, **counted, "first_access": access}


def lanes_at(space: str, size: int, lanes: list[int]) -> dict:
    return {**line(1, space, "load", 64, 32, 4), "first_access": {"size": size, "lanes": lanes}}


def test_what_adds_most_to_the_bound_is_first():
    lines = [
        line(3, "shared", "load", 132 * 20, 132 * 10, 128),
        line(4, "global", "store", 73400, 7340, 4096),
        line(5, "global", "load", 128, 128, 4),
        line(6, "shared", "store", 132 * 12, 132 * 10, 8),
    ]
    kernel = {**launch(132, total=work(132 * 40, 73400), most=work(40, 560)), "lines": lines}
    found = mending.what_to_mend(kernel, "sm_90")
    assert [each.place for each in found] == ["kernel.cu:4", "kernel.cu:3", "kernel.cu:6"]
    # Without the excess of line 4, a tenth of the stores is left.
    assert found[0].cycles_without in (at_best := int(7340 / PER_CYCLE["l2_stores"]), at_best + 1)
    assert found[0].share == 1 and found[1].share == pytest.approx(10 / 12)
    assert "one bank: add one unused element to each row" in found[1].pattern and "share banks" in found[2].pattern
    assert "4096 bytes apart" in found[0].pattern


@pytest.mark.parametrize(
    ("access", "said"),
    [
        (line(1, "global", "load", 9, 4, 12), "4 of each 12 bytes are used"),
        (line(1, "shared", "load", 64, 32, 64), "16 words apart share banks: add one unused element to each row, or after every 16 words"),
        (
            line(1, "shared", "load", 64, 32, 64, 2),
            "64 bytes apart that access 2 bytes each share banks: add 2 unused elements to each row",
        ),
        (line(1, "shared", "load", 64, 32, 66, 2), "66 bytes apart that access 2 bytes each share banks: add one unused element"),
        (line(1, "shared", "load", 64, 32, 256, 8), "256 bytes apart that access 8 bytes each share banks: add one unused element"),
        (line(1, "shared", "load", 64, 32, 8), "2 words apart share banks: let neighboring lanes access neighboring words"),
        ({**line(1, "shared", "atomic", 64, 32, 0), "first_access": None}, "keep several copies"),
        (line(1, "global", "store", 9, 4, 28), "store whole elements"),
        (line(1, "global", "load", 9, 8, 4), "neighboring elements that begin within a sector"),
        (lanes_at("global", 4, [None if lane % 2 else 4 * lane for lane in range(32)]), "idle lanes lie between the active ones"),
        # Groups of lanes share a word, and rows end within a warp.
        (lanes_at("shared", 4, [0] * 16 + [256] * 16), "lanes 64 words apart are all in one bank"),
        (
            lanes_at("shared", 16, [*range(0, 512, 32)] * 2),
            "32 bytes apart that access 16 bytes each share banks: let neighboring lanes access neighboring 16 bytes",
        ),
        (
            lanes_at("global", 4, [4096 * row + 32 * lane for row in (0, 1) for lane in range(16)]),
            "lanes 32 bytes apart: a sector for each",
        ),
        (lanes_at("shared", 4, [128 * (lane * lane % 11) for lane in range(32)]), "the lanes' words share banks"),
        ({**line(1, "shared", "load", 64, 32, 4), "first_access": None}, "the lanes' words share banks"),
        ({**line(1, "global", "load", 65, 32, 4), "first_access": None}, "few bytes of each sector"),
    ],
)
def test_the_pattern_is_named(access, said):
    kernel = {**launch(1, total=work(5)), "lines": [access]}
    assert said in mending.what_to_mend(kernel, "sm_90")[0].pattern


def test_the_report_says_what_limits_and_what_to_mend(capsys):
    kernel = launch(132, total=work(132 * 32), most=work(32), launch=0)
    kernel |= {"lines": [line(7, "shared", "load", 1024, 32, 128)], "shared_load": shared(32, 1024, 32)}
    printed_report.show({"machine": "sm_90", "kernels": [kernel], "hazards": [], "exit_code": 0}, [])
    shown = capsys.readouterr().out
    assert shown.index("What to fix first") < shown.index("cycles at least") < shown.index("wavefronts each")
    assert "kernel.cu:7" in shown and "100%" in shown
    assert "wavefronts of the L1 and shared memory" in shown


def changes_of(old: list[dict], new: list[dict], wavefronts: tuple[int, int]) -> list[str]:
    """Return what `diff` says of two launches with these accesses, and these wavefronts of a multiprocessor."""
    reports = [
        {"machine": "sm_90", "kernels": [launch(132, total=work(132 * number), lines=lines)], "hazards": [], "exit_code": 0}
        for number, lines in zip(wavefronts, (old, new))
    ]
    return [text.strip() for text in report_diff.differences(*reports)]


def test_diff_says_what_was_mended_and_what_it_cost_of_the_bound():
    old = [line(3, "shared", "load", 132 * 30, 132, 128), line(5, "shared", "store", 132 * 8, 132, 128)]
    # A new line stands above the load, whose conflicts are gone, and another access is scattered.
    new = [
        line(4, "shared", "load", 132, 132, 4),
        line(6, "shared", "store", 132 * 8, 132, 128),
        line(9, "global", "load", 32 * 132, 132, 96),
    ]
    assert changes_of(old, new, (40, 17)) == [
        "kernel, grid [132, 1, 1] block [32, 1, 1]:",
        "cycles at least 40 -> 17",
        "fixed: kernel.cu:3 -> 4 shared load: wavefronts 3,960 -> 132, conflicts 3,828 -> 0, cycles of the bound 29 -> 0",
        "new: kernel.cu:9 global load: wavefronts 0 -> 1,056, requests 0 -> 32, sectors 0 -> 4,224, bytes 0 -> 4,096, cycles of the bound 0 -> 8",
    ]
    # Where a file has more accesses of a kind than before, their lines tell which is which.
    assert [text.split(" shared")[0] for text in changes_of(old, [*new[:2], old[0]], (40, 48))[2:]] == ["kernel.cu:4"]


def test_constants_that_a_gpu_may_not_load_are_not_in_the_bound():
    one = {"file": "kernel.cu", "line": 3, "space": "constant", "op": "load", "instructions": 132, "words": 132 * 32}
    kernel = launch(132, total=work(constant_words=132 * 32), most=work(constant_words=32), lines=[one])
    assert cycles(kernel, "constant_words") == 32
    assert cycles({**kernel, "exact": False, "fused": [note(3, "ptxas leaves it out", "ld.const.f32")]}, "constant_words") == 0


def test_diff_compares_a_file_with_one_of_another_name():
    old, mended = line(3, "shared", "load", 132 * 30, 132, 128), line(3, "shared", "load", 132, 132, 4)
    (*_, change) = changes_of([old], [{**mended, "file": "padded.cu"}], (40, 17))
    assert change.startswith("fixed: padded.cu:3 shared load: wavefronts 3,960 -> 132")
    # With two new files the old name of neither is known.
    found = changes_of([old], [{**mended, "file": "padded.cu"}, {**mended, "file": "tile.cu"}], (40, 17))
    assert any(each.startswith("gone: kernel.cu:3") for each in found)


def test_of_launches_that_differ_the_one_with_the_largest_bound_is_shown(capsys):
    kernels = [launch(132, total=work(132 * n), launch=n, lines=[line(n, "shared", "load", 132 * n, 132, 128)]) for n in (5, 7, 6)]
    data = {"machine": "sm_90", "kernels": kernels, "hazards": [], "exit_code": 0}
    printed_report.show(data, [])
    shown, page = capsys.readouterr().out, html_report.page(data, [])
    for text in (shown, page):
        assert "Launch 7, which has the largest bound of these:" in text and "kernel.cu:7" in text
    assert "\n              7  ###" in shown and "<td>7</td>" in page
    notes = [result for result in sarif_report.log(data, [])["runs"][0]["results"] if result["level"] == "note"]
    assert [note["message"]["text"].split(".")[0] for note in notes] == ["kernel: 7 cycles at least"]


def note(number: int, why: str, ptx: str = "ld.shared.f32") -> dict:
    return {"file": "kernel.cu" if number else "", "line": number, "ptx": ptx, "sass": "", "why": why}


@pytest.mark.parametrize(
    ("notes", "wavefronts", "loaded"),
    [
        ([note(3, "ptxas leaves it out")], 200, 141),
        ([note(3, "ptxas joins 4 neighboring accesses into one; the wide access is counted")], 300, 141),
        ([note(4, "ptxas leaves it out", "ld.global.f32")], 200, 0),
        ([note(3, "threads look here until others have written: how often is a matter of time", "")], 200, 141),
        ([note(0, "not compared with machine code: there is no ptxas", "")], 300, 141),
    ],
)
def test_accesses_that_a_gpu_may_not_make_are_not_in_the_bound(notes, wavefronts, loaded):
    lines = [line(3, "shared", "load", 132 * 100, 132 * 50, 128), line(4, "global", "load", 132 * 400, 132 * 40, 4)]
    kernel = launch(132, total=work(132 * 300), least=work(300), most=work(300), loaded=141) | {
        "lines": lines,
        "fused": notes,
        "exact": False,
    }
    assert (cycles(kernel, "wavefronts"), bound.certain_work(kernel)["loaded_sectors"]) == (wavefronts, loaded)
    assert cycles({**kernel, "exact": True}, "wavefronts") == 300
    uncertain = {f"kernel.cu:{each['line']}" for each in notes if "leaves" in each["why"] or "look" in each["why"]}
    assert {each.place for each in mending.what_to_mend(kernel, "sm_90") if each.cycles_without is None} == uncertain


def test_without_lines_each_access_may_be_one_that_a_gpu_does_not_make():
    access = {**line(0, "shared", "load", 132 * 100, 132 * 50, 128), "file": ""}
    kernel = launch(132, total=work(132 * 300), least=work(300), most=work(300)) | {"lines": [access], "exact": False}
    assert cycles({**kernel, "fused": [note(0, "ptxas leaves it out")]}, "wavefronts") == 200


def test_sectors_that_nothing_asks_for_any_more_are_not_loaded():
    # Each lane uses 4 of 24 bytes, once: the array has six times the sectors. Another access loads each of its sectors twice.
    once, twice = line(3, "global", "load", 6000 * 141, 1000 * 141, 24), line(4, "global", "load", 2000 * 141, 1000 * 141, 8)
    group = {"requests": 9, "sectors": 8000 * 141, "bytes": 9}
    kernel = launch(132, total=work(), loaded=7000 * 141, lines=[once, twice], global_load=group)
    assert [(each.place, each.cycles_without) for each in mending.what_to_mend(kernel, "sm_90")] == [
        ("kernel.cu:3", int(3000 * 141 / PER_CYCLE["l2_loads"])),
        ("kernel.cu:4", int(7000 * 141 / PER_CYCLE["l2_loads"])),
    ]
    # The same holds for the sectors that DRAM takes in.
    held = (60 << 20) // 32
    store = line(5, "global", "store", 6 * held, 2 * held, 12)
    kernel = launch(132, total=work(), stored=6 * held, lines=[store], global_store={**group, "sectors": 6 * held})
    assert mending.what_to_mend(kernel, "sm_90")[0].cycles_without == int(held / PER_CYCLE["dram"])


@pytest.mark.parametrize(("kernel", "said"), [(launch(132, total=work(), loaded=9999), True), (launch(132, total=work(9999)), False)])
def test_cycles_of_what_has_a_clock_of_its_own_say_which_clock_is_meant(kernel, said, capsys):
    data = {"machine": "sm_90", "kernels": [kernel], "hazards": [], "exit_code": 0}
    printed_report.show(data, [])
    assert ("at 1,980 MHz" in capsys.readouterr().out) == ("at 1,980 MHz" in html_report.page(data, [])) == said
