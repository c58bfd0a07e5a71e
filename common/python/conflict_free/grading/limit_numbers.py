"""The numbers of an assignment's limits: ``task.toml`` names them, and its limits and the brief take them from there."""

import re
from collections.abc import Mapping

_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_PARTS = {1.05: "a twentieth", 1.1: "a tenth", 1.2: "a fifth", 1.25: "a quarter"}
_IN_LIMIT = re.compile(r"\{([^{}]*)\}")
_IN_BRIEF = re.compile(r"\{\w+\.\w+(?::word|:part)?\}")


class NumberError(ValueError):
    """A limit or a brief names a number that does not exist. The message is one line."""


def limit(text: str, numbers: Mapping[str, float]) -> str:
    """Return a limit with the value of each ``{EXPRESSION}`` of its numbers in its place. Raises NumberError."""

    def value(found: re.Match[str]) -> str:
        try:
            return _shown(eval(found[1], {"__builtins__": {}}, dict(numbers)))
        except Exception as error:
            raise NumberError(f"{text!r} given, expressions of {', '.join(numbers) or 'no numbers'} are accepted in braces") from error

    return _IN_LIMIT.sub(value, text)


def places(numbers: Mapping[str, float]) -> dict[str, str]:
    """Return the texts for ``{THRESHOLD.NAME}`` in a brief, for ``{THRESHOLD.NAME:word}`` if there is a word for the number, and for
    ``{THRESHOLD.NAME:part}`` if there is one for its part above 1.
    """
    found = {f"{{{name}}}": _shown(number, ",") for name, number in numbers.items()}
    found |= {f"{{{name}:part}}": _PARTS[number] for name, number in numbers.items() if number in _PARTS}
    return found | {f"{{{name}:word}}": _WORDS[int(number)] for name, number in numbers.items() if number in range(len(_WORDS))}


def brief(text: str, numbers: Mapping[str, float]) -> str:
    """Return a brief with the numbers in their places. Raises NumberError."""
    known = places(numbers)
    for found in _IN_BRIEF.findall(text):
        if found not in known:
            raise NumberError(f"{found} given, one of {', '.join(sorted(known))} is accepted")
    return _IN_BRIEF.sub(lambda found: known[found[0]], text)


def _shown(number: float, separator: str = "") -> str:
    return format(int(number) if number == int(number) else number, separator)
