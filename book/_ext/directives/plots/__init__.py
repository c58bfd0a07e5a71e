"""Plots of times."""
