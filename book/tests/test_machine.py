"""The pictures of the machine, of a block's warps, and of the loads of a thread."""

import re
from itertools import pairwise
from types import SimpleNamespace

import pytest
import synthetic

from conflict_free.evidence.names import ResultError
from directives.pictures import machine, stages, timeline, turns


@pytest.fixture
def of_ten(project, monkeypatch):
    """A book on a machine of 10 multiprocessors."""
    monkeypatch.setattr(machine, "SHARED_CYCLES", "errata.broken.cycles")
    monkeypatch.setattr(machine, "LATENCIES", dict.fromkeys(machine.LATENCIES, "errata.broken.cycles"))
    monkeypatch.setattr(machine, "L2_SPEED", "copy.copy_plain.2048.warm_gbps")
    synthetic.write_specimen(project.chapters, project.counts, synthetic.specimen_report())
    synthetic.write_figures(project.results, {"cycles": 2.0})
    with synthetic.changed_json(project.results / synthetic.MACHINE / "copy.json") as result:
        result["provenance"]["multiprocessors"] = 10
    return project


def test_the_machine_has_the_sizes_of_its_result_files(of_ten):
    html = of_ten.build_page(".. machine-map::")
    # 10 multiprocessors × 128 bytes × 1,000 MHz, over two cycles.
    assert (
        "shared memory: 600 GB/s" in html
        and "40 MB" in html
        and "1,250 GB/s" in html
        and "1,100 GB/s; a load waits 2 cycles" in html
        and "L1: a load waits 2" in html
    )


def test_a_page_marks_its_parts_in_a_small_copy_of_the_machine(of_ten, monkeypatch):
    monkeypatch.setattr(machine, "MAP_PAGE", "index")
    html = of_ten.build_page(".. machine-part:: shared l1")
    assert 'aria-label="The part of the machine that this page is about: Shared memory, L1."' in html
    assert re.findall(r'class="part here"[^>]*>([^<]+)<', html) == ["Shared memory", "L1"]
    assert re.findall(r'class="part"[^>]*>([^<]+)<', html) == ["Registers", "L2", "DRAM"]
    assert "'l3' is not a part of the machine; accepted: registers, shared" in of_ten.build_error(".. machine-part:: l3")


def test_a_block_shows_the_lanes_of_its_warps(project):
    html = project.build_page(".. warp-map:: 16x4 64x1")
    assert "A block of 16 × 4 threads has 2 warps; a warp is 2 rows of it." in html
    assert "A block of 64 × 1 threads has 2 warps; a warp is 0.5 of a row." in html
    first = re.search(r"<svg.*?</svg>", html, re.DOTALL)[0]
    cells = re.findall(r'class="warp-(\d)"[^>]*/><text class="lane"[^>]*>(\d+)<', first)
    assert cells[43] == ("1", "11") and len(cells) == 64
    assert "'300x1' is not a block; accepted: WxH with at most 256 threads" in project.build_error(".. warp-map:: 300x1")


def test_the_same_words_are_sectors_in_one_memory_and_wavefronts_in_the_other(project):
    sectors = project.build_page(".. access-strips:: sectors\n   :strides: 1 2")
    assert "4 sectors: 128 bytes move, and 128 are asked for" in sectors and "8 sectors: 256 bytes move, and 128 are asked for" in sectors
    assert sectors.count('class="sector"') == 2 * (4 + 8), "a frame for each, on a wide page and on a phone"
    banks = project.build_page(".. access-strips:: banks\n   :strides: 2 33")
    assert "2 wavefronts, 2 words in each of 16 banks" in banks and "1 wavefront, 1 word in each of 32 banks" in banks
    assert "'lines' is not a way that memory is divided; accepted: sectors, banks" in project.build_error(".. access-strips:: lines")


def test_of_a_long_stride_the_first_rows_are_drawn():
    strip = machine.strip_of("banks", 32)
    assert strip["cost"] == "32 wavefronts, 32 words in one bank (the first 4 of 32 rows are drawn)"
    assert [one["lane"] for one in strip["pages"][0][1]["cells"] if one["lane"] is not None] == list(range(4))


