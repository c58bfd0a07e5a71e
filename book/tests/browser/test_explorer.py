"""Drives the interactive bank map in headless Chromium, and compares the rule of its page with the counting model's.

The environment variable CONFLICT_FREE_ACCESS names the model's tool ``simt_access``.
"""

import json
import math
import os
import random
import subprocess

import pytest
from book_in_browser import controls_of, open_page

PAGE = "padding.html"
choose, told = controls_of("figure.bank-explorer")
#: Sizes of elements that one instruction accesses.
SIZES = (1, 2, 4, 8, 16)


def machine(banks: int, bank_width: int, request_lanes: int, extra: int = 0) -> dict:
    """Return a machine that somebody has made up, as the model's tool and the page's rule take it."""
    return {
        "banks": banks,
        "bank_width": bank_width,
        "request_lanes": request_lanes,
        "words": 0,
        "wide": 0,
        "extra_wavefronts_of_16_bytes": extra,
    }


def model_answers(accesses: list[dict]) -> list[dict]:
    """Return the results of the model's rules for some accesses."""
    tool = os.environ.get("CONFLICT_FREE_ACCESS", "")
    assert tool, "CONFLICT_FREE_ACCESS must name the model's tool simt_access"
    run = subprocess.run([tool], input=json.dumps(accesses), capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"machine": "sm_9"}, "machine: got 'sm_9', accepted: sm_90"),
        ({"space": "local"}, "space: got 'local', accepted: shared, global"),
        ({"op": "move"}, "op: got 'move', accepted: load, store"),
        ({"machine": machine(0, 4, 32)}, "banks of shared memory: got 0, accepted: 1 to 64"),
        ({"size": 3}, "size: got 3, accepted: 1, 2, 4, 8, 16"),
        ({"lanes": [0]}, "lanes: got 1, accepted: 32"),
        ({"lanes": [None] * 32}, "lanes: got none that is active"),
    ],
)
def test_the_tool_says_in_one_line_what_it_cannot_answer(change, message):
    access = {"machine": "sm_90", "op": "load", "size": 4, "lanes": [0] * 32} | change
    tool = os.environ["CONFLICT_FREE_ACCESS"]
    run = subprocess.run([tool], input=json.dumps([access]), capture_output=True, text=True)
    assert run.returncode == 2 and run.stdout == ""
    assert message in run.stderr and run.stderr.count("\n") == 1


