"""The rooms of the counting model: each includes from those above it in its CMakeLists.txt, and docs/model.md has the same map."""

import re
from collections.abc import Iterator
from pathlib import Path

from conflict_free.console import ROOT

MODEL = ROOT / "common" / "model"
BUILD = (MODEL / "src" / "CMakeLists.txt").read_text(encoding="utf-8")
ROOMS = re.findall(r"^add_room\((\w+)[ )]", BUILD, re.MULTILINE)
#: Programs on top of the rooms.
TOOLS = "tools"


def sources(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.suffix in (".cpp", ".hpp", ".cu", ".cuh"))


def included(path: Path) -> set[str]:
    """The rooms that a file includes from."""
    return set(re.findall(r'#include "(\w+)/', path.read_text(encoding="utf-8"))) & set(ROOMS)


def upward(part: str) -> list[str]:
    """Return the includes of files of the rooms from rooms below their own, in `src` or in `tests`."""
    return [
        f"{path.relative_to(MODEL)} includes from {room}"
        for n, own in enumerate(ROOMS)
        for path in sources(MODEL / part / own)
        for room in included(path)
        if room in ROOMS[n + 1 :]
    ]


def test_each_folder_is_a_room():
    assert {path.name for path in (MODEL / "src").iterdir() if path.is_dir()} == {*ROOMS, TOOLS}


def test_rooms_link_in_one_direction():
    """Targets before the first room have none of its headers."""
    known = {"simt_headers"}
    for name, words in re.findall(r"^add_room\(([\w/]+) (.*?)\)$", BUILD, re.MULTILINE | re.DOTALL):
        linked = set(re.findall(r"\bsimt_\w+", words.partition("LINKS")[2].partition("PRECOMPILED")[0]))
        assert linked and linked <= known, f"{name} links {linked}"
        known.add(f"simt_{name.replace('/', '_')}")
    assert len(known) > len(ROOMS)


def test_rooms_include_in_one_direction():
    assert upward("src") == []


def test_tests_of_a_room_include_in_the_same_direction():
    assert upward("tests") == []


def test_nobody_leaves_a_room_by_a_relative_path():
    assert [str(path) for path in sources(MODEL / "src") if '#include "..' in path.read_text(encoding="utf-8")] == []


def test_the_map_of_the_page_is_that_of_the_build():
    page = (ROOT / "docs" / "model.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `src/(\w+)/` \|", page, re.MULTILINE) == [*ROOMS, TOOLS]
