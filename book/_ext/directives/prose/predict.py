# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""``predict`` and ``answer``: a question to settle before reading on, with its answer folded away.

The fold is the browser's own, so it works by keyboard and without JavaScript.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ..project import UNMARKED


class predict(nodes.General, nodes.Element):
    """A question, with its answer inside."""


class answer(nodes.General, nodes.Element):
    """The folded answer of a question. ``label`` is what the fold shows."""


class Predict(SphinxDirective):
    """``.. predict::``: the body is the question; it holds exactly one ``answer``."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Parse the body."""
        self.assert_has_content()
        node = predict()
        self.set_source_info(node)
        self.state.nested_parse(self.content, self.content_offset, node)
        found = sum(isinstance(child, answer) for child in node.children)
        if found != 1:
            raise self.error(f"a predict has exactly one answer inside; this one has {found}")
        return [node]


class Answer(SphinxDirective):
    """``.. answer::``: the folded part; an argument replaces the label of the fold."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Parse the body."""
        self.assert_has_content()
        node = answer(label=self.arguments[0] if self.arguments else "Show the answer")
        self.set_source_info(node)
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


def _visit_predict(self, node: predict) -> None:
    self.body.append('<div class="predict" role="group" aria-label="Predict">\n<p class="predict-title">Before you read on</p>\n')


def _depart_predict(self, node: predict) -> None:
    self.body.append("</div>\n")


def _visit_answer(self, node: answer) -> None:
    self.body.append(f'<details class="answer">\n<summary>{self.encode(node["label"])}</summary>\n')


def _depart_answer(self, node: answer) -> None:
    self.body.append("</details>\n")


def setup(app: Sphinx) -> None:
    """Register the directives and their nodes."""
    app.add_node(predict, html=(_visit_predict, _depart_predict), **UNMARKED)
    app.add_node(answer, html=(_visit_answer, _depart_answer), **UNMARKED)
    app.add_directive("predict", Predict)
    app.add_directive("answer", Answer)
