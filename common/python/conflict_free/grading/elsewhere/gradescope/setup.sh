#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
# SPDX-License-Identifier: MIT
#
# Builds the grader and its tools. Gradescope runs it once, when it makes the container. A checkout of the repository lies in
# conflict-free-cuda, beside this file.
set -eu
cd "${AUTOGRADER:-/autograder}/source/conflict-free-cuda"
apt-get update
scripts/grade list
# The first grading builds the tools. The starter fails, as it should.
scripts/grade release padding /tmp/handout
scripts/grade run padding /tmp/handout/transpose_doubles.cu --no-sandbox || test $? = 1
