"""``repository-link``: the link to the project's repository, where one is configured."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class RepositoryLink(SphinxDirective):
    """``.. repository-link:: WORDS``: a paragraph that links to ``conflict_free_repository``; nothing if that is empty."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the paragraph."""
        address = self.config.conflict_free_repository
        if not address:
            return []
        words = self.arguments[0]
        return [nodes.paragraph("", "", nodes.reference("", words, refuri=address))]


def setup(app: Sphinx) -> None:
    """Register the directive and the address."""
    app.add_config_value("conflict_free_repository", "", "env", [str])
    app.add_directive("repository-link", RepositoryLink)
