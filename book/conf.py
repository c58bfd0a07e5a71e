"""Sphinx configuration of the book. The CMake target ``book`` gives it the counts and the Doxygen XML."""

import ctypes.util
import gc
import shutil
import subprocess
import sys
from pathlib import Path

BOOK = Path(__file__).resolve().parent
sys.path[:0] = [str(BOOK / "_ext"), str(BOOK.parent / "common" / "python")]

# Nearly all objects live to the end: looking for those in cycles would take two fifths of the processor time, and save a third of the memory.
gc.disable()

project = "Conflict-Free CUDA"
author = "The Conflict-Free CUDA authors"
version = release = "1"

# The pages link to the repository where git knows its address; a clone from a folder has none.
_asked = ["git", "-C", str(BOOK), "remote", "get-url", "origin"]
_origin = subprocess.run(_asked, capture_output=True, text=True, check=False).stdout.strip() if shutil.which("git") else ""
conflict_free_repository = _origin if _origin.startswith(("http://", "https://")) and "@" not in _origin else ""
copyright = "2026 The Conflict-Free CUDA authors. Prose: CC BY 4.0; code: MIT"

extensions = ["breathe", "directives", "sphinx_copybutton", "sphinx_design", "sphinxcontrib.bibtex"]
# The spelling is looked over by a builder of its own, sphinx -b spelling, which needs a library and a dictionary of the system. All
# builders have it where it is, so that they share what the first of them has read.
if ctypes.util.find_library("enchant-2"):
    extensions.append("sphinxcontrib.spelling")
    spelling_filters = ["directives.spelling.Identifiers"]
    # The spelling of a page does not depend on its authors, and git may refuse to name them in a folder of another user.
    spelling_ignore_contributor_names = False
spelling_lang = "en_US"
spelling_word_list_filename = "words.txt"
spelling_warning = True
spelling_exclude_patterns = ["bibliography.rst"]  # names of people and publishers

exclude_patterns = ["_ext", "_static", "_templates", "locale", "results", "tests"]
needs_sphinx = "7.4"
templates_path = ["_templates"]

language = "en"
locale_dirs = ["locale"]
gettext_compact = False

nitpicky = True
# The CUDA runtime is documented elsewhere; the model is a library of its own, whose headers are its documentation.
nitpick_ignore_regex = [(r"cpp:identifier", r"cuda[A-Z]\w*|float3|__nv_bfloat16|simt(::\w+)?")]

highlight_language = "none"

bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "plain"
bibtex_reference_style = "author_year"

# The CMake target 'book' overrides the folder of the XML.
breathe_projects = {"common": str(BOOK.parent / "build" / "book" / "docs" / "xml")}
breathe_default_project = "common"
breathe_default_members = ("members",)
breathe_show_include = False

html_theme = "furo"
html_title = "Conflict-Free CUDA"
html_static_path = ["_static"]
html_css_files = ["book.css", "tables.css", "steps.css", "course.css", "beside.css", "keyboard.css", "pictures.css"]
html_js_files = ["tabs.js", "folds.js"]
html_show_sphinx = False
html_copy_source = False
# The summaries are fetched, which a browser refuses from the file system; search_excerpts.js has the text of all pages instead.
html_show_search_summary = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b6e99",
        "color-brand-content": "#0b6e99",
        "color-brand-visited": "#5b4b9a",
        "font-stack--monospace": "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace",
    },
    "dark_css_variables": {"color-brand-primary": "#58b6de", "color-brand-content": "#58b6de", "color-brand-visited": "#b3a4f0"},
    "navigation_with_keys": True,
}

copybutton_exclude = ".linenos, .margin, .mark, .diff-line.del"
copybutton_selector = "div.highlight pre"

epub_basename = "conflict-free-cuda"
epub_author = epub_publisher = author
epub_description = "GPU memory access, counted and measured."
epub_identifier = "urn:conflict-free-cuda"
epub_scheme = "URI"
epub_css_files = ["book.css", "tables.css", "steps.css", "course.css", "beside.css", "pictures.css", "ebook.css"]
epub_show_urls = "no"
epub_exclude_files = ["search.xhtml", "_static/tabs.js", "_static/folds.js", "_static/search_excerpts.js", "_static/predict.js"]
