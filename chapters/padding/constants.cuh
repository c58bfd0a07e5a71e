// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The sizes of tiles and blocks.
#pragma once

// [constants]
constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

// The small square tile, one element a thread.
constexpr int SMALL_DIM = 16;

// The rectangular tile, one element a thread.
constexpr int COLUMNS = 32;
constexpr int ROWS = 16;
// [/constants]
