# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Assignments: handed out, graded without a GPU, reported. scripts/grade is its command line."""
