"""Makes texts of strangers fit to be shown. Standard library only."""

import re

#: A line of a message has at most about this many characters.
_LONGEST_SHOWN = 1000
#: Python compiles this only for a text that needs it: that takes longer than reading a usual text.
_UNPRINTABLE = r"[^\t\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"


def printable(text: str) -> str:
    """Return one line of text without characters that move a cursor or turn the direction of writing."""
    is_usual = text.isascii() and text.replace("\t", " ").isprintable()
    return text if is_usual else re.sub(_UNPRINTABLE, "\ufffd", text)


def exceeded(stopped_by: str) -> str:
    """Return the words for what ended a program; see ``sandbox.Done``."""
    return stopped_by if stopped_by.startswith("signal") else f"too much {stopped_by}"


def shown(text: str) -> str:
    """Return a text as one printable line without the middle of a long one."""
    most = _LONGEST_SHOWN
    return printable(text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}")
