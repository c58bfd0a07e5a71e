// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

#include "conflict_free/matrix_chapter.hpp"

template class conflict_free::MatrixChapter<float>;
