// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The sizes of tiles and blocks.
#pragma once

// [constants]
constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

// The tile whose width is an odd number. One lane of each warp stays idle.
constexpr int ODD_DIM = 31;

// The block that is narrower than the tile.
constexpr int NARROW_COLUMNS = 8;

// The rectangular tile, and the rows of its block when a thread moves four elements.
constexpr int COLUMNS = 32;
constexpr int ROWS = 16;
constexpr int FEW_ROWS = 4;
// [/constants]
