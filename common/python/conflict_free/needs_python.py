# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Ends the program with one line when Python is too old. Import it before any other module of this folder."""

import sys

# Old syntax on purpose: this file must still be understood by the Python that it turns away.
if sys.version_info < (3, 10):
    sys.stderr.write(
        "error: Python 3.10 or later is needed, this is %s (%s)\n" % (".".join(map(str, sys.version_info[:3])), sys.executable)
    )
    sys.exit(2)