def test_on_a_phone_half_of_the_banks_stand_below_the_others():
    words = machine.strip_of("banks", 2)["pages"]
    wide, narrow = (page for _, page in words)
    assert [one["bank"] for one in wide["banks"]] == [one["bank"] for one in narrow["banks"]] == list(range(32))
    first = {one["lane"]: one for one in narrow["cells"] if one["lane"] is not None}
    assert first[8]["x"] == first[0]["x"] and first[8]["y"] > first[16]["y"] > first[0]["y"], "word 16 lies in bank 16, word 32 in bank 0"
    assert first[0]["color"] == first[8]["color"] != first[16]["color"], "a color is a wavefront"


def test_loads_wait_one_after_another_or_together(project):
    one_by_one, together = timeline.bars_of(1), timeline.bars_of(4)
    assert all(after["x"] > before["store"] for before, after in pairwise(one_by_one)), "a store stands between two loads"
    assert together[-1]["x"] < together[0]["x"] + together[0]["width"] < min(bar["store"] for bar in together)
    assert [bar["store"] - bar["x"] for bar in timeline.bars_of(2)] == [timeline.WAIT + timeline.ISSUE] * 4, "each for its own load"
    html = project.build_page(".. load-timeline::\n\n   copy.copy_plain | 1\n   copy.copy_shared | 4\n")
    assert "4 bytes of a thread in flight" in html and "16 bytes of a thread in flight" in html and html.count('class="wait"') == 8
    assert "is not SLUG.KERNEL | N with 1 to 4 loads in flight" in project.build_error(".. load-timeline::\n\n   copy.copy_plain | 5\n")


def test_the_parts_of_a_timeline_are_as_long_as_the_clock_says():
    threads, in_turn, together = (timeline.phased_bars(*how, 400, (50, 20, 8)) for how in ((4, False), (1, True), (1, False)))
    assert [bar["x"] for bar in threads] == [0, 100, 200, 300] and {bar["width"] for bar in threads} == {50}
    assert [(bar["empty"], bar["end"]) for bar in threads] == [(78 + x, 100 + x) for x in (0, 100, 200, 300)]
    assert [bar["store"] - bar["x"] for bar in threads] == [70] * 4 and {bar["storing"] for bar in threads} == {8}
    assert [bar["x"] for bar in in_turn] == [0, 50, 100, 150] and {bar["width"] for bar in in_turn} == {50}, "the next waits for the value"
    for bars in (in_turn, together):
        assert {bar["held"] for bar in bars} == {200} and [bar["store"] for bar in bars] == [280, 288, 296, 304]
        assert [bar["rows"] for bar in bars] == [4, 0, 0, 0] and bars[0]["empty"] == 312 and timeline.length_of(bars) == 400
    assert [bar["x"] for bar in together] == [0, 6, 12, 18] and together[-1]["x"] + together[-1]["width"] == 200


def test_timelines_are_as_long_as_the_times(project):
    three = (
        ".. load-timeline::\n   :in-turn: one at a time\n   :gbps: {}\n   :phases: {}\n\n   copy.copy_plain | 1\n   copy.copy_shared | 4\n"
    )
    speeds = "copy.copy_plain.2048.gbps | 2 * copy.copy_plain.2048.gbps | 4 * copy.copy_plain.2048.gbps"
    assert ":gbps: has 1 keys for 3 panels" in project.build_error(three.format("copy.copy_plain.2048.gbps", speeds))
    page = project.build_page(
        f".. load-timeline::\n   :gbps: {speeds.rpartition(' | ')[0]}\n\n   copy.copy_plain | 1\n   copy.copy_shared | 4\n"
    )
    drawings = [re.findall(r'class="store"[^>]* x="([\d.]+)"', svg) for svg in page.split("<svg")[1:] if 'class="store"' in svg]
    lengths = [float(stores[-1]) - timeline.LEFT + timeline.ISSUE for stores in drawings]
    assert lengths == pytest.approx([lengths[0], lengths[0] / 2]), "as long as the times"
    assert page.count(" GB/s</p>") == 2


