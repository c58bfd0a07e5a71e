"""End the program with one line if Python is too old. Import this module before any other of the package."""

import sys

# The syntax is old on purpose: the Python that is turned away must understand this file.
if sys.version_info < (3, 10):
    sys.stderr.write(
        "error: Python 3.10 or later is needed, this is %s (%s)\n" % (".".join(map(str, sys.version_info[:3])), sys.executable)
    )
    sys.exit(2)
