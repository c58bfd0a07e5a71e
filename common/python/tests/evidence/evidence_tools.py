"""The book's own results, and how a test changes data."""

from pathlib import Path

BOOK_RESULTS = Path(__file__).resolve().parents[4] / "book" / "results"
CHAPTERS = BOOK_RESULTS.parents[1] / "chapters"


def put(data, path, value):
    *parents, last = path
    for part in parents:
        data = data[part]
    if value is KeyError:
        del data[last]
    else:
        data[last] = value
