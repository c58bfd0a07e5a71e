"""The text of all pages for the search, which shows where a word stands also on pages that are opened as files.

A browser fetches no page from the file system, and Sphinx's summaries are fetched. So the text is a script, ``search_text.js``, which the
page of the search loads; ``_static/search_excerpts.js`` shows it.
"""

import functools
import json
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

from ..by_page import keep_by_page, kept_of

TEXTS = "_static/search_text.js"

#: The nodes that hold the words of a section.
_WORDS = (nodes.paragraph, nodes.term, nodes.literal_block)


class _StemmedOnce(SearchEnglish):
    """Stems a word once for all pages; Sphinx does it for each page anew."""

    def init(self, options: dict[str, str]) -> None:
        super().init(options)
        self.stem = functools.cache(self.stem)


def sections_of(doctree: nodes.document) -> list[list[str]]:
    """Return heading, anchor and text of each section of a page; words of a section inside belong to that one alone."""
    found = []
    for section in doctree.findall(nodes.section):
        words = []
        for node in section.findall(lambda node: isinstance(node, _WORDS)):
            above = node.parent
            while not isinstance(above, nodes.section):
                above = above.parent
            if above is section:
                words.append(" ".join(node.astext().split()))
        found.append([section.next_node(nodes.title).astext(), section["ids"][0], " ".join(words)])
    return found


def texts(env: Any) -> dict[str, list[list[str]]]:
    """Return the sections of each page that was read, by the page's name."""
    return kept_of(env, "texts")


def _note(app: Sphinx, doctree: nodes.document) -> None:
    texts(app.env)[app.env.docname] = sections_of(doctree)


def _write(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.name == "html":
        text = json.dumps(texts(app.env), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        path = Path(app.outdir) / TEXTS
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"window.conflictFreeTexts = {text};\n", encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register the events and the stemmer."""
    app.add_search_language(_StemmedOnce)
    app.connect("doctree-read", _note)
    keep_by_page(app, texts)
    app.connect("build-finished", _write)
