// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// std::function. The rest of `<functional>`, such as searchers over hash tables, would take nvcc a sixth of its time for a chapter.
#pragma once

#if __has_include(<bits/std_function.h>)  // a part of the <functional> of g++
#include <bits/std_function.h>
#else
#include <functional>
#endif
