"""Listings of tested sources, their margins and differences."""
