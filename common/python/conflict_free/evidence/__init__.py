# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What the numbers of the book mean: measured results, counts, the sources that they belong to."""
