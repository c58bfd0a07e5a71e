"""Has the page of the API read anew when a comment has changed: Breathe loses the times of its files where Sphinx reads in parallel."""

import re
from pathlib import Path

from sphinx.application import Sphinx

_DIRECTIVE = re.compile(r"^\.\. doxygen\w+::", re.MULTILINE)


def _read(app: Sphinx, _docname: str, source: list[str]) -> None:
    """Note that a page with directives of Breathe depends on Doxygen's index, which Doxygen writes last."""
    if _DIRECTIVE.search(source[0]):
        folder = Path(app.config.breathe_projects[app.config.breathe_default_project])
        app.env.note_dependency(str(folder.absolute() / "index.xml"))


def setup(app: Sphinx) -> None:
    """Register the function that notes the dependency."""
    app.connect("source-read", _read)
