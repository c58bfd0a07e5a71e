# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""The grader is graded: submissions whose outcome is known, under all draws, without each limit, and with attacks."""
