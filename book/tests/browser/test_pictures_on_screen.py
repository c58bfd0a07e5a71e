"""Pictures as a reader sees them: large enough to read, in the colors of the theme, and with words for readers who cannot see."""

from book_in_browser import FOLDER, PAGES, open_page

#: Pages with a picture that is drawn into the page.
PICTURED = [name for name in PAGES if '<svg class="wide"' in (FOLDER / name).read_text(encoding="utf-8")]


def test_there_are_pictures():
    assert {"padding.html", "coalesced.html", "diagonal.html", "reduction_bank_conflicts.html"} <= set(PICTURED)


def test_a_picture_follows_the_theme(browser):
    fills = {}
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme)
        page = context.new_page()
        open_page(page, "padding.html")
        fills[scheme] = page.evaluate("getComputedStyle(document.querySelector('.bank-map .busy')).fill")
        context.close()
    assert fills["light"] != fills["dark"]
