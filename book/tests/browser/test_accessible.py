"""axe finds each fault that is put into a page. test_every_page.py checks that it finds none on the real pages."""

import pytest
from axe import violations
from book_in_browser import open_page

pytestmark = pytest.mark.long


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
        ("document.querySelector('article').insertAdjacentHTML('beforeend', '<img src=any>')", "image-alt"),
        ("document.querySelector('[role=heading]').removeAttribute('aria-level')", "aria-required-attr"),
    ],
)
def test_what_is_broken_is_found(shared_page, broken, rule):
    open_page(shared_page, "copy.html")
    shared_page.evaluate("document.querySelector('pre').style.width = '5em'")
    shared_page.evaluate(broken)
    assert any(found.startswith(rule) for found in violations(shared_page))