def test_the_memory_is_busy_for_the_share_of_the_time_that_the_speed_says(project):
    panel = {"blocks": 2, "parts": [50, 20, 10, 20], "turn": 100, "memory": 20, "together": False}
    bars = turns.bars_of(panel, 200)
    unit = turns.WIDTH / 200
    busy = [bar for bar in bars if bar["kind"] == "busy"]
    assert [bar["row"] for bar in busy] == [2] * 4 and sum(bar["width"] for bar in busy) == pytest.approx(4 * 20 * unit)
    assert sorted(bar["x"] for bar in busy) == pytest.approx([unit * start for start in (30, 80, 130, 180)]), "until all loads have arrived"
    for block in (0, 1):
        row = sorted((bar["x"], bar["x"] + bar["width"]) for bar in bars if bar["row"] == block)
        assert row[0][0] == 0 and row[-1][1] == pytest.approx(turns.WIDTH)
        assert all(end == pytest.approx(start) for (_, end), (start, _) in pairwise(row)), "a place is never in two parts, nor in none"
    error = project.build_error(
        ".. turns-timeline::\n\n   8 KiB | 2 | 4 | errata.phases_of_a_warp.one | copy.copy_plain.2048.gbps | late\n"
    )
    assert "is not WORDS | BLOCKS | KIB | PHASES | GBPS | measured or together or evenly" in error


def test_a_turn_is_the_bytes_of_the_blocks_by_the_speed_and_the_memory_is_busy_for_the_share_of_the_copy():
    figures = {"copy.cudaMemcpy.16384.gbps": 4000, "machine.multiprocessors": 100, "k": 1000}
    figures |= {f"phases_{part}_percent": share for part, share in (("loading", 50), ("barrier", 20), ("after_loading", 30), ("empty", 20))}
    panel = turns.turn_of(SimpleNamespace(value=lambda key: SimpleNamespace(number=figures[key])), "8 KiB", 2, 4, "phases", "k")
    # 100 multiprocessors load and store 8 KiB each at 1,000 bytes a nanosecond.
    assert panel["turn"] == pytest.approx(2 * 8192 * 100 / 1000)
    assert panel["parts"] == pytest.approx([panel["turn"] * share for share in (0.5, 0.2, 0.1, 0.2)])
    assert turns.busy_share(panel) == pytest.approx(1000 / 4000)
    assert turns.busy_share(turns.assumed(panel | {"blocks": 1}, 2, "together")) == pytest.approx(1 / (1 + 4))


def test_blocks_that_load_together_take_the_sum_and_evenly_the_longer_time():
    lone = {"blocks": 1, "parts": [50, 20, 10, 20], "turn": 100, "memory": 40, "together": False}
    together, evenly = (turns.assumed(lone, 2, how) for how in ("together", "evenly"))
    assert (together["turn"], evenly["turn"], turns.assumed(lone, 5, "evenly")["turn"]) == (180, 100, 200)
    [busy] = (bar for bar in turns.bars_of(together, 180) if bar["kind"] == "busy")
    assert [busy["x"], busy["x"] + busy["width"]] == pytest.approx([x / 180 * turns.WIDTH for x in (50, 130)]), "once for all blocks"
    assert busy["label"] == "all" and [bar["label"] for bar in turns.bars_of(evenly, 200) if bar["kind"] == "busy"][:2] == ["1", "1"]
    assert not any(bar["label"] for bar in turns.bars_of(together, 9000)), "without room there are no words"
    waits = [bar for bar in turns.bars_of(together, 180) if bar["kind"] == "wait"]
    assert {bar["x"] for bar in waits} == {0}, "all load at the same moment"
    assert [bar["width"] / turns.WIDTH * 180 for bar in waits] == pytest.approx([130, 130]), "until the memory has delivered everything"


