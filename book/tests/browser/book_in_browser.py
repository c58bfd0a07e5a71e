"""The rendered book, and a browser's findings on one visit of a page.

The folder is named by the environment variable CONFLICT_FREE_HTML. Without it, or without Chromium, the tests fail: a
book that nobody opened is not a tested book.
"""

import html.parser
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

from axe import violations
from playwright.sync_api import Page

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
    """The findings of one visit of a page on one screen."""

    name: str
    title: str
    trouble: list[str]
    images: list[str]  # broken, or without alternative text
    links: list[str]
    bytes: int  # of all that the page loads, fonts aside
    buttons: int  # copy buttons
    listings: int
    small_texts: list[str]  # of pictures
    cut_texts: list[str]
    overlaps: list[str]
    silent_pictures: int  # drawn into the page, without words for readers who cannot see
    said_of_right_numbers: list[str]  # by predictions
    excess: int  # pixels to scroll sideways
    cut_pictures: list[str]  # that a reader must scroll sideways
    violations: list[str]  # what axe finds


def watch(page: Page) -> list[str]:
    """Return a list that fills with what goes wrong on the page: errors, failed requests, and any use of a network."""
    trouble: list[str] = []
    page.on("console", lambda message: message.type == "error" and trouble.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: trouble.append(f"script: {error}"))
    page.on("requestfailed", lambda request: trouble.append(f"failed: {request.url}"))
    page.on(
        "request", lambda request: urlparse(request.url).scheme in ("file", "data", "blob") or trouble.append(f"network: {request.url}")
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


#: The smallest text that the book asks a reader to read, in CSS pixels.
LEAST_TEXT = 11

_SMALL_TEXTS = """least => [...document.querySelectorAll("figure svg text")].filter(text => {
  const svg = text.closest("svg"), box = svg.getBoundingClientRect();
  return text.getBoundingClientRect().width > 0 && box.width / svg.viewBox.baseVal.width * parseFloat(getComputedStyle(text).fontSize) < least;
}).map(text => text.textContent)"""

_CUT_TEXTS = """() => [...document.querySelectorAll("figure svg text")].filter(text => {
  const box = text.closest("svg").getBoundingClientRect(), own = text.getBoundingClientRect();
  return own.width > 0 && (own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1 || own.bottom > box.bottom + 1);
}).map(text => text.textContent)"""

#: Words of a picture that run into each other: pairs of texts that share more than a few pixels.
_OVERLAPS = """() => [...document.querySelectorAll("figure svg")].flatMap(svg => {
  const texts = [...svg.querySelectorAll("text")].map(text => [text.textContent.trim(), text.getBoundingClientRect()])
    .filter(([words, box]) => words && box.width > 0);
  return texts.flatMap(([words, box], place) => texts.slice(place + 1).filter(([, other]) =>
    Math.min(box.right, other.right) - Math.max(box.left, other.left) > 2 &&
    Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 0.3 * Math.min(box.height, other.height)
  ).map(([others]) => `${words} / ${others}`));
})"""

#: Pictures that are wider than the room they have, with all folds open.
_CUT_PICTURES = """() => [...document.querySelectorAll("figure")].filter(figure => [figure, ...figure.querySelectorAll("*")].some(part =>
  part.querySelector("svg") && part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX !== "visible"
)).map(figure => figure.className)"""

_SILENT = """() => [...document.querySelectorAll("figure svg")].filter(svg => !svg.closest("button") && svg.getBoundingClientRect().width > 0 &&
  !svg.closest("[aria-hidden=true], [role=img]")).length"""

#: The page's words on the right number in each field of a prediction.
_RIGHT_NUMBERS = """() => [...document.querySelectorAll(".predict .try input")].map(input => {
  input.value = input.dataset.right;
  input.dispatchEvent(new Event("change"));
  return input.closest("p").querySelector("output").innerText;
})"""


def visit(page: Page, name: str) -> Visit:
    """Open a page of the book in a page of the browser that has ``trouble`` (conftest), and look it over. That changes it."""
    page.trouble.clear()
    loaded: set[str] = set()
    listener = lambda request: loaded.add(urldefrag(request.url)[0].split("?")[0])  # noqa: E731  it is taken off by its name
    page.on("request", listener)
    open_page(page, name)
    files = [Path(unquote(urlparse(url).path)) for url in loaded if url.startswith("file:")]
    found = {
        "title": page.title().strip(),
        "images": page.evaluate(_IMAGES),
        "links": sorted(set(page.evaluate("[...document.querySelectorAll('a[href]')].map(link => link.href)"))),
        "bytes": sum(path.stat().st_size for path in files if path.suffix not in (".woff", ".woff2", ".ttf")),
        "buttons": page.locator("div.highlight button.copybtn").count(),
        "listings": page.locator("div.highlight pre").count(),
        "small_texts": page.evaluate(_SMALL_TEXTS, LEAST_TEXT),
        "cut_texts": page.evaluate(_CUT_TEXTS),
        "overlaps": page.evaluate(_OVERLAPS),
        "silent_pictures": page.evaluate(_SILENT),
        "said_of_right_numbers": page.evaluate(_RIGHT_NUMBERS),
    }
    # Folded content is part of the page too.
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    found["excess"] = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    found["cut_pictures"] = page.evaluate(_CUT_PICTURES)
    page.remove_listener("request", listener)
    return Visit(name=name, trouble=list(page.trouble), violations=violations(page), **found)


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


def controls_of(figure: str) -> tuple[Callable[..., None], Callable[[Page, str], str]]:
    """Return two functions for a page's first figure of a kind: one sets its controls by their names, one returns the text of a part."""

    def choose(page: Page, **values: object) -> None:
        page.locator(f"{figure} details").evaluate_all("all => all.forEach(one => (one.open = true))")
        for name, value in values.items():
            control = page.locator(f"{figure} [data-control={name}]").first
            if control.evaluate("control => control.tagName") == "SELECT":
                control.select_option(str(value))
            else:
                control.fill(str(value))
                control.blur()

    return choose, lambda page, part: page.locator(f"{figure} .{part}").first.inner_text()
