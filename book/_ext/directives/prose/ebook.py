"""The differences of the EPUB: no tabs and no downloads, because a reader of books runs no scripts and follows no file links."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_design.shared import is_component

EPUB = "epub"


class StackTabs(SphinxPostTransform):
    """Put the tabs of a set below each other, each under its title."""

    default_priority = 199  # before sphinx-design makes buttons of the titles
    builders = (EPUB,)

    def run(self) -> None:
        """Replace each set of tabs."""
        for tabs in list(self.document.findall(lambda node: is_component(node, "tab-set"))):
            stacked = nodes.container(classes=["stacked-tabs"])
            for item in tabs.children:
                title, content = item.children
                stacked += nodes.paragraph("", "", *title.children, classes=["tab-title"])
                stacked += content.children
            tabs.replace_self(stacked)


class DropDownloads(SphinxPostTransform):
    """Remove the links that download a source; its text is in the fold above."""

    default_priority = 199
    builders = (EPUB,)

    def run(self) -> None:
        """Remove what ``full-source`` and ``specimen`` put below the fold."""
        for holder in list(self.document.findall(nodes.container)):
            if "full-source-download" in holder["classes"]:
                holder.parent.remove(holder)


def setup(app: Sphinx) -> None:
    """Register the transforms."""
    app.add_post_transform(StackTabs)
    app.add_post_transform(DropDownloads)
