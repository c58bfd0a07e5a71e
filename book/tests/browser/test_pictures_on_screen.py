# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Pictures as a reader sees them: large enough to read, in the colors of the theme, and with words for who cannot see."""

from __future__ import annotations

import pytest
from book_in_browser import FOLDER, PAGES, open_page

#: Pages with a picture that is drawn into the page.
PICTURED = [name for name in PAGES if '<svg class="wide"' in (FOLDER / name).read_text(encoding="utf-8")]

#: The smallest text that the book asks a reader to read, in CSS pixels.
LEAST_TEXT = 11

_SMALL_TEXTS = """least => [...document.querySelectorAll("figure svg text")].filter(text => {
  const svg = text.closest("svg"), box = svg.getBoundingClientRect();
  return box.width > 0 && box.width / svg.viewBox.baseVal.width * parseFloat(getComputedStyle(text).fontSize) < least;
}).map(text => text.textContent)"""

_CUT_TEXTS = """() => [...document.querySelectorAll("figure svg text")].filter(text => {
  const box = text.closest("svg").getBoundingClientRect(), own = text.getBoundingClientRect();
  return box.width > 0 && (own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1 || own.bottom > box.bottom + 1);
}).map(text => text.textContent)"""

_SILENT = """() => [...document.querySelectorAll("figure svg")].filter(svg => !svg.closest("button") && svg.getBoundingClientRect().width > 0 &&
  !svg.closest("[aria-hidden=true], [role=img]")).length"""


def test_there_are_pictures():
    assert {"padding.html", "coalesced.html", "diagonal.html", "reduction_bank_conflicts.html"} <= set(PICTURED)


@pytest.mark.parametrize("screen", ["shared_page", "shared_phone"])
@pytest.mark.parametrize("name", PICTURED)
def test_the_text_of_pictures_is_large_enough_and_whole(request, name, screen):
    page = request.getfixturevalue(screen)
    open_page(page, name)
    assert page.evaluate(_SMALL_TEXTS, LEAST_TEXT) == []
    assert page.evaluate(_CUT_TEXTS) == []
    assert page.evaluate(_SILENT) == 0


def test_a_picture_follows_the_theme(browser):
    fills = {}
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme)
        page = context.new_page()
        open_page(page, "padding.html")
        fills[scheme] = page.evaluate("getComputedStyle(document.querySelector('.bank-map .busy')).fill")
        context.close()
    assert fills["light"] != fills["dark"]
