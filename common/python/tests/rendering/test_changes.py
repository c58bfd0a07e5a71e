"""The lines at the end of scripts/book after a kernel was changed."""

import json

import pytest
import synthetic

from conflict_free.rendering import changes


@pytest.fixture
def build(tmp_path, monkeypatch):
    """A build folder of two chapters whose book is rendered; its `folders` are those of the evidence."""
    folders = synthetic.Folders(tmp_path)
    for name, value in (("CHAPTERS", folders.chapters), ("RESULTS", folders.results), ("BOOK_MACHINE", synthetic.MACHINE)):
        monkeypatch.setattr(changes, name, value)
    (tmp_path / "changes.json").write_text("[]")
    return folders


def told(build, *found: dict) -> None:
    (build.folder / "changes.json").write_text(json.dumps(found))


def test_nothing_is_said_of_a_book_that_is_as_it_was(build):
    assert changes.lines(build.folder) == []


def test_what_is_new_stale_and_broken(build):
    source = build.source("copy")
    source.write_text(source.read_text().replace("output[i] = tile[threadIdx.x]", "output[i] = 2 * tile[threadIdx.x]"))
    with synthetic.changed_json(build.counts / "copy.json") as counts:
        row = next(row for row in counts["rows"] if row["kernel"] == "copy_shared" and row["size"] == "2048x2048")
        row["expectations"] = [{"text": "barriers == 0", "passed": False, "seen": 64.0}]
    told(
        build,
        {"kind": "stale", "page": "copy", "line": 0, "text": "copy.copy_shared"},
        {"kind": "broken", "page": "naive", "line": 12, "text": "claim: it is faster: 1 > 2"},
    )
    lines = changes.lines(build.folder)
    assert lines[0].startswith("New: the text of copy.copy_shared.")
    assert lines[1].startswith("Stale: what was measured before your change is crossed out, on copy;")
    assert lines[2:4] == [
        "Broken: copy: copy_shared at 2048 × 2048 does not have barriers == 0: it is 64",
        "Broken: book/naive.rst:12: claim: it is faster: 1 > 2",
    ]
    assert len(lines) == 5 and "--strict" in lines[4]


def test_there_are_ten_lines_at_most(build):
    told(build, *({"kind": "broken", "page": "naive", "line": line, "text": "x" * 500} for line in range(40)))
    lines = changes.lines(build.folder)
    assert len(lines) == 10 and max(map(len, lines)) <= 160
    assert lines[8] == "Broken: 32 more; each is marked where it stands"


def test_strict_shows_all_and_fails(build, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["changes", "--strict", str(build.folder)])
    told(build)
    assert changes.main() == 0
    told(build, *({"kind": "broken", "page": "naive", "line": line, "text": "x"} for line in range(40)))
    assert changes.main() == 1
    assert capsys.readouterr().out.count("Broken: book/naive.rst:") == 40
