"""Building everything, rendering the book, and summing up the counts."""
