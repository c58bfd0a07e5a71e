"""Prints two pages of the rendered book, which CONFLICT_FREE_HTML names, and reads the result."""

import os
import sys
from pathlib import Path

import pytest
from pypdf import PdfReader

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "common" / "python"))

from conflict_free.console import Stop  # noqa: E402
from conflict_free.rendering.book_pdf import write_pdf  # noqa: E402  it lies with the scripts

HTML = Path(os.environ["CONFLICT_FREE_HTML"]).resolve()


@pytest.fixture(scope="module")
def pdf(tmp_path_factory) -> PdfReader:
    """The landing page and the page on padding."""
    target = tmp_path_factory.mktemp("pdf") / "book.pdf"
    assert write_pdf(HTML, target, ["index", "padding"]) == len(PdfReader(target).pages) > 4
    assert not list(target.parent.glob("*.partial"))
    return PdfReader(target)


def test_the_outline_leads_to_the_pages_in_reading_order(pdf):
    titles = [entry.title for entry in pdf.outline]
    assert titles == ["Conflict-Free CUDA", "Padding: one unused column"]
    places = [pdf.get_destination_page_number(entry) for entry in pdf.outline]
    assert places[0] == 0 < places[1] < len(pdf.pages)


def test_answers_are_printed_and_evidence_is_not(pdf):
    text = "\n".join(page.extract_text() for page in pdf.pages)
    assert "A row has 44 words, and gcd(44, 32) = 4" in " ".join(text.split()), "the answer to the prediction"
    assert "All counts, on 32 banks and on 16" in text and "barrier" not in text.split("Evidence")[-1]
    assert "Search" not in text, "the navigation is no part of a printed book"


def test_a_folder_without_a_book_is_named(tmp_path):
    with pytest.raises(Stop, match="holds no rendered book"):
        write_pdf(tmp_path, tmp_path / "book.pdf")
    assert not (tmp_path / "book.pdf").exists()
