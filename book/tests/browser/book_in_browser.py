# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The rendered book, and what a browser finds out about a page of it in one visit.

The folder is named by the environment variable CONFLICT_FREE_HTML. Without it, or without Chromium, the tests fail: a
book that nobody opened is not a tested book.
"""

from __future__ import annotations

import html.parser
import os
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

from playwright.sync_api import BrowserContext, Page

#: A desktop and a phone, in CSS pixels.
WIDTHS = (1280, 390)
HEIGHT = 844


def html_folder() -> Path | None:
    """Return the folder of the book, None if it is not named or holds no index."""
    name = os.environ.get("CONFLICT_FREE_HTML", "")
    folder = Path(name)
    return folder.resolve() if name and (folder / "index.html").is_file() else None


FOLDER = html_folder()
PAGES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.html")) if FOLDER else []


@dataclass
class Visit:
    """What one visit of a page found out."""

    title: str = ""
    trouble: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)  # broken, or without alternative text
    links: list[str] = field(default_factory=list)
    bytes: int = 0  # of all that the page loads, fonts aside
    buttons: int = 0  # copy buttons
    listings: int = 0
    excess: dict[int, int] = field(default_factory=dict)  # pixels to scroll sideways, by width


def watch(page: Page) -> list[str]:
    """Return a list that fills with what goes wrong on the page: errors, failed requests, and any use of a network."""
    trouble: list[str] = []
    page.on("console", lambda message: message.type == "error" and trouble.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: trouble.append(f"script: {error}"))
    page.on("requestfailed", lambda request: trouble.append(f"failed: {request.url}"))
    page.on(
        "request",
        lambda request: urlparse(request.url).scheme in ("file", "data", "blob") or trouble.append(f"network: {request.url}"),
    )
    return trouble


def open_page(page: Page, name: str) -> None:
    """Open a page of the book and wait for all it loads."""
    page.goto((FOLDER / name).as_uri(), wait_until="load")


_IMAGES = """async () => {
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


def visit(context: BrowserContext, name: str) -> Visit:
    """Open a page of the book in a new page of a desktop's context and look it over."""
    page = context.new_page()
    trouble = watch(page)
    loaded: set[str] = set()
    page.on("request", lambda request: loaded.add(urldefrag(request.url)[0].split("?")[0]))
    open_page(page, name)
    files = [Path(unquote(urlparse(url).path)) for url in loaded if url.startswith("file:")]
    found = Visit(
        title=page.title().strip(),
        bytes=sum(path.stat().st_size for path in files if path.suffix not in (".woff", ".woff2", ".ttf")),
        images=page.evaluate(_IMAGES),
        links=sorted(set(page.evaluate("[...document.querySelectorAll('a[href]')].map(link => link.href)"))),
        buttons=page.locator("div.highlight button.copybtn").count(),
        listings=page.locator("div.highlight pre").count(),
    )
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        # What is folded away is part of the page too.
        page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
        found.excess[width] = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    found.trouble = list(trouble)
    page.close()
    return found


class _Ids(html.parser.HTMLParser):
    """Collects the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found |= {value for key, value in attributes if key in ("id", "name") and value}


_IDS: dict[Path, set[str]] = {}


def leads_somewhere(target: str) -> bool:
    """Return whether a link stays out of the book, or leads to a file of it and to an anchor that is there."""
    url, anchor = urldefrag(target)
    parsed = urlparse(url)
    if parsed.scheme != "file":
        return parsed.scheme == "https"
    path = Path(unquote(parsed.path))
    if not path.is_file():
        return False
    if not anchor or path.suffix != ".html":
        return True
    if path not in _IDS:
        _IDS[path] = _Ids(path.read_text(encoding="utf-8")).found
    return unquote(anchor) in _IDS[path]
