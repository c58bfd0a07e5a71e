# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What the scripts and the book of *Conflict-Free CUDA* are made of, a room for each thing. Rooms import those before them, never one after:
console, setup, evidence, counting, measuring, grading, checking, rendering, scaffolding."""
