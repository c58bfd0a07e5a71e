"""The names and the fixed numbers of the evidence: folders, kinds of access, the base of percentages."""

from conflict_free.console import ROOT

#: Folder of the schemas, beside the results that they describe.
SCHEMAS = ROOT / "book" / "results"

#: Folder name, under the results folder, of the reader's own machine and of published figures.
LOCAL = "local"

HISTORICAL = "historical"

#: Bytes of a sector of global memory on every machine of this book.
SECTOR_BYTES = 32

#: The folder of the programs that show errors, in the chapters and in the counts; also their slug among the results.
SPECIMENS = "errata"

#: The word between the slug and the name in the key of a library's time.
PEERS = "peers"

#: The size of a chapter's counts unless its program names another.
COUNTED_SIZE = "2048x2048"

#: The base of every percentage of bandwidth: the copy of the CUDA runtime, a row of chapter ``copy``.
CEILING = "cudaMemcpy"

CEILING_SLUG = "copy"

#: The base of percentages of published figures: publications have no time of ``cudaMemcpy``, but that of a plain copy.
PUBLISHED_CEILING = "copy_plain"

#: The groups of counts that the book's tables show: key in the counts, words for a reader.
ACCESSES = {"global_load": "global load", "global_store": "global store", "shared_load": "shared load", "shared_store": "shared store"}


class ResultError(ValueError):
    """Evidence is missing, malformed or stale. The text is one line: the place, the value given, the values accepted."""


class StaleError(ResultError):
    """Evidence was measured with another text of the kernel than the present one."""


#: What a claim may say between two times; ``speeds`` has the rule that decides it. Longer words come first.
SPEED_WORDS = ("no faster than", "no slower than", "not measurably different from", "as fast as", "faster than", "slower than")
