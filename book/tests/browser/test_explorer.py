# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Drives the interactive bank map in headless Chromium, and holds its rule against the counting model's.

The environment variable CONFLICT_FREE_SHARED_ACCESS names the model's tool ``simt_shared_access``.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess

import pytest
from book_in_browser import open_page

PAGE = "padding.html"
#: Sizes of elements that one instruction accesses.
SIZES = (1, 2, 4, 8, 16)


def model_answers(accesses: list[dict]) -> list[dict]:
    """Return what the model's rules say of some accesses."""
    tool = os.environ.get("CONFLICT_FREE_SHARED_ACCESS", "")
    assert tool, "CONFLICT_FREE_SHARED_ACCESS must name the model's tool simt_shared_access"
    run = subprocess.run([tool], input=json.dumps(accesses), capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"machine": "sm_9"}, "machine: got 'sm_9', accepted: sm_90"),
        ({"op": "move"}, "op: got 'move', accepted: load, store"),
        ({"size": 3}, "size: got 3, accepted: 1, 2, 4, 8, 16"),
        ({"lanes": [0]}, "lanes: got 1, accepted: 32"),
        ({"lanes": [None] * 32}, "lanes: got none that is active"),
    ],
)
def test_the_tool_says_in_one_line_what_it_cannot_answer(change, message):
    access = {"machine": "sm_90", "op": "load", "size": 4, "lanes": [0] * 32} | change
    tool = os.environ["CONFLICT_FREE_SHARED_ACCESS"]
    run = subprocess.run([tool], input=json.dumps([access]), capture_output=True, text=True)
    assert run.returncode == 2 and run.stdout == ""
    assert message in run.stderr and run.stderr.count("\n") == 1


def some_choices(page, count: int) -> list[dict]:
    """Return random choices of what the controls offer, on the modeled machines, with elements that one instruction accesses."""
    ranges = page.evaluate(
        """Object.fromEntries([...document.querySelectorAll("figure.bank-explorer input")]
           .map(input => [input.dataset.control, [Number(input.min), Number(input.max)]]))"""
    )
    chance = random.Random(count)

    def near(name: str, likely: tuple[int, ...]) -> int:
        return chance.choice(likely) if chance.random() < 0.5 else chance.randint(*ranges[name])

    return [
        {
            "machine": chance.choice(("sm_90", "gt200")),
            "access": chance.choice(("column", "row", "one")),
            "columns": near("columns", (8, 16, 32, 64)),
            "rows": near("rows", (8, 16, 32)),
            "padding": near("padding", (0, 1, 2, 4)),
            "size": chance.choice(SIZES),
        }
        for _ in range(count)
    ]


