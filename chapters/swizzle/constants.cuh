// SPDX-FileCopyrightText: 2026 The Conflict-Free CUDA authors
// SPDX-License-Identifier: MIT

// The sizes of tiles, blocks and accesses.
#pragma once

// [constants]
// The square tile of single floats.
constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

// A unit is what one access of 16 bytes moves. Eight of them fill the banks.
constexpr int UNIT_BYTES = 16;
constexpr int UNITS_IN_BANKS = 8;

// The square tile of units: 64 x 64 floats.
constexpr int WIDE_DIM = 64;
constexpr int UNIT_FLOATS = 4;
constexpr int UNITS = WIDE_DIM / UNIT_FLOATS;

constexpr int SECTOR_BYTES = 32;
// [/constants]
