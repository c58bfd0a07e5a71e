"""The package behind the scripts and the book of *Conflict-Free CUDA*: a room for each task.

A room imports the rooms before it and none after it: console, counts, setup, evidence, counting, measuring, grading, trials, checking,
rendering, scaffolding. ``tests/checking/test_rooms.py`` has the whole order.
"""
