# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Sphinx extension of *Conflict-Free CUDA*: binds code, counts, times and pictures to the prose.

The modules ``source`` and ``results`` need no Sphinx; importing this package does not import it either.
"""

from __future__ import annotations


def setup(app):
    """Register configuration values, directives, roles and nodes with Sphinx."""
    from . import beside, claims, counting, course, diff, ladder, listing, predict, project, sectors, specimens, tables, terms, values

    for module in (project, values, claims, beside, counting, listing, diff, tables, sectors, specimens, ladder, predict, terms, course):
        module.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
