"""The parts that all directives share: the configuration, the evidence with its dependencies, errors, templates."""

import functools
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
from docutils import nodes
from docutils.statemachine import StringList
from markupsafe import Markup, escape
from sphinx import addnodes
from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ConfigError
from sphinx.util.docutils import SphinxDirective

from conflict_free import counts
from conflict_free.evidence import lookup
from conflict_free.evidence.lookup import Evidence
from conflict_free.evidence.metrics import pretty_size
from conflict_free.evidence.names import ResultError
from conflict_free.evidence.source import SourceError
from conflict_free.model_files import COUNTS

from . import changes

PACKAGE = Path(__file__).resolve().parent
EVIDENCE = Path(lookup.__file__).parent

_CACHE_ATTRIBUTE = "conflict_free_evidence_cache"


def breakable(name: str) -> Markup:
    """Return names in which a line may end after each underscore and each dot but that of a fraction."""
    return Markup(re.sub(r"(_|(?<!\d)\.|\.(?!\d))", r"\1<wbr/>", str(escape(name))))


@functools.cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PACKAGE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["size"] = pretty_size
    environment.filters["breakable"] = breakable
    return environment


def render(template: str, **values: Any) -> str:
    """Return a template of this package filled in; values are escaped."""
    return _templates().get_template(template).render(**values)


def raw_html(html: str) -> nodes.raw:
    """Return a node that is ``html`` in HTML and EPUB, and nothing elsewhere."""
    return nodes.raw("", html, format="html")


def shown(template: str, **values: Any) -> nodes.raw:
    """Return the node of a filled in template, as raw_html()."""
    return raw_html(render(template, **values))


def list_table(rows: Sequence[Sequence[str]], **options: str) -> list[str]:
    """Return a table as lines of reStructuredText. The first row is its head; a cell may have several lines."""
    lines = [".. list-table::", "   :header-rows: 1", *(f"   :{name}: {value}" for name, value in options.items()), ""]
    for cells in rows:
        for index, cell in enumerate(cells):
            first, *more = cell.split("\n")
            lines += [f"   {' ' if index else '*'} - {first}".rstrip(), *(f"       {line}".rstrip() for line in more)]
    return lines


def picture(html: str, description: str) -> list[nodes.Node]:
    """Return the nodes of a picture: ``html`` in HTML and EPUB, elsewhere its description.

    The description is made anew from the evidence: it has no source text to translate, and no spelling to look over.
    """
    words = nodes.paragraph("", description)
    return [raw_html(html), addnodes.only("", words, expr="not html and not spelling")]


def pictured(template: str, description: str, **values: Any) -> list[nodes.Node]:
    """Return the nodes of a picture that is a template filled in, which knows its ``description`` too."""
    return picture(render(template, description=description, **values), description)


def skip(self: Any, node: nodes.Element) -> None:
    """Visit a node in a builder that does not show it."""
    raise nodes.SkipNode


def pass_by(self: Any, node: nodes.Element) -> None:
    """Visit a node in a builder that shows its content alone."""


#: How other builders than HTML's show our nodes: not at all, or by their content.
SKIPPED = {name: (skip, None) for name in ("latex", "text", "man", "texinfo")}
UNMARKED = {name: (pass_by, pass_by) for name in SKIPPED}


def folder(config: Config, name: str) -> Path:
    """Return a folder of the configuration; a relative one is taken from the book's folder."""
    return (Path(config.conflict_free_book) / getattr(config, name)).resolve()


def evidence(env: BuildEnvironment) -> Evidence:
    """Return the book's evidence. Each file that is looked at becomes a dependency of the page being read."""

    def note(path: Path) -> None:
        if path.is_file():
            env.note_dependency(str(path))

    def note_stale(kernel: str) -> None:
        changes.note(env, "stale", kernel)

    made = Evidence(
        chapters=folder(env.config, "conflict_free_chapters"),
        results=folder(env.config, "conflict_free_results"),
        counts=folder(env.config, "conflict_free_counts"),
        machine=env.config.conflict_free_machine,
        on_read=note,
        strict=False,
        on_stale=note_stale,
    )
    # Files are parsed once per build, whatever the number of directives and roles.
    made.__dict__["_cache"] = env.app.__dict__.setdefault(_CACHE_ATTRIBUTE, {})
    return made


