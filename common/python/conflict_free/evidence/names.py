# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The names and the fixed numbers of the evidence: folders, kinds of access, what a percentage is of."""

from __future__ import annotations

from conflict_free.console import ROOT

#: Folder of the schemas, beside the results they describe.
SCHEMAS = ROOT / "book" / "results"

#: Folder name, under the results folder, of the reader's own machine and of published figures.
LOCAL = "local"

HISTORICAL = "historical"

#: Bytes of a global-memory sector on every machine this book counts.
SECTOR_BYTES = 32

#: The folder of the programs that show errors, under the chapters, the counts and as a slug of results.
SPECIMENS = "errata"

#: What stands between the slug and the name in the key of a library's time.
PEERS = "peers"

#: The size of a chapter's counts unless its program names another.
COUNTED_SIZE = "2048x2048"

#: What every percentage of bandwidth is of: the copy of the CUDA runtime, a row of chapter ``copy``.
CEILING = "cudaMemcpy"

CEILING_SLUG = "copy"

#: What percentages of published figures are of: publications have no time of ``cudaMemcpy``, but one of a plain copy.
PUBLISHED_CEILING = "copy_plain"

#: The groups of counts that the book's tables show: key in the counts, words for a reader.
ACCESSES = {
    "global_load": "global load",
    "global_store": "global store",
    "shared_load": "shared load",
    "shared_store": "shared store",
}


class ResultError(ValueError):
    """Evidence is missing, malformed or stale. The text is one line: what, what was given, what is accepted."""


class StaleError(ResultError):
    """Evidence was measured with a kernel's text that has changed since."""
