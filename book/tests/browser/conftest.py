"""One headless Chromium of the system for all tests of a run."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from book_in_browser import HEIGHT, PAGES, WIDTHS, Visit, visit, watch
from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "common" / "python"))

from conflict_free.checking.budgets import chromium  # noqa: E402  found by the line above

#: The pages that are looked over in any case; the others are a long series.
SAMPLE = {"index.html", "padding.html"}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium of the system."""
    with chromium() as browser:
        yield browser


@contextmanager
def one_page(browser: Browser, **options) -> Iterator[Page]:
    """A page of a context with these options, whose ``trouble`` lists what went wrong, and whose ``looked_at`` the texts whose contrast was
    checked."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.trouble, page.looked_at = watch(page), []
    yield page
    context.close()


@pytest.fixture(scope="session")
def shared_page(browser: Browser) -> Iterator[Page]:
    """A page as wide as a desktop, in light, for all tests of a run: another page would start a process, and read and compile all
    scripts anew."""
    with one_page(browser, viewport={"width": WIDTHS[0], "height": HEIGHT}, accept_downloads=True) as page:
        yield page


@pytest.fixture(scope="session")
def shared_phone(browser: Browser) -> Iterator[Page]:
    """A page as wide as a phone, in dark, for all tests of a run."""
    with one_page(browser, viewport={"width": WIDTHS[1], "height": HEIGHT}, color_scheme="dark", has_touch=True) as page:
        yield page


def as_new(page: Page) -> Iterator[Page]:
    """The page. After the test its storage is cleared and the mouse is moved away."""
    page.trouble.clear()
    yield page
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.context.clear_permissions()
    page.mouse.move(0, 0)


@pytest.fixture
def page(shared_page: Page) -> Iterator[Page]:
    """The desktop's page, for a test that changes what it remembers."""
    yield from as_new(shared_page)


@pytest.fixture
def phone(shared_phone: Page) -> Iterator[Page]:
    """The phone's page, for a test that changes what it remembers."""
    yield from as_new(shared_phone)


@pytest.fixture(scope="session", params=[page if page in SAMPLE else pytest.param(page, marks=pytest.mark.long) for page in PAGES])
def name(request) -> str:
    """Each page of the book; pytest runs all tests of one before those of the next."""
    return request.param


@pytest.fixture(scope="session", params=["shared_page", "shared_phone"], ids=["desktop", "phone"])
def visited(request, name: str) -> Visit:
    """Each page on each screen, visited once for all tests."""
    return visit(request.getfixturevalue(request.param), name)


@pytest.fixture
def page_without_scripts(browser: Browser) -> Iterator[Page]:
    """A page that runs no JavaScript."""
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()
