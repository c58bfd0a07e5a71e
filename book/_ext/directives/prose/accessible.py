"""Mends elements of the theme and of docutils that a keyboard or a screen reader cannot use.

The template ``page.html`` passes the body of each page through ``accessible``. The browser tests run axe over every page and fail when a
mending is missing or does not fit.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.transforms.post_transforms import SphinxPostTransform

#: Text of the theme or of docutils, and its replacement.
_MENDED = (
    # Two landmarks of one kind need names.
    ('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="{pages}">'),
    ('<aside class="toc-drawer', '<aside aria-label="{on_this_page}" class="toc-drawer'),
    # A heading needs a level.
    ('<p class="caption" role="heading">', '<p class="caption" role="heading" aria-level="2">'),
    # A list may hold nothing but its items, and the role of an entry is withdrawn from the standard.
    ('<div role="list" class="citation-list">', '<div class="citation-list">'),
    (' role="doc-biblioentry"', ""),
    # Content that is wider than the page scrolls with the keyboard, too.
    ("<pre><span></span>", '<pre tabindex="0"><span></span>'),
    ('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
)


def accessible(body: str) -> str:
    """Return the body of a page, mended."""
    names = {"pages": _("Pages of the book"), "on_this_page": _("On this page")}
    for written, mended in _MENDED:
        body = body.replace(written, mended.format(**names))
    return body


class UniqueIds(SphinxPostTransform):
    """Leave each identifier only at the first part of a page that has it; Breathe gives one to each section of a kind."""

    default_priority = 900

    def run(self) -> None:
        """Take repeated identifiers away."""
        seen: set[str] = set()
        for node in self.document.findall(nodes.rubric):
            node["ids"] = [name for name in node["ids"] if name not in seen]
            seen.update(node["ids"])


def _offer(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object) -> None:
    context["accessible"] = accessible


def setup(app: Sphinx) -> None:
    """Offer ``accessible`` to the templates, and register the transform."""
    app.add_post_transform(UniqueIds)
    app.connect("html-page-context", _offer)
