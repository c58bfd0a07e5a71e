"""No page of a chapter takes more of a reader's time than its budget, and each has the picture first."""

from pathlib import Path

import pytest
from book_in_browser import FOLDER

from conflict_free.checking import budgets

ROOT = Path(__file__).resolve().parents[3]
CHAPTERS = (path.name for path in (ROOT / "chapters").iterdir() if (ROOT / "book" / f"{path.name}.rst").is_file())
SLUGS = sorted({*CHAPTERS, *budgets.BESIDE_CHAPTERS} - {"errata"})
#: A page of each kind that is measured in any case; the others are a long series.
SAMPLE = {"padding", "vectorized", "matmul_pipeline"}


@pytest.mark.parametrize("slug", [slug if slug in SAMPLE else pytest.param(slug, marks=pytest.mark.long) for slug in SLUGS])
def test_a_page_keeps_its_budget(shared_page, slug):
    assert budgets.measure(shared_page, FOLDER, slug).findings() == []


def page_of(tmp_path: Path, body: str) -> Path:
    """Write a page of a made up chapter and return its folder."""
    (tmp_path / "made_up.html").write_text(f"<!doctype html><body style='margin:0'><article>{body}</article></body>")
    return tmp_path


PICTURE = "<figure class='picture' style='margin:0;height:900px'></figure>"
EVIDENCE = "<section id='evidence' style='height:90000px'><figure class='kernel-listing'><pre aria-label='a'></pre></figure></section>"


@pytest.mark.parametrize(
    ("body", "finding"),
    [
        (f"<div style='height:500px'></div>{PICTURE}{EVIDENCE}", "first picture: after 1.6 screens, at most 1.5"),
        (EVIDENCE, "first picture: none"),
        (f"{PICTURE}<div style='height:7300px'></div>{EVIDENCE}", "body: 9.1 screens, at most 9"),
        (PICTURE, "no section Evidence"),
        (f"{PICTURE}<table style='height:400px'><tbody><tr><td></td></tr></tbody></table>{EVIDENCE}", "tables: 3"),
        (f"{PICTURE}<table><tbody>{'<tr></tr>' * 7}</tbody><tbody>{'<tr></tr>' * 6}</tbody></table>{EVIDENCE}", "a table of 13 rows"),
        (f"{PICTURE}<figure class='kernel-listing'><pre aria-label='a'></pre></figure>{EVIDENCE}", "printed twice: a"),
        (f"{PICTURE}{'<section><h2>Step 1: x</h2></section>' * 6}{EVIDENCE}", "6 steps, at most 5"),
        (
            f"{PICTURE}<section><figure class='kernel-diff' style='height:800px'></figure>"
            f"<figure class='step-figures' style='height:300px'></figure></section>{EVIDENCE}",
            "a step's figures end 1.2 screens after its change begins",
        ),
    ],
)
def test_what_is_over_its_budget_is_found(shared_page, tmp_path, body, finding):
    found = budgets.measure(shared_page, page_of(tmp_path, body), "made_up").findings()
    assert any(finding in line for line in found), found


def test_what_is_folded_away_takes_nothing(shared_page, tmp_path):
    folded = "<details><summary>More</summary><table style='height:9000px'><tbody><tr></tr></tbody></table></details>"
    assert budgets.measure(shared_page, page_of(tmp_path, PICTURE + folded + EVIDENCE), "made_up").findings() == []