def test_blocks_that_were_measured_stand_where_they_were():
    times = {"block_0": (0, 10, 20, 30, 40), "block_1": (1, 20, 30, 40, 50), "block_2": (0, 60, 70, 80, 90)}
    names = ("place", "begin_ns", "arrived_ns", "met_ns", "end_ns")
    figures = {f"kib_16_{block}_{name}": figure for block, found in times.items() for name, figure in zip(names, found, strict=True)}
    panel = turns.measured_blocks("16 KiB", figures, "kib_16", 0.5)
    assert panel["blocks"] == 2 and panel["busy"] == 0.5
    bars = [(bar["kind"], bar["row"], bar["x"] / turns.WIDTH * 60, bar["width"] / turns.WIDTH * 60) for bar in turns.bars_of(panel, 60)]
    # From 20 on, when both places have a block: the first one's loads have arrived, and its place is empty from 40 to 60.
    expected = [("held", 0, 0, 10), ("store", 0, 10, 10), ("empty", 0, 20, 20), ("wait", 0, 40, 10), ("held", 0, 50, 10)]
    assert [bar[:2] for bar in bars if bar[1] == 0] == [bar[:2] for bar in expected]
    assert [bar[2:] for bar in bars if bar[1] == 0] == [pytest.approx(bar[2:]) for bar in expected]
    assert [bar[0] for bar in bars if bar[1] == 1] == ["wait", "held", "store"]
    with pytest.raises(ResultError, match="no figure kib_8_block_0_place"):
        turns.measured_blocks("8 KiB", figures, "kib_8", 0.5)


def test_a_tile_is_asked_for_when_a_place_is_free_and_multiplied_when_it_has_arrived(project):
    assert stages.schedule(3, 1, 3, 1) == [(0, 3), (4, 7), (8, 11)]
    assert stages.schedule(4, 2, 3, 1) == [(0, 3), (3, 6), (6, 9), (9, 12)]
    # With 1 + arrival / product places, or more, the products follow each other.
    for places in (4, 5):
        assert [begun for _, begun in stages.schedule(6, places, 3, 1)] == [3, 4, 5, 6, 7, 8]
    html = project.build_page(".. stage-timeline::\n\n   copy.copy_plain | 1\n   copy.copy_shared | 3\n")
    assert "copy_plain, 1 place: the product of tile 6 ends after 28 units of time." in html
    assert html.count('class="wait"') == html.count('class="store"') == 7 + stages.TILES  # of one place, as many as end in time
    assert "is not SLUG.KERNEL | N with 1 to 4 places" in project.build_error(".. stage-timeline::\n\n   copy.copy_plain | 5\n")


def test_products_begin_when_their_end_was_waited_for_or_when_the_pair_did():
    clock = {"asked": 0, "arrived": 10, "begun": 20, "issued": 30, "ended": 2000}
    assert stages.products_of([clock, {**clock, "issued": 1900}], 1000) == [1000]
    # The end was seen late, when the next pair had come: the products began with their pair, or after the products before.
    late = [
        {**clock, "begun": begun, "issued": begun + 10, "ended": later + 20}
        for begun, later in ((0, 500), (500, 4000), (4000, 6000), (6000, 0))
    ]
    assert stages.products_of(late, 1000) == [0, 1000, 4000]
    asked = [{**one, "asked": begun} for one, begun in zip(late, (0, 290, 580, 4060))]
    bars = [
        (bar["kind"], bar["row"], bar["x"] * 29, round(bar["width"] * 29), bar["number"])
        for bar in stages.measured_panel(asked, 2, 1000)["bars"]
    ]
    # Pair 2 is asked for at 580: the earlier bars of the pairs before are cut off, and a short bar has no number.
    assert bars == [("store", 2, 0, 420, -2), ("held", 1, 0, 3480, -1), ("store", 2, 420, 1000, -1)]
