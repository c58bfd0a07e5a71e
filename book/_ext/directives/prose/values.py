"""The roles ``val`` and ``share``: a number of the evidence, in the prose, with its provenance as a tooltip."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxRole

from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import is_measured
from conflict_free.evidence.names import LOCAL, ResultError
from conflict_free.evidence.source import SourceError

from .. import changes
from ..changes import BEFORE_CHANGE
from ..project import UNMARKED, evidence
from .ebook import EPUB

#: A role's name that a reader would see, because the role stands inside other markup, such as bold text.
_RAW_ROLE = re.compile(r":[\w:]+:`")

_logger = logging.getLogger(__name__)


class value(nodes.inline):
    """Text with a tooltip: ``provenance`` is the tooltip's text, ``tip_id`` its identifier on the page, ``share`` the length of its bar."""


class ValueRole(SphinxRole):
    """``:val:`KEY``` or ``:val:`KEY|FORMAT```; see ``lookup.Evidence.value`` for keys."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the value, or a mark that it is missing."""
        key, _, spec = self.text.partition("|")
        try:
            book = evidence(self.env)
            found = book.value(key.strip())
            text = found.text(spec.strip())
            provenance = found.provenance + _yours(book, key.strip(), spec.strip())
        except (ResultError, SourceError) as error:
            changes.note(self.env, "broken", f":val: {error}", self.lineno)
            return [self._shown("–", str(error), ["broken"])], []
        if found.stale:
            return [self._shown(text, f"{BEFORE_CHANGE}: {provenance}", ["before-change"])], []
        return [self._shown(text, provenance, [])], []

    def _shown(self, text: str, provenance: str, classes: list[str]) -> value:
        tip_id = f"provenance-{self.env.new_serialno('conflict-free-value')}"
        return value("", text, provenance=provenance, tip_id=tip_id, classes=classes)


class ShareRole(ValueRole):
    """``:share:`KEY```: a value from 0 to 1 as a percentage above a bar of that length, for cells of a table."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the percentage, or a mark that it is missing."""
        key, self.text = self.text, f"{self.text}|.0%"
        shown, messages = super().run()
        if "broken" not in shown[0]["classes"]:
            number = float(evidence(self.env).value(key.strip()).number)
            if not 0 <= number <= 1:
                changes.note(self.env, "broken", f":share: {key} is {number:.2f}; accepted: 0 to 1", self.lineno)
            shown[0]["classes"].append("share")
            shown[0]["share"] = f"{number:.0%}"
        return shown, messages


def _yours(book: Evidence, key: str, spec: str) -> str:
    """Return the value on the reader's own GPU for the tooltip, nothing if it is missing or does not depend on that GPU."""
    if not is_measured(key) or not book.measured_chapters(LOCAL):
        return ""
    try:
        return f". On your GPU: {book.at(LOCAL).value(key).text(spec)}"
    except ResultError:
        return ""


def _visit_html(self, node: value) -> None:
    classes = " ".join(["val", *node["classes"]])
    if self.builder.name == EPUB:
        self.body.append(f'<span class="{classes}" title="{self.attval(node["provenance"])}">')
        return
    style = f' style="--share: {node["share"]}"' if "share" in node else ""
    self.body.append(f'<span class="{classes}"{style} tabindex="0" aria-describedby="{node["tip_id"]}">')


def _depart_html(self, node: value) -> None:
    if self.builder.name == EPUB:
        self.body.append("</span>")
        return
    tip = self.encode(node["provenance"])
    self.body.append(f'<span class="val-tip" role="tooltip" id="{node["tip_id"]}">{tip}</span></span>')


def _find_raw_roles(app: Sphinx, doctree: nodes.document) -> None:
    for text in doctree.findall(nodes.Text):
        if _RAW_ROLE.search(text) and not isinstance(text.parent, nodes.literal | nodes.literal_block):
            _logger.warning("a role stands inside other markup: %r", text.astext(), location=text.parent)


def setup(app: Sphinx) -> None:
    """Register the role, its node, and the search for roles that were not read."""
    app.connect("doctree-read", _find_raw_roles)
    app.add_node(value, html=(_visit_html, _depart_html), **UNMARKED)
    app.add_role("val", ValueRole())
    app.add_role("share", ShareRole())
