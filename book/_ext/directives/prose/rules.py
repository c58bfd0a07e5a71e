"""``all-rules``: the rules of all chapters on one page, in reading order, each as it stands in its box."""

from collections.abc import Iterator

from docutils import nodes
from docutils.utils import new_document
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from ..by_page import keep_by_page, kept_of
from ..filled_late import fill_late
from .beside import reading_order

#: The class of a rule's box.
CLASS = "rule"


class all_rules(nodes.General, nodes.Element):
    """The place of the rules, filled in when the page is written."""


class AllRules(SphinxDirective):
    """``.. all-rules::``: a heading for each page that has rules, a link to it, and its rules."""

    def run(self) -> list[nodes.Node]:
        """Leave the place: the other pages may not have been read yet."""
        return [all_rules()]


def rules_of(doctree: nodes.document) -> Iterator[nodes.admonition]:
    """Yield the boxes of rules on a page."""
    return (node for node in doctree.findall(nodes.admonition) if CLASS in node["classes"])


def texts(env: BuildEnvironment) -> dict[str, list[str]]:
    """Return the text of the rules of each page that has some, by the page's name."""
    return kept_of(env, "rules")


def _note(app: Sphinx, doctree: nodes.document) -> None:
    found = [rule.astext() for rule in rules_of(doctree)]
    if found:
        texts(app.env)[app.env.docname] = found


def _fill(app: Sphinx, node: all_rules, docname: str) -> list[nodes.Node]:
    env, made = app.env, []
    for name in reading_order(env):
        if name not in texts(env) or name == docname:
            continue
        document = new_document(name)
        document.settings.env = env
        for rule in rules_of(env.get_doctree(name)):
            copied = rule.deepcopy()
            for inside in copied.findall(nodes.Element):
                inside["ids"] = []
            document += copied
        env.resolve_references(document, docname, app.builder)
        link = nodes.reference("", env.titles[name].astext(), internal=True, refuri=app.builder.get_relative_uri(docname, name))
        made += [nodes.paragraph("", "", link, classes=["rules-of"]), *document.children]
    return made


def setup(app: Sphinx) -> None:
    """Register the directive, its node, and the rules of each page."""
    app.add_directive("all-rules", AllRules)
    app.connect("doctree-read", _note)
    keep_by_page(app, texts)
    fill_late(app, all_rules, lambda env: dict(texts(env)), _fill)
