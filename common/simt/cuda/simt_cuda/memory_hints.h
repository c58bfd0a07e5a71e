// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

/// @file
/// Loads and stores with a hint to the caches. The model has no caches, so they are plain accesses. They are macros so
/// that they count on the user's line.
#pragma once

#define __ldg(...) (*(__VA_ARGS__))
#define __ldca(...) (*(__VA_ARGS__))
#define __ldcg(...) (*(__VA_ARGS__))
#define __ldcs(...) (*(__VA_ARGS__))
#define __ldcv(...) (*(__VA_ARGS__))
#define __ldlu(...) (*(__VA_ARGS__))

#define __stwb(pointer, ...) (static_cast<void>(*(pointer) = __VA_ARGS__))
#define __stcg(pointer, ...) (static_cast<void>(*(pointer) = __VA_ARGS__))
#define __stcs(pointer, ...) (static_cast<void>(*(pointer) = __VA_ARGS__))
#define __stwt(pointer, ...) (static_cast<void>(*(pointer) = __VA_ARGS__))
