"""The places of chapters and results."""

import re
from pathlib import Path

from conflict_free.console import ROOT, USAGE, Stop

from .names import SPECIMENS

RESULTS = ROOT / "book" / "results"
CHAPTERS = ROOT / "chapters"

# The machine whose results the book and the README show.
BOOK_MACHINE = "h200"


def chapters() -> list[str]:
    """Return the slugs of chapters/CMakeLists.txt, in its order, without the specimens."""
    listing = (CHAPTERS / "CMakeLists.txt").read_text(encoding="utf-8")
    listing = re.sub(r"#.*", "", listing)
    return [slug for slug in re.findall(r"add_subdirectory\(\s*(\w+)\s*\)", listing) if slug != SPECIMENS]


def chapters_of_ranks() -> list[str]:
    """Return the chapters whose programs run on several GPUs: they have no counts of each kernel."""
    listings = {slug: CHAPTERS / slug / "CMakeLists.txt" for slug in chapters()}
    return [slug for slug, path in listings.items() if path.exists() and "add_chapter_of_ranks(" in path.read_text(encoding="utf-8")]


def chosen_chapters(wanted: list[str] | None) -> list[str]:
    """Return the wanted chapters, or all, then the specimens; raises Stop with exit code 2 for one that does not exist."""
    known = [*chapters(), *([SPECIMENS] if (CHAPTERS / SPECIMENS).is_dir() else [])]
    for slug in wanted or ():
        if slug not in known:
            raise Stop(f"--chapter {slug}: no such chapter; accepted: {', '.join(known)}", USAGE)
    return [slug for slug in known if not wanted or slug in wanted]


def source_path(slug: str) -> Path:
    """Return the chapter's .cu file; source.read_sources finds its headers."""
    return CHAPTERS / slug / f"{slug}.cu"


def source_files() -> list[Path]:
    """Return every source file of the chapters: the programs, then the headers beside them."""
    return [*sorted(CHAPTERS.glob("*/*.cu")), *sorted(CHAPTERS.glob("*/*.cuh"))]
