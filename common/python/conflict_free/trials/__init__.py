# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Tests the grader with submissions whose outcome is known, under many draws, without each limit, and with attacks."""
