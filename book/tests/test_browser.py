# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Opens the rendered book in headless Chromium, from the file system, as a reader without a network does.

The folder is named by the environment variable CONFLICT_FREE_HTML. Without it, or without Chromium, the
tests fail: a book that nobody opened is not a tested book.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

#: A desktop and a phone, in CSS pixels.
WIDTHS = (1280, 390)


def html_folder() -> Path | None:
    """Return the folder of the book, None if it is not named or holds no index."""
    name = os.environ.get("CONFLICT_FREE_HTML", "")
    folder = Path(name)
    return folder.resolve() if name and (folder / "index.html").is_file() else None


FOLDER = html_folder()
PAGES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.html")) if FOLDER else []


def test_the_book_is_there():
    """The other tests run once per page; this one says so when there is none."""
    assert FOLDER, (
        "CONFLICT_FREE_HTML must name the folder of the rendered book, with an index.html in it; "
        f"given: {os.environ.get('CONFLICT_FREE_HTML', '')!r}"
    )
    assert {"index.html", "copy.html", "naive.html", "glossary.html", "api.html", "search.html"} <= set(PAGES)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Headless Chromium of the system."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert chromium, "no Chromium: install it with the system's package manager (Debian: apt-get install chromium)"
    with sync_playwright() as playwright:
        # A container's root cannot use Chromium's own sandbox, and the pages are ours.
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that remembers what went wrong in ``page.trouble``."""
    context = browser.new_context(viewport={"width": WIDTHS[0], "height": 900})
    page = context.new_page()
    page.trouble = []
    page.on("console", lambda message: message.type == "error" and page.trouble.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: page.trouble.append(f"script: {error}"))
    page.on("requestfailed", lambda request: page.trouble.append(f"failed: {request.url}"))
    page.on(
        "request",
        lambda request: urlparse(request.url).scheme in ("file", "data", "blob")
        or page.trouble.append(f"network: {request.url}"),
    )
    yield page
    context.close()


def open_page(page: Page, name: str) -> None:
    """Open a page of the book and wait for all it loads."""
    page.goto((FOLDER / name).as_uri(), wait_until="load")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_without_trouble(page, name):
    open_page(page, name)
    assert page.trouble == []
    assert page.title().strip()


@pytest.mark.parametrize("name", PAGES)
def test_all_images_are_there(page, name):
    open_page(page, name)
    broken = page.evaluate(
        """async () => {
          const images = [...document.images];
          const urls = new Set(images.map(image => image.src));
          for (const source of document.querySelectorAll("source[srcset]"))
            urls.add(new URL(source.getAttribute("srcset"), document.baseURI).href);
          const loads = [...urls].map(url => new Promise(done => {
            const image = new Image();
            image.onload = () => done(image.naturalWidth > 0 ? null : url);
            image.onerror = () => done(url);
            image.src = url;
          }));
          const missing = (await Promise.all(loads)).filter(Boolean);
          const silent = images.filter(image => !image.alt.trim()).map(image => "no alternative text: " + image.src);
          return [...missing, ...silent];
        }"""
    )
    assert broken == []


@pytest.mark.parametrize("name", PAGES)
def test_internal_links_lead_somewhere(page, name):
    open_page(page, name)
    targets = page.evaluate("[...document.querySelectorAll('a[href]')].map(link => link.href)")
    assert targets, "a page without links has lost its navigation"
    broken = []
    for target in sorted(set(targets)):
        url, anchor = urldefrag(target)
        parsed = urlparse(url)
        if parsed.scheme != "file":
            continue
        path = Path(unquote(parsed.path))
        if not path.is_file():
            broken.append(target)
        elif anchor and path.suffix == ".html" and unquote(anchor) not in ids_of(path):
            broken.append(target)
    assert broken == []


_IDS: dict[Path, set[str]] = {}


def ids_of(path: Path) -> set[str]:
    """Return the anchors of a page."""
    if path not in _IDS:
        import html.parser

        class Collector(html.parser.HTMLParser):
            found: set[str] = set()

            def handle_starttag(self, tag, attributes):
                self.found |= {value for key, value in attributes if key in ("id", "name") and value}

        collector = Collector()
        collector.found = set()
        collector.feed(path.read_text(encoding="utf-8"))
        _IDS[path] = collector.found
    return _IDS[path]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_does_not_scroll_sideways(page, name, width):
    page.set_viewport_size({"width": width, "height": 844})
    open_page(page, name)
    excess = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert excess <= 0


@pytest.mark.parametrize("name", [name for name in PAGES if name in ("index.html", "copy.html", "naive.html")])
def test_code_can_be_copied(page, name):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(page, name)
    assert page.locator("div.highlight button.copybtn").count() == page.locator("div.highlight pre").count() > 0


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
