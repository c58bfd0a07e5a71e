# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What holds for every page of the rendered book, opened from the file system as by a reader without a network."""

from __future__ import annotations

import os

import pytest
from book_in_browser import FOLDER, PAGES, WIDTHS, leads_somewhere

#: What the landing page may load, fonts aside.
LANDING_BYTES = 300_000


def test_the_book_is_there():
    """The other tests run once per page; this one says so when there is none."""
    assert FOLDER, (
        "CONFLICT_FREE_HTML must name the folder of the rendered book, with an index.html in it; "
        f"given: {os.environ.get('CONFLICT_FREE_HTML', '')!r}"
    )
    assert {"index.html", "copy.html", "naive.html", "glossary.html", "api.html", "search.html"} <= set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_without_trouble(visits, name):
    assert visits[name].trouble == []
    assert visits[name].title


@pytest.mark.parametrize("name", PAGES)
def test_all_images_are_there(visits, name):
    assert visits[name].images == []


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(visits, name):
    links = visits[name].links
    assert links, "a page without links has lost its navigation"
    assert [target for target in links if not leads_somewhere(target)] == []


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_does_not_scroll_sideways(visits, name, width):
    assert visits[name].excess[width] <= 0


@pytest.mark.parametrize("name", PAGES)
def test_every_listing_has_a_copy_button(visits, name):
    assert visits[name].buttons == visits[name].listings


def test_pages_have_listings(visits):
    assert sum(found.listings for found in visits.values()) > len(PAGES)


def test_the_landing_page_is_light(visits):
    assert 10_000 < visits["index.html"].bytes < LANDING_BYTES
