"""Tests finding and reading the submissions of a class's folder: links, pipes, archives, names and encodings."""

import io
import os
import socket
import tarfile
import zipfile
from pathlib import Path

import pytest

from conflict_free.console import Stop
from conflict_free.grading import sources
from conflict_free.grading.handed_in import Class, Submission, find

TEXT = "__global__ void kernel() {}\n"
SECRET = "somebody else's answer"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Make an empty folder of a class, and beside it a folder `elsewhere` as the target of links."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "work.cu").write_text(SECRET, encoding="utf-8")
    made = tmp_path / "class"
    made.mkdir()
    monkeypatch.chdir(made)  # the path of a socket is short
    return made


def put(folder: Path, *names: str, text: str = TEXT) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def by_student(found: Class) -> dict[str, Submission]:
    return {submission.student: submission for submission in found.submissions}


def test_files_and_folders_are_found(folder):
    put(
        folder,
        "bea.cu",
        "ada.cu",
        "cleo/work.cu",
        "dan/deep/other.cu",
        "eve/one.cu",
        "eve/two.cu",
        "finn/work.cu",
        "finn/other.cu",
        ".hidden.cu",
        "notes.txt",
        "cleo/._work.cu",
        "cleo/.git/work.cu",
        "hal/a/work.cu",
        "hal/b/work.cu",
    )
    (folder / "gil").mkdir()
    found = find(folder, "work.cu")
    assert [(submission.student, submission.shown) for submission in found.submissions] == [
        ("ada", "ada.cu"),
        ("bea", "bea.cu"),
        ("cleo", "cleo/work.cu"),
        ("dan", "dan/deep/other.cu"),
        ("eve", "eve/work.cu"),
        ("finn", "finn/work.cu"),
        ("gil", "gil/work.cu"),
        ("hal", "hal/work.cu"),
        ("notes", "notes.cu"),
    ]
    assert {student: each.found for student, each in by_student(found).items() if each.found} == {
        "eve": "2 source files, none of them named work.cu: eve/one.cu, eve/two.cu",
        "gil": "no file that ends in .cu; there is nothing in the folder",
        "hal": "2 source files, each named work.cu: hal/a/work.cu, hal/b/work.cu",
        "notes": "notes.txt: its name does not end in .cu",
    }
    assert found.passed_over == [
        ".hidden.cu: its name is hidden",
        "cleo: 2 files whose names are hidden or do not end in .cu: cleo/._work.cu, cleo/.git",
        "eve/one.cu: one of 2 source files",
        "eve/two.cu: one of 2 source files",
        "finn/other.cu: finn/work.cu counts",
        "hal/a/work.cu: one of 2 source files",
        "hal/b/work.cu: one of 2 source files",
        "notes.txt: its name does not end in .cu",
    ]


LINKS = {
    "absolute": "{}/elsewhere/work.cu",
    "relative": "../elsewhere/work.cu",
    "dangling": "nowhere.cu",
    "loop": "loop.cu",
    "system": "/etc/passwd",
}


def test_no_link_is_followed(folder, tmp_path):
    for name, target in LINKS.items():
        (folder / f"{name}.cu").symlink_to(target.format(tmp_path))
        put(folder, f"{name}_inside/deep/.keep")
        (folder / f"{name}_inside" / "deep" / f"{name}.cu").symlink_to(target.format(tmp_path) if target[0] in "/{" else f"../../{target}")
    (folder / "to_folder").symlink_to(tmp_path / "elsewhere")
    put(folder, "ada/.keep")
    (folder / "ada" / "week").symlink_to("../../elsewhere")
    found = find(folder, "work.cu")
    assert sorted(by_student(found)) == sorted(["ada", "to_folder", *LINKS, *(f"{name}_inside" for name in LINKS)])
    assert all(submission.path is None and SECRET not in submission.read().text for submission in found.submissions)
    for name in LINKS:
        assert f"{name}.cu: a symbolic link" in found.passed_over
        assert f"{name}_inside/deep/{name}.cu: a symbolic link" in by_student(found)[f"{name}_inside"].read().wrong
    assert {"to_folder: a symbolic link", "ada/week: a symbolic link"} < set(found.passed_over)


