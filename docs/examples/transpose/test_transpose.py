# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
"""pytest finds the fixture where conflict-free is installed."""


def test_no_bank_conflict(conflict_free):
    report = conflict_free.count("transpose.cu", arguments=["96"])
    assert report.exit_code == 0
    assert report.hazards == []
    assert report.kernel("transpose").shared_load.conflicts == 0
    assert report.kernel("transpose").global_store.sectors_per_request == 4
