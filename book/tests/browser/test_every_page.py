"""Tests of every page of the rendered book, opened from the file system as by a reader without a network."""

import os
import re
from pathlib import Path

from book_in_browser import FOLDER, PAGES, leads_somewhere, visit

#: What the landing page may load, fonts aside.
LANDING_BYTES = 300_000
#: Pages that have listings in any case.
LISTED = {"copy.html", "padding.html", "your_gpu.html"}


def test_the_book_is_there():
    """The other tests run once per page; this one says so when there is none."""
    assert FOLDER, (
        "CONFLICT_FREE_HTML must name the folder of the rendered book, with an index.html in it; "
        f"given: {os.environ.get('CONFLICT_FREE_HTML', '')!r}"
    )
    assert {"index.html", "copy.html", "naive.html", "glossary.html", "api.html", "search.html"} <= set(PAGES)


def test_a_page_opens_without_trouble(visited):
    assert visited.trouble == []
    assert visited.title


def test_no_markup_is_left_in_the_text(visited):
    page = (Path(FOLDER) / visited.name).read_text(encoding="utf-8")
    prose = re.sub(r"<(pre|code|script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert re.findall(r"\.\. [a-z-]+::.*|:(?:class|doc|ref|val|claim|term):.*", prose) == []


def test_all_images_are_there(visited):
    assert visited.images == []


def test_links_lead_somewhere(visited):
    assert visited.links, "a page without links has lost its navigation"
    assert [target for target in visited.links if not leads_somewhere(target)] == []


def test_a_page_does_not_scroll_sideways(visited):
    assert visited.excess <= 0


def test_no_picture_is_cut_at_the_edge_of_the_screen(visited):
    assert visited.cut_pictures == []


def test_every_listing_has_a_copy_button(visited):
    assert visited.buttons == visited.listings
    assert visited.listings or visited.name not in LISTED


def test_the_text_of_pictures_is_large_enough_and_whole(visited):
    assert visited.small_texts == []
    assert visited.cut_texts == []
    assert visited.overlaps == []


def test_pictures_have_words(visited):
    assert visited.silent_pictures == 0


def test_a_page_that_asks_says_of_each_right_number_that_it_is(visited):
    asks = 'class="predict"' in (Path(FOLDER) / visited.name).read_text(encoding="utf-8")
    assert set(visited.said_of_right_numbers) == ({"Right."} if asks else set())


def test_axe_finds_nothing(visited):
    assert visited.violations == []


def test_the_landing_page_is_light(shared_page):
    assert 10_000 < visit(shared_page, "index.html").bytes < LANDING_BYTES
