# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""axe finds nothing on any page: in light as wide as a desktop, in dark as wide as a phone, all folds open."""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
import pytest
from book_in_browser import PAGES, open_page
from playwright.sync_api import Page

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")

#: Opens what is folded. A token of code is looked at once for each color and background: there are thousands.
PREPARE = """() => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const seen = new Set();
  for (const token of document.querySelectorAll("pre span")) {
    if (token.children.length) continue;
    const key = token.className + "|" + token.closest(".diff-line, .code-line, pre").className;
    if (seen.has(key)) token.style.visibility = "hidden";
    seen.add(key);
  }
}"""

RUN = """async () => {
  const found = await axe.run(document, {resultTypes: ["violations"]});
  return found.violations.flatMap(
    rule => rule.nodes.map(node => `${rule.id}: ${rule.help}: ${node.html.slice(0, 200)}`));
}"""


def violations(page: Page) -> list[str]:
    """Return what axe finds on the page as it is."""
    page.evaluate(AXE)
    page.evaluate(PREPARE)
    return page.evaluate(RUN)


@pytest.mark.parametrize("name", PAGES)
def test_in_light_as_wide_as_a_desktop(page, name):
    open_page(page, name)
    assert violations(page) == []


@pytest.mark.parametrize("name", PAGES)
def test_in_dark_as_wide_as_a_phone(phone, name):
    open_page(phone, name)
    assert violations(phone) == []


@pytest.mark.parametrize(("broken", "rule"), [
    ("document.querySelector('article p').style.color = '#ddd'", "color-contrast"),
    ("document.querySelector('pre').removeAttribute('tabindex')", "scrollable-region-focusable"),
    ("document.querySelector('img').removeAttribute('alt')", "image-alt"),
    ("document.querySelector('[role=heading]').removeAttribute('aria-level')", "aria-required-attr"),
])
def test_what_is_broken_is_found(page, broken, rule):
    open_page(page, "index.html")
    page.evaluate("document.querySelector('pre').style.width = '5em'")
    page.evaluate(broken)
    assert any(found.startswith(rule) for found in violations(page))
