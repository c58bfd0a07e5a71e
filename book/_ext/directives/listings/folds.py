"""``fold``: text that is folded away until the reader opens it.

The fold is the browser's own, so it works by keyboard and without JavaScript. ``_static/folds.js`` opens it for a link
that leads into it.
"""

from collections.abc import Sequence

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ..project import UNMARKED


class folded(nodes.General, nodes.Element):
    """A fold; ``label`` is its visible line, ``code`` says whether the label ends with a kernel's name."""


def fold(label: str, content: Sequence[nodes.Node], code: bool = False) -> folded:
    """Return ``content`` folded away below ``label``. With ``code`` the label's last word is a name of the source."""
    node = folded(label=label, code=code)
    node.extend(content)
    return node


class Fold(SphinxDirective):
    """``.. fold:: LABEL``: the body, folded away below the label."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {"name": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Parse the body."""
        self.assert_has_content()
        node = fold(self.arguments[0], [])
        self.set_source_info(node)
        self.add_name(node)
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


def _visit_html(self, node: folded) -> None:
    label = self.encode(node["label"])
    if node["code"]:
        words, _, name = label.rpartition(" ")
        label = f"{words} <code>{name}</code>"
    ids = "".join(f' id="{name}"' for name in node["ids"][:1])
    self.body.append(f'<details class="fold"{ids}>\n<summary>{label}</summary>\n')


def _depart_html(self, node: folded) -> None:
    self.body.append("</details>\n")


def setup(app: Sphinx) -> None:
    """Register the directive, its node and its script."""
    app.add_node(folded, html=(_visit_html, _depart_html), **UNMARKED)
    app.add_directive("fold", Fold)
