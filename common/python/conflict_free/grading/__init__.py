"""Assignments: handed out, graded without a GPU, reported. scripts/grade is its command line."""

import os

# NumPy's library makes a thread for each core when it is imported, which takes half as long as the import. No grading has work for them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
