"""Reads a file that somebody has handed in. Every name and every file may be a trap.

No symbolic link is followed, and only regular files are opened: a link could lead to a file of the machine or to another
student's answer, a FIFO would wait for ever, and opening a device can do anything.
"""

import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .shown_text import shown

MOST_BYTES = 1 << 18
WANTED = f"a CUDA source file in UTF-8 of at most {MOST_BYTES:,} bytes"
NOTHING = hashlib.sha256(b"").hexdigest()
NEEDED = "The file has to hold the kernels and the function, without main."
_SAVE_AS = "Save the file as UTF-8."
_OTHER_FILE = "Hand in the source, not a file that was built or packed from it."

_MARK = b"\xef\xbb\xbf"
_ENCODINGS = ((b"\xff\xfe\x00\x00", "UTF-32"), (b"\x00\x00\xfe\xff", "UTF-32"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))
_FORMATS = (
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PK\x05\x06", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program or an object file"),
    (b"%PDF-", "a PDF document"),
    (b"{\\rtf", "an RTF document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
)
_TAR_MARK, _TAR_MARK_AT = b"ustar", 257
_KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True)
class Source:
    """A file that was handed in: its name as printable text, and its content.

    If `wrong` is not empty, there is no text: `wrong` says what was found instead, and `help` what to do. `sha256` is the digest of
    the file's bytes, or `NOTHING` if the file cannot be read or is too large.
    """

    name: str
    text: str = ""
    sha256: str = NOTHING
    wrong: str = ""
    help: str = ""

    def line(self, number: int) -> str:
        """Return a line of the text without control characters. Lines count from 1 as the compiler counts them."""
        lines = self.text.split("\n")
        return shown(lines[number - 1].strip()) if 0 < number <= len(lines) else ""


def readable(name: str) -> str:
    """Return a name of the file system as one line of text. Other characters are escaped, so different names stay different."""
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in text)


def kind_of(mode: int) -> str:
    """Return the kind of a file by its mode, such as "a symbolic link"; an empty text for a regular file."""
    return next((name for is_it, name in _KINDS if is_it(mode)), "" if stat.S_ISREG(mode) else "no file")


def read(path: Path, below: Path | None = None) -> Source:
    """Return the file at a path. Links are followed in the path of the folder ``below``, and not after it.

    By default ``below`` is the current folder for a relative path, and the file's own folder for an absolute one.
    """
    below = below if below is not None else path.parent if path.is_absolute() else Path()
    name = readable(path.name)
    try:
        found = _data(below, path.relative_to(below).parts)
    except OSError as error:
        return Source(name, wrong=f"it cannot be read: {error.strerror}", help=NEEDED)
    if isinstance(found, str):
        return Source(name, wrong=found, help=NEEDED)
    if isinstance(found, int):
        return Source(name, wrong=f"{found:,} bytes", help=_OTHER_FILE)
    text, wrong, help_ = _decoded(found)
    return Source(name, text, hashlib.sha256(found).hexdigest(), wrong, help_)


def _data(below: Path, parts: Sequence[str]) -> bytes | int | str:
    """Return the bytes of a file; their number, if there are too many; or the kind of a file that is not regular."""
    try:
        at = os.open(below, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return f"no folder {readable(str(below))}"
    try:
        for number, part in enumerate(parts):
            # O_PATH opens without any effect on the file. It is opened for reading only after its kind is known.
            try:
                inner = os.open(part, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
            except FileNotFoundError:
                return "nothing with this name" if number == len(parts) - 1 else f"no folder {readable(part)}"
            os.close(at)
            at = inner
            status = os.fstat(at)
            kind = kind_of(status.st_mode)
            if number < len(parts) - 1 and not stat.S_ISDIR(status.st_mode):
                return f"{kind or 'a file'} in the place of the folder {readable(part)}"
        if kind or status.st_size > MOST_BYTES:
            return f"{kind} with this name" if kind else status.st_size
        with open(f"/proc/self/fd/{at}", "rb") as file:
            data = file.read(MOST_BYTES + 1)
            return data if len(data) <= MOST_BYTES else len(data)
    finally:
        os.close(at)


def _decoded(data: bytes) -> tuple[str, str, str]:
    """Return the text in some bytes, or why they are no text and what to do."""
    data = data.removeprefix(_MARK)
    if encoding := next((name for mark, name in _ENCODINGS if data.startswith(mark)), ""):
        return "", f"text in {encoding}, which is not UTF-8", _SAVE_AS
    if kind := next(
        (name for mark, name in _FORMATS if data.startswith(mark)), "a tar archive" if data[_TAR_MARK_AT:].startswith(_TAR_MARK) else ""
    ):
        return "", kind, _OTHER_FILE
    if b"\0" in data:
        halves = data[0::2].count(0), data[1::2].count(0)
        if max(halves) > len(data) // 3 and min(halves) == 0:
            return "", "text in UTF-16, which is not UTF-8", _SAVE_AS
        return "", f"no text: byte {data.index(0):,} is 0", _OTHER_FILE
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return "", f"byte 0x{data[error.start]:02x} in line {line} is not UTF-8; text in Latin-1 or Windows-1252 has such bytes", _SAVE_AS
    return (text, "", "") if text.strip() else ("", "an empty file", NEEDED)
