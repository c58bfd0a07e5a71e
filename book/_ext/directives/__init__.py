"""Sphinx extension of *Conflict-Free CUDA*: binds code, counts, times and pictures to the prose.

What the numbers mean is in the package ``conflict_free.evidence``; here they are shown, grouped by how: tables, plots, pictures,
listings, prose.
"""

import importlib
from pathlib import Path

from .project import DIRECTIVES


def setup(app):
    """Register configuration values, directives, roles and nodes with Sphinx."""
    rooms = [f"{path.parent.name}.{path.stem}" for path in sorted(Path(__file__).parent.glob("*/[!_]*.py"))]
    for name in ("project", "changes", *rooms):
        module = importlib.import_module(f".{name}", __name__)  # which puts its directives into DIRECTIVES
        if hasattr(module, "setup"):
            module.setup(app)
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
