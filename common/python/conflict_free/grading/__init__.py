"""Assignments: handed out, graded without a GPU, reported. scripts/grade is its command line."""
