"""Drives the tile of halves in headless Chromium, and compares it with the counting model's rule."""

import math

from book_in_browser import controls_of, open_page
from test_explorer import model_answers

PAGE = "fragments.html"
FIGURE = "figure.fragment-explorer"
choose, told = controls_of(FIGURE)


def shown(page) -> tuple[int, int]:
    """Return the wavefronts that the page shows, and the ideal."""
    figure = page.locator(FIGURE)
    return int(figure.get_attribute("data-wavefronts")), int(figure.get_attribute("data-ideal"))


def loads(access: str, pattern: int, stride: int, step: int) -> list[tuple[int, list[int]]]:
    """Return size and addresses of the loads that bring a part, by the text of the page."""
    if access == "ldmatrix":
        places = [(16, [(lane % 16, lane // 16 * 16) for lane in range(32)])]
    else:
        quarters = [(down, across) for across in (0, 16) for down in (0, 8)]
        places = [(4, [(down + lane // 4, across + lane % 4 * 4) for lane in range(32)]) for down, across in quarters]
        if access == "halves":
            places = [
                (2, [(down + lane % 4 * 2 + odd, across + lane // 4 * 2) for lane in range(32)])
                for down, across in quarters
                for odd in (0, 1)
            ]
    made = []
    for size, lanes in places:
        units = [(row * step * stride + byte) for row, byte in lanes]
        made.append((size, [16 * ((at // 16) ^ (at // 128 % max(1, pattern // 16))) + at % 16 for at in units]))
    return made


def test_a_choice_stands_for_its_accesses_and_costs_what_the_model_says(shared_page):
    open_page(shared_page, PAGE)
    choices = [
        {"access": access, "pattern": pattern, "stride": stride, "step": step}
        for access in ("ldmatrix", "pairs", "halves")
        for pattern in (0, 32, 64, 128)
        for stride, step in ((16, 1), (32, 1), (48, 3), (64, 1), (96, 2), (128, 1), (128, 4), (144, 1), (256, 1))
    ]
    made = shared_page.evaluate(
        """choices => {
          const machine = JSON.parse(document.querySelector("figure.fragment-explorer").dataset.machine);
          return choices.map(choice => conflictFree.fragmentAccesses(choice).map(access => {
            const {wavefronts, ideal} = conflictFree.sharedSchedule(access, machine);
            return [access.size, access.address, wavefronts.length, ideal];
          }));
        }""",
        choices,
    )
    wanted = [loads(**choice) for choice in choices]
    assert [[(size, address) for size, address, *_ in one] for one in made] == wanted
    asked = [{"machine": "sm_90", "op": "load", "size": size, "lanes": lanes} for one in wanted for size, lanes in one]
    answers = [(len(answer["wavefronts"]), answer["ideal_wavefronts"]) for answer in model_answers(asked)]
    assert [(wavefronts, ideal) for one in made for *_, wavefronts, ideal in one] == answers


def test_the_rules_of_the_page_hold(page):
    open_page(page, PAGE)
    assert told(page, "count") == "8 wavefronts in 1 instruction, ideal: 4", "the page begins with rows of 10 units"
    for units in (1, 2, 3, 8, 9, 12):
        choose(page, stride=16 * units)
        assert shown(page) == (4 * math.gcd(units, 8), 4)
    for row in (32, 64, 128):
        choose(page, stride=row, pattern=row)
        assert shown(page) == (4, 4)
        assert page.locator(f"{FIGURE} rect.excess").count() == 0


def test_rows_of_24_bytes_stop_ldmatrix_and_cost_plain_loads_twice(page):
    open_page(page, PAGE)
    choose(page, stride=24)
    assert told(page, "count") == "A GPU stops here: row 1 begins at byte 24, no multiple of 16."
    assert page.locator(FIGURE).get_attribute("data-wavefronts") is None
    choose(page, access="pairs")
    assert told(page, "count") == "8 wavefronts in 4 instructions, ideal: 4"
    choose(page, access="ldmatrix", stride=48)
    assert told(page, "count") == "4 wavefronts in 1 instruction, the ideal"
    choose(page, stride=45)
    assert page.locator(f"{FIGURE} [data-control=stride]").input_value() == "44"
    assert page.trouble == []


def test_pointing_at_an_element_marks_all_that_its_lane_holds(page):
    open_page(page, PAGE)
    lane = page.locator("figure.fragment-map svg.wide g.lane").nth(5)
    before = lane.locator("rect").last.evaluate("rect => getComputedStyle(rect).fill")
    lane.locator("text").first.hover()
    after = {rect.evaluate("rect => getComputedStyle(rect).fill") for rect in lane.locator("rect").all()}
    assert lane.locator("rect").count() == 16 and len(after) == 1 and before not in after
    assert lane.locator("title").first.text_content() == "row 1, column 2: lane 5, register a[0]"
