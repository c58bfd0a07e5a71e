# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Sphinx extension of *Conflict-Free CUDA*: binds code, counts, times and pictures to the prose.

The modules ``source`` and ``results`` need no Sphinx; importing this package does not import it either.
"""

from __future__ import annotations

import importlib

#: Modules with directives, roles or handlers of their own, in the order in which they are registered.
MODULES = (
    "project",
    "values",
    "claims",
    "classics",
    "beside",
    "counting",
    "folds",
    "listing",
    "diff",
    "steps",
    "tables",
    "value_table",
    "sectors",
    "row_sectors",
    "specimens",
    "banks",
    "tile_banks",
    "rounds",
    "lane_tile",
    "exchange_plot",
    "explorer",
    "flow",
    "partitions",
    "value_bars",
    "ladder",
    "dots",
    "predict",
    "terms",
    "course",
    "assignments",
    "accessible",
    "ebook",
)


def setup(app):
    """Register configuration values, directives, roles and nodes with Sphinx."""
    for name in MODULES:
        importlib.import_module(f".{name}", __name__).setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
