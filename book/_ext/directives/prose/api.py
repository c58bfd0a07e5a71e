# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The page of the API is read anew when a comment has changed: what Breathe remembers of its files is lost where Sphinx reads in parallel."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

_DIRECTIVE = re.compile(r"^\.\. doxygen\w+::", re.MULTILINE)


def _read(app: Sphinx, _docname: str, source: list[str]) -> None:
    """Note that a page with what Doxygen has read depends on its index, which is written after all else."""
    if _DIRECTIVE.search(source[0]):
        folder = Path(app.config.breathe_projects[app.config.breathe_default_project])
        app.env.note_dependency(str(folder.absolute() / "index.xml"))


def setup(app: Sphinx) -> None:
    """Register what notes the dependency."""
    app.connect("source-read", _read)
