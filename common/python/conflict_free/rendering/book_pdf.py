"""Print the rendered book as one PDF, page by page in reading order. Arguments: the folder of the HTML, the PDF.

Closed folds stay closed except those with answers: a reader of paper cannot open a fold.
"""

import io
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag

from pypdf import PdfReader, PdfWriter

from conflict_free.checking.budgets import chromium
from conflict_free.console import Stop, run_main

#: The page's own margins, on A4.
MARGINS = {"top": "16mm", "bottom": "18mm", "left": "15mm", "right": "15mm"}

FOOTER = '<div style="width:100%;font-size:8px;text-align:center"><span class="pageNumber"></span></div>'


def reading_order(page: Any, html: Path) -> list[Path]:
    """Return the pages of the book in the order of its navigation, the landing page first."""
    page.goto((html / "index.html").as_uri())
    links = page.evaluate("[...document.querySelectorAll('.sidebar-tree a.reference.internal')].map(link => link.href)")
    names = dict.fromkeys(urldefrag(link)[0].rsplit("/html/", 1)[-1] for link in links)
    found = [html / "index.html", *(html / name for name in names if name != "index.html")]
    missing = [path for path in found if not path.is_file()]
    if missing:
        raise Stop(f"{html} has no {missing[0].name}, which its navigation names; render the book again")
    return found


def printed(page: Any, path: Path) -> tuple[str, PdfReader]:
    """Return the title and the printed pages of one page of the book."""
    page.goto(path.as_uri(), wait_until="load")
    page.evaluate("document.querySelectorAll('details.answer').forEach(fold => { fold.open = true; })")
    data = page.pdf(format="A4", margin=MARGINS, display_header_footer=True, header_template="<span></span>", footer_template=FOOTER)
    return page.locator("h1").first.inner_text().rstrip("¶").strip(), PdfReader(io.BytesIO(data))


def write_pdf(html: Path, target: Path, names: list[str] | None = None) -> int:
    """Print the pages of the book, or those with ``names`` such as ``assignments/padding``, into one PDF with an outline.

    Return the number of sheets.
    """
    if not (html / "index.html").is_file():
        raise Stop(f"{html} holds no rendered book; scripts/book makes it")
    writer = PdfWriter()
    with chromium() as browser:
        page = browser.new_page()
        page.emulate_media(media="print", color_scheme="light")
        for path in reading_order(page, html):
            if names is None or path.relative_to(html).with_suffix("").as_posix() in names:
                title, sheets = printed(page, path)
                first = len(writer.pages)
                writer.append(sheets, import_outline=False)
                writer.add_outline_item(title=title, page_number=first)
    writer.add_metadata({"/Title": "Conflict-Free CUDA", "/Author": "The Conflict-Free CUDA authors"})
    partial = target.with_suffix(".partial")
    target.parent.mkdir(parents=True, exist_ok=True)
    with partial.open("wb") as file:
        writer.write(file)
    partial.replace(target)
    return len(writer.pages)


def main() -> int:
    html, target = map(Path, sys.argv[1:])
    print(f"{target}: {write_pdf(html.resolve(), target)} pages")
    return 0


if __name__ == "__main__":
    run_main(main)
