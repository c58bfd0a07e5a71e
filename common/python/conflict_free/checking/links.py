"""External links and citations. Sphinx checks the links inside the book.

Without a network only the form of a link can be checked; `scripts/check --links` follows each link.
"""

import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlparse

from conflict_free.console import ROOT

from .naked_numbers import REFERENCES, pages

_LINK = re.compile(r"\b[a-z]+://[^\s<>`\"'{}|]+", re.IGNORECASE)
_CITATION = re.compile(r":cite(?::\w+)?:`([^`]+)`")
_CODE = re.compile(r"^( *)```.*?^\1```|``.+?``|(?<!`)`[^`<>]+`(?!`)", re.DOTALL | re.MULTILINE)

TIMEOUT_SECONDS = 30
#: Some servers refuse a request without a user agent.
_AGENT = "Mozilla/5.0 (compatible; conflict-free-cuda link check)"


def links() -> Iterator[tuple[str, int, str]]:
    """Yield each external link: the file relative to the repository, the line, and the address."""
    for path in [*pages(), *([REFERENCES] if REFERENCES.exists() else [])]:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".md":
            text = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
        for match in _LINK.finditer(text):
            yield path.relative_to(ROOT).as_posix(), text.count("\n", 0, match.start()) + 1, match[0].rstrip(".,;:)")


def _cited(target: str) -> list[str]:
    """Return the keys of what a citation names."""
    # Imported here because it brings all of Sphinx, half a second, and many folders cite nothing.
    from sphinxcontrib.bibtex.citation_target import parse_citation_targets

    return [found.key for found in parse_citation_targets(target)]


def external_links() -> Iterator[str]:
    """Every external link is a complete https address, and every citation is in references.bib."""
    for file, line, address in links():
        parsed = urlparse(address)
        if parsed.scheme != "https":
            yield f"{file}:{line}: {address} is not https"
        elif not re.fullmatch(r"(?:[a-z0-9-]+\.)+[a-z]{2,}", parsed.hostname or ""):
            yield f"{file}:{line}: {address} names no host"
    keys = set(re.findall(r"^@\w+\{([^,\s]+),", REFERENCES.read_text(encoding="utf-8"), re.MULTILINE)) if REFERENCES.exists() else set()
    for path in (path for path in pages() if path.suffix == ".rst"):
        text = path.read_text(encoding="utf-8")
        for match in _CITATION.finditer(text):
            for key in _cited(match[1]):
                if key not in keys:
                    line = text.count("\n", 0, match.start()) + 1
                    yield f"{path.relative_to(ROOT).as_posix()}:{line}: references.bib has no {key}"


def _answer(address: str) -> str:
    """Return why an address cannot be used; an empty text if it answers."""
    request = urllib.request.Request(address, headers={"User-Agent": _AGENT})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS):
            return ""
    except urllib.error.HTTPError as error:
        return f"answers {error.code}"
    except (OSError, ValueError) as error:
        return f"does not answer: {getattr(error, 'reason', error)}"


def dead_links() -> Iterator[str]:
    """Yield a finding for each external link that does not answer."""
    found = list(links())
    addresses = sorted({address for _, _, address in found})
    with ThreadPoolExecutor(max_workers=8) as pool:
        answers = dict(zip(addresses, pool.map(_answer, addresses)))
    yield from (f"{file}:{line}: {address} {answers[address]}" for file, line, address in found if answers[address])
