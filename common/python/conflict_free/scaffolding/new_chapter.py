"""scripts/new-chapter: the files of a chapter, and its lines in the two listings. Standard library only."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from conflict_free.console import ROOT, OneLineParser, Stop, say, shown_path
from conflict_free.setup import folders

from .new_files import refuse_existing, write_new

TEMPLATES = Path(__file__).with_name("chapter")
# Each file of a chapter, and the template that it is made from.
FILES = {
    "chapters/{slug}/{slug}.cu": "chapter.cu.start",
    "chapters/{slug}/CMakeLists.txt": "CMakeLists.txt.start",
    "chapters/{slug}/README.md": "README.md.start",
    "book/{slug}.rst": "page.rst.start",
}


def _slug(text: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", text):
        raise argparse.ArgumentTypeError(f"{text!r} given, lower-case words joined by _ are accepted, for example bank_conflicts")
    return text


def _after_last(text: str, pattern: str, line: str, name: str) -> str:
    """Return `text` with `line` added after the last match of `pattern`."""
    matches = list(re.finditer(pattern, text, re.MULTILINE))
    if not matches:
        raise Stop(f"{name} lists no chapter to put the new one after")
    at = matches[-1].end()
    return text[:at] + "\n" + line + text[at:]


def in_cmake(text: str, slug: str) -> str:
    return _after_last(text, r"^add_subdirectory\(\w+\)$", f"add_subdirectory({slug})", "chapters/CMakeLists.txt")


def in_index(text: str, slug: str) -> str:
    """Return book/index.rst with the chapter added at the end of the last toctree whose caption names a part."""
    pattern = r"^\.\. toctree::\n(?:   :.*\n)*   :caption: Part .*\n(?:   :.*\n)*\n(?:   \w+\n)*   \w+$"
    return _after_last(text, pattern, f"   {slug}", "book/index.rst")


def in_teachers(text: str, slug: str, index: str) -> str:
    """Return book/teachers.rst with a paragraph for the chapter, after that of the last chapter before it in book/index.rst that has one."""
    pages = re.findall(r"^   (\w+)$", index.split(f"\n   {slug}\n")[0], re.MULTILINE)
    known = [page for page in pages if f"\n:doc:`{page}`\n" in text]
    paragraph = f'\n:doc:`{slug}`\n   "A sentence that one hears." Ask: what should the class predict?'
    return _after_last(text, rf"^:doc:`{known[-1] if known else ''}`(?:\n   .*)+$", paragraph, "book/teachers.rst")


def made_from_templates(slug: str) -> dict[Path, str]:
    """Return the files of a new chapter, by their place."""
    title = slug.replace("_", " ").capitalize()
    values = {"@slug@": slug, "@title@": title, "@underline@": "=" * len(title)}
    texts = {}
    for place, template in FILES.items():
        text = (TEMPLATES / template).read_text(encoding="utf-8")
        texts[ROOT / place.format(slug=slug)] = re.sub("|".join(values), lambda match: values[match.group()], text)
    return texts


def main() -> int:
    parser = OneLineParser(
        prog="scripts/new-chapter",
        usage="scripts/new-chapter SLUG",
        description="Makes chapters/SLUG and book/SLUG.rst, and lists them. The chapter builds, "
        "passes its checks and has a page; CONTRIBUTING.md says what to change in it.",
    )
    parser.add_argument("slug", metavar="SLUG", type=_slug, help="its name: lower-case words joined by _")
    slug = parser.parse_args().slug
    made = made_from_templates(slug)
    refuse_existing([ROOT / "chapters" / slug, *made])
    book = ROOT / "book"
    listings = {ROOT / "chapters" / "CMakeLists.txt": in_cmake, book / "index.rst": in_index}
    texts = {path: change(path.read_text(encoding="utf-8"), slug) for path, change in listings.items()}
    teachers = book / "teachers.rst"
    texts[teachers] = in_teachers(teachers.read_text(encoding="utf-8"), slug, texts[book / "index.rst"])
    texts |= made
    write_new(texts, ROOT / "chapters" / slug)
    for path in texts:
        say(shown_path(path))
    _format(ROOT / "chapters" / slug / f"{slug}.cu")
    return 0


def _format(path: Path) -> None:
    """Wrap the lines of a new file, whose length depends on the name. Without the formatter, say how to get it."""
    formatter = folders.VENV / "bin" / "clang-format"
    if formatter.exists():
        subprocess.run([formatter, "-i", path], check=False)
    else:
        missing = f"{shown_path(path)} is not formatted, because clang-format is not installed: scripts/setup --tests installs it"
        print(missing, file=sys.stderr)
