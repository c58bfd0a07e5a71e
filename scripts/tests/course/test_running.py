# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""Removing the folder of a run while what was ended in it still writes."""

import threading
import time

from grading import running


def test_a_folder_is_removed_while_something_still_writes_there(tmp_path):
    folder = tmp_path / "run"
    (folder / "left").mkdir(parents=True)
    started = time.monotonic()

    def write():
        number = 0
        while time.monotonic() - started < 0.5:
            number += 1
            (folder / "left").mkdir(parents=True, exist_ok=True)
            try:
                (folder / "left" / str(number)).write_text("x")
            except FileNotFoundError:
                pass

    writer = threading.Thread(target=write)
    writer.start()
    writer.join(0.1)
    while writer.is_alive():
        if folder.exists():
            running._remove(folder)
    writer.join()
    if folder.exists():
        running._remove(folder)
    assert not folder.exists()
