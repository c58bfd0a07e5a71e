"""scripts/check: rules of the repository that no compiler checks. Each is a function that yields findings."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from conflict_free import cuda_version
from conflict_free.console import ROOT, OneLineParser, Stop, say, use_venv
from conflict_free.evidence import files, parity, source
from conflict_free.evidence.names import HISTORICAL, LOCAL, ResultError
from conflict_free.evidence.places import CHAPTERS, RESULTS, SPECIMENS, chapters, source_files, source_path
from conflict_free.setup.lock import check_no_place, requirements, sources, wanted_text

from . import readme
from .formats import formats
from .links import dead_links, external_links
from .naked_numbers import naked_numbers
from .page_rules import page_rules
from .shown_code import check_shown_code

AUTHORS = "SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors"
CODE, PROSE = "SPDX-License-Identifier: MIT", "SPDX-License-Identifier: CC-BY-4.0"
HEADER_LINES = 5

# Prose, programs and headers are copied out of the repository, answers to assignments are not. Elsewhere REUSE.toml is enough.
COPIED_FROM = ("book/examples/", "chapters/", "common/harness/include/", "common/model/include/", "docs/examples/")
ANSWERS = "/assignment/answers/"
LICENCES = {**dict.fromkeys((".cu", ".cuh", ".h", ".hpp"), CODE), **dict.fromkeys((".bib", ".md", ".rst"), PROSE)}

# Folders that scripts make. Without git, their names tell them from folders of the repository.
MADE = {".git", ".venv", ".cuda", ".carry", "build", "__pycache__", ".pytest_cache"}

# Registries that packages come from, and folders of a person's or a builder's own machine. The
# brackets keep this file from being a finding itself.
PLACES = re.compile(
    r"py[p]i\.org|python[h]osted\.org|deb\.[d]ebian\.org|archive\.[u]buntu\.com"
    r"|/(?<![\w.]/)(?:[w]ork|[r]oot|[h]ome)/[A-Za-z0-9._-]"
)


def own_files() -> list[Path]:
    """Return the repository's own files, including files that git does not track yet."""
    if (ROOT / ".git").exists():
        command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, text=True)
        if listed.returncode == 0:
            found = [ROOT / name for name in listed.stdout.split("\0") if name]
            return sorted(path for path in found if path.is_file())
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = set(folders) - MADE
        found += [Path(folder) / name for name in names]
    return sorted(found)


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _inside(error: Exception) -> str:
    """Return the text of an error, with file names relative to the repository."""
    return str(error).replace(str(ROOT) + os.sep, "")


def licence_headers() -> Iterator[str]:
    """A file that is copied out of the repository begins with the two lines of its licence."""
    for path in own_files():
        licence = LICENCES.get(path.suffix)
        name = _name(path)
        if not licence or (licence == CODE and (not name.startswith(COPIED_FROM) or ANSWERS in name)):
            continue
        head = "\n".join((_text(path) or "").splitlines()[:HEADER_LINES])
        for line in (AUTHORS, licence):
            if line not in head:
                yield f"{name}: '{line}' is not among its first {HEADER_LINES} lines"


def places() -> Iterator[str]:
    """No file names a package registry or a folder of somebody's machine."""
    for path in own_files():
        text = _text(path) or ""
        for found in PLACES.finditer(text):
            number = text.count("\n", 0, found.start()) + 1
            yield f"{_name(path)}:{number}: {found.group()} belongs to one machine or network"


def lock_files() -> Iterator[str]:
    """Every wanted package is locked, for the model's version of CUDA, and no lock file says where to fetch from."""
    for path in filter(Path.exists, requirements()):
        text = path.read_text(encoding="utf-8")
        if text != wanted_text(text):
            yield f"{_name(path)}: its packages are not of CUDA {cuda_version.VERSION}, which {_name(cuda_version.SOURCE)} names; run scripts/lock"
    for wanted in sources():
        lock = wanted.with_suffix(".lock")
        text = lock.read_text(encoding="utf-8") if lock.exists() else ""
        try:
            check_no_place(text, lock.name)
        except Stop as stop:
            yield str(stop)
        for name in re.findall(r"^([A-Za-z0-9][A-Za-z0-9._-]*)", wanted.read_text(encoding="utf-8"), re.MULTILINE):
            if not re.search(rf"^{re.escape(name)}==", text, re.MULTILINE):
                yield f"{lock.name} has no {name}; run scripts/lock"


