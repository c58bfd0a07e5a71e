"""The lengths of the chapters' pages, measured in a browser, and their budgets.

A screen is 1400 × 900 CSS pixels. Closed folds and the section *Evidence* do not count.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conflict_free.console import Stop
from conflict_free.setup.packages import CHROMIUM

WIDTH, HEIGHT = 1400, 900

#: The pages of part V that may be longer.
LONG = ("vectorized", "bulk_copy", "reduction_to_the_limit", "nearest_neighbor_to_the_limit")

#: Pages that are like those of chapters, and take their kernels from a chapter of another name.
BESIDE_CHAPTERS = ("more_in_flight", "block_order", "any_elements", "matmul_pipeline")

#: Screens until the end of the first picture, screens of the body, percent of the body that is tables, rows of a table.
FIRST_PICTURE = 1.5
BODY, LONG_BODY = 9.0, 13.0
TABLES = 15.0
ROWS = 12

_MEASURE = """() => {
  const article = document.querySelector("article") ?? document.body;
  const top = article.getBoundingClientRect().top;
  const evidence = document.querySelector("section#evidence");
  const end = (evidence ?? article).getBoundingClientRect()[evidence ? "top" : "bottom"];
  const inBody = element => !evidence?.contains(element) && !element.closest("details:not([open])");
  const height = element => element.getBoundingClientRect().height;
  const pictures = [...article.querySelectorAll("figure.picture, figure.sector-map, figure.bandwidth")].filter(inBody);
  const tables = [...article.querySelectorAll("table")].filter(inBody);
  const listings = [...article.querySelectorAll("figure.kernel-listing pre")].map(listing => listing.getAttribute("aria-label"));
  const strips = [...article.querySelectorAll("figure.step-figures")].filter(inBody);
  const apart = strips.map(strip => {
    const section = strip.closest("section");
    const diffs = [...section.querySelectorAll("figure.kernel-diff, figure.kernel-listing")].filter(inBody)
      .filter(diff => diff.compareDocumentPosition(strip) & Node.DOCUMENT_POSITION_FOLLOWING);
    return diffs.length ? strip.getBoundingClientRect().bottom - diffs.at(-1).getBoundingClientRect().top : 0;
  });
  return {
    evidence: evidence !== null,
    picture: pictures.length ? pictures[0].getBoundingClientRect().bottom + scrollY : null,
    body: end - top,
    tables: tables.reduce((sum, table) => sum + height(table), 0),
    rows: Math.max(0, ...tables.map(table => table.tBodies.length ? [...table.tBodies].reduce((n, body) => n + body.rows.length, 0) : 0)),
    twice: listings.filter((name, place) => listings.indexOf(name) !== place),
    steps: [...article.querySelectorAll("section > h2")].filter(head => head.textContent.startsWith("Step ")).length,
    apart: Math.max(0, ...apart),
  };
}"""


@dataclass(frozen=True)
class Length:
    """The length of a page: screens to the end of its first picture and of its body, percent of the body in tables, …"""

    slug: str
    #: None without a picture.
    picture: float | None
    body: float
    tables: float
    rows: int
    #: Kernels that are printed more than once.
    twice: tuple[str, ...]
    steps: int
    #: The most screens from the beginning of a change to the end of its figures.
    apart: float
    evidence: bool

    def findings(self) -> list[str]:
        """Return a line for each budget that the page exceeds."""
        body = LONG_BODY if self.slug in LONG else BODY
        found = []
        if self.picture is None or self.picture > FIRST_PICTURE:
            shown = "none" if self.picture is None else f"after {self.picture:.1f} screens"
            found.append(f"first picture: {shown}, at most {FIRST_PICTURE}")
        if self.body > body:
            found.append(f"body: {self.body:.1f} screens, at most {body:.0f}")
        if self.tables > TABLES:
            found.append(f"tables: {self.tables:.0f} % of the body, at most {TABLES:.0f}")
        if self.rows > ROWS:
            found.append(f"a table of {self.rows} rows, at most {ROWS}")
        if self.twice:
            found.append(f"printed twice: {', '.join(self.twice)}")
        if self.steps > 5:
            found.append(f"{self.steps} steps, at most 5")
        if self.apart > 1:
            found.append(f"a step's figures end {self.apart:.1f} screens after its change begins, at most 1")
        if not self.evidence:
            found.append("no section Evidence")
        return [f"{self.slug}: {line}" for line in found]


def measure(page: Any, folder: Path, slug: str) -> Length:
    """Open a chapter's page of the rendered book in ``folder`` with Playwright, and measure it."""
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.goto((folder / f"{slug}.html").as_uri(), wait_until="load")
    found = page.evaluate(_MEASURE)
    return Length(
        slug=slug,
        picture=None if found["picture"] is None else found["picture"] / HEIGHT,
        body=found["body"] / HEIGHT,
        tables=100 * found["tables"] / found["body"] if found["body"] else 0,
        rows=found["rows"],
        twice=tuple(dict.fromkeys(found["twice"])),
        steps=found["steps"],
        apart=found["apart"] / HEIGHT,
        evidence=found["evidence"],
    )


@contextmanager
def chromium() -> Iterator[Any]:
    """Give a headless Chromium of the system, driven by Playwright. Raises Stop without one."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, CHROMIUM.commands)), None)
    if path is None:
        raise Stop("no Chromium: install it with the system's package manager (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        # Root in a container cannot use Chromium's sandbox. The pages are our own. Their scripts run for a moment: threads that compile them
        # beside it take time from other tests.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--js-flags=--single-threaded"])
        yield browser
        browser.close()


def measure_all(folder: Path, slugs: list[str]) -> list[Length]:
    """Measure the pages of some chapters of the rendered book in ``folder``. Raises Stop without a browser."""
    with chromium() as browser:
        page = browser.new_page()
        return [measure(page, folder, slug) for slug in slugs]


def table(lengths: list[Length]) -> str:
    """Return the measured lengths as text, a line a page."""
    lines = [f"{'page':32} {'picture':>8} {'body':>6} {'tables':>7} {'rows':>5} {'steps':>6} {'apart':>6}"]
    for one in lengths:
        picture = "–" if one.picture is None else f"{one.picture:.2f}"
        lines.append(f"{one.slug:32} {picture:>8} {one.body:6.1f} {one.tables:6.0f}% {one.rows:5} {one.steps:6} {one.apart:6.2f}")
    return "\n".join(lines)
