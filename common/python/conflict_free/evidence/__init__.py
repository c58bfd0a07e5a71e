# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The meaning of the book's numbers: measured results, counts, and the sources that they belong to."""
