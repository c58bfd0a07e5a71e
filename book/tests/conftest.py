"""A small book about two chapters and an invented machine, in a temporary folder."""

import gc
import io
import json
import logging
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

BOOK = Path(__file__).resolve().parents[1]
PYTHON = BOOK.parent / "common" / "python"
sys.path[:0] = [str(BOOK / "_ext"), str(PYTHON)]
# After our own folder, which has a conftest too.
sys.path.append(str(PYTHON / "tests"))

import jinja2  # noqa: E402
import synthetic  # noqa: E402  found by the lines above
from sphinx.application import Sphinx  # noqa: E402
from sphinx.util.docutils import docutils_namespace, patch_docutils  # noqa: E402

# Sphinx makes a record of each extension and each event, hundreds for a small book. The tests read warnings alone.
logging.disable(logging.INFO)
# Looking for objects in cycles takes a fifth of the time of small books.
gc.disable()


@dataclass
class Build:
    """The output of one run of Sphinx."""

    app: Sphinx
    warnings: str
    output: Path

    def html(self, page: str = "index") -> str:
        """Return a page as text."""
        return (self.output / f"{page}.html").read_text(encoding="utf-8")

    def wrong(self) -> str:
        """Return Sphinx's warnings, and the stale and broken marks of the pages, with page and line."""
        found = json.loads(self.output.with_name("changes.json").read_text())
        return self.warnings + "".join(f"{each['page']}.rst:{each['line']}: ERROR: {each['kind']}: {each['text']}\n" for each in found)


class Templates(jinja2.BytecodeCache):
    """The theme's templates, which all books of a run share: compiling them takes longer than the rest of a small book."""

    def __init__(self) -> None:
        self.compiled = {}

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        bucket.code = self.compiled.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        self.compiled[bucket.key, bucket.checksum] = bucket.code


TEMPLATES = Templates()


class Project(synthetic.Folders):
    """A book in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        (self.book / "conf.py").write_text(
            "extensions = ['directives', 'sphinx_design']\n"
            "exclude_patterns = ['results']\n"
            "conflict_free_machine = 'invented'\n"
            "conflict_free_counts = '../counts'\n"
            "html_theme = 'basic'\n"
            "html_copy_source = False\n",
            encoding="utf-8",
        )

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
            if hasattr(app.builder, "templates"):
                app.builder.templates.environment.bytecode_cache = TEMPLATES
                # No test looks at the theme's own files.
                app.builder.copy_static_files = lambda *_: None
            app.build()
        return Build(app, warnings.getvalue(), output)

    def build_page(self, text: str) -> str:
        """Build one page that must give no warning, and return its HTML."""
        self.page(text)
        build = self.build()
        assert build.warnings == ""
        return build.html()

    def build_error(self, text: str) -> str:
        """Build one page that must have an error, and return the errors: see ``Build.wrong``."""
        self.page(text)
        wrong = self.build().wrong()
        assert wrong != "", "nothing is wrong with the page"
        return wrong


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A fresh book."""
    return Project(tmp_path)
