"""Checks of the repository and of the rendered book that no compiler makes."""
