# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The command conflict-free: it builds and runs a CUDA program under the counting model, and reports the program's memory accesses."""
