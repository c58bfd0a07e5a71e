"""Drives the interactive sector map in headless Chromium, and compares the rule of its pages with the counting model's."""

import random

import pytest
from book_in_browser import controls_of, open_page
from test_explorer import SIZES, model_answers

PAGES = ("copy.html", "naive.html")
choose, told = controls_of("figure.sector-explorer")


def labels(page) -> list[str]:
    """Return the labels of the sectors that are drawn."""
    return page.locator("figure.sector-explorer .stage p").all_inner_texts()


def some_accesses(count: int) -> list[dict]:
    """Return random aligned accesses of some of the first lanes: in even steps, in clusters, or anywhere."""
    chance = random.Random(count)

    def elements(lanes: int) -> list[int]:
        first, step, among = chance.randrange(40), chance.choice((0, 1, 2, 3, 5, 8, 33, 2048)), chance.choice((4, 40, 4000))
        return chance.choice(
            (
                [first + step * lane for lane in range(lanes)],
                [first + step * (lanes - 1 - lane) for lane in range(lanes)],
                [chance.randrange(among) for _ in range(lanes)],
            )
        )

    return [
        {"size": size, "address": [size * element for element in elements(chance.choice((1, 16, 31, 32, 32)))]}
        for size in (chance.choice(SIZES) for _ in range(count))
    ]


def test_the_page_has_the_rule_of_the_model(shared_page):
    open_page(shared_page, PAGES[0])
    accesses = some_accesses(2000)
    asked = [
        {
            "space": "global",
            "machine": "sm_90",
            "op": "load",
            "size": one["size"],
            "lanes": one["address"] + [None] * (32 - len(one["address"])),
        }
        for one in accesses
    ]
    found = shared_page.evaluate("accesses => accesses.map(one => conflictFree.sectorsOf(one))", accesses)
    wrong = [
        access
        for access, answer, here in zip(accesses, model_answers(asked), found, strict=True)
        if (answer["sectors"], answer["ideal_sectors"], answer["l1_cycles"]) != (here["sectors"], here["ideal"], here["l1"])
    ]
    assert wrong == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_begins_with_a_case_that_it_does_not_ask_for(page, name):
    open_page(page, name)
    figure = page.locator("figure.sector-explorer")
    assert figure.get_attribute("data-sectors") == {"copy.html": "9", "naive.html": "24"}[name]
    assert figure.locator(".fallback").is_hidden() and figure.locator(".stage svg").count() == int(figure.get_attribute("data-sectors"))
    assert page.trouble == []


def test_all_sectors_of_a_column_are_in_view_at_once(page):
    open_page(page, "naive.html")
    choose(page, stride=1000)
    stage = page.locator(".sector-explorer .stage")
    assert stage.locator("svg").count() == 32
    assert stage.evaluate("stage => stage.scrollHeight <= stage.clientHeight")


def test_a_stride_of_three_floats_at_offset_8(page):
    """Lanes 0 to 31 ask for bytes 8 to 383, which 12 sectors hold; at offset 24 the last lane reaches a thirteenth."""
    open_page(page, PAGES[0])
    choose(page, stride=3, bytes=4, offset=8, lanes=32)
    assert told(page, "count") == "12 sectors, ideal: 4"
    assert (
        told(page, "all")
        == "Neighboring lanes are 12 bytes apart. 384 bytes move, and 128 of them are asked for. The L1 takes at least 1 cycle for them."
    )
    assert labels(page) == [f"byte {32 * sector}" for sector in range(12)]
    choose(page, offset=24)
    assert told(page, "count") == "13 sectors, ideal: 4"
    assert page.trouble == []


def test_lanes_share_a_sector_or_a_place_or_nothing(page):
    open_page(page, PAGES[1])
    choose(page, stride=1, bytes=4, offset=0)
    assert told(page, "count") == "4 sectors, the ideal"
    choose(page, stride=0)
    assert told(page, "count") == "1 sector, the ideal"
    assert page.locator("figure.sector-explorer .stage text").all_text_contents() == ["×32"]
    choose(page, stride=2048, lanes=3)
    assert told(page, "count") == "3 sectors, ideal: 1" and labels(page) == ["byte 0", "byte 8,192", "byte 16,384"]


def test_what_no_gpu_does_is_said(page):
    open_page(page, PAGES[0])
    choose(page, offset=2)
    figure = page.locator("figure.sector-explorer")
    assert told(page, "count") == "A GPU stops here: an address is not a multiple of 4 bytes."
    assert figure.get_attribute("data-sectors") is None and figure.locator(".stage svg").count() == 0
    choose(page, offset=4, bytes=12, stride=1)
    assert told(page, "memory") == "No instruction accesses 12 bytes: this is the first of 3 accesses of 4 bytes."
    assert told(page, "count") == "12 sectors, ideal: 4"
    choose(page, lanes=99)
    assert figure.locator("[data-control=lanes]").input_value() == "32"


def test_without_javascript_there_is_a_picture_and_a_sentence(page_without_scripts):
    open_page(page_without_scripts, PAGES[0])
    figure = page_without_scripts.locator("figure.sector-explorer")
    assert "Without it, one access from a run" in figure.inner_text()
    assert figure.locator(".fallback svg.wide").is_visible() and not figure.locator("input").first.is_visible()