def chapters_are_listed() -> Iterator[str]:
    """Every chapter has all its files, and stands in the listings of the build and of the book."""
    index = _text(ROOT / "book" / "index.rst") or ""
    listed = chapters()
    folders = sorted(path.name for path in CHAPTERS.iterdir() if path.is_dir() and path.name != SPECIMENS)
    for slug in folders:
        if slug not in listed:
            yield f"chapters/{slug} is not in chapters/CMakeLists.txt"
        if not re.search(rf"^\s+{slug}\s*$", index, re.MULTILINE):
            yield f"chapters/{slug} has no page in a toctree of book/index.rst"
        for needed in (source_path(slug), CHAPTERS / slug / "CMakeLists.txt", CHAPTERS / slug / "README.md", ROOT / "book" / f"{slug}.rst"):
            if not needed.is_file():
                yield f"chapter {slug} has no {_name(needed)}"
    for slug in listed:
        if slug not in folders:
            yield f"chapters/CMakeLists.txt lists {slug}, and there is no chapters/{slug}"


def tags() -> Iterator[str]:
    """The marked regions of every program are balanced and have unique names, and every header belongs to a program."""
    included = set()
    for path in sorted(CHAPTERS.glob("*/*.cu")):
        try:
            sources = source.read_sources(path)
            included.update(file.path for file in sources.files)
            sources.regions
        except source.SourceError as error:
            yield _inside(error)
    for path in sorted(CHAPTERS.glob("*/*.cuh")):
        if path not in included:
            yield f"{_name(path)}: no program beside it includes it"


# A function over several lines ends with a brace at the start of a line.
_FUNCTION = re.compile(r"__(global|device)__ void (\w+)(\([^)]*\)\s*\{(?:[^\n]*\}$|.*?^\}))", re.MULTILINE | re.DOTALL)


def repeated_kernels() -> Iterator[str]:
    """A device function with the name of a chapter's kernel has the text of that kernel. Comments do not count."""
    kernels: dict[str, tuple[Path, str]] = {}
    functions = []
    for path in source_files():
        text = source.strip_comments(source.read_source(path))
        for kind, name, rest in _FUNCTION.findall(text):
            words = " ".join(rest.split())
            if kind == "global":
                kernels[name] = path, words
            else:
                functions.append((path, name, words))
    for path, name, words in functions:
        if name in kernels and words != kernels[name][1]:
            yield f"{_name(path)}: {name} differs from {name} in {_name(kernels[name][0])}"


def measured_machines() -> list[Path]:
    """Return the folders of the machines whose results are committed."""
    return [path for path in sorted(RESULTS.iterdir()) if path.is_dir() and path.name not in (LOCAL, HISTORICAL)]


def committed_results() -> Iterator[str]:
    """Every committed result is valid and was measured with the present text of its kernels."""
    for path in (file for machine in measured_machines() for file in sorted(machine.glob("*.json"))):
        machine = path.parent.name
        try:
            result = files.load_result(path)
            if result["machine"] != machine:
                yield f"{_name(path)}: machine is {result['machine']}; by its folder it must be {machine}"
            if path.stem == SPECIMENS:
                stale = files.stale_specimens(result, CHAPTERS)
            else:
                stale = files.stale_kernels(result, source.read_sources(source_path(path.stem)))
        except (ResultError, source.SourceError) as error:
            yield _inside(error)
            continue
        if stale:
            yield (
                f"{_name(path)}: stale, its kernels have changed since: {', '.join(stale)}; "
                f"run scripts/measure --name {machine} --chapter {path.stem} on that machine"
            )


