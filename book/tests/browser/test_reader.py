# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What a person does with the book: look up, switch, reveal, copy, download, and read in the dark or without scripts."""

from __future__ import annotations

import pytest
from book_in_browser import FOLDER, WIDTHS, open_page


def test_copied_code_is_the_code_without_its_margin(page):
    open_page(page, "naive.html")
    button = page.locator("figure.counted button.copybtn").first
    wanted = page.evaluate(
        """[...document.querySelector("figure.counted pre").querySelectorAll(".code-line > .code")]
           .map(line => line.textContent).join("\\n")"""
    )
    page.evaluate("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }")
    page.evaluate("document.execCommand = () => { window.copied = String(document.activeElement.value); return true; }")
    button.dispatch_event("click")
    page.wait_for_function("window.copied !== undefined")
    assert page.evaluate("window.copied").strip() == wanted.strip()
    assert "sectors" not in wanted


def test_tabs_answers_and_values_work_by_keyboard(page):
    open_page(page, "naive.html")
    page.locator("details.answer summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details.answer").first.evaluate("fold => fold.open")
    tabs = page.locator(".sd-tab-set > input")
    tabs.first.focus()
    page.keyboard.press("ArrowRight")
    assert tabs.nth(1).is_checked()
    value = page.locator(".val").first
    assert not value.locator(".val-tip").is_visible()
    value.focus()
    assert value.locator(".val-tip").is_visible()


def test_tabs_stay_in_step_by_keyboard_and_are_remembered(page):
    open_page(page, "timing.html")
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.reload()
    first = page.locator(".sd-tab-set").first.locator("> input")
    first.first.focus()
    page.keyboard.press("ArrowLeft")
    chosen = page.evaluate("document.activeElement.nextElementSibling.dataset.syncId")
    assert chosen == "local", "from the first tab, left is the last one"
    in_step = "[...document.querySelectorAll('.sd-tab-set > input:checked + label')].map(label => label.dataset.syncId)"
    assert set(page.evaluate(in_step)) == {"local"}
    # The next visit has a new session, but the same local storage.
    page.evaluate("sessionStorage.clear()")
    open_page(page, "padding.html")
    assert set(page.evaluate(in_step)) == {"local"}
    assert page.trouble == []


def test_answers_unfold_without_javascript(browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((FOLDER / "naive.html").as_uri())
    fold = page.locator("details.answer").first
    assert not fold.locator("ol").is_visible()
    fold.locator("summary").click()
    assert fold.locator("ol").is_visible()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_plot_has_a_variant_for_each_theme(browser, scheme):
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.goto((FOLDER / "index.html").as_uri())
    visible = [image.get_attribute("src") for image in page.locator(".ladder img").all() if image.is_visible()]
    assert len(visible) == 1 and f"-{scheme}-" in visible[0]
    context.close()


def test_search_finds_a_word(page):
    open_page(page, "search.html")
    page.goto(page.url + "?q=wavefront", wait_until="load")
    page.wait_for_selector("#search-results li")
    assert page.trouble == []
