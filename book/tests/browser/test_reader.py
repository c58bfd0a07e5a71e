"""Actions of a reader: look up, switch, reveal, copy, download, and read in the dark or without scripts."""

import functools
import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from book_in_browser import FOLDER, open_page

CHAPTERS = Path(__file__).resolve().parents[3] / "chapters"

#: Which tabs are open: the names by which those of a group stay in step.
OPEN_TABS = "[...document.querySelectorAll('.sd-tab-set > input:checked + label')].map(label => label.dataset.syncId)"
THEME = "document.body.dataset.theme"


@pytest.fixture
def address() -> Iterator[str]:
    """The book, served on this machine."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(FOLDER))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_a_word_is_looked_up_and_a_result_followed(page):
    open_page(page, "index.html")
    field = page.locator("input.sidebar-search")
    field.fill("wavefront")
    field.press("Enter")
    # Elements move until all have loaded.
    page.wait_for_function("/finished/.test(document.querySelector('#search-results .search-summary')?.innerText)")
    assert "search.html" in page.url
    page.locator("#search-results li a").first.click()
    page.wait_for_url(lambda url: "search.html" not in url)
    assert "wavefront" in page.locator("article").inner_text().lower()
    assert page.trouble == []


def test_the_search_shows_where_a_word_stands_and_each_page_once(page):
    open_page(page, "search.html")
    page.goto(page.url + "?q=predicate", wait_until="load")
    page.wait_for_function("/finished/.test(document.querySelector('#search-results .search-summary')?.innerText)")
    names = page.locator("#search-results li").evaluate_all("items => items.map(item => item.dataset.page)")
    assert {"glossary", "reduction_bank_conflicts"} <= set(names) and len(names) == len(set(names))
    found = page.locator("#search-results li[data-page=reduction_bank_conflicts]")
    assert "It makes a predicate of it, one bit for each lane" in found.locator(".context").inner_text()
    found.locator(".found-in a").click()
    page.wait_for_url("**/reduction_bank_conflicts.html#the-idea")
    assert page.trouble == []


def test_a_number_that_is_tried_is_right_or_has_a_hint(page):
    open_page(page, "padding.html")
    field = page.locator(".predict .try input").first
    said = page.locator(".predict .try output").first
    for given, answer in (("4", "Right."), ("7", "Not 7."), ("1", "Not 1. 44 is even."), ("", "")):
        field.fill(given)
        field.blur()
        assert said.inner_text().startswith(answer) and (answer or said.inner_text() == "")
    assert page.trouble == []


def test_a_word_that_is_not_there(page):
    open_page(page, "search.html")
    page.goto(page.url + "?q=zeppelin", wait_until="load")
    page.wait_for_function("document.querySelector('#search-results').innerText.includes('did not match')")
    assert page.locator("#search-results li a").count() == 0


def leads_to(link: str, name: str) -> str | None:
    """Return the page that a page's link, next or prev, leads to, from the folder of the book; None if there is no such link."""
    found = re.search(rf'<a class="{link}-page" href="([^"#]+)', (FOLDER / name).read_text(encoding="utf-8"))
    return found and (FOLDER / name).parent.joinpath(found[1]).resolve().relative_to(FOLDER).as_posix()


def test_next_leads_through_all_pages_and_previous_back(page):
    open_page(page, "index.html")
    links = page.locator(".sidebar-tree a.reference.internal").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    names = ["index.html", *dict.fromkeys(links)]
    assert [leads_to("next", name) for name in names] == [*names[1:], None]
    assert [leads_to("prev", name) for name in names] == [None, *names[:-1]]
    page.locator("a.next-page").click()
    page.wait_for_url(f"**/{names[1]}")
    page.locator("a.prev-page").click()
    page.wait_for_url("**/index.html")