def some_accesses(count: int) -> list[dict]:
    """Return random accesses on machines of the table and on invented ones."""
    chance = random.Random(count)

    def lanes(size: int) -> list[int]:
        columns, pitch, among = chance.randint(1, 64), chance.randint(1, 96), chance.choice((2, 20, 400))
        return [
            element * size
            for element in chance.choice(
                (
                    [lane // columns * pitch + lane % columns for lane in range(32)],
                    [lane % columns * pitch + lane // columns for lane in range(32)],
                    [lane // chance.choice((1, 2, 4, 8)) for lane in range(32)],
                    [lane * pitch for lane in range(32)],
                    [chance.randrange(among) for _ in range(32)],
                )
            )
        ]

    def some_machine() -> dict | str:
        if chance.random() < 0.4:
            return chance.choice(("sm_90", "gt200"))
        banks = chance.choice((24, 32, chance.randint(1, 64)))
        return machine(
            banks, chance.choice((4, 8, chance.randint(1, 16))), chance.choice((16, 32, chance.randint(1, 32))), chance.randint(0, 1)
        )

    def some_lanes(size: int) -> list[int | None]:
        active = chance.choice((32, chance.randint(1, 32)))
        return lanes(size)[:active] + [None] * (32 - active)

    return [
        {"machine": some_machine(), "op": chance.choice(("load", "store")), "size": size, "lanes": some_lanes(size)}
        for size in (chance.choice(SIZES) for _ in range(count))
    ]


def answers_of_the_page(page, accesses: list[dict]) -> list[dict]:
    """Return the results of the page's compiled rule for some accesses."""
    told = page.evaluate(
        """accesses => {
          const machines = JSON.parse(document.querySelector("figure.bank-explorer").dataset.machines);
          return JSON.stringify(
            accesses.map(one => conflictFree.sharedSchedule({...one, address: one.lanes.filter(at => at !== null)}, machines[one.machine] ?? one.machine)));
        }""",
        accesses,
    )
    return json.loads(told)


@pytest.mark.long
def test_the_page_has_the_rule_of_the_model(shared_page):
    open_page(shared_page, PAGE)
    accesses = some_accesses(2000)
    wrong = [
        access
        for access, answer, found in zip(accesses, model_answers(accesses), answers_of_the_page(shared_page, accesses), strict=True)
        if (answer["wavefronts"], answer["ideal_wavefronts"]) != (found["wavefronts"], found["ideal"])
    ]
    assert wrong == []


def test_page_and_model_refuse_an_impossible_machine_with_one_line(shared_page):
    open_page(shared_page, PAGE)
    impossible = [
        machine(0, 4, 32),
        machine(65, 4, 32),
        machine(32, 17, 32),
        machine(32, 4, 0),
        machine(24, 4, 32) | {"wide": 1},
        machine(32, 4, 32) | {"words": 1},
    ]
    accesses = [{"machine": one, "op": "load", "size": 4, "lanes": [0] * 32} for one in impossible]
    for access, found in zip(accesses, answers_of_the_page(shared_page, accesses), strict=True):
        run = subprocess.run([os.environ["CONFLICT_FREE_ACCESS"]], input=json.dumps([access]), capture_output=True, text=True)
        assert run.returncode == 2 and run.stderr == f"simt_access: {found['impossible']}\n"


def test_the_controls_offer_no_impossible_machine(shared_page):
    open_page(shared_page, PAGE)
    ranges = shared_page.evaluate(
        """["banks", "bank_width", "request_lanes"].map(name => document.querySelector(`figure.bank-explorer [data-control=${name}]`))
           .map(input => [Number(input.min), Number(input.max)])"""
    )
    edges = [[numbers[side] for numbers in ranges] for side in (0, 1)]
    beyond = [[*edges[side][:i], edges[side][i] + (1 if side else -1), *edges[side][i + 1 :]] for side in (0, 1) for i in range(3)]
    access = {"op": "load", "size": 4, "lanes": [0] * 32}
    inside = answers_of_the_page(shared_page, [access | {"machine": machine(*numbers)} for numbers in edges])
    outside = answers_of_the_page(shared_page, [access | {"machine": machine(*numbers)} for numbers in beyond])
    assert not any("impossible" in found for found in inside) and all("impossible" in found for found in outside)


def test_a_choice_stands_for_its_access(shared_page):
    """A column of rows of 33 elements, of 16 rows so that two columns are read; a row of 8; lanes 9 apart, 20 of them; one element."""
    open_page(shared_page, PAGE)
    choices = [
        ({"access": "column", "columns": 32, "rows": 16, "padding": 1}, "load", [lane % 16 * 33 + lane // 16 for lane in range(32)]),
        ({"access": "row", "columns": 8, "rows": 32, "padding": 2}, "store", [lane // 8 * 10 + lane % 8 for lane in range(32)]),
        ({"access": "one", "columns": 8, "rows": 32, "padding": 0}, "load", [0] * 32),
        ({"access": "stride", "columns": 8, "rows": 4, "padding": 3, "stride": 9, "lanes": 20}, "load", [9 * lane for lane in range(20)]),
    ]
    for choice, op, elements in choices:
        for size in SIZES:
            made = shared_page.evaluate("choice => conflictFree.accessOf(choice)", {"lanes": 32} | choice | {"size": size})
            assert made == {"op": op, "size": size, "address": [element * size for element in elements]}


def test_lanes_may_be_a_stride_apart_and_idle(page):
    open_page(page, PAGE)
    choose(page, access="stride", padding=0, stride=16, size=4)
    for lanes, stride in ((32, 16), (16, 16), (32, 6), (20, 0), (32, 64)):
        choose(page, stride=stride, lanes=lanes)
        [answer] = model_answers(
            [{"machine": "sm_90", "op": "load", "size": 4, "lanes": [4 * stride * lane if lane < lanes else None for lane in range(32)]}]
        )
        assert int(told(page, "count").split()[0]) == len(answer["wavefronts"])
        assert page.locator("figure.bank-explorer svg.tile rect.busy").count() == (lanes if stride else 1)
    assert "63 rows of 32 elements" in told(page, "memory")
    assert page.trouble == []


@pytest.mark.long
def test_a_machine_of_the_readers_own_follows_the_rule_of_the_page(page):
    """The rule: L lanes, B banks, a stride of s words: L ÷ (B ÷ gcd(s, B)) wavefronts, rounded up."""
    open_page(page, PAGE)
    for banks, lanes, columns, padding in ((24, 32, 32, 0), (24, 32, 32, 1), (24, 24, 32, 1), (20, 16, 30, 2), (7, 32, 14, 0)):
        choose(page, banks=banks, request_lanes=lanes, columns=columns, padding=padding, rows=32, size=4)
        assert page.locator("figure.bank-explorer [data-control=machine]").first.input_value() == "own"
        each = math.ceil(lanes / (banks / math.gcd(columns + padding, banks)))
        rest = math.ceil(32 % lanes / (banks / math.gcd(columns + padding, banks)))
        assert told(page, "count").split()[0] == str(each * (32 // lanes) + rest)
    choose(page, machine="sm_90")
    assert page.locator("figure.bank-explorer [data-control=banks]").first.input_value() == "32"
    assert page.trouble == []


def test_an_impossible_machine_has_a_line_and_no_count(page):
    open_page(page, PAGE)
    choose(page, banks=0)
    figure = page.locator("figure.bank-explorer").first
    line = "There is no such machine: banks of shared memory: got 0, accepted: 1 to 64."
    assert told(page, "count") == line
    assert figure.get_attribute("data-wavefronts") is None and figure.locator("rect.busy").count() == 0
    stage = figure.locator(".stage")
    assert stage.get_attribute("aria-label") == line
    stage.focus()
    page.keyboard.press("ArrowRight")
    assert told(page, "count") == line and figure.locator("button:enabled").count() == 0
    choose(page, banks=24, size=4)
    assert told(page, "count").endswith("wavefronts, ideal: 2") and figure.locator("button:enabled").count() == 3
    assert page.trouble == []


def test_elements_that_no_instruction_accesses_are_accessed_in_parts(page):
    open_page(page, PAGE)
    choose(page, size=12, columns=32, padding=0, access="row")
    assert "the first of 3 accesses of 4 bytes" in told(page, "memory")
    assert told(page, "count") == "1 wavefront, the ideal", "neighboring elements of 12 bytes are 3 words apart"
    choose(page, size=24, access="row")
    assert "the first of 3 accesses of 8 bytes" in told(page, "memory")
    assert page.trouble == []


def test_a_tile_is_judged_by_all_of_its_columns(page):
    """Rows of 33 elements of 2 bytes: every other column has two words in one bank, and column 0 has not."""
    open_page(page, PAGE)
    choose(page, size=2, columns=32, rows=32, padding=1)
    lanes = [[(33 * row + column) * 2 for row in range(32)] for column in range(32)]
    answers = model_answers([{"machine": "sm_90", "op": "load", "size": 2, "lanes": each} for each in lanes])
    counts = [answer["wavefronts"] if isinstance(answer["wavefronts"], int) else len(answer["wavefronts"]) for answer in answers]
    figure = page.locator("figure.bank-explorer").first
    assert (counts[0], max(counts), sum(counts) / 32) == (1, 2, 1.5)
    assert figure.get_attribute("data-worst") == "2" and figure.get_attribute("data-mean") == "1.5"
    assert told(page, "count") == "2 wavefronts, ideal: 1"
    assert told(page, "all") == f"Shown: column {counts.index(2)}, the worst. All 32 columns: 1 to 2, 1.5 on average."
    choose(page, first=0)
    assert told(page, "count") == "1 wavefront, the ideal" and told(page, "all").startswith("Shown: column 0. All 32")
    choose(page, size=4)
    assert told(page, "all") == "The same for each of 32 columns."
    assert page.trouble == []


def test_only_the_controls_of_the_access_are_shown(page):
    open_page(page, PAGE)
    shown = {"column": [False, True], "row": [False, True], "stride": [True, False], "one": [False, False]}
    for access, expected in shown.items():
        choose(page, access=access)
        labels = [page.locator(f"figure.bank-explorer [data-control={name}]").first for name in ("stride", "first")]
        assert [one.is_visible() for one in labels] == expected
    assert page.trouble == []


def test_a_number_out_of_range_is_brought_into_it(page):
    open_page(page, PAGE)
    choose(page, padding=100)
    assert page.locator("figure.bank-explorer [data-control=padding]").first.input_value() == "32"


def test_a_reader_chooses_a_tile_and_sees_the_count(page):
    open_page(page, PAGE)
    assert told(page, "count") == "2 wavefronts, ideal: 1", "the page begins with rows of 33 bytes"
    choose(page, padding=4)
    assert told(page, "count") == "1 wavefront, the ideal", "the answer to the question above the picture"
    choose(page, size=4)
    assert told(page, "count") == "4 wavefronts, ideal: 1"
    choose(page, padding=1)
    assert told(page, "count") == "1 wavefront, the ideal"
    choose(page, columns=16, rows=16)
    assert told(page, "count") == "2 wavefronts, ideal: 1"
    choose(page, machine="gt200")
    assert told(page, "count") == "2 wavefronts, the ideal"
    choose(page, columns=32, rows=32, size=16, padding=0)
    assert "16,896" not in told(page, "memory") and "16,384 bytes of shared memory." in told(page, "memory")
    choose(page, padding=1)
    assert "That is more than the 16,384 that a block of gt200 may have." in told(page, "memory")
    drawn = page.locator("figure.bank-explorer svg.banks.wide .wavefront").count()
    assert drawn == int(page.locator("figure.bank-explorer").get_attribute("data-wavefronts"))
    assert page.trouble == []


def test_a_reader_steps_through_the_wavefronts_with_buttons_and_keys(page):
    open_page(page, PAGE)
    choose(page, size=4, padding=0)
    where = page.url
    busy = page.locator("figure.bank-explorer svg.banks.wide rect.busy")
    assert busy.count() == 32
    page.get_by_role("button", name="Next").click()
    assert told(page, "step") == "Wavefront 1 of 32: bank 0, for lane 0."
    assert busy.count() == 1
    stage = page.locator("figure.bank-explorer .stage")
    stage.focus()
    page.keyboard.press("ArrowRight")
    assert told(page, "step") == "Wavefront 2 of 32: bank 0, for lane 1."
    page.keyboard.press("End")
    assert told(page, "step") == "Wavefront 32 of 32: bank 0, for lane 31."
    page.keyboard.press("ArrowRight")
    assert told(page, "step").startswith("Wavefront 32 of 32")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert told(page, "step").startswith("Wavefront 1 of 32")
    assert "Wavefront 1 of 32: bank 0" in stage.get_attribute("aria-label")
    assert page.url == where, "the theme turned the page"
    page.get_by_role("button", name="All", exact=True).click()
    assert busy.count() == 32
    assert page.trouble == []


def test_without_javascript_there_is_a_picture_and_a_sentence(page_without_scripts):
    open_page(page_without_scripts, PAGE)
    figure = page_without_scripts.locator("figure.bank-explorer")
    assert "Without it, one access from a run" in figure.inner_text()
    assert figure.locator(".fallback svg.wide").is_visible()
    assert not figure.locator("select").first.is_visible()


@pytest.mark.parametrize(("name", "scripts"), [("index.html", "explorer"), ("copy.html", "bank_"), (PAGE, "sector_")])
def test_pages_without_the_picture_do_not_load_its_script(page, name, scripts):
    open_page(page, name)
    assert page.locator(f"script[src*={scripts}]").count() == 0
