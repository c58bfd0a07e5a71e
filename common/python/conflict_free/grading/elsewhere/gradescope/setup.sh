#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
#
# Gradescope runs this once, when it makes the container: the grader and its tools are built. A checkout of the repository
# lies in conflict-free-cuda, beside this file.
set -eu
cd "${AUTOGRADER:-/autograder}/source/conflict-free-cuda"
apt-get update
scripts/grade list
# Grading something builds what grading needs. A starter fails, and that is right.
scripts/grade release padding /tmp/handout
scripts/grade run padding /tmp/handout/transpose_doubles.cu --no-sandbox || test $? = 1
