# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""What the machine is."""

from __future__ import annotations

import platform

_MACHINE = "x86_64"


def readable_code() -> bool:
    """True on a machine whose code object admission can read; on others submissions cannot be confined."""
    return platform.machine() == _MACHINE
