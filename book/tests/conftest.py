# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""A small book about two chapters and an invented machine, in a temporary folder."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import pytest
import synthetic
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

COPY = """\
// A file for tests.
// [constants]
constexpr int TILE_DIM = 32;
// [/constants]

// [copy_plain]
__global__ void copy_plain(float* output, const float* input, int width)
{
    int i = blockIdx.x * TILE_DIM + threadIdx.x;  // a < b && c

    output[i] = input[i];
}
// [/copy_plain]

// [copy_shared]
__global__ void copy_shared(float* output, const float* input, int width)
{
    __shared__ float tile[TILE_DIM];
    int i = blockIdx.x * TILE_DIM + threadIdx.x;
    tile[threadIdx.x] = input[i];
    __syncthreads();
    output[i] = tile[threadIdx.x];
}
// [/copy_shared]

// [launch]
const int block = TILE_DIM;
// [/launch]
"""

NAIVE = """\
// [transpose_naive_row_read]
__global__ void transpose_naive_row_read(float* output, const float* input, int width)
{
    output[threadIdx.x * width] = input[threadIdx.x];
}
// [/transpose_naive_row_read]

// [transpose_naive_column_read]
__global__ void transpose_naive_column_read(float* output, const float* input, int width)
{
    output[threadIdx.x] = input[threadIdx.x * width];
}
// [/transpose_naive_column_read]
"""


@dataclass
class Build:
    """What one run of Sphinx left behind."""

    app: Sphinx
    warnings: str
    output: Path

    def html(self, page: str = "index") -> str:
        """Return a page as text."""
        return (self.output / f"{page}.html").read_text(encoding="utf-8")


class Project:
    """A book in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.book = folder / "book"
        self.chapters = folder / "chapters"
        self.results = self.book / "results"
        self.counts = folder / "counts"
        for slug, text in (("copy", COPY), ("naive", NAIVE)):
            path = self.source(slug)
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
        synthetic.write_evidence(self.chapters, self.counts, self.results)
        self.book.mkdir(exist_ok=True)
        (self.book / "conf.py").write_text(
            "extensions = ['conflict_free', 'sphinx_design']\n"
            "exclude_patterns = ['results']\n"
            "conflict_free_machine = 'invented'\n"
            "conflict_free_counts = '../counts'\n"
            "html_theme = 'basic'\n",
            encoding="utf-8",
        )

    def source(self, slug: str) -> Path:
        """Return the path of a chapter's source."""
        return self.chapters / slug / f"{slug}.cu"

    def page(self, text: str, name: str = "index") -> None:
        """Write a page; its first line is the title."""
        (self.book / f"{name}.rst").write_text("Title\n=====\n\n" + text + "\n", encoding="utf-8")

    def build(self, builder: str = "html") -> Build:
        """Run Sphinx, incrementally if it ran before."""
        warnings = io.StringIO()
        output = self.folder / builder
        doctrees = self.folder / f"doctrees-{builder}"
        with patch_docutils(self.book), docutils_namespace():
            app = Sphinx(self.book, self.book, output, doctrees, builder, status=None, warning=warnings)
            app.build()
        return Build(app, warnings.getvalue(), output)

    def build_page(self, text: str) -> str:
        """Build one page that must give no warning, and return its HTML."""
        self.page(text)
        build = self.build()
        assert build.warnings == ""
        return build.html()

    def build_error(self, text: str) -> str:
        """Build one page that must give a warning, and return all warnings without colors."""
        self.page(text)
        warnings = self.build().warnings
        assert warnings != "", "the page should not have built"
        return warnings


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A fresh book."""
    return Project(tmp_path)
