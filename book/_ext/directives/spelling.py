"""A filter of the spelling builder. Enchant, which it needs, is installed only where the spelling is checked."""

import re

from enchant.tokenize import Filter


class Identifiers(Filter):
    """Skip the names of code and units, such as ``cudaSuccess`` and ``GiB``: a capital after a small letter."""

    def _skip(self, word: str) -> bool:
        return re.search(r"[a-z][A-Z]", word) is not None