def access_of(choice: dict) -> dict:
    """Return the access that a choice stands for, worked out apart from the script."""
    pitch = choice["columns"] + choice["padding"]
    elements = {
        "row": [(lane // choice["columns"]) * pitch + lane % choice["columns"] for lane in range(32)],
        "column": [(lane % choice["rows"]) * pitch + lane // choice["rows"] for lane in range(32)],
        "one": [0] * 32,
    }[choice["access"]]
    op = "store" if choice["access"] == "row" else "load"
    size = choice["size"]
    return {"machine": choice["machine"], "op": op, "size": size, "lanes": [element * size for element in elements]}


def test_choices_have_the_wavefronts_of_the_model(page):
    open_page(page, PAGE)
    choices = some_choices(page, 2000)
    answers = model_answers([access_of(choice) for choice in choices])
    shown = page.evaluate(
        """choices => choices.map(choice => {
          const figure = document.querySelector("figure.bank-explorer");
          const access = conflictFree.accessOf(choice);
          return conflictFree.sharedSchedule(access, JSON.parse(figure.dataset.machines)[choice.machine]);
        })""",
        choices,
    )
    wrong = [
        choice
        for choice, answer, found in zip(choices, answers, shown, strict=True)
        if (answer["wavefronts"], answer["ideal_wavefronts"]) != (found["wavefronts"], found["ideal"])
    ]
    assert wrong == []


def test_the_script_has_the_rule_of_the_model_beyond_what_the_controls_offer(page):
    """Paired lanes that merge, several words shared, stores to one address."""
    open_page(page, PAGE)
    patterns = [
        [lane // 2 for lane in range(32)],
        [lane % 2 for lane in range(32)],
        [lane // 4 * 8 for lane in range(32)],
        [lane * lane % 40 for lane in range(32)],
        [lane * 7 % 19 * 16 for lane in range(32)],
        [(lane ^ 2) // 2 for lane in range(32)],
    ]
    accesses = [
        {"machine": machine, "op": op, "size": size, "lanes": [size * element for element in pattern]}
        for machine in ("sm_90", "gt200")
        for op in ("load", "store")
        for size in (4, 8, 16)
        for pattern in patterns
    ]
    shown = page.evaluate(
        """accesses => {
          const machines = JSON.parse(document.querySelector("figure.bank-explorer").dataset.machines);
          return accesses.map(one => conflictFree.sharedSchedule({...one, address: one.lanes}, machines[one.machine]));
        }""",
        accesses,
    )
    for access, answer, found in zip(accesses, model_answers(accesses), shown, strict=True):
        assert (found["wavefronts"], found["ideal"]) == (answer["wavefronts"], answer["ideal_wavefronts"]), access


def choose(page, **values) -> None:
    """Choose in the controls of the page's first bank map."""
    for name, value in values.items():
        control = page.locator(f"figure.bank-explorer [data-control={name}]").first
        if control.evaluate("control => control.tagName") == "SELECT":
            control.select_option(str(value))
        else:
            control.fill(str(value))
            control.blur()


def test_a_machine_of_the_readers_own_follows_the_rule_of_the_page(page):
    """The rule: L lanes, B banks, a stride of s words: L ÷ (B ÷ gcd(s, B)) wavefronts, rounded up."""
    open_page(page, PAGE)
    for banks, lanes, columns, padding in ((24, 32, 32, 0), (24, 32, 32, 1), (24, 24, 32, 1), (20, 16, 30, 2), (7, 32, 14, 0)):
        choose(page, banks=banks, request_lanes=lanes, columns=columns, padding=padding, rows=32)
        assert page.locator("figure.bank-explorer [data-control=machine]").first.input_value() == "own"
        each = math.ceil(lanes / (banks / math.gcd(columns + padding, banks)))
        rest = math.ceil(32 % lanes / (banks / math.gcd(columns + padding, banks)))
        assert told(page, "count").split()[0] == str(each * (32 // lanes) + rest)
    choose(page, machine="sm_90")
    assert page.locator("figure.bank-explorer [data-control=banks]").first.input_value() == "32"
    assert page.trouble == []


def test_elements_that_no_instruction_accesses_are_accessed_in_parts(page):
    open_page(page, PAGE)
    choose(page, size=12, columns=32, padding=0, access="row")
    assert "the first of 3 accesses of 4 bytes" in told(page, "memory")
    assert told(page, "count") == "1 wavefront, the ideal", "neighboring elements of 12 bytes are 3 words apart"
    choose(page, size=24, access="row")
    assert "the first of 3 accesses of 8 bytes" in told(page, "memory")
    assert page.trouble == []


def test_a_number_out_of_range_is_brought_into_it(page):
    open_page(page, PAGE)
    choose(page, padding=100)
    assert page.locator("figure.bank-explorer [data-control=padding]").first.input_value() == "32"


def told(page, part: str) -> str:
    """Return the text of a part of the page's first bank map."""
    return page.locator(f"figure.bank-explorer .{part}").first.inner_text()


def test_a_reader_chooses_a_tile_and_sees_the_count(page):
    open_page(page, PAGE)
    assert told(page, "count") == "32 wavefronts, ideal: 1"
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


@pytest.mark.parametrize("name", ["index.html", "copy.html"])
def test_pages_without_the_picture_do_not_load_its_script(page, name):
    open_page(page, name)
    assert page.locator("script[src*=bank_explorer]").count() == 0
