"""Files are written whole or not at all."""

import os
import stat

import pytest

from conflict_free.console import USAGE, Stop
from conflict_free.whole_files import write_all, write_asked, write_whole


def test_a_file_that_was_asked_for_is_written_with_its_folder_or_the_option_is_named(tmp_path):
    target = tmp_path / "new" / "out.json"
    write_asked(target, "{}", "--json")
    assert target.read_text(encoding="utf-8") == "{}"
    target.unlink()
    target.mkdir()
    with pytest.raises(Stop, match=f"^--json {target}: cannot be written: ") as stopped:
        write_asked(target, "{}", "--json")
    assert stopped.value.code == USAGE and list(target.parent.iterdir()) == [target]


def test_no_file_takes_its_place_before_all_are_written(tmp_path):
    old, wrong = tmp_path / "old", tmp_path / "file" / "below"
    old.write_text("old", encoding="utf-8")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OSError, match="file"):
        write_all({old: "new", wrong: ""})
    assert old.read_text(encoding="utf-8") == "old" and sorted(path.name for path in tmp_path.iterdir()) == ["file", "old"]


def test_a_pipe_is_written_into_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, "text")
    assert os.read(reader, 100) == b"text" and stat.S_ISFIFO(pipe.stat().st_mode)
    os.close(reader)
    assert list(tmp_path.iterdir()) == [pipe]