def test_what_becomes_a_link_after_it_was_found_is_not_read(folder, tmp_path):
    put(folder, "ada/week/work.cu", "bea.cu")
    ada, bea = find(folder, "work.cu").submissions
    (folder / "ada" / "week").rename(folder / "ada" / "before")
    (folder / "ada" / "week").symlink_to(tmp_path / "elsewhere")
    (folder / "bea.cu").unlink()
    (folder / "bea.cu").symlink_to(tmp_path / "elsewhere" / "work.cu")
    assert (ada.read().text, ada.read().wrong) == ("", "a symbolic link in the place of the folder week")
    assert (bea.read().text, bea.read().wrong) == ("", "a symbolic link with this name")


@pytest.mark.parametrize(
    "make, kind",
    [
        (os.mkfifo, "a FIFO"),
        (lambda path: socket.socket(socket.AF_UNIX).bind(str(path)), "a socket"),
        (lambda path: os.symlink("/dev/zero", path), "a symbolic link"),
        (os.mkdir, "a folder"),
    ],
)
def test_nothing_but_a_file_is_opened(folder, make, kind):
    make("top.cu")
    put(folder, "ada/.keep")
    make("ada/work.cu")
    found = find(folder, "work.cu")
    told = "a folder that is named like a source" if kind == "a folder" else kind
    assert {f"top.cu: {told}", f"ada/work.cu: {told}"} < set(found.passed_over)
    assert sources.read(folder / "ada" / "work.cu").wrong == sources.read(Path("top.cu")).wrong == f"{kind} with this name"


