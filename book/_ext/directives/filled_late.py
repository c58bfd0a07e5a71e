"""Nodes that are filled when all pages have been read: at the writing of their page, and again after changes of other pages."""

from collections.abc import Callable, Sequence
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from .by_page import keep_by_page, kept_of
from .project import SKIPPED, skip


def fill_late(
    app: Sphinx,
    node: type[nodes.Element],
    state: Callable[[BuildEnvironment], Any],
    fill: Callable[[Sphinx, Any, str], Sequence[nodes.Node]],
) -> None:
    """Register a class of nodes. ``fill`` returns what replaces a node on a page with this name.

    ``state`` returns all that ``fill`` takes from other pages; pages with such nodes are written again when it has changed.
    """
    written = f"conflict_free_{node.__name__}_written"

    def pages(env: BuildEnvironment) -> dict[str, Any]:
        return kept_of(env, node.__name__)

    def note(app: Sphinx, doctree: nodes.document) -> None:
        if next(doctree.findall(node), None) is not None:
            pages(app.env)[app.env.docname] = True

    def write_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
        now = state(env)
        if env.__dict__.get(written) == now:
            return []
        env.__dict__[written] = now
        return sorted(pages(env))

    def replace(app: Sphinx, doctree: nodes.document, docname: str) -> None:
        for found in list(doctree.findall(node)):
            found.replace_self(fill(app, found, docname))

    app.add_node(node, html=(skip, None), **SKIPPED)
    app.connect("doctree-read", note)
    keep_by_page(app, pages)
    app.connect("env-updated", write_again)
    app.connect("doctree-resolved", replace)
