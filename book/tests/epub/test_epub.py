"""The EPUB opens: its parts are where a reader of books looks for them, well-formed, linked and complete.

The file is named by the environment variable CONFLICT_FREE_EPUB.
"""

import os
import posixpath
import zipfile
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse
from xml.etree import ElementTree

import pytest

XHTML = "{http://www.w3.org/1999/xhtml}"
OPF = "{http://www.idpf.org/2007/opf}"
DC = "{http://purl.org/dc/elements/1.1/}"
CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"


@pytest.fixture(scope="module")
def epub() -> zipfile.ZipFile:
    """The file as it was built."""
    path = Path(os.environ.get("CONFLICT_FREE_EPUB", ""))
    assert path.is_file(), "CONFLICT_FREE_EPUB must name the EPUB; the CMake target 'book' makes it"
    with zipfile.ZipFile(path) as file:
        yield file


@pytest.fixture(scope="module")
def package(epub) -> ElementTree.Element:
    """The list of all parts, from where the container says that it is."""
    container = ElementTree.fromstring(epub.read("META-INF/container.xml"))
    (root,) = container.iter(f"{CONTAINER}rootfile")
    assert root.get("media-type") == "application/oebps-package+xml"
    assert posixpath.dirname(root.get("full-path")) == ""
    return ElementTree.fromstring(epub.read(root.get("full-path")))


@pytest.fixture(scope="module")
def pages(epub) -> dict[str, ElementTree.Element]:
    """Each page, parsed: a reader of books shows nothing of one that is not well-formed."""
    parsed, broken = {}, []
    for name in epub.namelist():
        if name.endswith(".xhtml"):
            try:
                parsed[name] = ElementTree.fromstring(epub.read(name))
            except ElementTree.ParseError as error:
                broken.append(f"{name}: {error}")
    assert broken == []
    return parsed


def test_the_first_entry_says_what_the_file_is(epub):
    first = epub.infolist()[0]
    assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
    assert epub.read("mimetype") == b"application/epub+zip"
    assert epub.testzip() is None


def test_the_package_lists_every_part_once(epub, package):
    items = [item.get("href") for item in package.iter(f"{OPF}item")]
    parts = {name for name in epub.namelist() if name not in ("mimetype", "content.opf") and not name.startswith("META-INF/")}
    assert Counter(items) == Counter(parts)
    ids = [item.get("id") for item in package.iter(f"{OPF}item")]
    assert len(ids) == len(set(ids))
    read = {item.get("idref") for item in package.iter(f"{OPF}itemref")}
    assert read <= set(ids)
    assert any("nav" in (item.get("properties") or "").split() for item in package.iter(f"{OPF}item"))


def test_the_package_says_which_book_it_is(package):
    for name in ("title", "language", "identifier", "creator", "rights"):
        found = package.find(f".//{DC}{name}")
        assert found is not None and (found.text or "").strip() not in ("", "unknown"), name


def test_every_page_of_the_book_is_read(package, pages):
    names = {item.get("id"): item.get("href") for item in package.iter(f"{OPF}item")}
    read = {names[item.get("idref")] for item in package.iter(f"{OPF}itemref")}
    book = Path(__file__).resolve().parents[2]
    assert {f"{path.stem}.xhtml" for path in book.glob("*.rst")} <= read <= set(pages)


def test_every_link_and_picture_is_there(epub, pages):
    anchors = {name: {node.get("id") for node in page.iter() if node.get("id")} for name, page in pages.items()}
    broken = []
    for name, page in pages.items():
        for node in page.iter():
            for attribute in ("href", "src"):
                target = node.get(attribute)
                if target is None or urlparse(target).scheme in ("https", "data"):
                    continue
                path, anchor = urldefrag(target)
                part = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(path))) if path else name
                if part not in epub.namelist() or anchor and part in anchors and unquote(anchor) not in anchors[part]:
                    broken.append(f"{name}: {target}")
    assert broken == []


def test_identifiers_are_unique_on_a_page(pages):
    for name, page in pages.items():
        several = [key for key, count in Counter(node.get("id") for node in page.iter() if node.get("id")).items() if count > 1]
        assert several == [], name


def test_pictures_say_what_they_show(pages):
    pictures = [(name, node) for name, page in pages.items() for node in page.iter(f"{XHTML}img")]
    assert pictures
    assert [name for name, node in pictures if not (node.get("alt") or "").strip()] == []


def test_nothing_waits_for_a_script_or_a_click(pages):
    for name, page in pages.items():
        assert not list(page.iter(f"{XHTML}script")), name
        assert not list(page.iter(f"{XHTML}input")), name
        tips = [node for node in page.iter() if "val-tip" in (node.get("class") or "")]
        assert not tips, name


def test_every_page_has_the_style_of_the_web_pages(pages):
    wanted = {"book.css", "tables.css", "steps.css", "beside.css", "pictures.css", "ebook.css"}
    for name, page in pages.items():
        linked = {posixpath.basename(node.get("href")) for node in page.iter(f"{XHTML}link")}
        assert wanted <= linked or name == "nav.xhtml", name


def test_tabs_stand_below_each_other(pages):
    titles = ["".join(node.itertext()) for node in pages["padding.xhtml"].iter() if node.get("class") == "tab-title"]
    assert len(titles) >= 3 and len(titles) == len(set(titles))


def test_a_value_keeps_its_source(pages):
    values = [node for node in pages["index.xhtml"].iter(f"{XHTML}span") if "val" in (node.get("class") or "").split()]
    assert values and all(node.get("title") for node in values)
