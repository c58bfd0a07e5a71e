"""The words of the glossary: the first use of each on a page becomes a link to its definition.

A role ``:term:`` links a word wherever it stands. A word of the glossary that no page uses fails the build.
"""

import functools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from ..by_page import keep_by_page, kept_of
from .values import value

#: The page with the ``glossary`` directive.
GLOSSARY = "glossary"

#: Nodes that are not prose: names, quotations of code, headings, links, and words that stand for themselves.
_NOT_PROSE = (
    nodes.literal,
    nodes.literal_block,
    nodes.raw,
    nodes.title,
    nodes.reference,
    nodes.caption,
    nodes.comment,
    nodes.problematic,
    nodes.system_message,
    addnodes.pending_xref,
    addnodes.download_reference,
    addnodes.desc,
    value,
)

_logger = logging.getLogger(__name__)


def defined_terms(text: str) -> list[str]:
    """Return the terms that the ``glossary`` directives of a page define, in their order.

    A term stands alone at the first level of indentation; its definition is indented further.
    """
    terms, inside = [], False
    for line in text.splitlines():
        if line.startswith(".. glossary::"):
            inside = True
        elif inside and line and not line.startswith(" "):
            inside = False
        elif inside and (match := re.match(r" {3}(?![ :])(\S.*)", line)):
            terms.append(match[1].strip())
    return terms


@functools.cache
def _pattern(terms: tuple[str, ...]) -> re.Pattern:
    """Return the pattern that matches any term or its plural; the longest term wins."""
    longest_first = sorted(terms, key=len, reverse=True)
    return re.compile(r"(?<![\w-])(" + "|".join(map(re.escape, longest_first)) + r")(?:e?s)?(?![\w-])", re.IGNORECASE)


def uses(text: str, terms: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """Yield where a text uses a term, as start, end and term. One that has capitals must be written with them."""
    by_lower = {term.lower(): term for term in terms}
    for match in _pattern(tuple(by_lower.values())).finditer(text):
        term = by_lower[match[1].lower()]
        if term == term.lower() or match[1] == term:
            yield match.start(), match.end(), term


def _link(term: str, shown: str, docname: str) -> addnodes.pending_xref:
    # The same node as the role :term: makes.
    options = {"refdomain": "std", "reftype": "term", "reftarget": term, "refexplicit": True, "refwarn": True}
    text = nodes.inline("", shown, classes=["xref", "std", "std-term"])
    return addnodes.pending_xref("", text, refdoc=docname, **options)


def _target(node: nodes.Node, by_lower: dict[str, str]) -> str | None:
    """Return the term that ``:term:`` links a text to, or None if the text is no such link."""
    while node is not None:
        if isinstance(node, addnodes.pending_xref):
            return by_lower.get(node.get("reftarget", "").lower()) if node.get("reftype") == "term" else None
        node = node.parent
    return None


def _is_prose(node: nodes.Node) -> bool:
    parents = node.parent
    while parents is not None:
        if isinstance(parents, _NOT_PROSE):
            return False
        parents = parents.parent
    return True


def link_first_uses(doctree: nodes.document, terms: list[str], docname: str) -> set[str]:
    """Link the first use of each term in the prose of a page; return the terms that the page uses."""
    by_lower = {term.lower(): term for term in terms}
    seen: set[str] = set()
    for text in list(doctree.findall(nodes.Text)):
        explicit = _target(text, by_lower)
        if explicit is not None:
            seen.add(explicit)
        elif _is_prose(text):
            made: list[nodes.Node] = []
            whole, done = text.astext(), 0
            for start, end, term in uses(whole, terms):
                if term not in seen:
                    seen.add(term)
                    made += [nodes.Text(whole[done:start]), _link(term, whole[start:end], docname)]
                    done = end
            if made:
                text.parent.replace(text, [*made, nodes.Text(whole[done:])])
    return seen


def used_terms(env: BuildEnvironment) -> dict[str, set[str]]:
    """Return the terms that each page uses, by the page's name."""
    return kept_of(env, "terms")


def _glossary_path(env: BuildEnvironment) -> Path:
    return Path(env.doc2path(GLOSSARY))


def _read(app: Sphinx, doctree: nodes.document) -> None:
    env = app.env
    if env.docname == GLOSSARY or GLOSSARY not in env.found_docs:
        return
    path = _glossary_path(env)
    env.note_dependency(str(path))
    used_terms(env)[env.docname] = link_first_uses(doctree, defined_terms(path.read_text(encoding="utf-8")), env.docname)


def _check(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of terms that no page uses."""
    if GLOSSARY not in env.found_docs:
        return
    used = set().union(*used_terms(env).values())
    for term in defined_terms(_glossary_path(env).read_text(encoding="utf-8")):
        if term not in used:
            _logger.warning("%r is defined, and no page uses it", term, location=GLOSSARY)


def setup(app: Sphinx) -> None:
    """Register the events."""
    app.connect("doctree-read", _read)
    keep_by_page(app, used_terms)
    app.connect("env-check-consistency", _check)