def test_a_heading_has_a_link_to_itself(page):
    open_page(page, "naive.html")
    headings = page.locator("article h2")
    assert headings.count() == headings.locator("a.headerlink").count() > 5
    headings.nth(3).locator("a.headerlink").focus()
    page.keyboard.press("Enter")
    # The address changes a moment after the key.
    page.wait_for_function("location.hash !== ''")
    anchor = page.evaluate("location.hash.slice(1)")
    assert page.locator(f"section#{anchor} > h2").inner_text().startswith(headings.nth(3).inner_text()[:10])


def open_folds(page) -> None:
    """Open a page's folds, except answers and the files of the source."""
    page.evaluate("document.querySelectorAll('details.fold').forEach(fold => { fold.open = true; })")


def test_copied_code_is_the_code_without_its_margin(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(page, "naive.html")
    open_folds(page)
    wanted = page.evaluate(
        """[...document.querySelector("figure.counted pre").querySelectorAll(".code-line > .code")]
           .map(line => line.textContent).join("\\n")"""
    )
    page.locator("figure.counted .highlight").first.hover()
    page.locator("figure.counted button.copybtn").first.click()
    page.wait_for_selector("figure.counted button.copybtn.success")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == wanted.strip()
    assert copied.strip() in (CHAPTERS / "naive" / "naive.cu").read_text(encoding="utf-8")


def test_on_a_phone_the_strip_shows_words_for_a_single_rung_alone(phone):
    for page, words in (("padding.html", 1), ("matmul.html", 0)):
        open_page(phone, page)
        rungs = phone.locator(".rung .here")
        assert [rungs.locator(f"{part} >> visible=true").count() for part in (".words", ".figure")] == [words, rungs.count()]


def test_a_listing_on_a_phone_has_no_empty_lines_between_its_lines(phone):
    open_page(phone, "matmul_pipeline.html")
    height, lines = phone.locator("figure.kernel-listing:not(.counted) pre").first.evaluate(
        "pre => [pre.getBoundingClientRect().height, [...pre.querySelectorAll('.code')].map(line => line.getBoundingClientRect().height)]"
    )
    assert len(lines) > 5 and min(lines) > 10
    assert height < sum(lines) + 40  # the space above and below


def test_answers_and_values_work_by_keyboard(page):
    open_page(page, "naive.html")
    fold = page.locator("details.answer").first
    assert not fold.locator("ol").is_visible()
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    assert fold.locator("ol").is_visible()
    value = page.locator(".val").first
    assert not value.locator(".val-tip").is_visible()
    value.focus()
    assert value.locator(".val-tip").is_visible()


def test_tabs_stay_in_step_by_keyboard_and_are_remembered(page):
    open_page(page, "timing.html")
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.reload()
    open_folds(page)
    first = page.locator(".sd-tab-set").first.locator("> input")
    first.first.focus()
    page.keyboard.press("ArrowLeft")
    chosen = page.evaluate("document.activeElement.nextElementSibling.dataset.syncId")
    assert chosen == "local", "from the first tab, left is the last one"
    assert set(page.evaluate(OPEN_TABS)) == {"local"}
    # The next visit has a new session, but the same local storage.
    page.evaluate("sessionStorage.clear()")
    open_page(page, "padding.html")
    assert set(page.evaluate(OPEN_TABS)) == {"local"}
    assert page.trouble == []


def test_a_tab_is_chosen_with_the_mouse(page):
    open_page(page, "padding.html")
    open_folds(page)
    label = page.locator(".sd-tab-set > label").nth(1)
    wanted = label.get_attribute("data-sync-id")
    label.click()
    page.reload()
    open_folds(page)
    assert set(page.evaluate(OPEN_TABS)) == {wanted}
    assert page.locator(".sd-tab-set > label + .sd-tab-content").nth(1).is_visible()


@pytest.mark.parametrize("slug", ["copy", "padding"])
def test_the_source_is_downloaded(page, address, slug):
    page.goto(f"{address}/{slug}.html")
    open_folds(page)
    folds = page.locator("details.full-source").all()
    files = [fold.locator("summary").inner_text().split(",")[0] for fold in folds]
    assert files[0] == f"chapters/{slug}/{slug}.cu"
    assert {Path(file).name for file in files} == {path.name for path in (CHAPTERS / slug).glob("*.cu*")}
    for fold, file in zip(folds, files):
        assert not fold.locator("pre").is_visible()
        fold.locator("summary").click()
        assert fold.locator("pre").is_visible()
        with page.expect_download() as download:
            page.get_by_role("link", name=f"Download {Path(file).name}").click()
        assert download.value.suggested_filename == Path(file).name
        assert Path(download.value.path()).read_bytes() == (CHAPTERS.parent / file).read_bytes()


@pytest.mark.parametrize("source", sorted(CHAPTERS.glob("*/*.cu*")), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_every_source_can_be_downloaded(source):
    """A browser opens a file of the file system instead of storing it."""
    page = (FOLDER / f"{source.parent.name}.html").read_text(encoding="utf-8")
    (link,) = set(re.findall(rf'href="([^"]*/{re.escape(source.name)})"', page))
    assert (FOLDER / unquote(link)).read_bytes() == source.read_bytes()


def test_dark_is_chosen_and_remembered(page):
    open_page(page, "copy.html")
    brightness = "Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])"
    assert page.evaluate(brightness) > 200
    for _ in range(3):
        if page.evaluate(THEME) == "dark":
            break
        page.locator(".theme-toggle-content button").click()
    assert page.evaluate(THEME) == "dark"
    assert page.evaluate(brightness) < 60
    open_page(page, "naive.html")
    assert page.evaluate(brightness) < 60


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_plot_has_a_variant_for_each_theme(browser, scheme):
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    open_page(page, "timing.html")
    visible = [image.get_attribute("src") for image in page.locator(".bandwidth img").all() if image.is_visible()]
    assert len(visible) == 1 and f"-{scheme}-" in visible[0]
    context.close()


def test_the_pages_are_a_tap_away_on_a_phone(phone):
    open_page(phone, "index.html")
    link = phone.locator(".sidebar-tree a", has_text="Padding").first
    assert link.bounding_box()["x"] < 0
    phone.locator(".nav-overlay-icon").tap()
    link.tap()
    phone.wait_for_url("**/padding.html")
    assert phone.trouble == []


@pytest.mark.parametrize("drawer", [".sidebar-drawer", ".toc-drawer"])
def test_a_drawer_opens_when_the_focus_enters_it(phone, drawer):
    open_page(phone, "naive.html")
    is_seen = f"""() => {{
      const box = document.querySelector("{drawer}").getBoundingClientRect();
      return box.left >= 0 && box.right <= innerWidth;
    }}"""
    assert not phone.evaluate(is_seen)
    phone.locator(f"{drawer} a").nth(3).focus()
    phone.wait_for_function(is_seen)
    phone.locator("article a").first.focus()
    phone.wait_for_function(f"() => !({is_seen})()")


def test_folds_and_tabs_work_without_javascript(page_without_scripts):
    page = page_without_scripts
    open_page(page, "naive.html")
    fold = page.locator("details.answer").first
    assert not fold.locator("ol").is_visible()
    fold.locator("summary").click()
    assert fold.locator("ol").is_visible()
    page.locator("details.fold:has(.sd-tab-set) > summary").first.click()
    contents = page.locator(".sd-tab-set").first.locator("> .sd-tab-content")
    assert contents.nth(0).is_visible() and not contents.nth(1).is_visible()
    page.locator(".sd-tab-set").first.locator("> label").nth(1).click()
    assert contents.nth(1).is_visible() and contents.nth(1).inner_text().strip()
    value = page.locator(".val").first
    value.hover()
    assert value.locator(".val-tip").is_visible()


def test_the_search_says_that_it_needs_javascript(page_without_scripts):
    open_page(page_without_scripts, "search.html")
    assert "JavaScript" in page_without_scripts.locator("article").inner_text()
