"""The list of all pages beside each page. Sphinx would first copy the headings of all pages for it, for each page anew."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def _without_headings(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    whole = context.get("toctree")
    if whole and list(app.env.toctree_includes) == [app.config.root_doc]:  # no page is below another
        context["toctree"] = lambda **asked: whole(**{**asked, "maxdepth": 1})


def setup(app: Sphinx) -> None:
    """Register the event, before the theme's own, which asks for the list."""
    app.connect("html-page-context", _without_headings, priority=400)