def counters_are_counts() -> Iterator[str]:
    """The committed counters of each GPU equal the model's counts, except where an exception is listed."""
    try:
        exceptions = parity.load_exceptions(RESULTS)
    except ResultError as error:
        yield _inside(error)
        return
    for machine in measured_machines():
        yield from (finding for finding, _ in parity.check_folder(machine, None, exceptions) if finding)


def readme_table() -> Iterator[str]:
    """The README's table agrees with the results."""
    try:
        if not readme.is_current():
            yield "README.md: its measured table differs from book/results; run scripts/check --fix"
    except ResultError as error:
        yield f"README.md: {error}"


def format_of_sources() -> Iterator[str]:
    """Every source has the project's format."""
    yield from formats(own_files())


RULES = (
    licence_headers,
    format_of_sources,
    places,
    lock_files,
    chapters_are_listed,
    tags,
    repeated_kernels,
    committed_results,
    counters_are_counts,
    readme_table,
    page_rules,
    naked_numbers,
    external_links,
)


def check_counts(counts: Path) -> int:
    """Compare the counts of a build with the committed counters. Nothing to compare is an error."""
    exceptions = parity.load_exceptions(RESULTS)
    compared = findings = 0
    for machine in measured_machines():
        for finding, number in parity.check_folder(machine, counts, exceptions):
            compared += number
            if finding:
                findings += 1
                print(finding, file=sys.stderr)
    say(f"{compared} launches compared, {findings} findings, {len(exceptions)} explained exceptions")
    return 1 if findings or not compared else 0


def check_budgets(html: Path) -> int:
    """Print the length of each chapter's page, and the budgets that it exceeds."""
    use_venv("playwright")
    from . import budgets  # imported here, because no other rule needs a browser

    slugs = [slug for slug in (*chapters(), *budgets.BESIDE_CHAPTERS) if (html / f"{slug}.html").is_file()]
    if not slugs:
        raise Stop(f"--budgets: {html} has no page of a chapter; accepted: the folder of a rendered book, such as build/html")
    lengths = budgets.measure_all(html.resolve(), slugs)
    print(budgets.table(lengths))
    return _report([finding for length in lengths for finding in length.findings()], "budgets of the pages")


def _report(findings: list[str], looked_at: str) -> int:
    """Print each finding on a line, then their number. Return the exit code."""
    for finding in findings:
        print(finding, file=sys.stderr)
    say(f"{looked_at}, {len(findings)} findings")
    return 1 if findings else 0


def main() -> int:
    parser = OneLineParser(
        prog="scripts/check",
        description="Checks rules of the repository that no compiler checks. Exit code 0: no findings; 1: findings, one on each line.",
    )
    parser.add_argument("--fix", action="store_true", help="first write the README's table anew")
    parser.add_argument(
        "--counts",
        type=Path,
        metavar="DIR",
        help="compare the committed counters with the model's counts of a build, and check nothing else",
    )
    parser.add_argument(
        "--html",
        type=Path,
        metavar="DIR",
        help="compare the code on the pages of a rendered book with the tested sources, and check nothing else",
    )
    parser.add_argument(
        "--budgets",
        type=Path,
        metavar="DIR",
        help="print the length of each chapter's page of a rendered book, in screens, and check nothing else; needs Chromium",
    )
    parser.add_argument("--links", action="store_true", help="follow every external link, and check nothing else; needs a network")
    options = parser.parse_args()
    if options.links:
        return _report(list(dead_links()), "external links")
    if options.html:
        return _report(list(check_shown_code(options.html)), "code of the rendered book")
    if options.budgets:
        return check_budgets(options.budgets)
    if options.counts:
        return check_counts(options.counts)
    if options.fix and readme.write():
        say("README.md: table written")
    return _report([finding for rule in RULES for finding in rule()], f"{len(RULES)} rules")
