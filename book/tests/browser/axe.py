"""axe, which looks for what keeps readers out of a page, without the work that finds nothing."""

from pathlib import Path

import axe_playwright_python
from playwright.sync_api import Page

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")

#: Opens what is folded, and marks the texts whose contrast is looked at. That is half of the work, and contrast follows from the text's own
#: style and from what lies behind it: of texts with the same tag, classes, style and backgrounds up to the root, one is looked at. Pages
#: have thousands of tokens and cells, of tens of such kinds. The script gets the kinds that were looked at before, and returns the others.
PREPARE = """before => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const BEHIND = ["backgroundColor", "backgroundImage", "opacity", "filter", "mixBlendMode", "position", "zIndex"];
  const OWN = ["color", "fill", "fontSize", "fontWeight", "textShadow", "webkitTextFillColor", "webkitTextStroke", "visibility"];
  const taken = (element, names) => { const style = getComputedStyle(element); return names.map(name => style[name]).join(";"); };
  const behind = new Map();
  const NOTHING = "rgba(0, 0, 0, 0);none;1;none;normal;static;auto";
  const chain = element => {
    if (!element) return "";
    if (!behind.has(element)) {
      const own = taken(element, BEHIND);
      behind.set(element, chain(element.parentElement) + (own === NOTHING ? "" : "/" + own));
    }
    return behind.get(element);
  };
  const seen = new Set(before);
  for (const element of document.querySelectorAll("body *")) {
    const texts = [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    const field = element.matches("input, select, textarea, button");
    if (!texts.length && !field) continue;
    // An element that axe skips must not represent one that it checks.
    const box = element.getBoundingClientRect();
    if (!element.checkVisibility({opacityProperty: true, visibilityProperty: true}) || box.width <= 1 || box.height <= 1) continue;
    const passedOver = element.closest("[disabled], [aria-disabled=true], [aria-hidden=true], [inert]") !== null;
    const key = [element.localName, element.className.baseVal ?? element.className, passedOver, chain(element), taken(element, OWN)].join("|");
    if (!seen.has(key)) element.setAttribute("data-look", "");
    seen.add(key);
  }
  return [...seen].slice(before.length);
}"""

#: Removes elements that axe checks for contrast alone, which another test looks at: tokens of code become plain text, and pictures
#: lose their shapes and words. That is half of all elements. Elements that name something or have a name stay.
THIN_OUT = """() => {
  const own = ":not([data-look], [id], [role], [tabindex], [title], [lang], [onclick], [contenteditable])";
  const isPlain = element => ![...element.attributes].some(attribute => attribute.name.startsWith("aria-"));
  for (const token of document.querySelectorAll(`:is(pre, code, .sig) :is(span, wbr)${own}`)) if (isPlain(token)) token.replaceWith(...token.childNodes);
  document.body.normalize();
  const shapes = ["rect", "line", "path", "circle", "text", "tspan"].map(shape => `svg ${shape}${own}`).join(", ");
  for (const shape of document.querySelectorAll(shapes))
    if (isPlain(shape) && !shape.querySelector("[data-look], [id], title, desc")) shape.remove();
}"""

RUN = """async () => {
  axe.configure({rules: [{id: "color-contrast", selector: "[data-look]"}]});
  const found = await axe.run(document, {resultTypes: ["violations"], preload: false});
  return found.violations.flatMap(
    rule => rule.nodes.map(node => `${rule.id}: ${rule.help}: ${node.html.slice(0, 200)}`));
}"""


def violations(page: Page) -> list[str]:
    """Return what axe finds on the page as it is. ``page.looked_at`` (conftest) are the kinds of texts that were looked at before."""
    page.evaluate(AXE)
    page.looked_at += page.evaluate(PREPARE, page.looked_at)
    page.evaluate(THIN_OUT)
    return page.evaluate(RUN)
