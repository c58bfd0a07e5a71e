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

#: Opens what is folded, and marks the texts whose contrast is looked at. That is most of the work, and contrast follows from
#: the text's own style and from what lies behind it: of texts with the same tag, classes, style and backgrounds up to
#: the root, one is looked at. There are thousands of tokens of code and of table cells, and tens of such kinds.
PREPARE = """() => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const BEHIND = ["backgroundColor", "backgroundImage", "opacity", "filter", "mixBlendMode", "position", "zIndex"];
  const OWN = ["color", "fill", "fontSize", "fontWeight", "textShadow", "webkitTextFillColor", "webkitTextStroke", "visibility"];
  const taken = (element, names) => { const style = getComputedStyle(element); return names.map(name => style[name]).join(";"); };
  const behind = new Map();
  const numbers = new Map();
  // A number for each chain of backgrounds, so that a key stays short.
  const chain = element => {
    if (!element) return 0;
    if (!behind.has(element)) {
      const key = chain(element.parentElement) + "|" + taken(element, BEHIND);
      if (!numbers.has(key)) numbers.set(key, numbers.size + 1);
      behind.set(element, numbers.get(key));
    }
    return behind.get(element);
  };
  const seen = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const texts = [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    const field = element.matches("input, select, textarea, button");
    if (!texts.length && !field) continue;
    // What axe passes over must stand for nothing that it looks at.
    const box = element.getBoundingClientRect();
    if (!element.checkVisibility({opacityProperty: true, visibilityProperty: true}) || box.width <= 1 || box.height <= 1) continue;
    const passedOver = element.closest("[disabled], [aria-disabled=true], [aria-hidden=true], [inert]") !== null;
    const key = [element.localName, element.className.baseVal ?? element.className, passedOver, chain(element), taken(element, OWN)].join("|");
    if (!seen.has(key)) element.setAttribute("data-look", "");
    seen.add(key);
  }
}"""

#: Takes out what axe has a rule for in no other way than for its contrast, which is looked at elsewhere: tokens of code become
#: plain text, and pictures lose their shapes and words. That is half of all elements. What names or is named by something stays.
THIN_OUT = """() => {
  const own = ":not([data-look], [id], [role], [tabindex], [title], [lang], [onclick], [contenteditable])";
  const isPlain = element => ![...element.attributes].some(attribute => attribute.name.startsWith("aria-"));
  for (const token of document.querySelectorAll(`pre span${own}`)) if (isPlain(token)) token.replaceWith(...token.childNodes);
  document.body.normalize();
  const shapes = ["rect", "line", "path", "circle", "text", "tspan"].map(shape => `svg ${shape}${own}`).join(", ");
  for (const shape of document.querySelectorAll(shapes))
    if (isPlain(shape) && !shape.querySelector("[data-look], [id], title, desc")) shape.remove();
}"""

RUN = """async () => {
  axe.configure({rules: [{id: "color-contrast", selector: "[data-look]"}]});
  const found = await axe.run(document, {resultTypes: ["violations"]});
  return found.violations.flatMap(
    rule => rule.nodes.map(node => `${rule.id}: ${rule.help}: ${node.html.slice(0, 200)}`));
}"""


def violations(page: Page) -> list[str]:
    """Return what axe finds on the page as it is."""
    page.evaluate(AXE)
    page.evaluate(PREPARE)
    page.evaluate(THIN_OUT)
    return page.evaluate(RUN)


@pytest.mark.parametrize("name", PAGES)
def test_in_light_as_wide_as_a_desktop(shared_page, name):
    open_page(shared_page, name)
    assert violations(shared_page) == []


@pytest.mark.parametrize("name", PAGES)
def test_in_dark_as_wide_as_a_phone(shared_phone, name):
    open_page(shared_phone, name)
    assert violations(shared_phone) == []


@pytest.mark.parametrize(
    ("broken", "rule"),
    [
        ("document.querySelector('article p').style.color = '#ddd'", "color-contrast"),
        (
            "[...document.querySelectorAll('.kernel-listing span.code > span')].filter(token => token.textContent.length > 2).at(-1).style.color = '#ddd'",
            "color-contrast",
        ),
        ("document.querySelectorAll('.sidebar-tree a')[4].style.opacity = 0.4", "color-contrast"),
        ("document.querySelector('pre').removeAttribute('tabindex')", "scrollable-region-focusable"),
        ("document.querySelector('img').removeAttribute('alt')", "image-alt"),
        ("document.querySelector('[role=heading]').removeAttribute('aria-level')", "aria-required-attr"),
    ],
)
def test_what_is_broken_is_found(shared_page, broken, rule):
    open_page(shared_page, "copy.html")
    shared_page.evaluate("document.querySelector('pre').style.width = '5em'")
    shared_page.evaluate(broken)
    assert any(found.startswith(rule) for found in violations(shared_page))