class _Options(dict):
    """The options of a directive. For an unknown option, docutils names the option, and this class adds the known ones."""

    def __missing__(self, name: str) -> None:
        raise KeyError(f'{name}"; accepted: "{", ".join(self)}')


#: The directives of this package by their names; each class puts itself here.
DIRECTIVES: dict[str, type[SphinxDirective]] = {}


class EvidenceDirective(SphinxDirective):
    """A directive whose evidence may be missing: the page then says so in place, and the test book.strict fails with file and line."""

    def __init_subclass__(cls, directive: str = "") -> None:
        """Keep the class in DIRECTIVES by the name of its directive; a class without one is a base of others."""
        if directive:
            DIRECTIVES[directive] = cls
        if cls.option_spec:
            cls.option_spec = _Options(cls.option_spec)

    def run(self) -> list[nodes.Node]:
        """Run ``build``; turn its errors into a note on the page."""
        try:
            return self.build(evidence(self.env))
        except (ResultError, SourceError) as error:
            changes.note(self.env, "broken", str(error), self.lineno)
            return [changes.notice(f"This cannot be shown after the change: {error}")]

    def build(self, evidence: Evidence) -> list[nodes.Node]:
        """Return the nodes of the directive. Raises ResultError or SourceError."""
        raise NotImplementedError

    def parsed(self, lines: list[str]) -> list[nodes.Node]:
        """Return the nodes of lines of reStructuredText, whose errors are errors of the directive's line."""
        source, line = self.get_source_info()
        content = StringList()
        for entry in lines:
            content.append(entry, source, line - 1)
        holder = nodes.Element()
        self.state.nested_parse(content, self.content_offset, holder)
        return holder.children

    def kernel_argument(self, text: str) -> tuple[str, str]:
        """Return slug and kernel of ``slug.kernel``. Raises ResultError."""
        slug, dot, kernel = text.partition(".")
        if not (slug and dot and kernel):
            raise ResultError(f"{text!r} is not slug.kernel")
        return slug, kernel


def _prepare(app: Sphinx, config: Config) -> None:
    if not config.conflict_free_counts:
        raise ConfigError(
            "conflict_free_counts is not set: give the folder of the model's counts, "
            "-D conflict_free_counts=build/counts (the CMake target 'book' does)"
        )
    config.conflict_free_book = str(app.confdir)
    digest = hashlib.sha256()
    made_of = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.html"), *EVIDENCE.glob("*.py"), Path(counts.__file__), COUNTS]
    for path in sorted(made_of):
        digest.update(path.read_bytes())
    # A page cannot depend on a file that does not exist yet, such as a first result of the reader's GPU.
    results = folder(config, "conflict_free_results")
    for path in sorted(results.rglob("*.json")):
        digest.update(path.relative_to(results).as_posix().encode())
    config.conflict_free_fingerprint = digest.hexdigest()
    # Sphinx copies static files only when some page is written.
    static = hashlib.sha256()
    for path in sorted(path for name in config.html_static_path for path in (app.confdir / name).rglob("*")):
        if path.is_file():
            static.update(path.read_bytes())
    config.conflict_free_static = static.hexdigest()


def _forget(app: Sphinx, exception: Exception | None) -> None:
    """Have all pages read again after a warning: Sphinx keeps a page that has an error, and the next build would pass without reading it."""
    if app._warncount:
        (Path(app.doctreedir) / ENV_PICKLE_FILENAME).unlink(missing_ok=True)


def _keep_quotation_marks(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Have the marks of a page depend on no builder: that of the spelling turns smart quotes off in the environment that all share."""
    env.settings["smart_quotes"] = True


def setup(app: Sphinx) -> None:
    """Register the configuration and the handlers."""
    app.add_config_value("conflict_free_chapters", "../chapters", "env", [str])
    app.add_config_value("conflict_free_results", "results", "env", [str])
    app.add_config_value("conflict_free_counts", "", "env", [str])
    app.add_config_value("conflict_free_machine", "h200", "env", [str])
    app.add_config_value("conflict_free_book", "", "", [str])
    app.add_config_value("conflict_free_fingerprint", "", "env", [str])
    app.add_config_value("conflict_free_static", "", "html", [str])
    app.connect("config-inited", _prepare)
    app.connect("env-before-read-docs", _keep_quotation_marks)
    app.connect("build-finished", _forget)