def test_archives_and_what_packing_leaves_are_passed_over(folder):
    with zipfile.ZipFile(folder / "ada.zip", "w") as archive:
        archive.writestr("../../slipped.cu", TEXT)
        archive.writestr("ada/work.cu", TEXT)
    with tarfile.open(folder / "bea.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("../work.cu"), io.BytesIO())
    put(folder, "cleo/.keep", "__MACOSX/ada.cu", "dan/__MACOSX/work.cu", "eve.cu/work.cu")
    (folder / "ada.zip").rename(folder / "cleo" / "work.zip")
    found = find(folder, "work.cu")
    assert {student: each.found for student, each in by_student(found).items()} == {
        "bea": "bea.tar.gz: an archive; unpack it first",
        "cleo": "no file that ends in .cu; there is cleo/work.zip: an archive; unpack it first; cleo: 1 file whose names are hidden or do "
        "not end in .cu: cleo/.keep",
        "dan": "no file that ends in .cu; there is dan/__MACOSX: what macOS leaves in archives",
        "eve": "eve.cu: a folder that is named like a source",
    }
    assert "cleo/work.zip: an archive; unpack it first" in by_student(found)["cleo"].read().wrong
    assert {
        "bea.tar.gz: an archive; unpack it first",
        "__MACOSX: what macOS leaves in archives",
        "dan/__MACOSX: what macOS leaves in archives",
        "eve.cu: a folder that is named like a source",
    } < set(found.passed_over)


def test_odd_names_stay_one_line_and_apart(folder):
    names = [b"new\nline", b'comma,quote"', b"-dash", b"=1+1", b"\xff", b"\xfe", b"\x1b[31mred", "\u202eturned".encode(), b"a" * 240]
    for name in names:
        Path(os.fsdecode(name + b".cu")).write_text(TEXT, encoding="utf-8")
    found = find(folder, "work.cu")
    assert sorted(by_student(found)) == sorted(
        ["new\\nline", 'comma,quote"', "-dash", "=1+1", "\\xff", "\\xfe", "\\x1b[31mred", "\\u202eturned", "a" * 240]
    )
    assert all(submission.read().text == TEXT for submission in found.submissions)


def test_a_student_with_a_submission_has_one_row_whatever_else_is_there(folder):
    put(folder, "ada.cu", "ada.txt", "bea.txt", "bea.pdf")
    found = find(folder, "work.cu")
    assert {student: each.found for student, each in by_student(found).items()} == {
        "ada": "",
        "bea": "bea.pdf: its name does not end in .cu; bea.txt: its name does not end in .cu",
    }
    assert by_student(found)["bea"].read().help == "Hand in one source file, named bea.cu."


def test_a_missing_folder_is_called_missing(folder):
    put(folder, "ada/work.cu")
    assert sources.read(Path("ada/other.cu")).wrong == sources.read(folder / "ada" / "other.cu").wrong == "nothing with this name"
    assert sources.read(Path("adam/work.cu")).wrong == "no folder adam"
    assert sources.read(folder / "adam" / "work.cu").wrong == f"no folder {folder / 'adam'}"


def test_two_submissions_of_a_student_are_none(folder):
    put(folder, "ada.cu", "ada/work.cu")
    (submission,) = find(folder, "work.cu").submissions
    assert submission.read().wrong == "2 submissions with this student's name: ada/work.cu and ada.cu"


def test_a_folder_without_end_is_left(folder):
    put(folder, "ada/" + "d/" * 40 + "work.cu", "bea/work.cu", *(f"bea/{number}.txt" for number in range(2_001)))
    found = find(folder, "work.cu")
    assert "it is deeper than 32 folders" in by_student(found)["ada"].found and by_student(found)["bea"].found == "more than 2,000 files"


def test_a_class_of_archives_has_its_rows(folder):
    put(folder, "ada.zip", "bea.tar.gz", "README.md")
    found = by_student(find(folder, "work.cu"))
    assert set(found) == {"ada", "bea", "README"}
    assert found["bea"].read().wrong == "bea.tar.gz: an archive; unpack it first"


@pytest.mark.parametrize("names", [[], ["notes.txt"]])
def test_a_folder_that_is_none(folder, names):
    put(folder, *names)
    with pytest.raises(Stop, match="a folder with STUDENT.cu or STUDENT/….cu is accepted") as stop:
        find(folder, "work.cu")
    assert stop.value.code == 2 and "\n" not in str(stop.value)


@pytest.mark.parametrize(
    "data, wrong",
    [
        (TEXT.encode("utf-8-sig"), ""),
        (TEXT.encode("utf-16"), "text in UTF-16, which is not UTF-8"),
        (TEXT.encode("utf-16-le"), "text in UTF-16, which is not UTF-8"),
        (TEXT.encode("utf-32"), "text in UTF-32, which is not UTF-8"),
        (f"\n// übung\n{TEXT}".encode("latin-1"), "byte 0xfc in line 2 is not UTF-8; text in Latin-1 or Windows-1252 has such bytes"),
        (b"PK\x03\x04" + b"x" * 40, "a ZIP archive"),
        (b"\x7fELF\x02", "a program or an object file"),
        (b"{\\rtf1 x}", "an RTF document"),
        (b"a" * 257 + b"ustar\0", "a tar archive"),
        (b"int x;\0", "no text: byte 6 is 0"),
        (b"", "an empty file"),
        (b"\xef\xbb\xbf \n", "an empty file"),
        (b" " * (sources.MOST_BYTES + 1), "262,145 bytes"),
    ],
)
def test_what_is_no_text_is_named(folder, data, wrong):
    (folder / "ada.cu").write_bytes(data)
    found = sources.read(folder / "ada.cu")
    assert found.wrong == wrong and found.text == ("" if wrong else TEXT) and bool(found.help) == bool(wrong)


def test_a_line_is_shown_without_what_a_terminal_obeys(folder):
    (folder / "ada.cu").write_text("\x1b[2J first\r\n\u202esecond\x0cstill\n", encoding="utf-8")
    found = sources.read(folder / "ada.cu")
    assert [found.line(number) for number in (0, 1, 2, 3, 9)] == ["", "\ufffd[2J first", "\ufffdsecond\ufffdstill", "", ""]
