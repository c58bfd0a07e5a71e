"""The meaning of the book's numbers: measured results, counts, and the sources that they belong to."""
